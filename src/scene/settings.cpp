// Ranges of the settings, and the names of their choices.
#include <cairn/error.hpp>
#include <cairn/settings.hpp>

#include "src/scene/settings_names.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cairn {

template <> const std::vector<NamedValue<Backend>>& namedValues() {
  static const std::vector<NamedValue<Backend>> values{{"auto", Backend::Auto}, {"cpu", Backend::Cpu}, {"cuda", Backend::Cuda}};
  return values;
}
template <> const std::vector<NamedValue<Precision>>& namedValues() {
  static const std::vector<NamedValue<Precision>> values{{"float", Precision::Float}, {"double", Precision::Double}};
  return values;
}
template <> const std::vector<NamedValue<Solver>>& namedValues() {
  static const std::vector<NamedValue<Solver>> values{
      {"pgs", Solver::Pgs}, {"jacobi", Solver::Jacobi}, {"nncg", Solver::Nncg}, {"lemke", Solver::Lemke}};
  return values;
}
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
                                                           {"no_solution", SolveStatus::NoSolution}};
  return values;
}
template <> const std::vector<NamedValue<NormalStabilization>>& namedValues() {
  static const std::vector<NamedValue<NormalStabilization>> values{{"none", NormalStabilization::None},
                                                                   {"baumgarte", NormalStabilization::Baumgarte},
                                                                   {"anitescu-hart", NormalStabilization::AnitescuHart},
                                                                   {"silcowitz", NormalStabilization::Silcowitz},
                                                                   {"soft", NormalStabilization::Soft}};
  return values;
}
template <> const std::vector<NamedValue<JointStabilization>>& namedValues() {
  static const std::vector<NamedValue<JointStabilization>> values{{"none", JointStabilization::None},
                                                                  {"baumgarte", JointStabilization::Baumgarte},
                                                                  {"anitescu-hart", JointStabilization::AnitescuHart},
                                                                  {"post", JointStabilization::Post},
                                                                  {"pre", JointStabilization::Pre}};
  return values;
}
template <> const std::vector<NamedValue<JointSolver>>& namedValues() {
  static const std::vector<NamedValue<JointSolver>> values{{"direct", JointSolver::Direct}, {"sweeps", JointSolver::Sweeps}};
  return values;
}
template <> const std::vector<NamedValue<BodyType>>& namedValues() {
  static const std::vector<NamedValue<BodyType>> values{
      {"static", BodyType::Static}, {"kinematic", BodyType::Kinematic}, {"dynamic", BodyType::Dynamic}};
  return values;
}
template <> const std::vector<NamedValue<ShapeType>>& namedValues() {
  static const std::vector<NamedValue<ShapeType>> values{{"sphere", ShapeType::Sphere},
                                                         {"capsule", ShapeType::Capsule},
                                                         {"box", ShapeType::Box},
                                                         {"half_space", ShapeType::HalfSpace},
                                                         {"ellipsoid", ShapeType::Ellipsoid}};
  return values;
}
template <> const std::vector<NamedValue<JointType>>& namedValues() {
  static const std::vector<NamedValue<JointType>> values{
      {"point", JointType::Point},         {"hinge", JointType::Hinge},   {"twist", JointType::Twist},       {"rigid", JointType::Rigid},
      {"prismatic", JointType::Prismatic}, {"planar", JointType::Planar}, {"distance", JointType::Distance}, {"universal", JointType::Universal},
      {"six_dof", JointType::SixDof},      {"gear", JointType::Gear},     {"black_box", JointType::BlackBox}};
  return values;
}
template <> const std::vector<NamedValue<JointMotor>>& namedValues() {
  static const std::vector<NamedValue<JointMotor>> values{
      {"off", JointMotor::Off}, {"velocity", JointMotor::Velocity}, {"position", JointMotor::Position}};
  return values;
}

