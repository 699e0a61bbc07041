// Solves a stand-alone contact problem: chooses the method, ends it by residual, time and iterations, and reports the best iterate.
#include "kernels/runtime/owned_queue.hpp"
#include "src/problems/body_sweeps.hpp"
#include "src/problems/newton.hpp"
#include "src/problems/problem_sweeps.hpp"
#include "src/problems/solution_velocities.hpp"
#include "src/problems/solver_settings.hpp"

#include <cairn/contact_problem.hpp>
#include <cairn/error.hpp>
#include <cairn/reference.hpp>

#include <chrono>
#include <limits>
#include <memory>

namespace cairn::v0 {
namespace {

using Clock = std::chrono::steady_clock;

// Evaluating the residual costs about a sweep, so it is done whenever the sweeps so far have grown by an eighth, and after this many at the latest.
constexpr long kMaxPollInterval = 500;
// Auto: sweeps have stalled when so many evaluations in a row improve the residual by less than a tenth.
constexpr int kStalledPolls = 12;
// Auto: contacts up to which a dense Newton step is worth it.
constexpr int kNewtonContacts = 400;
constexpr long kSweepsBeforeNewton = 100;
constexpr long kUnlimited = std::numeric_limits<long>::max();

// The best iterate so far, and the budget of time and iterations.
class Progress {
 public:
  Progress(const ContactProblem& problem, const ContactProblem& local, const ContactSolverSettings& settings)
      : problem_(problem), local_(local), settings_(settings), start_(Clock::now()), velocities_(problem) {
    evaluate(std::vector<double>(3 * static_cast<size_t>(problem.contacts()), 0.0));
  }

