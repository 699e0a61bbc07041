// How far joints are from what they allow, and the numbers that a user reads of a joint. See joint_errors.cu.
//
// In double whatever the World's precision, and from definitions that were never rounded to it: these numbers judge the solver, which knows its own
// precision alone.
#pragma once

#include "kernels/joints/joint_math.hpp"
#include "kernels/runtime/primitives.hpp"

namespace cairn::v0 {

enum JointGaugeKind : int {
  kGaugeAxes,      // each axis locked, limited or free
  kGaugeDistance,  // linear[0] is the range of the distance
  kGaugeGear,      // its error is its phase
  kGaugeBlackBox,  // what it allows is the user's
};

// A joint as its errors see it.
struct JointGauge {
  Pose<double> frameA, frameB;  // from the centres of mass
  joint::Range<double> linear[3], angular[3];
  int bodyA, bodyB;   // slots
  int lockedAngular;  // bits 0..2
  int kind;
  int phase;  // of a gear, among the phases of all axis rows; -1: it has not acted yet
  int slot;   // of the joint
};

namespace joint {

// Distance from the nearest allowed pose.
struct Errors {
  double offset;  // [m]
  double turn;    // [rad]
};

CAIRN_HD inline double angleOf(Quat<double> q) { return 2 * arcTangent(squareRoot(q.x * q.x + q.y * q.y + q.z * q.z), absOf(q.w)); }

CAIRN_HD inline double arcSine(double sine) {
  const double s = clampTo(sine, -1.0, 1.0);
  return arcTangent(s, squareRoot((1 - s) * (1 + s)));
}

CAIRN_HD inline State<double> stateOf(const JointGauge& gauge, const BodyPose<double>& a, const BodyPose<double>& b) {
  return stateOf(framesOf(gauge.frameA, gauge.frameB, a, b));
}

// The state that the joint's ranges lead to.
CAIRN_HD inline State<double> allowedState(const JointGauge& gauge, const State<double>& state) {
  Freedom<double> freedom{};
  for (int k = 0; k < 3; ++k) {
    freedom.linear[k] = gauge.linear[k];
    freedom.angular[k] = gauge.angular[k];
  }
  freedom.radial = gauge.kind == kGaugeDistance;
  return project(freedom, state);
}

// The angular error of a joint with two free rotations: its two axes are off their right angle, or an angle is beyond its limits; the larger counts.
CAIRN_HD inline double crossedError(const JointGauge& gauge, Quat<double> q) {
  const Vec3<double> angles = coordinateAngles(gauge.lockedAngular, q);
  const Crossing<double> pair = crossingOf(gauge.lockedAngular, rotationMatrix(identityQuat<double>()), rotationMatrix(q));
  double worst = absOf(arcSine(dot(pair.onA, pair.onB)));
  for (int k = 0; k < 3; ++k) {
    const Range<double>& range = gauge.angular[k];
    if ((gauge.lockedAngular >> k & 1) != 0 || range.free()) continue;
    const double angle = component(angles, k);
    worst = maxOf(worst, maxOf(range.low - angle, angle - range.high));
  }
  return worst;
}

// `allowed`: of a black box its user's pose, else allowedState. Gears have no such state.
CAIRN_HD inline Errors errorsOf(const JointGauge& gauge, const State<double>& state, const State<double>& allowed) {
  Errors errors{length(state.x - allowed.x), 0};
  if (gauge.kind == kGaugeAxes && countBits(gauge.lockedAngular) == 1) {
    errors.turn = crossedError(gauge, state.q);
  } else if (gauge.kind != kGaugeDistance) {
    errors.turn = angleOf(conjugate(allowed.q) * state.q);
  }
  return errors;
}

// A joint's end on a body.
struct SwungEnd {
  Pose<double> frame;  // from the centre of mass, in the body's frame
  Quat<double> q;      // of the body
  Vec3<double> w;      // [rad/s]
  double gyration;     // radius of gyration of the body, at least the smallest one [m]
};

// How fast what a joint holds of a body swings about the body's centre of mass [rad/s]: its anchor, and the axes that it locks. A wheel that spins
// about the axis of its hinge does not swing. Within the radius of gyration an anchor's swing counts by its distance, since little of the body's
// energy goes with it.
CAIRN_HD inline double swingOf(const JointGauge& gauge, const SwungEnd& end) {
  if (gauge.kind == kGaugeGear) return 0;
  const Vec3<double> arm = rotate(end.q, end.frame.p);
  const double reach = maxOf(length(arm), end.gyration);
  const double ofAnchor = reach > 0 ? length(cross(end.w, arm)) / reach : 0.0;
  const int locked = gauge.kind == kGaugeAxes ? countBits(gauge.lockedAngular) : (gauge.kind == kGaugeBlackBox ? 3 : 0);
  if (locked == 0) return ofAnchor;
  if (locked != 2) return maxOf(ofAnchor, length(end.w));
  const int free = (gauge.lockedAngular & 1) == 0 ? 0 : ((gauge.lockedAngular & 2) == 0 ? 1 : 2);
  const Vec3<double> axis{free == 0 ? 1.0 : 0.0, free == 1 ? 1.0 : 0.0, free == 2 ? 1.0 : 0.0};
  return maxOf(ofAnchor, length(cross(end.w, rotate(end.q, rotate(end.frame.q, axis)))));
}

}  // namespace joint

// The poses of black boxes, for their projections: targets[boxes[k]] of the gauge boxes[k], allowed as they are.
template <class T>
void gaugeTargets(Queue& queue, const JointGauge* gauges, const int* boxes, int count, const BodyPose<T>* poses, JointTarget<double>* targets);

// JointState::coordinates of each, six at the place of its slot.
template <class T>
void gaugeCoordinates(Queue& queue, const JointGauge* gauges, int count, const BodyPose<T>* poses, const T* phases, T* coordinates);

// Bodies as joints swing them; h is a substep [s].
template <class T> struct SwungBodies {
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  const BodyConstants<T>* constants;
  double h;
};

// By gauge: offsets [m], turns [rad] and swings (joint::swingOf). What is not a number counts as zero.
struct JointErrorArrays {
  double* offsets;
  double* turns;
  double* swings;
};
template <class T> void gaugeJoints(Queue& queue, const JointGauge* gauges, int count, const SwungBodies<T>& bodies, const T* phases,
                                    const JointTarget<double>* targets, const JointErrorArrays& out);

}  // namespace cairn::v0
