// Making the rows of one joint: all of them anew from the poses (PrepareJoint), or only what has moved since the step began (RefreshJoint).
#pragma once

#include "kernels/joints/joint_math.hpp"
#include "kernels/joints/joint_sweep.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn {

constexpr double kNoBound = 1e15;  // its square fits a float
// Limits as near as this do not sleep [m, rad].
constexpr double kSlideMargin = 0.02, kTurnMargin = 0.1;

// --- preparing ---------------------------------------------------------------------------------------------------

// One scalar row in the world.
template <class T> struct ScalarRow {
  Vec3<T> linear, angularA, angularB;
  T coordinate;
};

template <class T> struct PrepareJoint {
  JointView<T> view;
  JointInputs<T> in;
  JointBias<T> bias;
  bool first;              // of a step: says which limits are out of reach for all of it
  bool positions = false;  // rows for displacements: from no impulses, and what drives free axes has no say

  CAIRN_HD LaneBody<T> body(int slot, bool tail) const {
    const LaneBody<T> whole = loadBody(in.velocities[slot], in.inertias[slot]);
    return tail ? partOf(whole, in.partCounts[slot]) : whole;
  }
  CAIRN_HD static T spread(const LaneBody<T>& a, const LaneBody<T>& b, const ScalarRow<T>& row) {
    return dot(row.linear, scale(a.invMass + b.invMass, row.linear)) + dot(row.angularA, a.invInertia * row.angularA) +
           dot(row.angularB, b.invInertia * row.angularB);
  }
  CAIRN_HD static T speed(const LaneBody<T>& a, const LaneBody<T>& b, const ScalarRow<T>& row) {
    return dot(row.linear, b.v - a.v) + dot(row.angularB, b.w) - dot(row.angularA, a.w);
  }
  // The angle from `to` to `from`, the short way round.
  CAIRN_HD static T wrapped(T angle) {
    const T turn = T(2 * kPi), half = T(kPi);
    if (angle > half) return angle - turn;
    return angle < -half ? angle + turn : angle;
  }

  // An error beyond this asks for more than the largest speed.
  CAIRN_HD T mostError() const { return bias.rate > T(0) ? bias.maxSpeed / bias.rate : T(kNoBound); }

  // What rows of turns share.
  struct Turning {
    Mat3<T> rows;
    Vec3<T> angles;
  };
  CAIRN_HD static Turning turning(const JointRecord<T>& j, const joint::Frames<T>& f, const Mat3<T>& a, const Mat3<T>& b) {
    return {joint::turnRows(j.lockedAngular, joint::turnAxes(j.lockedAngular, a, b)),
            joint::coordinateAngles(j.lockedAngular, conjugate(f.qA) * f.qB)};
  }

  CAIRN_HD ScalarRow<T> scalarRow(const AxisRow<T>& row, const joint::Frames<T>& f, const Mat3<T>& a, const Mat3<T>& b, const Turning& turn,
                                  Vec3<T> rA, Vec3<T> rB, int rowIndex) const {
    const Vec3<T> zero{T(0), T(0), T(0)};
    if (row.kind == kGearRow) return {zero, -a.c0, row.ratio * b.c0, in.phases[rowIndex]};
    if (row.kind == kDistanceRow) {
      // Along the line of the two origins; A's arm may end anywhere on it.
      const Vec3<T> d = normalizedOr(f.offset, a.c0);
      return {d, cross(rA, d), cross(rB, d), length(f.offset)};
    }
    if (row.axis < 3) {
      const Vec3<T> d = joint::axisOf(a, row.axis);
      return {d, cross(rA, d), cross(rB, d), dot(d, f.offset)};
    }
    const Vec3<T> d = joint::axisOf(turn.rows, row.axis - 3);
    return {zero, d, d, component(turn.angles, row.axis - 3)};
  }

  // What a row asks for: `at` is its fields.
  CAIRN_HD void fillRow(const AxisRow<T>& row, ScalarRow<T> s, T k, T u, T impulse, T at[kAxisFields]) const {
    const T inverse = k > T(0) ? T(1) / k : T(0), unbounded = T(kNoBound);
    T mass = inverse, with = T(0), plain = T(0), softness = T(0), low = -unbounded, high = unbounded, side = T(1), giving = T(0), gapNow = T(0);
    switch (row.kind) {
      case kGearRow:
        with = clampTo(bias.rate * s.coordinate, -bias.maxSpeed, bias.maxSpeed);
        break;
      case kLimitRow:
      case kDistanceRow: {
        if (row.low == row.high) {
          with = clampTo(bias.rate * (s.coordinate - row.low), -bias.maxSpeed, bias.maxSpeed);
          break;
        }
        // The bound that the coordinate comes nearer to within h. Above it the row's sign turns round, so that its impulse always pushes inwards.
        const T next = s.coordinate + bias.h * u;
        const bool above = row.high - next < next - row.low;
        const T gap = above ? row.high - s.coordinate : s.coordinate - row.low;
        if (above) {
          s = {-s.linear, -s.angularA, -s.angularB, s.coordinate};
          side = T(-1);
        }
        low = T(0);
        // An impulse of the other bound's sign is none.
        impulse = maxOf(above ? -impulse : impulse, T(0));
        gapNow = gap;
        plain = maxOf(gap, T(0)) / bias.h;
        with = gap > T(0) ? plain : maxOf(bias.share * bias.rate * gap, -bias.maxSpeed);
        if (!(gap > T(0))) giving = bias.giving;
        break;
      }
      case kVelocityRow:
        with = plain = -row.target;
        high = minOf(row.most * bias.h, unbounded);
        low = -high;
        break;
      case kPositionRow: {
        const T error = row.axis < 3 ? s.coordinate - row.target : wrapped(s.coordinate - row.target);
        with = plain = bias.servoRate * error;
        high = minOf(row.most * bias.h, unbounded);
        low = -high;
        break;
      }
      default: {
        // Implicit spring: the impulse answers the coordinate and the speed at the end of the substep.
        const T error = row.axis < 3 ? s.coordinate - row.target : wrapped(s.coordinate - row.target);
        const T gain = bias.h * (row.damping + bias.h * row.stiffness);
        const T give = gain > T(0) ? T(1) / gain : T(0);
        mass = gain > T(0) && k > T(0) ? T(1) / (k + give) : T(0);
        softness = mass * give;
        with = plain = give * bias.h * row.stiffness * error;
      }
    }
    const Vec3<T> parts[3] = {s.linear, s.angularA, s.angularB};
    for (int p = 0; p < 3; ++p) {
      at[3 * p] = parts[p].x;
      at[3 * p + 1] = parts[p].y;
      at[3 * p + 2] = parts[p].z;
    }
    at[kAxisMass] = mass;
    at[kAxisBias] = with;
    at[kAxisPlainBias] = plain;
    at[kAxisSoftness] = softness;
    at[kAxisLow] = low;
    at[kAxisHigh] = high;
    at[kAxisImpulse] = clampTo(impulse, low, high);
    at[kAxisSide] = side;
    at[kAxisGiving] = giving;
    at[kAxisGap] = gapNow;
    at[kAxisIsLimit] = row.kind == kLimitRow && row.low != row.high ? T(1) : T(0);
  }

  CAIRN_HD void operator()(int slot) const {
    const int tile = slot / kTileLanes, lane = slot % kTileLanes, used = view.tileLanes[tile];
    if (lane >= (used + kWidestPack - 1) / kWidestPack * kWidestPack) return;
    T* const firstField = jointLaneFields(view, slot, view.strip);
    const auto put = [&](int field, T value) { firstField[field * view.strip] = value; };
    const auto putVector = [&](int field, Vec3<T> v) {
      put(field, v.x);
      put(field + 1, v.y);
      put(field + 2, v.z);
    };
    const auto putSym = [&](int field, Sym3<T> m) {
      const T all[6] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
      for (int k = 0; k < 6; ++k) put(field + k, all[k]);
    };
    const int rows = view.tileRows[tile], index = view.joint[slot];
    const int own = index < 0 ? 0 : in.records[index].rowCount;
    if (first) {
      for (int f = kJointFields + own * kAxisFields; f < kJointFields + rows * kAxisFields; ++f) put(f, T(0));
    }
    if (index < 0) {
      for (int f = 0; f < kJointFields; ++f) put(f, T(0));
      return;
    }
    const JointRecord<T>& j = in.records[index];
    const bool tail = tile >= view.tileCount - view.tailTiles && in.partCounts != nullptr;
    const LaneBody<T> a = body(j.bodyA, tail), b = body(j.bodyB, tail);
    const joint::Frames<T> f = joint::framesOf(j, in.poses[j.bodyA], in.poses[j.bodyB]);
    const Mat3<T> axesA = rotationMatrix(f.qA), axesB = rotationMatrix(f.qB);
    const Vec3<T> rA = f.armA + f.offset, rB = f.armB;

    joint::Directions<T> offsets = joint::lockedOffsets(j.lockedLinear, axesA), turns = joint::lockedTurns(j.lockedAngular, axesA, axesB);
    Vec3<T> offset = f.offset, turn{T(0), T(0), T(0)};
    if (j.lockedAngular != 0) turn = joint::turnError(j.lockedAngular, axesA, axesB, conjugate(f.qA) * f.qB);
    if ((j.flags & kJointBlackBox) != 0) blackBox(in.targets[index], f, axesA, offsets, turns, offset, turn);

    const T most = mostError();
    const T share = (j.flags & kJointSwept) != 0 ? bias.share : T(1);
    offset = share * offset;
    turn = share * turn;
    put(kJointShare, share);
    putVector(kJointArmA, rA);
    putVector(kJointArmB, rB);
    putSym(kJointLinearMass, joint::restrictedInverse(joint::offsetResponse(a, b, rA, rB), offsets));
    putVector(kJointOffset, limitedTo(offset, most));
    const Sym3<T> spin = a.invInertia + b.invInertia;
    const Mat3<T> response{{spin.xx, spin.xy, spin.xz}, {spin.xy, spin.yy, spin.yz}, {spin.xz, spin.yz, spin.zz}};
    putSym(kJointAngularMass, joint::restrictedInverse(response, turns));
    putVector(kJointTurn, limitedTo(turn, most));
    put(kJointGiving, (j.flags & kJointSwept) != 0 ? bias.giving : T(0));

    // Impulses turn with frame A; what axes that have become free would keep is dropped.
    Vec3<T> linear{T(0), T(0), T(0)}, angular = linear;
    if (!positions && (j.flags & kJointBlackBox) == 0) {
      linear = along(offsets, axesA * in.impulses[index].linear);
      angular = along(turns, axesA * in.impulses[index].angular);
    }
    putVector(kJointLinear, linear);
    putVector(kJointAngular, angular);

    if (first) {
      put(kJointTurned, T(0));
      putVector(kJointFirstOffset, offset);
      putVector(kJointFirstTurn, turn);
      putVector(kJointFirstArmA, rA);
      putVector(kJointFirstArmB, rB);
      put(kJointAwake, (j.flags & kJointBlackBox) != 0 ? T(1) : T(0));
    }
    if (own == 0) return;
    Turning shared{};
    const bool looks = first || speedsUp(a, b, rA, rB);
    if (anyTurn(j, looks ? nullptr : firstField)) shared = turning(j, f, axesA, axesB);
    for (int r = 0; r < own; ++r) {
      const int rowIndex = j.firstRow + r;
      const AxisRow<T>& row = in.axisRows[rowIndex];
      const bool asleep = !first && firstField[(kJointFields + r * kAxisFields + kAxisSide) * view.strip] == T(0);
      if (asleep && (!looks || row.kind != kLimitRow)) continue;
      const ScalarRow<T> s = scalarRow(row, f, axesA, axesB, shared, rA, rB, rowIndex);
      T at[kAxisFields];
      const bool drives = row.kind == kVelocityRow || row.kind == kPositionRow || row.kind == kSpringRow;
      if ((first && positions && drives) || ((first || asleep) && outOfReach(row, s, speed(a, b, s)))) {
        for (T& each : at) each = T(0);
        for (int k = 0; k < kAxisFields; ++k) put(kJointFields + r * kAxisFields + k, at[k]);
        continue;
      }
      const bool movesAlong = row.kind == kVelocityRow || (row.kind == kLimitRow && row.low != row.high);
      if (!movesAlong) put(kJointAwake, T(1));
      fillRow(row, s, spread(a, b, s), speed(a, b, s), positions ? T(0) : in.rowImpulses[rowIndex], at);
      for (int k = 0; k < kAxisFields; ++k) put(kJointFields + r * kAxisFields + k, at[k]);
    }
  }

  // Whether a row asks for an angle; of those that are asleep (`fields`: the lane's, null: none is) none does.
  CAIRN_HD bool anyTurn(const JointRecord<T>& j, const T* fields) const {
    for (int r = 0; r < j.rowCount; ++r) {
      if (in.axisRows[j.firstRow + r].axis < 3) continue;
      if (fields == nullptr || fields[(kJointFields + r * kAxisFields + kAxisSide) * view.strip] != T(0)) return true;
    }
    return false;
  }
  // Whether a blow within the step has made the bodies so fast that a limit, asleep as the step began, may be reached before it ends.
  CAIRN_HD bool speedsUp(const LaneBody<T>& a, const LaneBody<T>& b, Vec3<T> rA, Vec3<T> rB) const {
    const Vec3<T> turn = b.w - a.w, slide = relativeVelocity(a, b, rA, rB);
    const T step2 = bias.step * bias.step, turnMargin = T(0.5 * kTurnMargin), slideMargin = T(0.5 * kSlideMargin);
    return dot(turn, turn) * step2 > turnMargin * turnMargin || dot(slide, slide) * step2 > slideMargin * slideMargin;
  }
  // A limit that is further away than twice what its coordinate will move within the step sleeps: most limits do most of the time.
  CAIRN_HD bool outOfReach(const AxisRow<T>& row, const ScalarRow<T>& s, T u) const {
    if ((row.kind != kLimitRow && row.kind != kDistanceRow) || row.low == row.high) return false;
    const T margin = T(2) * bias.step * absOf(u) + T(row.axis < 3 ? kSlideMargin : kTurnMargin);
    return s.coordinate - row.low > margin && row.high - s.coordinate > margin;
  }

  CAIRN_HD static Vec3<T> along(const joint::Directions<T>& e, Vec3<T> v) {
    Vec3<T> out{T(0), T(0), T(0)};
    for (int k = 0; k < e.count; ++k) out += dot(e.d[k], v) * e.d[k];
    return out;
  }

  // A black box's allowed pose is a set that only its projection knows. Where the predicted pose is outside, the way to the nearest allowed one is
  // the normal of that set: the joint keeps that direction, and leaves those across it alone.
  CAIRN_HD void blackBox(const JointTarget<T>& target, const joint::Frames<T>& f, const Mat3<T>& axesA, joint::Directions<T>& offsets,
                         joint::Directions<T>& turns, Vec3<T>& offset, Vec3<T>& turn) const {
    const Vec3<T> zero{T(0), T(0), T(0)};
    offsets.count = turns.count = 0;
    offset = turn = zero;
    const Vec3<T> away = axesA * (target.predicted.p - target.allowed.p);
    const T far = length(away);
    if (far > T(1e-7)) {
      offsets.d[0] = (T(1) / far) * away;
      offsets.count = 1;
      offset = dot(offsets.d[0], f.offset - axesA * target.allowed.p) * offsets.d[0];
    }
    const auto rotation = [](Quat<T> q) {
      const T sign = q.w < T(0) ? T(-2) : T(2);
      return sign * Vec3<T>{q.x, q.y, q.z};
    };
    const Quat<T> back = conjugate(target.allowed.q);
    const Vec3<T> turned = axesA * rotate(target.allowed.q, rotation(back * target.predicted.q));
    const T angle = length(turned);
    if (angle > T(1e-6)) {
      turns.d[0] = (T(1) / angle) * turned;
      turns.count = 1;
      turn = dot(turns.d[0], axesA * rotate(target.allowed.q, rotation(back * (conjugate(f.qA) * f.qB)))) * turns.d[0];
    }
  }
};