  // Keeps r if it is the best so far. True when the solve is done.
  bool evaluate(const std::vector<double>& r) {
    ContactSolution solution;
    solution.r = r;
    velocities_.complete(solution);
    const ContactResidual residual = contactResidual(problem_, local_, solution);
    if (residual.etaSic < best_.residual.etaSic || best_.solution.r.empty()) {
      best_.residual = residual;
      best_.solution = std::move(solution);
    }
    if (settings_.progress) settings_.progress(best_.iterations, best_.residual.etaSic);
    return done();
  }
  bool done() {
    if (best_.residual.etaSic <= settings_.tolerance) {
      best_.status = SolveStatus::Solved;
    } else if (seconds() > settings_.timeLimit) {
      best_.status = SolveStatus::TimeLimit;
    } else if (best_.iterations >= settings_.maxIterations) {
      best_.status = SolveStatus::IterationLimit;
    } else {
      return false;
    }
    return true;
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double residual() const { return best_.residual.etaSic; }
  const std::vector<double>& bestImpulses() const { return best_.solution.r; }
  long iterations() const { return best_.iterations; }
  long left() const { return settings_.maxIterations - best_.iterations; }
  void count(long iterations) { best_.iterations += iterations; }
  ContactSolveResult result(ProblemSolver solver) {
    best_.solver = solver;
    best_.milliseconds = 1e3 * seconds();
    return best_;
  }

 private:
  const ContactProblem& problem_;
  const ContactProblem& local_;
  const ContactSolverSettings& settings_;
  Clock::time_point start_;
  SolutionVelocities velocities_;
  ContactSolveResult best_;
};

// Sweeps until the budget ends, maxSweeps are done, or (stopWhenStalled) they bring next to nothing.
template <class OneSweep> void runSweeps(const OneSweep& sweep, const Sweeps& sweeps, Progress& progress, long maxSweeps, bool stopWhenStalled) {
  long done = 0, nextPoll = 1;
  int pollsWithoutGain = 0;
  double reference = progress.residual();
  while (!progress.done() && done < maxSweeps) {
    const long until = std::min({nextPoll, maxSweeps, done + progress.left()});
    progress.count(until - done);
    for (; done < until; ++done) sweep();
    nextPoll = done + std::min(std::max(1L, done / 8), kMaxPollInterval);
    if (progress.evaluate(sweeps.impulses())) return;
    if (progress.residual() < 0.9 * reference) {
      reference = progress.residual();
      pollsWithoutGain = 0;
    } else if (++pollsWithoutGain >= kStalledPolls && stopWhenStalled) {
      return;
    }
  }
}

void runNewton(const ContactProblem& local, Progress& progress, std::vector<double> r) {
  newtonSteps(local, r, progress.left(), [&](const std::vector<double>& iterate) {
    progress.count(1);
    return !progress.evaluate(iterate);
  });
}

// Newton steps and Gauss-Seidel sweeps alternate, each from the best point so far, because a point where Newton's merit function is stationary need
// not be a solution.
ProblemSolver runTurns(Sweeps& sweeps, const ContactProblem& local, Progress& progress) {
  ProblemSolver last = ProblemSolver::Pgs;
  for (long turn = 200; !progress.done(); turn *= 2) {
    last = ProblemSolver::Newton;
    runNewton(local, progress, progress.bestImpulses());
    if (progress.done()) break;
    last = ProblemSolver::Pgs;
    sweeps.reset(progress.bestImpulses());
    runSweeps([&] { sweeps.gaussSeidel(); }, sweeps, progress, turn, false);
  }
  return last;
}

ProblemSolver runAuto(Sweeps& sweeps, const ContactProblem& local, Progress& progress) {
  const bool small = local.contacts() <= kNewtonContacts;
  runSweeps([&] { sweeps.nncg(); }, sweeps, progress, kUnlimited, small);
  return progress.done() ? ProblemSolver::Nncg : runTurns(sweeps, local, progress);
}

ProblemSolver run(Sweeps& sweeps, const ContactProblem& local, ProblemSolver solver, Progress& progress) {
  switch (solver) {
    case ProblemSolver::Auto:
      return runAuto(sweeps, local, progress);
    case ProblemSolver::Newton:
      runSweeps([&] { sweeps.gaussSeidel(); }, sweeps, progress, kSweepsBeforeNewton, false);
      if (!progress.done()) runTurns(sweeps, local, progress);
      return solver;
    case ProblemSolver::Nncg:
      runSweeps([&] { sweeps.nncg(); }, sweeps, progress, kUnlimited, false);
      return solver;
    default:
      runSweeps([&] { sweeps.gaussSeidel(); }, sweeps, progress, kUnlimited, false);
      return solver;
  }
}

SolveStatus statusOf(reference::LcpStatus status, double residual, const ContactSolverSettings& settings) {
  switch (status) {
    case reference::LcpStatus::Solved:
      return residual <= settings.tolerance ? SolveStatus::Solved : SolveStatus::PolygonSolved;
    case reference::LcpStatus::IterationLimit:
      return SolveStatus::IterationLimit;
    case reference::LcpStatus::Stopped:
      return SolveStatus::TimeLimit;
    default:
      return SolveStatus::NoSolution;
  }
}

// Lemke's solution is exact for the friction polygon. Its residual in the law with the disk is the polygon's error.
ContactSolveResult solveByPivots(const ContactProblem& problem, const ContactProblem& local, const ContactSolverSettings& settings) {
  const auto start = Clock::now();
  const auto milliseconds = [start] { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); };
  reference::ContactLcpSettings lemke;
  lemke.directions = settings.directions;
  lemke.force = settings.force;
  if (settings.maxIterations < ContactSolverSettings().maxIterations) lemke.lcp.maxPivots = settings.maxIterations;
  lemke.lcp.progress = [&](long pivots) {
    if (settings.progress) settings.progress(pivots, std::numeric_limits<double>::quiet_NaN());
    return milliseconds() < 1000 * settings.timeLimit;
  };
  const reference::ContactLcpResult found = reference::solveContactLcp(problem, lemke);
  ContactSolveResult result;
  result.solver = ProblemSolver::Lemke;
  result.solution = found.solution;
  result.iterations = found.pivots;
  result.residual = contactResidual(problem, local, found.solution);
  result.milliseconds = milliseconds();
  result.status = statusOf(found.status, result.residual.etaSic, settings);
  return result;
}

template <class T>
ContactSolveResult solveOn(Queue& queue, const ContactProblem& problem, const ContactProblem& local, const ContactSolverSettings& settings) {
  Progress progress(problem, local, settings);
  ProblemSolver used = settings.solver;
  if (!progress.done()) {
    if (settings.solver == ProblemSolver::Jacobi) {
      ProblemSweeps<T> sweeps(queue, local);
      runSweeps([&] { sweeps.jacobi(); }, sweeps, progress, kUnlimited, false);
    } else {
      // Rigid bodies are swept by their velocities, other problems by W.
      const std::unique_ptr<Sweeps> sweeps = hasBodies(problem) ? std::unique_ptr<Sweeps>(new BodySweeps<T>(queue, problem))
                                                                : std::unique_ptr<Sweeps>(new ProblemSweeps<T>(queue, local));
      used = run(*sweeps, local, settings.solver, progress);
    }
  }
  progress.done();
  return progress.result(used);
}

}  // namespace

ContactSolveResult solve(const ContactProblem& given, const ContactSolverSettings& settings) {
  requireInRange(contactSolverSettings(), settings);
  validate(given, "problem");
  const ContactProblem problem = symmetrized(given);
  const ContactProblem local = condensed(problem);
  if (settings.solver == ProblemSolver::Lemke) return solveByPivots(problem, local, settings);
  OwnedQueue owned(chooseTarget(settings.backend), settings.threads);
  return settings.precision == Precision::Double ? solveOn<double>(owned.queue, problem, local, settings)
                                                 : solveOn<float>(owned.queue, problem, local, settings);
}

}  // namespace cairn::v0
