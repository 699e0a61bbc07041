// Joint rows: from joints, their colours and the bodies' poses to tiles of rows.
//
// Joints are edges of the contact graph after the manifolds, with higher priorities, so that they take the first colours and few overflow constraints
// hold contacts first. Within a colour the joints with most to do come first: tiles of chains carry no axis rows and no rotations. Unlike contacts'
// rows these are made anew as bodies turn (joint_prepare.hpp): a joint's arms turn with the bodies, and what is left of its error is measured, not
// integrated.
#include "kernels/joints/joint_rows.hpp"

#include "kernels/joints/joint_passes.hpp"
#include "kernels/rows/lane_launch.hpp"

CAIRN_CPU_PASSES(jointPass)

namespace cairn::v0 {
namespace {

template <class T> struct DescribeJoint {
  const JointRecord<T>* joints;
  const int* live;
  const BodyConstants<T>* constants;
  ConstraintBodies* constraints;
  uint32_t* priorities;
  TileRange range;
  int jointsEach;

  CAIRN_HD void operator()(int k) const {
    const JointRecord<T>& j = joints[live[k]];
    const int at = range.begin() + k, place = jointsEach == 0 ? live[k] : live[k] % jointsEach;
    constraints[at] = {encodedBody(constants, j.bodyA), encodedBody(constants, j.bodyB)};
    priorities[at] = 0x80000000u | mixBits(static_cast<uint32_t>(place)) >> 1;
  }
};

template <class T> struct JointKey {
  const JointRecord<T>* joints;
  const int* live;
  TileKeys keys;

  CAIRN_HD void operator()(int k) const {
    const JointRecord<T>& j = joints[live[k]];
    const bool rotates = j.lockedAngular != 0 || (j.flags & kJointBlackBox) != 0;
    keys.put(k, (j.rowCount > 0 ? 0 : 2) + (rotates ? 0 : 1));
  }
};

template <class T> struct FillJointTile {
  const JointRecord<T>* joints;
  const int* live;
  TileFill tiles;
  JointLanes lanes;

  CAIRN_HD void operator()(int tile) const {
    if (!tiles.holds(tile)) return tiles.leaveOut(tile);
    const TilePlace place = tiles.placeOf(tile);
    int rows = 0, rotates = 0;
    for (int lane = 0; lane < kTileLanes; ++lane) {
      const int slot = tile * kTileLanes + lane;
      const int k = tiles.fill(place, slot);
      lanes.jointOfLane[slot] = k < 0 ? -1 : live[k];
      if (k < 0) continue;
      lanes.laneOfJoint[live[k]] = slot;
      const JointRecord<T>& j = joints[live[k]];
      if (j.rowCount > rows) rows = j.rowCount;
      if (j.lockedAngular != 0 || (j.flags & kJointBlackBox) != 0) rotates = 1;
    }
    lanes.tileRows[tile] = rows;
    lanes.tileRotations[tile] = rotates;
    tiles.end(tile, place, kJointFields + kAxisFields * rows);
  }
};

template <class T> struct CollectWork {
  const JointReaction<T>* reactions;
  double* works;
  CAIRN_HD void operator()(int slot) const { works[slot] = double(reactions[slot].work); }
};

template <class T> struct StoreJointImpulse {
  JointView<T> view;
  const JointImpulse<T>* impulses;

  CAIRN_HD void operator()(int laneIndex) const {
    const int index = view.joint[laneIndex];
    if (index < 0) return;
    const JointLane<T> lane(view, laneIndex);
    lane.putVector(kJointLinear, impulses[index].linear);
    lane.putVector(kJointAngular, impulses[index].angular);
  }
};

template <class T> struct CountBroken {
  const JointRecord<T>* records;
  const int* live;
  const JointReaction<T>* reactions;
  int* broken;

  CAIRN_HD void operator()(int k) const {
    if (isBroken(records[live[k]], reactions[live[k]])) atomicAddInt(broken, 1);
  }
};

template <class T, template <class> class Collect> void collect(Queue& queue, const char* label, const Collect<T>& body) {
  queue.label = label;
  if (queue.target == Target::Cpu) return runOnCpu<JointPasses>(jointPassHere, *queue.team, JointPass<T, Collect<T>>{&body.view, &body});
  overLanes(queue, label, body.view, body, kLightGrain / 8);
}

template <class T> struct ForgetJoint {
  JointMemories<T> memories;
  EnvironmentMask mask;
  int jointsEach;

  CAIRN_HD void operator()(int slot) const {
    if (mask[slot / jointsEach] == 0) return;
    memories.impulses[slot] = JointImpulse<T>{};
    memories.reactions[slot] = JointReaction<T>{};
    const JointRecord<T>& record = memories.records[slot];
    for (int r = record.firstRow; r < record.firstRow + record.rowCount; ++r) memories.rowImpulses[r] = memories.phases[r] = T(0);
  }
};

}  // namespace

template <class T> void forgetJoints(Queue& queue, int slots, const JointMemories<T>& memories, EnvironmentMask mask, int jointsEach) {
  forEach(queue, "joints/forget", slots, ForgetJoint<T>{memories, mask, jointsEach});
}

template <class T> void describeJoints(Queue& queue, const JointRecord<T>* joints, const int* live, const TileRange& range,
                                       const BodyConstants<T>* constants, ConstraintBodies* constraints, uint32_t* priorities, int jointsEach) {
  forEach(queue, "contact_graph/joints", range.bound, DescribeJoint<T>{joints, live, constants, constraints, priorities, range, jointsEach});
}

template <class T> void jointKeys(Queue& queue, const JointRecord<T>* joints, const int* live, const TileKeys& keys) {
  forEach(queue, "joints/keys", keys.range.bound, JointKey<T>{joints, live, keys});
}

template <class T> void fillJointTiles(Queue& queue, const JointRecord<T>* joints, const int* live, const TileFill& tiles, const JointLanes& lanes) {
  forEach(queue, "joints/tiles", tiles.tileCount, FillJointTile<T>{joints, live, tiles, lanes}, kLightGrain / kTileLanes);
}

template <class T>
void findLeans(Queue& queue, const JointRecord<T>* joints, const int* live, int count, const BodyConstants<T>* constants, T* leans) {
  forEach(queue, "joints/leans", count, FindLean<T>{joints, live, constants, leans});
}

template <class T>
void stiffenBodies(Queue& queue, int bodySlots, const JointsOfBodies& of, const JointInputs<T>& in, T h, BodyInertia<T>* inertias) {
  forEach(queue, "joints/stiffen", bodySlots, StiffenBody<T>{of, in, h, false, inertias, nullptr, nullptr});
}

template <class T> void followTurns(Queue& queue, int bodySlots, const JointsOfBodies& of, const JointInputs<T>& in, T h,
                                    const BodyConstants<T>* constants, BodyInertia<T>* inertias, BodyVelocity<T>* velocities) {
  const FollowTurn<T> body{constants, {of, in, h, true, inertias, velocities, in.pulls}};
  queue.label = "joints/turns";
  if (queue.target == Target::Cpu) return runOnCpu<JointPasses>(jointPassHere, *queue.team, TurnPass<T>{bodySlots, &body});
  forEach(queue, "joints/turns", bodySlots, body);
}

template <class T> void collectJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, JointReaction<T>* reactions, T h) {
  collect(queue, "joints/collect", CollectJoint<T>{view, in, reactions, h});
}