// Between the substeps of a step: of a joint whose bodies have hardly turned since the step began, the errors are moved along with them and all else
// stays; of one that turns, or whose free axes have rows awake, everything is made anew. Bodies at rest in a heap are of the first kind.
constexpr double kHardlyTurned = 0.0005;  // half the turn since the step began [rad]
// A factor serves longer: errors are those of the poses as they are, and it only says how they go.
constexpr double kTurnedFar = 0.001;  // likewise

template <class T> struct RefreshJoint {
  PrepareJoint<T> prepare;
  const T* motions;
  int* stale;  // by component of the direct solve: its factor is of no more use

  // A limit's gap, as far as its row says, since the step began.
  template <class V> CAIRN_HD void moveLimit(const LaneJoint<V>& joint, int base, Vec3<V> dpA, Quat<V> dqA, Vec3<V> dpB, Quat<V> dqB) const {
    const V isLimit = joint.get(base + kAxisIsLimit), zero = V(T(0)), half = V(T(0.5));
    if (!anyLane(isLimit)) return;
    const JointBias<T>& k = prepare.bias;
    const Vec3<V> d = joint.getVector(base + kAxisLinear);
    const Quat<V> relative = conjugate(dqA) * dqB;
    const V swung = V(T(2)) * dot(joint.getVector(base + kAxisAngularB), Vec3<V>{relative.x, relative.y, relative.z});
    const V slid = dot(d, pointMotion(dpB, dqB, joint.rB) - pointMotion(dpA, dqA, joint.rA));
    const V gap = joint.get(base + kAxisGap) + select(dot(d, d) > half, slid, swung);
    const V plain = maxOf(gap, zero) * V(T(1) / k.h);
    const V with = select(gap > zero, plain, maxOf(V(k.share * k.rate) * gap, V(-k.maxSpeed)));
    const auto on = isLimit > half;
    joint.put(base + kAxisPlainBias, select(on, plain, joint.get(base + kAxisPlainBias)));
    joint.put(base + kAxisBias, select(on, with, joint.get(base + kAxisBias)));
    joint.put(base + kAxisGiving, select(on, select(gap > zero, zero, V(k.giving)), joint.get(base + kAxisGiving)));
  }
  template <class V> CAIRN_HD void at(int slot) const {
    const LaneJoint<V> joint(prepare.view, slot);
    V a[8], b[8];
    LaneTraits<V>::gather(motions, joint.slotsA, a);
    LaneTraits<V>::gather(motions, joint.slotsB, b);
    const Vec3<V> dpA{a[0], a[1], a[2]}, dpB{b[0], b[1], b[2]};
    const Quat<V> dqA{a[4], a[5], a[6], a[7]}, dqB{b[4], b[5], b[6], b[7]};
    const V small = V(T(kHardlyTurned * kHardlyTurned)), one = V(T(1)), zero = V(T(0));
    const V turnA = dqA.x * dqA.x + dqA.y * dqA.y + dqA.z * dqA.z, turnB = dqB.x * dqB.x + dqB.y * dqB.y + dqB.z * dqB.z;
    const Vec3<V> firstA = joint.getVector(kJointFirstArmA), firstB = joint.getVector(kJointFirstArmB);
    const Vec3<V> movedB = pointMotion(dpB, dqB, firstB);
    const Vec3<V> slid = movedB - pointMotion(dpA, dqA, firstA);
    joint.putVector(kJointArmA, firstA + (movedB - dpA));
    joint.putVector(kJointArmB, firstB + (movedB - dpB));
    const V far = V(T(0.25 * kSlideMargin * kSlideMargin));
    const V moves = maxOf(select(maxOf(turnA, turnB) > small, one, zero), select(dot(slid, slid) > far, one, zero));
    const V anew = maxOf(maxOf(joint.get(kJointTurned), joint.get(kJointAwake)), moves);
    const V share = joint.get(kJointShare);
    const V most = V(prepare.mostError());
    joint.putVector(kJointOffset, limitedTo(joint.getVector(kJointFirstOffset) + share * slid, most));
    if (joint.turns) {
      const Quat<V> relative = conjugate(dqA) * dqB;
      const V twice = share + share;
      joint.putVector(kJointTurn, limitedTo(joint.getVector(kJointFirstTurn) + twice * Vec3<V>{relative.x, relative.y, relative.z}, most));
    }
    for (int r = 0; r < joint.rows; ++r) moveLimit(joint, kJointFields + r * kAxisFields, dpA, dqA, dpB, dqB);
    joint.put(kJointTurned, anew);
    joint.put(kJointOff, maxOf(turnA, turnB));
    if (!anyLane(anew)) return;
    const int strip = prepare.view.strip;
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      const int own = slot + lane, index = prepare.view.joint[own];
      if (index < 0) continue;
      const T* const fields = jointLaneFields(prepare.view, own, strip);
      const bool turnedFar = fields[kJointOff * strip] > T(kTurnedFar * kTurnedFar);
      if (fields[kJointTurned * strip] > T(0)) prepare(own);
      const int component = prepare.in.records[index].component;
      if (component >= 0 && turnedFar) atomicOrInt(stale + component, 1);
    }
  }
};