namespace {

template <class Value> void require(bool holds, const char* name, const char* range, Value value) {
  if (!holds) throw InvalidInput(std::string("settings.") + name, fmt::format("must be {}, is {}", range, value));
}

void requirePositive(const char* name, double value) { require(std::isfinite(value) && value > 0, name, "a finite number > 0", value); }
void requireNotNegative(const char* name, double value) { require(std::isfinite(value) && value >= 0, name, "a finite number >= 0", value); }
void requireAtLeast(const char* name, int least, int value) {
  require(value >= least, name, least == 0 ? "a whole number >= 0" : "a whole number >= 1", value);
}
template <class Enum> void requireNamed(const char* name, Enum value) {
  require(std::string(nameOf(value)) != "?", name, ("one of " + nameList<Enum>()).c_str(), int(value));
}

// Settings that are each in range but make no sense together.
void requireSensible(const WorldSettings& s) {
  if (s.solver == Solver::Nncg && s.iterations < 2 && !(s.tolerance > 0)) {
    throw InvalidInput("settings.iterations", "must be at least 2 with the solver nncg: one sweep has no conjugate direction");
  }
  if (s.jointStabilization == JointStabilization::Post && s.normalStabilization == NormalStabilization::Soft) {
    throw InvalidInput("settings.jointStabilization", "must not be post with soft contacts: their springs carry by the depth that it removes");
  }
  if (s.jointStabilization == JointStabilization::Post && s.solver == Solver::Lemke) {
    throw InvalidInput("settings.jointStabilization", "must not be post with the solver lemke: its position problem has no joints");
  }
  if (s.shockPropagation && s.solver == Solver::Lemke) {
    throw InvalidInput("settings.shockPropagation", "must be off with the solver lemke: it would change the reference's answer");
  }
  if (s.positionCorrections > 0 && s.normalStabilization == NormalStabilization::Soft) {
    throw InvalidInput("settings.positionCorrections", "must be 0 with soft contacts: their springs carry by the depth that it removes");
  }
}

}  // namespace

void validate(const WorldSettings& s) {
  requireNamed("backend", s.backend);
  requireAtLeast("threads", 0, s.threads);
  requireNamed("precision", s.precision);
  requirePositive("dt", s.dt);
  requireAtLeast("substeps", 1, s.substeps);
  requireAtLeast("iterations", 1, s.iterations);
  requireAtLeast("relaxations", 0, s.relaxations);
  requireAtLeast("normalPasses", 1, s.normalPasses);
  require(s.overRelaxation > 0 && s.overRelaxation < 2, "overRelaxation", "a number > 0 and < 2", s.overRelaxation);
  requireNotNegative("tolerance", s.tolerance);
  requireAtLeast("maxIterations", 1, s.maxIterations);
  requireNamed("solver", s.solver);
  requireNamed("normalStabilization", s.normalStabilization);
  require(s.errorReduction >= 0 && s.errorReduction <= 1, "errorReduction", "a number from 0 to 1", s.errorReduction);
  require(s.forceMixing >= 0 && s.forceMixing < 1, "forceMixing", "a number >= 0 and < 1", s.forceMixing);
  requireNotNegative("slop", s.slop);
  require(s.gamma > 0 && s.gamma <= 1, "gamma", "a number > 0 and <= 1", s.gamma);
  requireNotNegative("slipTolerance", s.slipTolerance);
  require(s.slipReduction >= 0 && s.slipReduction <= 1, "slipReduction", "a number from 0 to 1", s.slipReduction);
  requireAtLeast("positionCorrections", 0, s.positionCorrections);
  requireAtLeast("positionSweeps", 1, s.positionSweeps);
  requirePositive("maxPositionCorrection", s.maxPositionCorrection);
  requireNamed("jointStabilization", s.jointStabilization);
  requireNamed("jointSolver", s.jointSolver);
  require(s.jointErrorReduction >= 0 && s.jointErrorReduction <= 2, "jointErrorReduction", "a number from 0 to 2", s.jointErrorReduction);
  requireAtLeast("jointSweeps", 0, s.jointSweeps);
  requirePositive("maxCorrectionSpeed", s.maxCorrectionSpeed);
  requirePositive("softFrequency", s.softFrequency);
  requireNotNegative("softDamping", s.softDamping);
  requirePositive("envelope", s.envelope);
  requireNotNegative("restitutionThreshold", s.restitutionThreshold);
  require(s.maxLinearSpeed > 0, "maxLinearSpeed", "a number > 0 or infinity", s.maxLinearSpeed);
  require(s.maxAngularSpeed > 0, "maxAngularSpeed", "a number > 0 or infinity", s.maxAngularSpeed);
  require(s.maxColours >= 0 && s.maxColours <= 64, "maxColours", "a whole number from 0 to 64", s.maxColours);
  requireSensible(s);
}

}  // namespace cairn
