// A caller's joints: from fields with strides to records and axis rows as those of a World's joints, and impulses back.
//
// In: joints and axis rows in arrays of any layout. Out: records in the caller's order. A flawed joint, of a call that will be refused, becomes one
// that joins the world to itself and has no rows, so that nothing that follows reads beyond an array. Memory: what the records take.
#include "kernels/solve/caller_joints.hpp"

#include "kernels/runtime/launch.hpp"
#include "kernels/solve/caller_fields.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

using caller::areBodies;
using caller::at;
using caller::isFinite;
using caller::isUnit;
using caller::putVector;
using caller::quaternionAt;
using caller::refuse;
using caller::valueOr;
using caller::vectorAt;

constexpr double kUnlimited = 1e30;  // fits a float
constexpr int kAllAxes = 63;

template <class T> CAIRN_HD inline T limited(T a) { return clampTo(a, T(-kUnlimited), T(kUnlimited)); }

template <class T> struct ReadJointRow {
  SolverJointRows<T> rows;
  bool warmStart;
  CallerJointRecords<T> out;
  CallState* state;

  CAIRN_HD int flawsOf(const AxisRow<T>& row, T impulse, T phase) const {
    const bool sound = isFinite(row.low) && isFinite(row.high) && isFinite(row.target) && isFinite(row.maxForce) && isFinite(row.stiffness) &&
                       isFinite(row.damping) && isFinite(row.ratio) && isFinite(impulse) && isFinite(phase);
    if (!sound) return kSolverNotFinite;
    const bool inRange = row.axis >= 0 && row.axis < 6 && row.kind >= kLimitRow && row.kind <= kGearRow && row.low <= row.high &&
                         row.maxForce >= T(0) && row.stiffness >= T(0) && row.damping >= T(0);
    return inRange ? 0 : kSolverOutOfRange;
  }
  CAIRN_HD void operator()(int i) const {
    AxisRow<T> row{};
    row.axis = at(rows.axis, i);
    row.kind = at(rows.kind, i);
    row.low = limited(valueOr(rows.low, i, T(0)));
    row.high = limited(valueOr(rows.high, i, T(0)));
    row.target = valueOr(rows.target, i, T(0));
    row.maxForce = limited(valueOr(rows.maxForce, i, T(0)));
    row.stiffness = valueOr(rows.stiffness, i, T(0));
    row.damping = valueOr(rows.damping, i, T(0));
    row.ratio = valueOr(rows.ratio, i, T(1));
    const T impulse = warmStart && rows.impulse.data != nullptr ? at(rows.impulse, i) : T(0), phase = valueOr(rows.phase, i, T(0));
    const int flaws = flawsOf(row, impulse, phase);
    if (flaws != 0) refuse(state, flaws, &state->status.badJointRow, i);
    out.axisRows[i] = row;
    out.rowImpulses[i] = impulse;
    out.phases[i] = phase;
  }
};

