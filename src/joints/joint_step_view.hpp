// The joints of one step as its stages see them: views of what src/joints/joint_rows.hpp owns.
#pragma once

#include "kernels/joints/joint_system.hpp"
#include "src/joints/black_boxes.hpp"

namespace cairn::v0 {

// On the target unless a field says otherwise.
template <class T> struct JointStepView {
  int count = 0;                            // joints that act; without any nothing below is there
  int slotCount = 0;                        // of the arrays by slot
  int axisRowCount = 0;                     // of the arrays by axis row
  bool anySwept = false;                    // the direct solve leaves some joint to the sweeps
  bool atOnce = false;                      // nothing but the direct solve acts in this step: impulses stay in the lanes, and it sums them up there
  bool rowsCurrent = false;                 // the rows in the tiles are those of the bodies' poses as they are: nothing has to be prepared
  bool inertiasCurrent = false;             // the bodies' inertias are those that the last step left: they go with rows of joints by themselves
  JointView<T> rows{};                      // tiles for the colours of the step's graph
  const int* live = nullptr;                // [count] slots of the joints that act, on the host
  const int* liveOnTarget = nullptr;        // the same on the target
  const JointRecord<T>* records = nullptr;  // by slot
  const int* laneOfJoint = nullptr;         // by slot
  JointImpulse<T>* impulses = nullptr;      // by slot
  JointReaction<T>* reactions = nullptr;    // by slot: sums over this step
  const AxisRow<T>* axisRows = nullptr;
  T* rowImpulses = nullptr;  // by axis row
  T* phases = nullptr;       // by axis row
  T* leans = nullptr;        // by slot and side
  T* pulls = nullptr;        // by slot and side
  JointsOfBodies ofBodies{};
  SystemView system{};
  BlackBoxView<T> boxes{};
};

// The arrays that the kernels of joints' rows read and write. `overflowPartCounts`: by body, null without overflow constraints.
template <class T> JointInputs<T> jointInputs(const JointStepView<T>& joints, const BodyPose<T>* poses, const BodyVelocity<T>* velocities,
                                              const BodyInertia<T>* inertias, const T* overflowPartCounts) {
  JointInputs<T> in{};
  in.records = joints.records;
  in.axisRows = joints.axisRows;
  in.impulses = joints.impulses;
  in.rowImpulses = joints.rowImpulses;
  in.phases = joints.phases;
  in.leans = joints.leans;
  in.pulls = joints.pulls;
  in.targets = joints.boxes.targets;
  in.poses = poses;
  in.velocities = velocities;
  in.inertias = inertias;
  in.partCounts = overflowPartCounts;
  return in;
}

}  // namespace cairn::v0
