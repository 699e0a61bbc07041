// A caller's joints as the library's records, and their impulses back. See caller_joints.cu.
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "kernels/solve/caller_contacts.hpp"

namespace cairn::v0 {

// By joint, or by axis row, in the caller's order.
template <class T> struct CallerJointRecords {
  JointRecord<T>* records;
  JointImpulse<T>* impulses;
  int* live;  // 0, 1, 2, ...
  AxisRow<T>* axisRows;
  T* rowImpulses;
  T* phases;
};

// Checks joints and axis rows and writes their records; impulses begin as zeros unless the call starts from the caller's.
template <class T>
void readJoints(Queue& queue, const CallerArrays<T>& caller, const ContactCapacity& capacity, const CallerJointRecords<T>& out, CallState* state);
// Joints by body, in CSR over entries 2 joint + side: keys and sides for a stable sort, and the number of each body's in counts (zeros before).
// A place holds 2 joints entries; what belongs to the world goes last.
struct JointSideArrays {
  uint32_t* keys;
  int* sides;
  int* counts;  // [bodySlots + 1]
};
template <class T> void listJointSides(Queue& queue, const JointRecord<T>* records, int joints, int bodySlots, const JointSideArrays& out);
// Impulses to the caller's arrays unless the call was refused.
template <class T> void writeJoints(Queue& queue, const SolverJoints<T>& joints, const CallerJointRecords<T>& solved, const CallState* state);

}  // namespace cairn::v0
