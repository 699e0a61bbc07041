// Making the rows of one joint anew from the poses of its bodies.
#pragma once

#include "kernels/joints/joint_bias.hpp"
#include "kernels/joints/joint_math.hpp"

namespace cairn {

// An allowed pose that is no further from the predicted one than this is that one [levers, rad].
constexpr double kInsideBlackBox = 1e-7, kTurnInsideBlackBox = 1e-6;

template <class T> struct PrepareJoint {
  JointView<T> view;
  JointInputs<T> in;
  JointBias<T> bias;
  bool first;              // of a step: limits that are out of reach for all of the step become inactive
  bool positions = false;  // rows for displacements: they start from no impulses, and motors, servos and springs do not act

  // A joint at the poses of its bodies, world axes.
  struct Geometry {
    LaneBody<T> a, b;
    joint::Frames<T> frames;
    Mat3<T> axesA, axesB;
    Vec3<T> rA, rB;  // from the centres of mass to the origin of frame B
  };
  // The locked axes and their errors.
  struct LockedBlocks {
    joint::Directions<T> translations, rotations;
    Vec3<T> linearError, angularError;
  };
  // Rows and coordinates of the angles, for all rows of a joint.
  struct Angles {
    Mat3<T> rows;
    Vec3<T> coordinates;
  };

  // Larger errors would ask for more than the largest speed.
  CAIRN_HD T maxError() const { return bias.rate > T(0) ? bias.maxSpeed / bias.rate : T(kNoBound); }
  CAIRN_HD T maxTurn() const { return bias.rate > T(0) ? bias.maxTurnSpeed / bias.rate : T(kNoBound); }

  CAIRN_HD void operator()(int laneIndex) const {
    const int tile = laneIndex / kTileLanes, used = view.tileLanes[tile];
    if (laneIndex % kTileLanes >= (used + kWidestPack - 1) / kWidestPack * kWidestPack) return;
    const JointLane<T> lane(view, laneIndex);
    const int index = view.joint[laneIndex], rows = index < 0 ? 0 : in.records[index].rowCount;
    if (first) lane.clear(JointLane<T>::base(rows), JointLane<T>::base(view.tileRows[tile]));
    if (index < 0) return lane.clear(0, kJointFields);
    const JointRecord<T>& j = in.records[index];
    const Geometry g = geometryOf(j, in.partCounts != nullptr && tile >= view.counts->firstOverflowTile);
    putBlocks(lane, j, index, g);
    if (rows > 0) putRows(lane, j, g);
  }

 private:
  CAIRN_HD LaneBody<T> body(int slot, bool overflow) const {
    const LaneBody<T> whole = loadBody(in.velocities[slot], in.inertias[slot]);
    return overflow ? partOf(whole, in.partCounts[slot]) : whole;
  }
  CAIRN_HD Geometry geometryOf(const JointRecord<T>& j, bool overflow) const {
    const joint::Frames<T> f = joint::framesOf(j, in.poses[j.bodyA], in.poses[j.bodyB]);
    return {body(j.bodyA, overflow), body(j.bodyB, overflow), f, rotationMatrix(f.qA), rotationMatrix(f.qB), f.armA + f.offset, f.armB};
  }

  // --- locked axes ---

  CAIRN_HD LockedBlocks lockedBlocks(const JointRecord<T>& j, int index, const Geometry& g) const {
    LockedBlocks out{joint::lockedTranslations(j.lockedLinear, g.axesA), joint::lockedRotations(j.lockedAngular, g.axesA, g.axesB), g.frames.offset,
                     Vec3<T>{T(0), T(0), T(0)}};
    if (j.lockedAngular != 0) out.angularError = joint::angularError(j.lockedAngular, g.axesA, g.axesB, conjugate(g.frames.qA) * g.frames.qB);
    if ((j.flags & kJointBlackBox) != 0) outOfBlackBox(in.targets[index], g, out);
    return out;
  }

  CAIRN_HD void putBlocks(const JointLane<T>& lane, const JointRecord<T>& j, int index, const Geometry& g) const {
    const LockedBlocks locked = lockedBlocks(j, index, g);
    const T errorFraction = (j.flags & kJointSwept) != 0 ? bias.errorFraction : T(1);
    const Vec3<T> linearError = errorFraction * locked.linearError, angularError = errorFraction * locked.angularError;
    lane.of(kJointErrorFraction) = errorFraction;
    lane.putVector(kJointArmA, g.rA);
    lane.putVector(kJointArmB, g.rB);
    lane.putSym(kJointLinearMass, joint::restrictedInverse(joint::linearResponse(g.a, g.b, g.rA, g.rB), locked.translations));
    lane.putVector(kJointLinearError, clampLength(linearError, maxError()));
    const Sym3<T> spin = g.a.invInertia + g.b.invInertia;
    const Mat3<T> response{{spin.xx, spin.xy, spin.xz}, {spin.xy, spin.yy, spin.yz}, {spin.xz, spin.yz, spin.zz}};
    lane.putSym(kJointAngularMass, joint::restrictedInverse(response, locked.rotations));
    lane.putVector(kJointAngularError, clampLength(angularError, maxTurn()));
    lane.of(kJointSoftness) = (j.flags & kJointSwept) != 0 ? bias.softness : T(0);

    // Impulses turn with frame A. Their parts along axes that are no longer locked are dropped.
    Vec3<T> linear{T(0), T(0), T(0)}, angular = linear;
    if (!positions && (j.flags & kJointBlackBox) == 0) {
      linear = along(locked.translations, g.axesA * in.impulses[index].linear);
      angular = along(locked.rotations, g.axesA * in.impulses[index].angular);
    }
    lane.putVector(kJointLinear, linear);
    lane.putVector(kJointAngular, angular);
    if (!first) return;
    lane.of(kJointRotated) = T(0);
    lane.putVector(kJointFirstLinearError, linearError);
    lane.putVector(kJointFirstAngularError, angularError);
    lane.putVector(kJointFirstArmA, g.rA);
    lane.putVector(kJointFirstArmB, g.rB);
    lane.of(kJointActive) = (j.flags & kJointBlackBox) != 0 ? T(1) : T(0);
  }

  CAIRN_HD static Vec3<T> along(const joint::Directions<T>& e, Vec3<T> v) {
    Vec3<T> out{T(0), T(0), T(0)};
    for (int k = 0; k < e.count; ++k) out += dot(e.d[k], v) * e.d[k];
    return out;
  }

  // A black box's allowed pose is a set that only its projection knows. Where the predicted pose is outside, the way to the nearest allowed one is
  // the normal of that set: the joint keeps that direction, and leaves those across it alone.
  CAIRN_HD void outOfBlackBox(const JointTarget<T>& target, const Geometry& g, LockedBlocks& out) const {
    const joint::Frames<T>& f = g.frames;
    out.translations.count = out.rotations.count = 0;
    out.linearError = out.angularError = Vec3<T>{T(0), T(0), T(0)};
    const Vec3<T> away = g.axesA * (target.predicted.p - target.allowed.p);
    const T far = length(away);
    if (far > T(kInsideBlackBox) * bias.lever) {
      out.translations.d[0] = (T(1) / far) * away;
      out.translations.count = 1;
      out.linearError = dot(out.translations.d[0], f.offset - g.axesA * target.allowed.p) * out.translations.d[0];
    }
    const auto rotation = [](Quat<T> q) {
      const T sign = q.w < T(0) ? T(-2) : T(2);
      return sign * Vec3<T>{q.x, q.y, q.z};
    };
    const Quat<T> back = conjugate(target.allowed.q);
    const Vec3<T> turned = g.axesA * rotate(target.allowed.q, rotation(back * target.predicted.q));
    const T angle = length(turned);
    if (angle > T(kTurnInsideBlackBox)) {
      out.rotations.d[0] = (T(1) / angle) * turned;
      out.rotations.count = 1;
      out.angularError = dot(out.rotations.d[0], g.axesA * rotate(target.allowed.q, rotation(back * (conjugate(f.qA) * f.qB)))) * out.rotations.d[0];
    }
  }

  // --- free axes ---

  CAIRN_HD void putRows(const JointLane<T>& lane, const JointRecord<T>& j, const Geometry& g) const {
    Angles angles{};
    const bool looks = first || speedsUp(g);
    if (anyAngle(j, looks ? nullptr : &lane)) {
      angles = {joint::rotationRows(j.lockedAngular, joint::rotationAxes(j.lockedAngular, g.axesA, g.axesB)),
                joint::coordinateAngles(j.lockedAngular, conjugate(g.frames.qA) * g.frames.qB)};
    }
    for (int r = 0; r < j.rowCount; ++r) {
      const int rowIndex = j.firstRow + r;
      const AxisRow<T>& row = in.axisRows[rowIndex];
      const bool inactive = !first && lane.at(r, kAxisSide) == T(0);
      if (inactive && (!looks || row.kind != kLimitRow)) continue;
      ScalarRow<T> s = scalarRow(row, g, angles, rowIndex);
      // Displacements start from rest, whatever the bodies' velocities are.
      const T speed = positions ? T(0) : speedAlong(g.a, g.b, s);
      if ((first && positions && isDriven(row.kind)) || ((first || inactive) && outOfReach(row, bias, s.coordinate, speed))) {
        lane.clear(JointLane<T>::base(r), JointLane<T>::base(r + 1));
        continue;
      }
      const bool isLimit = row.kind == kLimitRow && isRange(row);
      if (row.kind != kVelocityRow && !isLimit) lane.of(kJointActive) = T(1);  // RefreshJoint moves the others along
      const RowTarget<T> target = rowTarget(row, bias, effectiveInverseMass(g.a, g.b, s), speed, positions ? T(0) : in.rowImpulses[rowIndex], s);
      putRow(lane, r, s, target);
      lane.at(r, kAxisIsLimit) = isLimit ? T(1) : T(0);
    }
  }

  CAIRN_HD static void putRow(const JointLane<T>& lane, int r, const ScalarRow<T>& s, const RowTarget<T>& target) {
    lane.putVector(JointLane<T>::base(r) + kAxisLinear, s.linear);
    lane.putVector(JointLane<T>::base(r) + kAxisAngularA, s.angularA);
    lane.putVector(JointLane<T>::base(r) + kAxisAngularB, s.angularB);
    lane.at(r, kAxisMass) = target.mass;
    lane.at(r, kAxisBias) = target.bias;
    lane.at(r, kAxisPlainBias) = target.plainBias;
    lane.at(r, kAxisSoftness) = target.softness;
    lane.at(r, kAxisLow) = target.low;
    lane.at(r, kAxisHigh) = target.high;
    lane.at(r, kAxisImpulse) = target.impulse;
    lane.at(r, kAxisSide) = target.side;
    lane.at(r, kAxisLimitSoftness) = target.limitSoftness;
    lane.at(r, kAxisGap) = target.gap;
  }

  CAIRN_HD ScalarRow<T> scalarRow(const AxisRow<T>& row, const Geometry& g, const Angles& angles, int rowIndex) const {
    const Vec3<T> zero{T(0), T(0), T(0)};
    if (row.kind == kGearRow) return {zero, -g.axesA.c0, row.ratio * g.axesB.c0, in.phases[rowIndex]};
    if (row.kind == kDistanceRow) {
      // Along the line of the two origins; A's arm may end anywhere on it.
      const Vec3<T> d = normalizedOr(g.frames.offset, g.axesA.c0);
      return {d, cross(g.rA, d), cross(g.rB, d), length(g.frames.offset)};
    }
    if (row.axis < 3) {
      const Vec3<T> d = joint::axisOf(g.axesA, row.axis);
      return {d, cross(g.rA, d), cross(g.rB, d), dot(d, g.frames.offset)};
    }
    const Vec3<T> d = joint::axisOf(angles.rows, row.axis - 3);
    return {zero, d, d, component(angles.coordinates, row.axis - 3)};
  }

  // Some row has an angle for its coordinate. With a lane, rows that are inactive in it do not count.
  CAIRN_HD bool anyAngle(const JointRecord<T>& j, const JointLane<T>* lane) const {
    for (int r = 0; r < j.rowCount; ++r) {
      if (in.axisRows[j.firstRow + r].axis < 3) continue;
      if (lane == nullptr || lane->at(r, kAxisSide) != T(0)) return true;
    }
    return false;
  }
  // An impact within the step may make the bodies so fast that they reach a limit before its end that was inactive as the step began.
  CAIRN_HD bool speedsUp(const Geometry& g) const {
    const Vec3<T> spin = g.b.w - g.a.w, slide = relativeVelocity(g.a, g.b, g.rA, g.rB);
    const T step2 = bias.step * bias.step, rotationMargin = T(0.5 * kRotationMargin), translationMargin = T(0.5 * kTranslationMargin) * bias.lever;
    return dot(spin, spin) * step2 > rotationMargin * rotationMargin || dot(slide, slide) * step2 > translationMargin * translationMargin;
  }
};

}  // namespace cairn
