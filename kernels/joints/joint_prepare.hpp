// Making the rows of joints anew from the poses of their bodies: the blocks of locked axes for one lane or a pack of lanes, the rest one by one.
#pragma once

#include "kernels/joints/joint_bias.hpp"
#include "kernels/joints/joint_math.hpp"
#include "kernels/joints/joint_sweep.hpp"
#include "kernels/joints/locked_lanes.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn::v0 {

// An allowed pose that is no further from the predicted one than this is that one [levers, rad].
constexpr double kInsideBlackBox = 1e-7, kTurnInsideBlackBox = 1e-6;

// Where all lanes of a pack get their fields, or only those that are to be made anew.
template <class V> struct AllLanes {
  CAIRN_HD void put(const LaneJoint<V>& joint, int field, V value) const { joint.put(field, value); }
};
template <class V> struct LanesAnew {
  joint::LaneMask<V> anew;
  CAIRN_HD void put(const LaneJoint<V>& joint, int field, V value) const { joint.put(field, select(anew, value, joint.get(field))); }
};

template <class T> struct PrepareJoint {
  JointView<T> view;
  JointInputs<T> in;
  JointBias<T> bias;
  bool first;              // of a step: limits that are out of reach for all of the step become inactive
  bool positions = false;  // rows for displacements: they start from no impulses, and motors, servos and springs do not act
  // No sweep acts on joints. The direct solve has masses of its own, and what asks whether joints are on target takes a mass for no more than its
  // directions: a joint that holds a point gets the same one along all axes.
  bool direct = false;
  // Within a step of that kind: impulses are in the lanes alone, turned as A has turned (TurnImpulses); sums stay.
  bool keepsImpulses = false;

  // A joint at the poses of its bodies, world axes.
  struct Geometry {
    LaneBody<T> a, b;
    joint::Frames<T> frames;
    Mat3<T> axesA, axesB;
    Vec3<T> rA, rB;  // from the centres of mass to the origin of frame B
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
    // Lanes that no pack of a partly filled tile reads stay as they are.
    if (laneIndex % kTileLanes < (view.tileLanes[laneIndex / kTileLanes] + kWidestPack - 1) / kWidestPack * kWidestPack) at<T>(laneIndex);
  }
  template <class V> CAIRN_HD void at(int firstLane) const {
    putBlocks(firstLane, AllLanes<V>{});
    const bool own = hasOwn(firstLane);
    for (int lane = firstLane; lane < firstLane + LaneTraits<V>::kWidth; ++lane) {
      if (own || view.joint[lane] < 0) putOwn(lane);
    }
  }
  // Only the lanes that hold more than zero in the field.
  template <class V> CAIRN_HD void atAnew(int firstLane, int field) const {
    const LaneJoint<V> joint(view, firstLane);
    putBlocks(firstLane, LanesAnew<V>{joint.get(field) > V(T(0))});
    for (int lane = firstLane; lane < firstLane + LaneTraits<V>::kWidth; ++lane) {
      if (jointLaneFields(view, lane, view.strip)[field * view.strip] > T(0)) putOwn(lane);
    }
  }

 private:
  // --- locked axes ---

  template <class V, class Lanes> struct Blocks {
    const LaneJoint<V>& joint;
    Lanes lanes;
    CAIRN_HD void put(int field, V value) const { lanes.put(joint, field, value); }
    CAIRN_HD void putVector(int field, Vec3<V> v) const {
      put(field, v.x);
      put(field + 1, v.y);
      put(field + 2, v.z);
    }
    CAIRN_HD void putSym(int field, Sym3<V> m) const {
      putVector(field, {m.xx, m.yy, m.zz});
      putVector(field + 3, {m.xy, m.xz, m.yz});
    }
  };

  // Of a lane without a joint that of any other: it is cleared afterwards.
  CAIRN_HD int indexOf(int lane) const { return view.joint[lane] < 0 ? 0 : view.joint[lane]; }
  template <class V, class Number> CAIRN_HD V ofRecords(int firstLane, const Number& number) const {
    return LaneTraits<V>::fromLanes([this, firstLane, &number](int lane) { return number(in.records[indexOf(firstLane + lane)]); });
  }
  template <class V> CAIRN_HD Pose<V> framesOf(int firstLane, bool onB) const {
    return jointFrames<V>(
        in.records, [this, firstLane](int lane) { return indexOf(firstLane + lane); }, [onB](int) { return onB; });
  }
  template <class V> CAIRN_HD Pose<V> bodyPoses(const int* slots) const {
    V p[8];
    LaneTraits<V>::gather(reinterpret_cast<const T*>(in.poses), slots, p);
    return {{p[0], p[1], p[2]}, {p[4], p[5], p[6], p[7]}};
  }
  template <class V> CAIRN_HD LaneBody<V> bodies(const int* slots, bool overflow) const {
    const LaneBody<V> whole = gatherBody<V>(reinterpret_cast<const T*>(in.velocities), reinterpret_cast<const T*>(in.inertias), slots);
    if (!overflow) return whole;
    V k;
    LaneTraits<V>::gatherOne(in.partCounts, slots, k);
    return partOf(whole, k);
  }
  CAIRN_HD bool overflows(int lane) const { return in.partCounts != nullptr && lane / kTileLanes >= view.counts->firstOverflowTile; }
  template <class V> CAIRN_HD Vec3<V> impulseNow(const LaneJoint<V>& joint, int field, const Mat3<V>& axesA, Vec3<T> JointImpulse<T>::*of) const {
    return keepsImpulses ? joint.getVector(field) : axesA * lastImpulses<V>(joint.lane, of);
  }
  // In a lane's A's joint frame.
  template <class V> CAIRN_HD Vec3<V> lastImpulses(int firstLane, Vec3<T> JointImpulse<T>::*of) const {
    const auto each = [this, firstLane, of](auto component) {
      return LaneTraits<V>::fromLanes([this, firstLane, of, component](int lane) { return in.impulses[indexOf(firstLane + lane)].*of.*component; });
    };
    return {each(&Vec3<T>::x), each(&Vec3<T>::y), each(&Vec3<T>::z)};
  }

  // The fields of both blocks, in all lanes as if none were a black box.
  template <class V, template <class> class Lanes> CAIRN_FLATTEN CAIRN_HD void putBlocks(int firstLane, const Lanes<V>& lanes) const {
    const LaneJoint<V> joint(view, firstLane);
    const Blocks<V, Lanes<V>> out{joint, lanes};
    const V zero = V(T(0)), one = V(T(1));
    const auto lockedLinear = joint::LockedLanes<V>::of([this, firstLane](int lane) { return in.records[indexOf(firstLane + lane)].lockedLinear; });
    const bool massless = direct && !anyLane(select(lockedLinear.three(), zero, one));
    LaneBody<V> a{}, b{};
    if (!massless || joint.rotates || joint.rows > 0) {
      a = bodies<V>(joint.slotsA, overflows(firstLane));
      b = bodies<V>(joint.slotsB, overflows(firstLane));
    }
    const joint::Frames<V> f =
        joint::framesOf(framesOf<V>(firstLane, false), framesOf<V>(firstLane, true), bodyPoses<V>(joint.slotsA), bodyPoses<V>(joint.slotsB));
    const Vec3<V> rA = f.armA + f.offset, rB = f.armB;
    out.putVector(kJointArmA, rA);
    out.putVector(kJointArmB, rB);
    // All else of points is what it was as the step began; of one beside others it is put once more.
    if (keepsImpulses && massless && !joint.rotates && joint.rows == 0) return out.putVector(kJointLinearError, clampLength(f.offset, V(maxError())));
    const Mat3<V> axesA = rotationMatrix(f.qA);
    V errorFraction = one, softness = zero;
    if (!direct) {
      const auto swept = ofRecords<V>(firstLane, [](const JointRecord<T>& j) { return (j.flags & kJointSwept) != 0 ? T(1) : T(0); }) > zero;
      errorFraction = select(swept, V(bias.errorFraction), one);
      softness = select(swept, V(bias.softness), zero);
    }
    out.put(kJointErrorFraction, errorFraction);
    out.put(kJointSoftness, softness);

    const auto locked = joint::translationDirections(lockedLinear, axesA);
    const Vec3<V> linearError = errorFraction * f.offset;
    Sym3<V> mass{one, one, one, zero, zero, zero};
    if (!massless) {
      const Sym3<V> own = joint::restrictedInverse(joint::linearResponse(a, b, rA, rB), locked.d, locked.has);
      mass = direct ? select(lockedLinear.three(), mass, own) : own;
    }
    out.putSym(kJointLinearMass, mass);
    out.putVector(kJointLinearError, clampLength(linearError, V(maxError())));
    // Impulses turn with frame A. Their parts along axes that are no longer locked are dropped.
    const Vec3<V> none{zero, zero, zero};
    const Vec3<V> impulse = positions ? none : impulseNow(joint, kJointLinear, axesA, &JointImpulse<T>::linear), part = along(locked, impulse);
    out.putVector(kJointLinear, keepsImpulses ? select(lockedLinear.three(), impulse, part) : part);
    if (joint.rows > 0) out.put(kJointOffTarget, select(speedsUp(a, b, rA, rB), one, zero));
    if (first && !keepsImpulses) {
      out.put(kJointRotated, zero);
      out.put(kJointActive, zero);
      out.putVector(kJointFirstLinearError, linearError);
      out.putVector(kJointFirstArmA, rA);
      out.putVector(kJointFirstArmB, rB);
    }
    if (joint.rotates) return putTurns(firstLane, out, axesA, f, a.invInertia + b.invInertia);
    if (!first || keepsImpulses) return;
    out.putSym(kJointAngularMass, {zero, zero, zero, zero, zero, zero});
    out.putVector(kJointAngularError, none);
    out.putVector(kJointAngular, none);
    out.putVector(kJointFirstAngularError, none);
  }
  template <class V, class Lanes>
  CAIRN_HD void putTurns(int firstLane, const Blocks<V, Lanes>& out, const Mat3<V>& axesA, const joint::Frames<V>& f, Sym3<V> spin) const {
    const auto locked = joint::LockedLanes<V>::of([this, firstLane](int lane) { return in.records[indexOf(firstLane + lane)].lockedAngular; });
    const auto turns = joint::lockedTurns(locked, axesA, rotationMatrix(f.qB), conjugate(f.qA) * f.qB);
    const Vec3<V> error = out.joint.get(kJointErrorFraction) * turns.error;
    const Mat3<V> response{{spin.xx, spin.xy, spin.xz}, {spin.xy, spin.yy, spin.yz}, {spin.xz, spin.yz, spin.zz}};
    out.putSym(kJointAngularMass, joint::restrictedInverse(response, turns.directions.d, turns.directions.has));
    out.putVector(kJointAngularError, clampLength(error, V(maxTurn())));
    if (first && !keepsImpulses) out.putVector(kJointFirstAngularError, error);
    const V zero = V(T(0));
    out.putVector(kJointAngular, positions ? Vec3<V>{zero, zero, zero}
                                           : along(turns.directions, impulseNow(out.joint, kJointAngular, axesA, &JointImpulse<T>::angular)));
  }
  // An impact within the step may make the bodies so fast that they reach a limit before its end that was inactive as the step began.
  template <class V> CAIRN_HD auto speedsUp(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> rA, Vec3<V> rB) const {
    const Vec3<V> spin = b.w - a.w, slide = relativeVelocity(a, b, rA, rB);
    const V step2 = V(bias.step * bias.step);
    const T rotationMargin = T(0.5 * kRotationMargin), translationMargin = T(0.5 * kTranslationMargin) * bias.lever;
    const auto spins = dot(spin, spin) * step2 > V(rotationMargin * rotationMargin);
    const auto slides = dot(slide, slide) * step2 > V(translationMargin * translationMargin);
    return spins | slides;
  }

  // --- one lane by itself ---

  // What joints have beside their locked axes, if any of their tile has something; and nothing at all in empty lanes.
  CAIRN_HD bool hasOwn(int laneIndex) const { return view.tileRows[laneIndex / kTileLanes] > 0 || in.targets != nullptr; }
  CAIRN_HD void putOwn(int laneIndex) const {
    const int index = view.joint[laneIndex], tileRows = view.tileRows[laneIndex / kTileLanes];
    if (index >= 0 && !hasOwn(laneIndex)) return;
    const JointLane<T> lane(view, laneIndex);
    const int rows = index < 0 ? 0 : in.records[index].rowCount;
    if (first) lane.clear(JointLane<T>::base(rows), JointLane<T>::base(tileRows));
    if (index < 0) return lane.clear(0, kJointFields);
    const JointRecord<T>& j = in.records[index];
    const bool overflow = overflows(laneIndex);
    if ((j.flags & kJointBlackBox) != 0) putBlackBox(lane, in.targets[index], geometryOf(j, overflow));
    const bool looks = first || lane.of(kJointOffTarget) > T(0);
    if (looks ? rows > 0 : anyActive(lane, rows)) putRows(lane, j, geometryOf(j, overflow), looks);
  }
  CAIRN_HD static bool anyActive(const JointLane<T>& lane, int rows) {
    for (int r = 0; r < rows; ++r) {
      if (lane.at(r, kAxisSide) != T(0)) return true;
    }
    return false;
  }
  CAIRN_HD LaneBody<T> body(int slot, bool overflow) const {
    const LaneBody<T> whole = loadBody(in.velocities[slot], in.inertias[slot]);
    return overflow ? partOf(whole, in.partCounts[slot]) : whole;
  }
  CAIRN_HD Geometry geometryOf(const JointRecord<T>& j, bool overflow) const {
    const joint::Frames<T> f = joint::framesOf(j, in.poses[j.bodyA], in.poses[j.bodyB]);
    return {body(j.bodyA, overflow), body(j.bodyB, overflow), f, rotationMatrix(f.qA), rotationMatrix(f.qB), f.armA + f.offset, f.armB};
  }

  // --- black boxes ---

  // A black box's allowed pose is a set that only its projection knows. Where the predicted pose is outside, the way to the nearest allowed one is
  // the normal of that set: the joint keeps that direction, and leaves those across it alone.
  CAIRN_HD void putBlackBox(const JointLane<T>& lane, const JointTarget<T>& target, const Geometry& g) const {
    const joint::Frames<T>& f = g.frames;
    const Vec3<T> zero{T(0), T(0), T(0)};
    Direction translation, rotation;
    translation.along(g.axesA * (target.predicted.p - target.allowed.p), T(kInsideBlackBox) * bias.lever);
    const auto vectorOf = [](Quat<T> q) {
      const T sign = q.w < T(0) ? T(-2) : T(2);
      return sign * Vec3<T>{q.x, q.y, q.z};
    };
    const auto turned = [&](Quat<T> q) { return g.axesA * rotate(target.allowed.q, vectorOf(conjugate(target.allowed.q) * q)); };
    rotation.along(turned(target.predicted.q), T(kTurnInsideBlackBox));
    const T errorFraction = lane.of(kJointErrorFraction);
    const Vec3<T> linearError = errorFraction * translation.partOf(f.offset - g.axesA * target.allowed.p);
    const Vec3<T> angularError = errorFraction * rotation.partOf(turned(conjugate(f.qA) * f.qB));
    lane.putSym(kJointLinearMass, translation.inverseOf(joint::linearResponse(g.a, g.b, g.rA, g.rB)));
    lane.putVector(kJointLinearError, clampLength(linearError, maxError()));
    const Sym3<T> spin = g.a.invInertia + g.b.invInertia;
    lane.putSym(kJointAngularMass, rotation.inverseOf({{spin.xx, spin.xy, spin.xz}, {spin.xy, spin.yy, spin.yz}, {spin.xz, spin.yz, spin.zz}}));
    lane.putVector(kJointAngularError, clampLength(angularError, maxTurn()));
    lane.putVector(kJointLinear, zero);
    lane.putVector(kJointAngular, zero);
    if (!first) return;
    lane.putVector(kJointFirstLinearError, linearError);
    lane.putVector(kJointFirstAngularError, angularError);
    lane.of(kJointActive) = T(1);
  }
  // The one direction that a black box keeps, if any.
  struct Direction {
    Vec3<T> d{T(0), T(0), T(0)};
    bool kept = false;

    CAIRN_HD void along(Vec3<T> away, T least) {
      const T far = length(away);
      kept = far > least;
      if (kept) d = (T(1) / far) * away;
    }
    CAIRN_HD Vec3<T> partOf(Vec3<T> v) const { return kept ? dot(d, v) * d : Vec3<T>{T(0), T(0), T(0)}; }
    CAIRN_HD Sym3<T> inverseOf(const Mat3<T>& k) const {
      const Vec3<T> directions[3] = {d, d, d};
      const bool has[3] = {kept, false, false};
      return joint::restrictedInverse(k, directions, has);
    }
  };

  // --- free axes ---

  // `looks`: whether limits that were inactive are within reach by now.
  CAIRN_HD void putRows(const JointLane<T>& lane, const JointRecord<T>& j, const Geometry& g, bool looks) const {
    Angles angles{};
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
      const RowTarget<T> target = rowTarget(row, bias, effectiveInverseMass(g.a, g.b, s), speed, positions ? T(0) : in.rowImpulses[rowIndex], s);
      if (target.follows == T(0) && !isDriven(row.kind)) lane.of(kJointActive) = T(1);  // RefreshJoint moves the others along
      putRow(lane, r, s, target);
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
    lane.at(r, kAxisFirst) = target.first;
    lane.at(r, kAxisFollows) = target.follows;
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
};

}  // namespace cairn::v0
