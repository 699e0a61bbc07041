// Steps on a device that nobody waits for.
//
// A planned step (src/state/step_counts.hpp) is queued whole; whether it kept to its plan is found out on the device, at its end. If it did not, it
// has left everything as it was, and so do all steps that were queued behind it. Sooner or later the host sees that, takes back what it had noted for
// those steps, and does them again, the first one with numbers that it reads: then whatever is wrong comes to light as an exception.
//
// Since nothing in a planned step is the host's, one that repeats the one before it launch by launch can be recorded as a CUDA graph.
#include "src/world/simulation_of.hpp"

namespace cairn::v0 {

// What the host decides within a step cannot be planned: the reference solver, callbacks.
template <class T> bool SimulationOf<T>::canPlan() const { return planned_ && settings_.solver != Solver::Lemke && !jointRows_.anyCallback(); }

// What a step changes is kept, to go back to. A step that throws leaves no plan behind.
template <class T> void SimulationOf<T>::begin(bool planned) {
  planned_ = false;
  last_.done = false;
  enqueued_.written = false;  // this step takes it up
  if (queue_.target == Target::Cuda) flight_.begin(queue_);
  if (planned) {
    plannedKey_ = keyOfStep();
    counts_.beginPlanned();
    ++taken_.planned;
    if (state_.forcesApplied()) forcedStep_ = steps_;
    planned_ = true;
  } else {
    counts_.beginRead();
    ++taken_.read;
  }
  const bool rowsServe = jointRows_.rowsServe(state_.revision());
  sleep_.begin(queue_, state_.bodySlots(), revision());
  state_.backUp();
  jointRows_.backUp(state_, rowsServe);
  if (planned) rowsServed_.push_back(rowsServe);
}

// After a step whose numbers were read.
template <class T> void SimulationOf<T>::makePlan() {
  planned_ = queue_.target == Target::Cuda;
  if (planned_) counts_.plan(joints_.count() > 0 && !environments_.any());
}

template <class T> StepKey SimulationOf<T>::keyOfStep() const {
  StepKey key;
  key.rooms = counts_.rooms();
  key.allocations = queue_.allocations;
  key.stepsRead = taken_.read;
  key.forces = state_.forcesApplied();
  key.rowsServe = jointRows_.rowsServe(state_.revision());
  return key;
}

// A step is recorded once the one before it had the same key: then it allocates nothing, and more like it are to be expected.
template <class T> void SimulationOf<T>::runRecorded() {
  const StepKey key = keyOfStep();
  Recording& recording = recording_;
  const bool serves = recording.work.there() && recording.key == key;
  if (!serves && !(recording.before == key)) {
    recording.before = key;
    return runStages();
  }
  if (!serves) {
    recording.work.begin(queue_);
    try {
      runStages();
    } catch (...) {
      recording.work.abandon(queue_);
      throw;
    }
    recording.work.end(queue_);
    recording.key = key;
    recording.last = last_;
    recording.keepsRows = jointRows_.rowsServe(state_.revision());
  }
  recording.work.launch(queue_);
  ++taken_.replayed;
  last_ = recording.last;
  if (recording.keepsRows) {
    jointRows_.keepRows(state_.revision());
  } else {
    jointRows_.dropRows();
  }
}

template <class T> void SimulationOf<T>::land() {
  const StepStatus status = flight_.land(queue_);
  forgetLanded();
  if (status.failed == 0) return counts_.learn(status);
  settle();
}

// Of the steps that are still queued alone.
template <class T> void SimulationOf<T>::forgetLanded() {
  while (rowsServed_.size() > static_cast<size_t>(flight_.queued())) rowsServed_.pop_front();
}

template <class T> void SimulationOf<T>::takeBack(int steps) {
  steps_ -= steps;
  taken_.repeated += steps;
  if (forcedStep_ >= steps_) state_.returnForces();
  planned_ = false;
  jointRows_.takeBack(state_.revision(), rowsServed_.front());
  rowsServed_.clear();
  flight_.reset(queue_);
}

template <class T> void SimulationOf<T>::settle() {
  collectEnqueued();
  while (flight_.queued() > 0) {
    const StepStatus status = flight_.landAll(queue_);
    forgetLanded();
    counts_.learn(status);
    const int again = flight_.queued();
    if (again == 0) break;
    takeBack(again);
    for (int k = 0; k < again; ++k) step();
  }
  if (!last_.done || last_.settled) return;
  last_.pairCount = counts_.known(StepCount::Pairs);
  last_.manifolds.count = counts_.known(StepCount::Manifolds);
  last_.manifolds.found = nullptr;
  last_.settled = true;
}

#define CAIRN_INSTANTIATE(T)                           \
  template bool SimulationOf<T>::canPlan() const;      \
  template void SimulationOf<T>::begin(bool);          \
  template void SimulationOf<T>::makePlan();           \
  template StepKey SimulationOf<T>::keyOfStep() const; \
  template void SimulationOf<T>::runRecorded();        \
  template void SimulationOf<T>::land();               \
  template void SimulationOf<T>::takeBack(int);        \
  template void SimulationOf<T>::settle();
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
