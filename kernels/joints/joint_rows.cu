// Joint rows: from joints, their colours and the bodies' poses to tiles of rows.
//
// Joints are edges of the contact graph after the manifolds, with higher priorities, so that they take the first colours and few overflow constraints
// hold contacts first. Within a colour the joints with most to do come first: tiles of chains carry no axis rows and no rotations. Unlike contacts'
// rows these are made anew as bodies turn (joint_prepare.hpp): a joint's arms turn with the bodies, and what is left of its error is measured, not
// integrated.
#include "kernels/joints/joint_rows.hpp"

#include "kernels/rows/lane_launch.hpp"
#include "kernels/state/world_inertia.hpp"

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
    if (!tiles.holds(tile)) return;
    const int first = tiles.begin(tile);
    int rows = 0, rotates = 0;
    for (int lane = 0; lane < kTileLanes; ++lane) {
      const int slot = tile * kTileLanes + lane;
      const int k = tiles.fill(tile, first, lane);
      lanes.jointOfLane[slot] = k < 0 ? -1 : live[k];
      if (k < 0) continue;
      lanes.laneOfJoint[live[k]] = slot;
      const JointRecord<T>& j = joints[live[k]];
      if (j.rowCount > rows) rows = j.rowCount;
      if (j.lockedAngular != 0 || (j.flags & kJointBlackBox) != 0) rotates = 1;
    }
    lanes.tileRows[tile] = rows;
    lanes.tileRotations[tile] = rotates;
    tiles.end(tile, kJointFields + kAxisFields * rows);
  }
};

// A link under tension is a pendulum on both sides: its joints' forces turn it back at the rate that tension, arm and inertia give, and where that is
// beyond what explicit steps can follow (h^2 K > 4 I) a taut chain of light links blows up. The change of a joint's torque with the rotation of its
// arm, taken implicitly, adds h^2 K to the inertia (Tournier et al., "Stable Constrained Dynamics", 2015; added only as far as stability asks:
// Andrews, Teichmann and Kry, "Geometric Stiffness for Real-Time Constrained Multibody Dynamics", 2017). Where steps are short enough nothing
// changes.
constexpr double kSafeStiffness = 1;  // h^2 K / I up to which nothing is added

template <class T> struct StiffenBody {
  JointsOfBodies of;
  JointInputs<T> in;
  T h;
  bool damp;
  BodyInertia<T>* inertias;
  BodyVelocity<T>* velocities;

  CAIRN_HD void operator()(int body) const {
    const int begin = of.offsets[body], end = of.offsets[body + 1];
    if (begin == end) return;
    const T zero = T(0);
    Sym3<T> k{zero, zero, zero, zero, zero, zero};  // h^2 K: impulses are forces times h, one more h is here
    for (int side = begin; side < end; ++side) {
      const int index = of.sides[side] / 2;
      const JointRecord<T>& j = in.records[index];
      const bool isB = (of.sides[side] & 1) != 0;
      const Quat<T> qA = in.poses[j.bodyA].q;
      const Vec3<T> onB = rotate(qA * j.frameA.q, in.impulses[index].linear), f = isB ? onB : -onB;
      const Vec3<T> r = isB ? rotate(in.poses[j.bodyB].q, j.frameB.p) : rotate(qA, j.frameA.p);
      // Across the arm a pull turns it back at the rate f.r; along it nothing does, and a push does not turn back at all.
      const T r2 = dot(r, r), along = h * dot(f, r);
      if (!(along > zero) || !(r2 > zero)) continue;
      const T part = along / r2;
      k = k + Sym3<T>{along - part * r.x * r.x, along - part * r.y * r.y, along - part * r.z * r.z,
                      -(part * r.x * r.y),      -(part * r.x * r.z),      -(part * r.y * r.z)};
    }
    const Sym3<T> mobility = inertias[body].invInertia;
    // The sum of the eigenvalues of I^-1 h^2 K: at least the largest.
    const T ratio =
        mobility.xx * k.xx + mobility.yy * k.yy + mobility.zz * k.zz + T(2) * (mobility.xy * k.xy + mobility.xz * k.xz + mobility.yz * k.yz);
    if (!(ratio > T(kSafeStiffness))) return;
    const bool x = mobility.xx > zero, y = mobility.yy > zero, z = mobility.zz > zero;
    const T one = T(1), part = one - T(kSafeStiffness) / ratio;
    const Sym3<T> inertia =
        inverse(Sym3<T>{x ? mobility.xx : one, y ? mobility.yy : one, z ? mobility.zz : one, mobility.xy, mobility.xz, mobility.yz});
    const Sym3<T> slower = inverse(Sym3<T>{inertia.xx + part * k.xx, inertia.yy + part * k.yy, inertia.zz + part * k.zz, inertia.xy + part * k.xy,
                                           inertia.xz + part * k.xz, inertia.yz + part * k.yz});
    const Sym3<T> result{x ? slower.xx : zero,      y ? slower.yy : zero,      z ? slower.zz : zero,
                         x && y ? slower.xy : zero, x && z ? slower.xz : zero, y && z ? slower.yz : zero};
    inertias[body].invInertia = result;
    if (damp) {
      const Vec3<T> w = velocities[body].w, slow = result * (inertia * w);
      velocities[body].w = {x ? slow.x : w.x, y ? slow.y : w.y, z ? slow.z : w.z};
    }
  }
};

