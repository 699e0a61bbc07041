// A ContactSolver and its workspace, for tests.
#pragma once

#include "tests/support/caller_problem.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace cairn::test {

template <class T> WorldSettings settingsOn(Target target) {
  WorldSettings settings;
  settings.backend = target == Target::Cuda ? Backend::Cuda : Backend::Cpu;
  settings.threads = 1;
  settings.precision = sizeof(T) == 8 ? Precision::Double : Precision::Float;
  settings.dt = 1.0 / 64;
  settings.substeps = 1;
  settings.iterations = 4;
  settings.relaxations = 2;
  return settings;
}
// What a call makes of a problem.
template <class T> struct Outcome {
  CallerProblem<T> problem;
  ContactSolverStatus status;
};
template <class T> using Change = std::function<void(ContactSolverCall<T>&)>;

// A solver's calls on a queue, with a workspace of just the size that it asks for.
template <class T> class Caller {
 public:
  Caller(Queue& queue, const ContactCapacity& capacity, const WorldSettings& settings) : queue_(queue), solver_(capacity, settings) {
    workspace_.resize(queue, solver_.workspaceBytes() + kGuard);
    fillBytes(queue, workspace_.data(), kGuardByte, workspace_.size());
  }
  void enqueue(const ContactSolverCall<T>& call) { solver_.enqueue(queue_.stream, {workspace_.data(), solver_.workspaceBytes()}, call); }
  Outcome<T> solve(const CallerProblem<T>& problem, typename OnTarget<T>::Layout layout = OnTarget<T>::Layout::Structs,
                   const Change<T>& change = {}) {
    OnTarget<T> there(queue_, problem, layout);
    ContactSolverCall<T> call = there.call();
    if (change) change(call);
    enqueue(call);
    Outcome<T> outcome{there.read(), there.status()};
    std::vector<unsigned char> guard(kGuard);
    downloadBytes(queue_, guard.data(), workspace_.data() + solver_.workspaceBytes(), kGuard);
    for (const unsigned char byte : guard) EXPECT_EQ(byte, kGuardByte) << "beyond the workspace";
    return outcome;
  }
  ContactSolver& solver() { return solver_; }
  void fillWorkspace(int byte) { fillBytes(queue_, workspace_.data(), byte, solver_.workspaceBytes()); }

 private:
  static constexpr size_t kGuard = 256;
  static constexpr int kGuardByte = 0x5a;
  Queue& queue_;
  ContactSolver solver_;
  Buffer<unsigned char> workspace_;
};

}  // namespace cairn::test
