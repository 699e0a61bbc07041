#include <cairn/names.hpp>

namespace cairn::v0 {

template <> const std::vector<NamedValue<ProblemSolver>>& namedValues() {
  static const std::vector<NamedValue<ProblemSolver>> values{{"auto", ProblemSolver::Auto},     {"pgs", ProblemSolver::Pgs},
                                                             {"jacobi", ProblemSolver::Jacobi}, {"nncg", ProblemSolver::Nncg},
                                                             {"newton", ProblemSolver::Newton}, {"lemke", ProblemSolver::Lemke}};
  return values;
}
template <> const std::vector<NamedValue<SolveStatus>>& namedValues() {
  static const std::vector<NamedValue<SolveStatus>> values{{"solved", SolveStatus::Solved},
                                                           {"iteration_limit", SolveStatus::IterationLimit},
                                                           {"time_limit", SolveStatus::TimeLimit},
                                                           {"no_solution", SolveStatus::NoSolution},
                                                           {"polygon_solved", SolveStatus::PolygonSolved}};
  return values;
}

}  // namespace cairn::v0
