// The passes over joints on the CPU: packs of lanes within a tile, tiles over the threads.
#include "kernels/joints/joint_passes.hpp"
#include "kernels/rows/pack.hpp"
#include "kernels/runtime/fetch.hpp"
#include "kernels/runtime/tuning.hpp"

#include <algorithm>

namespace cairn::v0 {

namespace {

template <class V, class Body> CAIRN_FLATTEN void runPack(const Body& body, int first) { body.template at<V>(first); }
// Made of parts, of which those for single joints need no packs: what needs them is flat by itself.
template <class V, class T> void runPack(const PrepareJoint<T>& body, int first) { body.template at<V>(first); }
template <class V, class T> void runPack(const RefreshJoint<T>& body, int first) { body.template at<V>(first); }
template <class V, class T> void runPack(const MakeRows<T>& body, int first) { body.template at<V>(first); }

// Fields of a lane, in the order in which they lie.
struct FieldRange {
  int first, end;
};
constexpr FieldRange kAllFields{0, kJointFields}, kAngularMassFields{kJointAngularMass, kJointLinearError},
    kLinearErrorFields{kJointLinearError, kJointAngularError}, kAngularErrorFields{kJointAngularError, kJointLinear},
    kLinearImpulseFields{kJointLinear, kJointAngular}, kAngularImpulseFields{kJointAngular, kJointSoftness},
    kLinearBorneFields{kJointBorne, kJointBorne + 3};

// What a pass reads or writes by joint, by body, by node of the direct solve and of a lane's own; null or empty: nothing there.
template <class T> struct JointMemory {
  const JointRecord<T>* records = nullptr;
  const JointImpulse<T>* impulses = nullptr;
  const JointReaction<T>* reactions = nullptr;
  const SystemView* system = nullptr;
  const T* byBody[3] = {};    // records of 8 scalars
  FieldRange fields[4] = {};  // beside the axis rows
  FieldRange turns[3] = {};   // where joints of the tile have locked rotations

  template <class... Records> void readByBody(const Records*... of) {
    int count = 0;
    ((byBody[count++] = reinterpret_cast<const T*>(of)), ...);
  }
  template <int count> void readFields(const FieldRange (&ranges)[count]) { copyRanges(ranges, fields); }
  template <int count> void readTurns(const FieldRange (&ranges)[count]) { copyRanges(ranges, turns); }

 private:
  template <int count, int room> static void copyRanges(const FieldRange (&from)[count], FieldRange (&to)[room]) {
    static_assert(count <= room);
    std::copy(from, from + count, to);
  }
};
template <class T> JointMemory<T> memoryOf(const PrepareJoint<T>& body) {
  JointMemory<T> memory;
  memory.records = body.in.records;
  if (!body.keepsImpulses) memory.impulses = body.in.impulses;
  memory.readByBody(body.in.poses, body.in.velocities, body.in.inertias);
  if (!body.keepsImpulses) {
    memory.readFields({kAllFields});
  } else {
    memory.readFields({{0, kJointAngularMass}, kLinearErrorFields, kLinearImpulseFields, {kJointSoftness, kJointFirstLinearError}});
    memory.readTurns({kAngularMassFields, kAngularErrorFields, kAngularImpulseFields});
  }
  return memory;
}
template <class T> JointMemory<T> memoryOf(const RefreshJoint<T>& body) {
  JointMemory<T> memory;
  memory.readByBody(body.motions);
  memory.readFields({kAllFields});
  return memory;
}
template <class T> JointMemory<T> memoryOf(const FlagComponents<T>& body) {
  JointMemory<T> memory;
  memory.readByBody(body.velocities);
  memory.readFields({{0, kJointAngularMass}, kLinearErrorFields, {kJointOffTarget, kJointOffTarget + 1}});
  memory.readTurns({kAngularMassFields, kAngularErrorFields});
  return memory;
}
template <class T> JointMemory<T> memoryOf(const RightHandSide<T>& body) {
  JointMemory<T> memory;
  memory.system = &body.view;
  memory.readByBody(body.bodies.velocities);
  memory.readFields({{0, kJointLinearMass}, kLinearErrorFields});
  memory.readTurns({kAngularErrorFields});
  return memory;
}
template <class T> JointMemory<T> memoryOf(const MakeRows<T>& body) {
  JointMemory<T> memory;
  memory.system = &body.view;
  memory.readFields({{0, kJointLinearMass}});
  return memory;
}
template <class T> JointMemory<T> memoryOf(const StoreImpulses<T>& body) {
  JointMemory<T> memory;
  memory.system = &body.view;
  memory.readFields({kLinearImpulseFields, body.sums == JointSums::None ? FieldRange{} : kLinearBorneFields});
  return memory;
}
template <class T> JointMemory<T> memoryOf(const FindLargeRotation<T>& body) {
  JointMemory<T> memory;
  memory.readByBody(body.velocities);
  return memory;
}
template <class T> JointMemory<T> memoryOf(const CollectJoint<T>& body) {
  JointMemory<T> memory;
  memory.records = body.in.records;
  memory.impulses = body.in.impulses;
  memory.reactions = body.reactions;
  memory.readByBody(body.in.poses);
  memory.readFields({kLinearImpulseFields, kAngularImpulseFields});
  return memory;
}
template <class T> JointMemory<T> memoryOf(const CollectStep<T>& body) {
  JointMemory<T> memory = memoryOf(CollectJoint<T>{body.view, body.in, body.reactions, T(0)});
  memory.readFields({kLinearImpulseFields, kAngularImpulseFields, kLinearBorneFields});
  return memory;
}
template <class T> JointMemory<T> memoryOf(const TurnImpulses<T>& body) {
  JointMemory<T> memory;
  memory.readByBody(body.in.velocities);
  memory.readFields({kLinearImpulseFields});
  memory.readTurns({kAngularImpulseFields});
  return memory;
}

// What the next pack reads, while one computes.
template <class T> CAIRN_FETCH void fetchJoint(const JointMemory<T>& memory, int joint) {
  if (memory.records != nullptr) fetch(memory.records + joint);
  if (memory.impulses != nullptr) fetch(memory.impulses + joint);
  if (memory.reactions != nullptr) fetch(memory.reactions + joint);
  if (memory.system == nullptr) return;
  const int node = memory.system->nodeOfJoint[joint];
  if (node >= 0) fetch(memory.system->nodes + node);
}
template <class T> CAIRN_FETCH void fetchFields(const T* strip, FieldRange range) {
  fetch(strip + range.first * kStripOnCpu, size_t(range.end - range.first) * kStripOnCpu);
}
template <class T> CAIRN_FETCH void fetchPack(const JointView<T>& view, const JointMemory<T>& memory, int first) {
  for (int lane = first; lane < first + Pack<T>::kWidth; ++lane) {
    if (view.joint[lane] >= 0) fetchJoint(memory, view.joint[lane]);
    for (const int* bodies : {view.bodyA, view.bodyB}) {
      for (const T* records : memory.byBody) {
        if (records != nullptr) fetchLine(records + 8 * static_cast<int64_t>(slotOf(bodies[lane])));
      }
    }
  }
  if (first % kStripOnCpu != 0) return;
  const int tile = first / kTileLanes;
  const T* const strip = jointLaneFields(view, first, kStripOnCpu);
  for (const FieldRange range : memory.fields) fetchFields(strip, range);
  if (view.tileRotations[tile] != 0)
    for (const FieldRange range : memory.turns) fetchFields(strip, range);
  fetchFields(strip, {kJointFields, kJointFields + kAxisFields * view.tileRows[tile]});
}

}  // namespace

template <class T, class Body> void JointPass<T, Body>::onCpu(const TeamLoop& team) const {
  const JointView<T>& view = *joints;
  const JointMemory<T> memory = memoryOf(*body);
  const auto run = [&](int64_t begin, int64_t end) {
    for (int tile = static_cast<int>(begin); tile < end; ++tile) {
      const int lanes = view.tileLanes[tile];
      for (int lane = 0; lane < lanes; lane += Pack<T>::kWidth) {
        const int first = tile * kTileLanes + lane, next = lane + Pack<T>::kWidth < lanes ? first + Pack<T>::kWidth : (tile + 1) * kTileLanes;
        if (view.tileCount >= kFetchedTiles && next < view.tileCount * kTileLanes) fetchPack(view, memory, next);
        runPack<Pack<T>>(*body, first);
      }
    }
  };
  if (view.tileCount < kSerialTiles) return run(0, view.tileCount);
  team.run(view.tileCount, run);
}

template <class T> void TurnPass<T>::onCpu(const TeamLoop& team) const {
  const auto run = [this](int64_t begin, int64_t end) {
    int i = static_cast<int>(begin);
    for (; i + Pack<T>::kWidth <= end; i += Pack<T>::kWidth) runPack<Pack<T>>(*body, i);
    for (; i < end; ++i) (*body)(i);
  };
  if (count < kLightGrain) return run(0, count);
  team.run(count, run);
}

CpuPass jointPass(int place) { return JointPasses::at(place); }

}  // namespace cairn::v0
