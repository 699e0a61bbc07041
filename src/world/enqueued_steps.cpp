// Steps that are queued once and not done again, for pipelines of the caller's (World::enqueueStep).
//
// They are planned steps (planned_steps.cpp) of which the host keeps no account: what the caller's kernels have written between them would not be
// there a second time. So a step that does not keep to its plan stays undone, with all behind it; the status on the device says why, and the host
// throws it when it looks. How many steps were done is the device's to say too: the caller's graphs may launch one any number of times. Steps of
// step() and enqueued ones are never under way at the same time.
#include "src/world/fnv1a.hpp"
#include "src/world/simulation_of.hpp"

#include <cstddef>
#include <limits>

namespace cairn::v0 {

// The public status is the beginning of the inner one.
static_assert(offsetof(EnqueuedStatus, refused) == offsetof(StepStatus, failed) && offsetof(EnqueuedStatus, done) == offsetof(StepStatus, done) &&
              offsetof(EnqueuedStatus, what) == offsetof(StepStatus, what) && offsetof(EnqueuedStatus, needed) == offsetof(StepStatus, found) &&
              offsetof(EnqueuedStatus, available) == offsetof(StepStatus, room));

template <class T> void SimulationOf<T>::enqueueStep() {
  const ForeignRecording capture(queue_);
  if (capture.number() != 0 && (!planned_ || !canPlan())) {
    throw InvalidInput("enqueueStep", settings_.solver == Solver::Lemke || jointRows_.anyCallback()
                                          ? "cannot be captured: this World asks the host within a step"
                                          : "a capture needs a step() before it, with nothing changed since");
  }
  if (!canPlan()) {
    try {
      step();
    } catch (...) {
      state_.clearForces();
      throw;
    }
    if (queue_.target == Target::Cpu) {
      flight_.begin(queue_);
      ++flight_.status()->done;
    }
    return;
  }
  if (flight_.queued() > 0) {
    if (capture.number() != 0) throw InvalidInput("enqueueStep", "a capture needs wait() before it: steps of step() are under way");
    settle();
    if (!planned_) return enqueueStep();  // they did not keep to the plan
  }
  jointRows_.update(joints_, state_, settings_.jointSolver);
  // A step like it has asked for all memory that this one asks for.
  if (capture.number() != enqueued_.capture && capture.number() != 0 && !(plannedKey_ == keyOfStep())) {
    throw InvalidInput("enqueueStep", "a capture needs two steps like this one before it: the second finds its room made");
  }
  queueUnfollowed(capture);
}

template <class T> void SimulationOf<T>::queueUnfollowed(const ForeignRecording& capture) {
  const bool captured = capture.number() != 0, first = capture.number() != enqueued_.capture;
  const bool rowsServe = jointRows_.rowsServe(state_.revision());
  const LastStep before = last_;
  plannedKey_ = keyOfStep();
  counts_.beginPlanned();
  ++taken_.planned;
  sleep_.begin(queue_, state_.bodySlots(), revision());
  state_.backUp();
  jointRows_.backUp(state_, rowsServe);
  try {
    if (settings_.cudaGraph && !captured) {
      runRecorded();
    } else {
      runStages();
    }
    // The first step of a launch begins as the last one of the launch before ended.
    if (captured && first && !rowsServe && jointRows_.rowsServe(state_.revision()) && !enqueued_.written) {
      throw InvalidInput("enqueueStep", "a capture needs a step() before it: bodies of joints were moved since");
    }
  } catch (const DeviceError&) {
    undo(true);
    throw;
  } catch (...) {
    undo(false);
    throw;
  }
  state_.clearForces();
  if (!enqueued_.any) enqueued_.rowsServed = rowsServe;
  enqueued_.rowsServed = enqueued_.rowsServed && rowsServe;
  enqueued_.any = true;
  enqueued_.captured = enqueued_.captured || captured;
  enqueued_.capture = capture.number();
  enqueued_.written = false;
  enqueued_.last = last_;
  enqueued_.last.bodies = state_.revision();
  enqueued_.last.joints = joints_.revision();
  last_ = before;
}

// What has become of them, as far as there were any.
template <class T> void SimulationOf<T>::collectEnqueued() {
  if (foreignCapture(queue_) != 0) throw InvalidInput("World", "cannot be asked for anything but enqueueStep while its stream is in a capture");
  if (flight_.queued() > 0 || (!enqueued_.any && !enqueued_.captured)) return;  // those under way are of step() alone, or there are none
  enqueued_.any = false;
  int more = 0;
  const StepStatus status = flight_.landUnfollowed(queue_, more);
  steps_ += more;
  if (more > 0) {
    counts_.learn(status);
    last_ = enqueued_.last;
    last_.settled = false;
  }
  if (status.failed != 0) refuseEnqueued(status);
}

template <class T> void SimulationOf<T>::refuseEnqueued(const StepStatus& status) {
  last_.done = false;  // its arrays are those of the refused step by now
  planned_ = false;
  jointRows_.takeBack(state_.revision(), enqueued_.rowsServed);
  flight_.reset(queue_);
  switch (status.what) {
    case kExpectedFinite:
      throw NonFiniteState(state_.name(status.found), steps_ + 1, environments_.of(status.found));
    case kExpectedWhole:
      throw TornJoint(joints_.name(status.found), steps_ + 1, environments_.of(joints_[status.found].bodyA.index));
    case kExpectedUnbroken:
      throw StepRefused("a joint breaks in it");
    case kExpectedContacts:
      throw StepRefused("nothing touches any more in a World with joints");
    case kExpectedUnswept:
      throw StepRefused("a fast joined body has met something");
    default:
      throw StepRefused(nameOf(static_cast<StepCount>(status.what)), status.found, status.room);
  }
}

template <class T> uint64_t SimulationOf<T>::arraysVersion() const {
  Fnv1a hash;
  const uint64_t parts[] = {queue_.allocations,
                            static_cast<uint64_t>(taken_.read),
                            planned_ ? 1u : 0u,
                            static_cast<uint64_t>(joints_.revision()),
                            jointRows_.rowsServe(state_.revision()) ? 1u : 0u,
                            narrowPhase_.reduced() ? 1u : 0u};
  hash.add(parts, sizeof parts);
  return hash.value();
}

template <class T> void SimulationOf<T>::makeRoom(const StepRoom& room) {
  constexpr int kPairsOfFastShape = 8;
  const auto most = [](int64_t items) { return static_cast<int>(std::min<int64_t>(items, std::numeric_limits<int>::max())); };
  counts_.reserve(StepCount::Pairs, std::max(room.pairs, room.contacts));
  counts_.reserve(StepCount::Spilled, std::max(room.pairs, room.contacts) / 8);
  counts_.reserve(StepCount::MeshPairs, room.contacts);
  counts_.reserve(StepCount::Manifolds, room.contacts);
  counts_.reserve(StepCount::AllContacts, room.contacts);
  counts_.reserve(StepCount::CompoundContacts, room.contacts);
  counts_.reserve(StepCount::LeftOver, room.contacts);
  counts_.reserve(StepCount::ContactFields, most(mostContactFields(room.contacts, kMaxManifoldPoints)));
  counts_.reserve(StepCount::ContactWidest, tilesFor(room.contacts));
  counts_.reserve(StepCount::FastShapes, room.fastShapes);
  counts_.reserve(StepCount::FastMotions, room.fastShapes);
  counts_.reserve(StepCount::FastPairs, most(int64_t{kPairsOfFastShape} * room.fastShapes));
  planned_ = false;
}

#define CAIRN_INSTANTIATE(T)                                               \
  template void SimulationOf<T>::enqueueStep();                            \
  template void SimulationOf<T>::queueUnfollowed(const ForeignRecording&); \
  template void SimulationOf<T>::collectEnqueued();                        \
  template void SimulationOf<T>::refuseEnqueued(const StepStatus&);        \
  template uint64_t SimulationOf<T>::arraysVersion() const;                \
  template void SimulationOf<T>::makeRoom(const StepRoom&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