template <class T> void collectStep(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, JointReaction<T>* reactions, int substeps) {
  collect(queue, "joints/collect_step", CollectStep<T>{view, in, reactions, substeps});
}

template <class T> void turnImpulses(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, T h) {
  collect(queue, "joints/turn_impulses", TurnImpulses<T>{view, in, h});
}

template <class T> void collectWorks(Queue& queue, const JointReaction<T>* reactions, int slots, double* works) {
  forEach(queue, "joints/works", slots, CollectWork<T>{reactions, works});
}

template <class T> void storeJointImpulses(Queue& queue, const JointView<T>& view, const JointImpulse<T>* impulses) {
  overLanes(queue, "joints/store_impulses", view, StoreJointImpulse<T>{view, impulses}, kLightGrain / 8);
}

template <class T>
void countBrokenJoints(Queue& queue, const JointRecord<T>* records, const int* live, int count, const JointReaction<T>* reactions, int* broken) {
  fillBytes(queue, broken, 0, sizeof *broken);
  forEach(queue, "joints/broken", count, CountBroken<T>{records, live, reactions, broken});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                       \
  template void forgetJoints(Queue&, int, const JointMemories<T>&, EnvironmentMask, int);                                                          \
  template void describeJoints(Queue&, const JointRecord<T>*, const int*, const TileRange&, const BodyConstants<T>*, ConstraintBodies*, uint32_t*, \
                               int);                                                                                                               \
  template void jointKeys(Queue&, const JointRecord<T>*, const int*, const TileKeys&);                                                             \
  template void fillJointTiles(Queue&, const JointRecord<T>*, const int*, const TileFill&, const JointLanes&);                                     \
  template void findLeans(Queue&, const JointRecord<T>*, const int*, int, const BodyConstants<T>*, T*);                                            \
  template void stiffenBodies(Queue&, int, const JointsOfBodies&, const JointInputs<T>&, T, BodyInertia<T>*);                                      \
  template void followTurns(Queue&, int, const JointsOfBodies&, const JointInputs<T>&, T, const BodyConstants<T>*, BodyInertia<T>*,                \
                            BodyVelocity<T>*);                                                                                                     \
  template void collectJoints(Queue&, const JointView<T>&, const JointInputs<T>&, JointReaction<T>*, T);                                           \
  template void collectStep(Queue&, const JointView<T>&, const JointInputs<T>&, JointReaction<T>*, int);                                           \
  template void turnImpulses(Queue&, const JointView<T>&, const JointInputs<T>&, T);                                                               \
  template void collectWorks(Queue&, const JointReaction<T>*, int, double*);                                                                       \
  template void storeJointImpulses(Queue&, const JointView<T>&, const JointImpulse<T>*);                                                           \
  template void countBrokenJoints(Queue&, const JointRecord<T>*, const int*, int, const JointReaction<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
