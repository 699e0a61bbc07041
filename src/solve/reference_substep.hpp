// The reference as a World's solver: a substep's rows solved by Lemke's method on the host, in double. For small scenes, to compare with.
#pragma once

#include "kernels/solve/sweeps.hpp"
#include "src/problems/contact_export.hpp"
#include "src/solve/reference_joints.hpp"
#include "src/state/step_context.hpp"

namespace cairn::v0 {

template <class T> class ReferenceSubstep {
 public:
  // Keeps the velocities before the contact impulses, the contacts in the order of their rows, and the rows' biases, which must be up to date. Only
  // what lanes with a manifold hold goes to the host: the others need not have been written. Throws InvalidInput for more contact points than the
  // reference takes.
  void begin(StepContext<T>& step);
  // Sets velocities and the rows' impulses, with (biased) or without the stabilization's speed. Throws Error if no solution is found; the step is
  // then undone as for any other exception.
  void solve(StepContext<T>& step, bool biased, T restSpeed, const JointBlock<T>& joints);
  // Position post-stabilization (Cline and Pai 2003, section V), its normal rows alone: gaps to displacements (zero before).
  void solvePositions(StepContext<T>& step, const PointArray<T>& gaps, BodyVelocity<T>* displacements);

 private:
  reference::ContactLcpResult solveJointed(StepContext<T>& step, const ContactProblem& problem, const JointBlock<T>& block);

  struct Point {
    int manifold = -1, point = -1;
    Vec3<double> bias{0, 0, 0};  // of the normal and of the tangents
  };

  Buffer<ManifoldBias<T>> biases_;
  Buffer<ManifoldNumbers<T>> gaps_;
  Buffer<ManifoldImpulse<T>> impulses_;
  std::vector<BodyVelocity<T>> free_;
  std::vector<ExportedBody> bodies_;
  std::vector<ExportedContact> contacts_;
  std::vector<Point> points_;
  ReferenceJoints<T> joints_;
};

}  // namespace cairn::v0
