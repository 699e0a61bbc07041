// One call of a ContactSolver: the stages of a substep over a caller's bodies and contacts. The list of them is `run`.
#pragma once

#include "kernels/solve/caller_joints.hpp"
#include "src/joints/joint_tiles.hpp"
#include "src/rows/overflow.hpp"
#include "src/rows/rows.hpp"
#include "src/solve/solve.hpp"

namespace cairn::v0 {

// What calls have in common.
struct CallSettings {
  WorldSettings world;  // of one substep
  ContactCapacity capacity;
};

// On the CPU one pass serves all calls: its arrays grow, and what rests keeps its colours. On a device each call has a fresh one, in its workspace.
template <class T> class CallerPass {
 public:
  void run(Queue& queue, const CallSettings& settings, const ContactSolverCall<T>& call);

 private:
  void readBodies(Queue& queue, const SolverBodies<T>& bodies);
  void readJoints(Queue& queue, const CallerArrays<T>& caller, const ContactCapacity& capacity);
  void readContacts(Queue& queue, const CallerArrays<T>& caller, int most);
  void colour(StepContext<T>& step);
  void layOutRows(StepContext<T>& step, const ContactCapacity& capacity);
  void prepareJoints(StepContext<T>& step);
  void solve(StepContext<T>& step, const ContactSolverCall<T>& call);
  void measureResidual(StepContext<T>& step);
  CallerJointRecords<T> jointRecords();
  StepContext<T> contextOf(Queue& queue, const WorldSettings& settings, const ContactSolverCall<T>& call);

  PrimitiveScratch scratch_;
  StepCounts counts_;
  Buffer<CallState> state_;
  Buffer<BodyPose<T>> poses_;
  Buffer<BodyVelocity<T>> velocities_, moves_;
  Buffer<BodyInertia<T>> inertias_;
  Buffer<BodyMotion<T>> motions_;
  Buffer<BodyConstants<T>> constants_;
  Buffer<int> places_, firstContact_;
  Buffer<Manifold<T>> manifolds_;
  Buffer<ManifoldImpulse<T>> impulses_;
  ManifoldView<T> found_{};
  const int* manifoldCount_ = nullptr;  // on the target

  JointStepView<T> joints_{};
  Buffer<JointRecord<T>> records_;
  Buffer<JointImpulse<T>> jointImpulses_;
  Buffer<AxisRow<T>> axisRows_;
  Buffer<T> rowImpulses_, phases_;
  Buffer<int> live_, laneOfJoint_, jointOffsets_, jointSides_;
  Buffer<uint32_t> sideKeys_;
  JointTiles<T> jointTiles_;

  Buffer<ConstraintBodies> constraints_;
  Buffer<uint32_t> priorities_;
  ContactGraph graph_;
  GraphView colours_{};
  Rows<T> rows_;
  Overflow<T> overflow_;
  Solve<T> solve_;
  Residual<T> residual_;
};

}  // namespace cairn::v0