// Components whose joints are not where they should be at the end of the substep, or move along their locked axes: turns make the equations of joints
// curved, one solve takes them as straight, and contacts have had their say.
template <class T> struct OffTarget;
template <> struct OffTarget<float> { static constexpr float value = 2e-5f; };  // [m, rad]
template <> struct OffTarget<double> { static constexpr double value = 1e-9; };

constexpr double kLimitSlack = 0.02;  // of what a limit is off by: limits give a little, and the next substep comes soon

template <class T> struct FlagComponents {
  JointView<T> view;
  const JointRecord<T>* records;
  const T* velocities;
  const T* inertias;
  JointBlock<T> block;
  int* wanted;

  // The square of how far a limit that has been reached would be run into.
  template <class V> CAIRN_HD V runInto(const LaneJoint<V>& joint, const LaneBody<V>& a, const LaneBody<V>& b, int base) const {
    const V isLimit = joint.get(base + kAxisIsLimit), zero = V(T(0));
    if (!anyLane(isLimit)) return zero;
    const V u = dot(joint.getVector(base + kAxisLinear), b.v - a.v) + dot(joint.getVector(base + kAxisAngularB), b.w) -
                dot(joint.getVector(base + kAxisAngularA), a.w);
    const V far = V(block.h * T(kLimitSlack)) * (u + joint.get(base + (block.biased ? kAxisBias : kAxisPlainBias)));
    const auto reached = isLimit * select(joint.get(base + kAxisPlainBias) > zero, zero, joint.get(base + kAxisMass)) > zero;
    return select(reached, select(far < zero, far * far, zero), zero);
  }
  template <class V> CAIRN_HD void at(int slot) const {
    const LaneJoint<V> joint(view, slot);
    const LaneBody<V> a = gatherBody<V>(velocities, inertias, joint.slotsA), b = gatherBody<V>(velocities, inertias, joint.slotsB);
    // The squares of what the locked axes alone are off by: weighed with the effective mass, which has no others.
    const auto square = [](Sym3<V> mass, Vec3<V> error) {
      const V most = maxOf(mass.xx, maxOf(mass.yy, mass.zz)), zero = V(T(0)), one = V(T(1));
      return select(most > zero, dot(error, mass * error) / select(most > zero, most, one), zero);
    };
    const V h = V(block.h);
    V off = square(joint.getSym(kJointLinearMass), h * block.offsetSpeed(a, b, joint.rA, joint.rB, joint.getVector(kJointOffset)));
    if (joint.turns) off = maxOf(off, square(joint.getSym(kJointAngularMass), h * block.turnSpeed(a, b, joint.getVector(kJointTurn))));
    for (int r = 0; r < joint.rows; ++r) off = maxOf(off, runInto(joint, a, b, kJointFields + r * kAxisFields));
    joint.put(kJointOff, off);
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      const int own = slot + lane, index = view.joint[own];
      if (index < 0 || records[index].component < 0) continue;
      const T found = jointLaneFields(view, own, view.strip)[kJointOff * view.strip];
      if (found > OffTarget<T>::value * OffTarget<T>::value) atomicOrInt(wanted + records[index].component, 1);
    }
  }
};

}  // namespace cairn
