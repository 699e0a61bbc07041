// Calls of ContactSolver on random contacts, on every target: what a call takes beside what its sweeps alone take. The latter is the difference
// between calls with twice as many sweeps and calls with as many, taken in turns, the fastest of each.
#include "bench/benchmark_program.hpp"
#include "tests/support/caller_problem.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace cairn {
namespace {

struct Case {
  int points;
  int sweeps;
  bool asBefore;  // each call has the contacts of the one before, to the last body
};

class TimedSolver {
 public:
  TimedSolver(Queue& queue, const ContactCapacity& capacity, WorldSettings settings, int sweeps)
      : queue_(queue), solver_(capacity, adapted(settings, sweeps)) {
    workspace_.resize(queue, std::max<size_t>(solver_.workspaceBytes(), 1));
  }
  double seconds(const ContactSolverCall<float>& call) {
    synchronize(queue_);
    const auto begin = std::chrono::steady_clock::now();
    solver_.enqueue(queue_.stream, {workspace_.data(), workspace_.size()}, call);
    synchronize(queue_);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  static WorldSettings adapted(WorldSettings settings, int sweeps) {
    settings.iterations = sweeps;
    settings.relaxations = 0;
    return settings;
  }
  Queue& queue_;
  ContactSolver solver_;
  Buffer<unsigned char> workspace_;
};

void call(benchmark::State& state, const bench::BenchTarget& on, const Case& of) {
  Queue queue = on.target == Target::Cuda ? makeCudaQueue() : makeCpuQueue(on.threads);
  {
    // A manifold has 2.5 points in the mean.
    const test::CallerProblem<float> problems[2] = {test::randomCallerProblem<float>(of.points * 3 / 10, of.points * 2 / 5, 1),
                                                    test::randomCallerProblem<float>(of.points * 3 / 10, of.points * 2 / 5, of.asBefore ? 1 : 2)};
    ContactCapacity capacity;
    for (const auto& problem : problems) {
      const ContactCapacity own = test::capacityOf(problem);
      capacity.bodies = std::max(capacity.bodies, own.bodies);
      capacity.contacts = std::max(capacity.contacts, own.contacts);
    }
    WorldSettings settings;
    settings.backend = on.target == Target::Cuda ? Backend::Cuda : Backend::Cpu;
    settings.threads = on.threads;
    TimedSolver solver(queue, capacity, settings, of.sweeps), twice(queue, capacity, settings, 2 * of.sweeps);
    test::OnTarget<float> first(queue, problems[0]), second(queue, problems[1]);
    ContactSolverCall<float> calls[2] = {first.call(), second.call()};
    for (ContactSolverCall<float>& each : calls) each.contacts.restitution = {};
    std::vector<double> once, more;
    size_t turn = 0;
    for (auto _ : state) {
      const ContactSolverCall<float>& now = calls[++turn % 2];
      once.push_back(solver.seconds(now));
      more.push_back(twice.seconds(now));
      state.SetIterationTime(once.back());
    }
    const double whole = *std::min_element(once.begin(), once.end()), sweeps = *std::min_element(more.begin(), more.end()) - whole;
    state.counters["points"] = static_cast<double>(problems[0].contacts.size());
    state.counters["s/call"] = whole;
    state.counters["s/sweep"] = sweeps / of.sweeps;
    state.counters["call/sweeps"] = whole / sweeps;
    state.counters["refused"] = first.status().flags | second.status().flags;
  }
  releaseQueue(queue);
}

void registerCases() {
  for (const bench::BenchTarget& on : bench::benchTargets()) {
    for (const int points : {1000, 10000, 100000}) {
      for (const int sweeps : {4, 20, 100}) {
        for (const bool asBefore : {true, false}) {
          const std::string name = "contact_solver/" + on.name + "/points=" + std::to_string(points) + "/sweeps=" + std::to_string(sweeps) +
                                   (asBefore ? "/same_contacts" : "/other_contacts");
          benchmark::RegisterBenchmark(name.c_str(),
                                       [=](benchmark::State& state) {
                                         call(state, on, {points, sweeps, asBefore});
                                       })
              ->UseManualTime()
              ->Unit(benchmark::kMicrosecond);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) { return cairn::bench::runBenchmarks(argc, argv, cairn::registerCases); }