template <class T> struct FollowTurn {
  const BodyConstants<T>* constants;
  StiffenBody<T> stiffen;

  CAIRN_HD void operator()(int body) const {
    stiffen.inertias[body].invInertia = worldInvInertia(stiffen.in.poses[body].q, constants[body]);
    stiffen(body);
  }
};

template <class T> struct CollectJoint {
  JointView<T> view;
  JointInputs<T> in;
  JointReaction<T>* reactions;
  T h;

  CAIRN_HD void operator()(int laneIndex) const {
    const int index = view.joint[laneIndex];
    if (index < 0) return;
    const JointLane<T> lane(view, laneIndex);
    const JointRecord<T>& j = in.records[index];
    const Vec3<T> linear = lane.vectorOf(kJointLinear), angular = lane.vectorOf(kJointAngular);
    const Quat<T> toFrame = conjugate(in.poses[j.bodyA].q * j.frameA.q);
    const bool asleep = in.asleep != nullptr && (in.asleep[j.bodyA] | in.asleep[j.bodyB]) != 0;
    if (!asleep) in.impulses[index] = {rotate(toFrame, linear), rotate(toFrame, angular)};
    JointReaction<T> sum = reactions == nullptr ? JointReaction<T>{} : reactions[index];
    sum.linear += linear;
    sum.angular += angular;
    const Vec3<T> rB = lane.vectorOf(kJointArmB);
    for (int r = 0; r < j.rowCount; ++r) {
      const T impulse = lane.at(r, kAxisImpulse);
      const Vec3<T> d = lane.vector(r, kAxisLinear), angularA = lane.vector(r, kAxisAngularA), angularB = lane.vector(r, kAxisAngularB);
      const AxisRow<T>& row = in.axisRows[j.firstRow + r];
      if (!asleep) in.rowImpulses[j.firstRow + r] = lane.at(r, kAxisSide) * impulse;
      sum.linear += impulse * d;
      sum.angular += impulse * (angularB - cross(rB, d));
      if (reactions == nullptr) continue;
      const BodyVelocity<T>&a = in.velocities[j.bodyA], &b = in.velocities[j.bodyB];
      const T turn = dot(angularB, b.w) - dot(angularA, a.w);
      sum.work += impulse * (dot(d, b.v - a.v) + turn);
      if (row.kind == kGearRow) in.phases[j.firstRow + r] += h * turn;
    }
    if (reactions != nullptr) reactions[index] = sum;
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
void stiffenBodies(Queue& queue, int bodySlots, const JointsOfBodies& of, const JointInputs<T>& in, T h, BodyInertia<T>* inertias) {
  forEach(queue, "joints/stiffen", bodySlots, StiffenBody<T>{of, in, h, false, inertias, nullptr});
}

template <class T> void followTurns(Queue& queue, int bodySlots, const JointsOfBodies& of, const JointInputs<T>& in, T h,
                                    const BodyConstants<T>* constants, BodyInertia<T>* inertias, BodyVelocity<T>* velocities) {
  forEach(queue, "joints/turns", bodySlots, FollowTurn<T>{constants, {of, in, h, true, inertias, velocities}});
}

template <class T> void collectJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, JointReaction<T>* reactions, T h) {
  overLanes(queue, "joints/collect", view, CollectJoint<T>{view, in, reactions, h}, kLightGrain / 8);
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
  template void stiffenBodies(Queue&, int, const JointsOfBodies&, const JointInputs<T>&, T, BodyInertia<T>*);                                      \
  template void followTurns(Queue&, int, const JointsOfBodies&, const JointInputs<T>&, T, const BodyConstants<T>*, BodyInertia<T>*,                \
                            BodyVelocity<T>*);                                                                                                     \
  template void collectJoints(Queue&, const JointView<T>&, const JointInputs<T>&, JointReaction<T>*, T);                                           \
  template void collectWorks(Queue&, const JointReaction<T>*, int, double*);                                                                       \
  template void storeJointImpulses(Queue&, const JointView<T>&, const JointImpulse<T>*);                                                           \
  template void countBrokenJoints(Queue&, const JointRecord<T>*, const int*, int, const JointReaction<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