template <class T> struct ReadJoint {
  CallerArrays<T> caller;
  ContactCapacity capacity;
  CallerJointRecords<T> out;
  CallState* state;

  // Of the rows that a joint has: which ones are its own, and whether they act on what it leaves free.
  CAIRN_HD int flawsOfRows(int first, int count, int locked) const {
    const SolverJointRows<T>& rows = caller.joints.axisRows;
    if (count < 0 || count > capacity.rowsOfJoint || first < 0 || first > rows.count - count) return kSolverOutOfRange;
    for (int r = first; r < first + count; ++r) {
      const int axis = at(rows.axis, r), kind = at(rows.kind, r);
      const bool alone = kind == kDistanceRow || kind == kGearRow;
      if (axis < 0 || axis >= 6 || (locked >> axis & 1) != 0 || (alone && locked != 0)) return kSolverOutOfRange;
    }
    return 0;
  }
  CAIRN_HD int flawsOf(const JointRecord<T>& j, int i, const JointImpulse<T>& impulse, int locked) const {
    const SolverJoints<T>& joints = caller.joints;
    int flaws = areBodies(at(joints.bodies, i, 0), at(joints.bodies, i, 1), caller.bodies.count) ? 0 : kSolverBodyIndex;
    const bool sound =
        finite(j.frameA.p) && finite(j.frameB.p) && isFinite(j.frameA.q) && isFinite(j.frameB.q) && finite(impulse.linear) && finite(impulse.angular);
    if (!sound) return flaws | kSolverNotFinite;
    if (!isUnit(j.frameA.q) || !isUnit(j.frameB.q) || (locked & ~kAllAxes) != 0) flaws |= kSolverOutOfRange;
    return flaws | flawsOfRows(j.firstRow, j.rowCount, locked);
  }

  CAIRN_HD void operator()(int i) const {
    const SolverJoints<T>& joints = caller.joints;
    const int world = caller.bodies.count, a = at(joints.bodies, i, 0), b = at(joints.bodies, i, 1), locked = at(joints.locked, i);
    JointRecord<T> j{};
    j.frameA = {vectorAt(joints.anchorA, i), quaternionAt(joints.frameA, i)};
    j.frameB = {vectorAt(joints.anchorB, i), quaternionAt(joints.frameB, i)};
    j.bodyA = a < 0 ? world : a;
    j.bodyB = b < 0 ? world : b;
    j.flags = kJointSwept;
    j.lockedLinear = locked & 7;
    j.lockedAngular = locked >> 3 & 7;
    j.component = -1;
    j.breakImpulse = T(kUnlimited);
    if (joints.rows.data != nullptr) {
      j.firstRow = at(joints.rows, i, 0);
      j.rowCount = at(joints.rows, i, 1);
    }
    JointImpulse<T> impulse{};
    if (caller.warmStart && joints.linearImpulse.data != nullptr) impulse.linear = vectorAt(joints.linearImpulse, i);
    if (caller.warmStart && joints.angularImpulse.data != nullptr) impulse.angular = vectorAt(joints.angularImpulse, i);
    const int flaws = flawsOf(j, i, impulse, locked);
    if (flaws != 0) {
      refuse(state, flaws, &state->status.badJoint, i);
      j = {};
      j.frameA = j.frameB = identityPose<T>();
      j.bodyA = j.bodyB = world;
      j.component = -1;
      impulse = {};
    }
    out.records[i] = j;
    out.impulses[i] = impulse;
    out.live[i] = i;
  }
};

template <class T> struct ListJointSide {
  const JointRecord<T>* records;
  JointSideArrays out;
  int world;

  CAIRN_HD void operator()(int side) const {
    const JointRecord<T>& j = records[side / 2];
    const int body = (side & 1) == 0 ? j.bodyA : j.bodyB;
    out.keys[side] = static_cast<uint32_t>(body);
    out.sides[side] = side;
    atomicAddInt(out.counts + body, 1);
  }
};

// Item i is a joint, and an axis row.
template <class T> struct WriteJoint {
  SolverJoints<T> joints;
  CallerJointRecords<T> solved;
  const CallState* state;

  CAIRN_HD void operator()(int i) const {
    if (state->refused()) return;
    if (i < joints.axisRows.count && joints.axisRows.impulse.data != nullptr) at(joints.axisRows.impulse, i) = solved.rowImpulses[i];
    if (i >= joints.count) return;
    if (joints.linearImpulse.data != nullptr) putVector(joints.linearImpulse, i, solved.impulses[i].linear);
    if (joints.angularImpulse.data != nullptr) putVector(joints.angularImpulse, i, solved.impulses[i].angular);
  }
};

}  // namespace

template <class T>
void readJoints(Queue& queue, const CallerArrays<T>& caller, const ContactCapacity& capacity, const CallerJointRecords<T>& out, CallState* state) {
  const SolverJoints<T>& joints = caller.joints;
  forEach(queue, "contact_solver/joint_rows", joints.axisRows.count, ReadJointRow<T>{joints.axisRows, caller.warmStart, out, state});
  forEach(queue, "contact_solver/joints", joints.count, ReadJoint<T>{caller, capacity, out, state});
}

template <class T> void listJointSides(Queue& queue, const JointRecord<T>* records, int joints, int bodySlots, const JointSideArrays& out) {
  forEach(queue, "contact_solver/joint_sides", 2 * joints, ListJointSide<T>{records, out, bodySlots - 1});
}

template <class T> void writeJoints(Queue& queue, const SolverJoints<T>& joints, const CallerJointRecords<T>& solved, const CallState* state) {
  forEach(queue, "contact_solver/write_joints", std::max(joints.count, joints.axisRows.count), WriteJoint<T>{joints, solved, state});
}

#define CAIRN_INSTANTIATE(T)                                                                                                  \
  template void readJoints(Queue&, const CallerArrays<T>&, const ContactCapacity&, const CallerJointRecords<T>&, CallState*); \
  template void listJointSides(Queue&, const JointRecord<T>*, int, int, const JointSideArrays&);                              \
  template void writeJoints(Queue&, const SolverJoints<T>&, const CallerJointRecords<T>&, const CallState*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
