// Sleep of a World's bodies: who has been slow for how long, and who is passed over. How: kernels/state/sleep.cu.
#pragma once

#include "kernels/state/islands.hpp"
#include "kernels/state/sleep.hpp"
#include "src/state/step_context.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::v0 {

template <class T> class Sleep {
 public:
  explicit Sleep(const WorldSettings& settings) : settings_(settings) {}
  bool on() const { return settings_.sleeping; }

  // --- what stirs, between steps ---
  void wakeAll() { followed_ = kNothing; }
  void wake(Queue& queue, int slot) {
    if (!on() || static_cast<size_t>(slot) >= quietSteps_.size()) return;
    quietSteps_.write(queue, static_cast<size_t>(slot), 0);
    asleepBefore_.write(queue, static_cast<size_t>(slot), 0);
  }
  // A change of this body alone, that took the bodies from one revision to another. What else has changed by now wakes all.
  void wake(Queue& queue, int slot, long before, long after) {
    wake(queue, slot);
    if (followed_ == before) followed_ = after;
  }
  // By slot, in the last step; empty where all have been woken since. `revision`: as in begin().
  std::vector<int> asleep(Queue& queue, long revision) const {
    return on() && followed_ == revision ? asleepBefore_.download(queue) : std::vector<int>();
  }

  // --- a step ---
  // Before it, outside of what may be recorded: room, and who has been woken. `revision`: of bodies and joints.
  void begin(Queue& queue, int bodySlots, long revision) {
    if (!on()) return;
    const auto bodies = static_cast<size_t>(bodySlots);
    const bool same = followed_ == revision && quietSteps_.size() <= bodies;
    const size_t known = same ? quietSteps_.size() : 0;
    for (Buffer<int>* array : {&quietSteps_, &asleep_, &asleepBefore_}) array->resizeKeep(queue, bodies);
    for (Buffer<int>* array : {&parents_, &notes_, &islandNotes_}) array->resize(queue, bodies);
    inverseMasses_.resize(queue, bodies);
    constants_.resize(queue, bodies);
    for (Buffer<int>* array : {&quietSteps_, &asleep_, &asleepBefore_}) {
      if (known < bodies) fillBytes(queue, array->data() + known, 0, (bodies - known) * sizeof(int));
    }
    followed_ = revision;
  }
  // Once contacts are known: the islands that they make. Joints join them next.
  void beginIslands(const StepContext<T>& step) { cairn::beginIslands(step.queue, inputOf(step), arrays(), step.velocities); }
  IslandBodies<T> islands(const StepContext<T>& step) { return {parents_.data(), notes_.data(), step.constants, step.velocities}; }
  // step.asleep and step.constants.
  void choose(StepContext<T>& step) {
    chooseSleepers(step.queue, inputOf(step), arrays(), step.velocities, step.inertias);
    massesTaken_ = true;
    step.constants = constants_.data();
    step.asleep = asleep_.data();
  }
  // At a step's end, or where it was given up.
  void giveMassesBack(Queue& queue, BodyVelocity<T>* velocities, BodyInertia<T>* inertias) {
    if (massesTaken_) cairn::giveMassesBack(queue, static_cast<int>(asleep_.size()), arrays(), velocities, inertias);
    massesTaken_ = false;
  }
  void end(const StepContext<T>& step, const BodyConstants<T>* constants, const StepStatus* status) {
    if (!on()) return;
    giveMassesBack(step.queue, step.velocities, step.inertias);
    endSleep(step.queue, step.bodySlots, arrays(), SleepEnd<T>{constants, step.velocities, status, T(settings_.sleepSpeed), stepsToSleep()});
  }

  // For snapshots. `revision`: as in begin().
  template <class Archive> void archive(Archive& a, Queue& queue, long revision) {
    bool follows = followed_ == revision;
    a(follows);
    if (!follows) return;
    std::vector<int> quiet, before;
    if constexpr (!Archive::kReads) {
      quiet = quietSteps_.download(queue);
      before = asleepBefore_.download(queue);
    }
    a.records(quiet);
    a.records(before);
    if constexpr (Archive::kReads) {
      a.require(quiet.size() == before.size(), "has arrays that do not fit together");
      const auto within = [](const std::vector<int>& values, int most) {
        return std::all_of(values.begin(), values.end(), [most](int value) { return value >= 0 && value <= most; });
      };
      a.require(within(quiet, std::numeric_limits<int>::max()) && within(before, 1), "has bodies that are neither awake nor asleep");
      quietSteps_.upload(queue, quiet);
      asleepBefore_.upload(queue, before);
      asleep_.resize(queue, quiet.size());
      asleep_.fillZero(queue);
      followed_ = revision;
    }
  }

 private:
  static constexpr long kNothing = -1;

  int stepsToSleep() const { return static_cast<int>(std::clamp(std::ceil(settings_.sleepTime / settings_.dt), 1.0, 1e9)); }
  SleepInput<T> inputOf(const StepContext<T>& step) const {
    SleepInput<T> input{};
    input.bodySlots = step.bodySlots;
    input.constants = step.constants;
    input.forces = step.forces;
    input.manifolds = step.manifolds;
    input.stepsToSleep = stepsToSleep();
    return input;
  }
  SleepArrays<T> arrays() {
    return {quietSteps_.data(), parents_.data(),      notes_.data(),         islandNotes_.data(),
            asleep_.data(),     asleepBefore_.data(), inverseMasses_.data(), constants_.data()};
  }

  const WorldSettings& settings_;
  long followed_ = kNothing;  // the revision that quietSteps_ is of
  bool massesTaken_ = false;
  Buffer<int> quietSteps_, parents_, notes_, islandNotes_, asleep_, asleepBefore_;
  Buffer<Vec3<T>> inverseMasses_;
  Buffer<BodyConstants<T>> constants_;
};

}  // namespace cairn::v0
