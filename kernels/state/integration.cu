// Integration: semi-implicit Euler with the exponential map for orientations and an implicit gyroscopic step.
//
// In: poses, velocities, forces. Out: velocities before the solve, poses after it, and each body's motion since the collision pass, from which the
// rows' gaps are updated in the next substep. One item a body, so the order does not matter.
//
// Far from the origin a position has too few digits for what a body at rest moves in a substep: 40 m away a micrometre is lost or becomes four, and
// stacks would shiver and creep. A step's motion is a small number with all its digits. So the position at a step's end is the one at its beginning
// plus that motion, and what the sum loses begins the next step's motion.
#include "kernels/state/integration.hpp"

#include "kernels/runtime/launch.hpp"
#include "kernels/state/body_drive.hpp"
#include "kernels/state/integrate_body.hpp"
#include "kernels/state/world_inertia.hpp"

CAIRN_CPU_PASSES(bodyPass)

namespace cairn::v0 {
namespace {

template <class T, template <class> class Pass> void overBodies(Queue& queue, const char* label, const Pass<T>& pass) {
  queue.label = label;
  if (queue.target == Target::Cpu) return runOnCpu<BodyPasses>(bodyPassHere, *queue.team, BodyPass<T, Pass<T>>{&pass});
  forEach(queue, label, pass.count, pass);
}

template <class T> struct BeginStep {
  const BodyPose<T>* poses;
  const BodyConstants<T>* constants;
  BodyInertia<T>* inertias;
  BodyMotion<T>* motions;
  const PositionRemainder<T>* remainders;

  CAIRN_HD void operator()(int i) const {
    const Vec3<T> none{T(0), T(0), T(0)};
    if (motions != nullptr) motions[i] = {remainders != nullptr ? remainders[i].left : none, driveOf(constants[i]), identityQuat<T>()};
    if (inertias == nullptr) return;
    inertias[i].invInertia = worldInvInertia(poses[i].q, constants[i]);
  }
};

template <class T> struct RoundPosition {
  const BodyPose<T>* before;
  const BodyMotion<T>* motions;
  BodyPose<T>* poses;
  PositionRemainder<T>* remainders;

  CAIRN_HD void operator()(int i) const {
    if (!isMoved(motions[i].drive)) return;
    const Vec3<T> x = before[i].x, motion = motions[i].dp, sum = x + motion;
    poses[i].x = sum;
    remainders[i].left = motion - (sum - x);
  }
};

template <class T> struct RefreshMarked {
  BeginStep<T> refresh;
  const int* marks;

  CAIRN_HD void operator()(int i) const {
    if ((marks[i] & kFrameTurns) != 0) refresh(i);
  }
};

template <class T> struct UndoIfWorse {
  const MaxAt<T>* worst;
  const BodyPose<T>* posesBefore;
  const BodyMotion<T>* motionsBefore;
  BodyPose<T>* poses;
  BodyMotion<T>* motions;

  CAIRN_HD void operator()(int i) const {
    if (!(worst[1].value > worst[0].value)) return;
    poses[i] = posesBefore[i];
    motions[i] = motionsBefore[i];
  }
};

template <class T> struct FindNonFinite {
  using ForAvx2 = void;

  const BodyConstants<T>* constants;
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  int* firstBad;

  CAIRN_HD void operator()(int i) const {
    if ((constants[i].flags & kBodyAlive) == 0) return;
    const BodyPose<T>& p = poses[i];
    const BodyVelocity<T>& u = velocities[i];
    // Infinities and NaNs survive sums of absolute values; 0 times them is NaN.
    const T sum = absOf(p.x.x) + absOf(p.x.y) + absOf(p.x.z) + absOf(p.q.x) + absOf(p.q.y) + absOf(p.q.z) + absOf(p.q.w) + absOf(u.v.x) +
                  absOf(u.v.y) + absOf(u.v.z) + absOf(u.w.x) + absOf(u.w.y) + absOf(u.w.z);
    if (!(sum * T(0) == T(0))) atomicMinInt(firstBad, i);
  }
};

}  // namespace

template <class T> void beginStep(Queue& queue, int bodySlots, const BodyPose<T>* poses, const BodyConstants<T>* constants, BodyInertia<T>* inertias,
                                  BodyMotion<T>* motions, const PositionRemainder<T>* remainders) {
  forEach(queue, "integration/begin", bodySlots, BeginStep<T>{poses, constants, inertias, motions, remainders});
}

template <class T> void roundPositions(Queue& queue, int bodySlots, const BodyPose<T>* before, const BodyMotion<T>* motions, BodyPose<T>* poses,
                                       PositionRemainder<T>* remainders) {
  forEach(queue, "integration/round", bodySlots, RoundPosition<T>{before, motions, poses, remainders});
}

template <class T> void refreshTurningInertias(Queue& queue, int bodySlots, const int* marks, const BodyPose<T>* poses,
                                               const BodyConstants<T>* constants, BodyInertia<T>* inertias) {
  forEach(queue, "integration/turning_inertias", bodySlots, RefreshMarked<T>{{poses, constants, inertias, nullptr, nullptr}, marks});
}

template <class T> void integrateVelocities(Queue& queue, const IntegrateVelocity<T>& pass) { overBodies(queue, "integration/velocities", pass); }

template <class T> void integratePositions(Queue& queue, const IntegratePosition<T>& pass) { overBodies(queue, "integration/positions", pass); }

template <class T> void integrateVelocities(Queue& queue, int bodySlots, const VelocityIntegration<T>& bodies, T h, const GravityField<T>& gravity) {
  integrateVelocities(queue, IntegrateVelocity<T>{bodies, h, gravity, nullptr, nullptr, bodySlots});
}

template <class T> void integratePositions(Queue& queue, int bodySlots, const PositionIntegration<T>& bodies, T h, SpeedLimits<T> limits) {
  integratePositions(queue, IntegratePosition<T>{bodies, h, limits, nullptr, bodySlots});
}

template <class T> void undoIfWorse(Queue& queue, int bodySlots, const MaxAt<T>* worst, const BodyPose<T>* posesBefore,
                                    const BodyMotion<T>* motionsBefore, BodyPose<T>* poses, BodyMotion<T>* motions) {
  forEach(queue, "integration/undo_if_worse", bodySlots, UndoIfWorse<T>{worst, posesBefore, motionsBefore, poses, motions});
}

template <class T> void findNonFinite(Queue& queue, int bodySlots, const BodyConstants<T>* constants, const BodyPose<T>* poses,
                                      const BodyVelocity<T>* velocities, int* firstBad) {
  forEach(queue, "integration/check", bodySlots, FindNonFinite<T>{constants, poses, velocities, firstBad});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                       \
  template void beginStep(Queue&, int, const BodyPose<T>*, const BodyConstants<T>*, BodyInertia<T>*, BodyMotion<T>*, const PositionRemainder<T>*); \
  template void roundPositions(Queue&, int, const BodyPose<T>*, const BodyMotion<T>*, BodyPose<T>*, PositionRemainder<T>*);                        \
  template void refreshTurningInertias(Queue&, int, const int*, const BodyPose<T>*, const BodyConstants<T>*, BodyInertia<T>*);                     \
  template void integrateVelocities(Queue&, int, const VelocityIntegration<T>&, T, const GravityField<T>&);                                        \
  template void integrateVelocities(Queue&, const IntegrateVelocity<T>&);                                                                          \
  template void integratePositions(Queue&, const IntegratePosition<T>&);                                                                           \
  template void integratePositions(Queue&, int, const PositionIntegration<T>&, T, SpeedLimits<T>);                                                 \
  template void undoIfWorse(Queue&, int, const MaxAt<T>*, const BodyPose<T>*, const BodyMotion<T>*, BodyPose<T>*, BodyMotion<T>*);                 \
  template void findNonFinite(Queue&, int, const BodyConstants<T>*, const BodyPose<T>*, const BodyVelocity<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
