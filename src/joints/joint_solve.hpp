// Joints in a substep, beside the sweeps: their rows, their direct solve, the sums of their impulses. All of it works on the step's views;
// without joints there is nothing to do.
#pragma once

#include "kernels/joints/joint_sweep.hpp"
#include "src/state/step_context.hpp"

namespace cairn::v0 {

// Rows at the bodies' poses, unless they are current; and whether anything but the direct solve will act. Their part counts (overflow) have been
// published.
template <class T> void beginJoints(StepContext<T>& step);
// Asks the black boxes where they allow the bodies to be after h.
template <class T> void predictJoints(StepContext<T>& step, double h);
// All joints' equations, exactly, for velocities (or displacements) in place. Nothing to do where all are left to the sweeps.
template <class T> void solveJoints(StepContext<T>& step, BodyVelocity<T>* velocities, const JointBlock<T>& block);
// The same without components that are in contact, whose contacts it would undo.
template <class T> void solveJointsOutOfContact(StepContext<T>& step, const JointBlock<T>& block);
// Velocities of joints by themselves, once bodies have moved in a substep. Before the step ends those of components without loops, of bodies
// that turn slowly and are not stiffened, wait: what a solve would add to them are impulses along the same rows at the same poses, which the next
// solve to the target finds itself.
template <class T> void putVelocitiesRight(StepContext<T>& step, const JointBlock<T>& block, bool last);
// The same for the errors at the end of the substep, again and again until all joints are on target there: Newton's method on the equations that
// rotations make curved. Ball joints that rotate too far for it are solved by themselves. `substep` of the step, counted from 1.
template <class T> void solveJointsToTarget(StepContext<T>& step, const JointBlock<T>& block, int substep);
// Sweeps change something that the direct solve leaves: contacts, rows of free axes, joints that it does not take.
template <class T> bool needsSweeps(const StepContext<T>& step);
// Before the bodies move: impulses back to the joints; where the direct solve alone acts they stay in the rows, turned as the bodies will have
// turned.
template <class T> void collectJointImpulses(StepContext<T>& step, double h);
// Once more when velocities have been put right, and onto the step's reactions. Where the direct solve alone acts all of that comes with the `last`
// substep.
template <class T> void collectJointReactions(StepContext<T>& step, double h, bool last);
// After the bodies have moved in a substep, counted from 1: rows at the new poses.
template <class T> void followBodies(StepContext<T>& step, double h, int substep);

// Rows for displacements, and each joint's error at the poses as they are [m].
template <class T> void measureJointErrors(StepContext<T>& step, T* violations, T maxError);

}  // namespace cairn::v0
