// Joint errors: for each joint that acts its distance from what it allows, offset and turn, and how far it swings within a substep.
//
// In: gauges (definitions in double), poses, velocities, gears' phases, the answers of black boxes. Out: three numbers a joint, of which the caller
// takes the largest; three doubles and a gauge of 232 bytes are the memory per joint. An item reads two poses and writes what is its own, angles are
// those of arcTangent: the bits are the same on all targets. The state that a joint allows: joint_projection.hpp.
#include "kernels/joints/joint_errors.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> CAIRN_HD inline BodyPose<double> inDouble(const BodyPose<T>& pose) {
  return {convert<double>(pose.x), 0, convert<double>(pose.q)};
}

template <class T> struct GaugeTarget {
  const JointGauge* gauges;
  const int* boxes;
  const BodyPose<T>* poses;
  JointTarget<double>* targets;

  CAIRN_HD void operator()(int k) const {
    const JointGauge& gauge = gauges[boxes[k]];
    const joint::State<double> state = joint::stateOf(gauge, inDouble(poses[gauge.bodyA]), inDouble(poses[gauge.bodyB]));
    const Pose<double> pose{state.x, state.q};
    targets[boxes[k]] = {pose, pose};
  }
};

template <class T> struct GaugeJoint {
  const JointGauge* gauges;
  SwungBodies<T> bodies;
  const T* phases;
  const JointTarget<double>* targets;
  JointErrorArrays out;

  CAIRN_HD joint::Errors errors(int k) const {
    const JointGauge& gauge = gauges[k];
    if (gauge.kind == kGaugeGear) return {0, gauge.phase < 0 ? 0.0 : absOf(double(phases[gauge.phase]))};
    const joint::State<double> state = joint::stateOf(gauge, inDouble(bodies.poses[gauge.bodyA]), inDouble(bodies.poses[gauge.bodyB]));
    if (gauge.kind != kGaugeBlackBox) return joint::errorsOf(gauge, state, joint::allowedState(gauge, state));
    const joint::State<double> allowed{targets[k].allowed.p, targets[k].allowed.q};
    return joint::errorsOf(gauge, state, allowed);
  }
  CAIRN_HD double swing(const JointGauge& gauge, const Pose<double>& frame, int body) const {
    const BodyConstants<T>& constants = bodies.constants[body];
    if ((constants.flags & kBodyDynamic) == 0) return 0;
    const double inertia = double(constants.inertia.xx) + double(constants.inertia.yy) + double(constants.inertia.zz), mass = double(constants.mass);
    const double gyration = mass > 0 ? squareRoot(0.5 * inertia / mass) : 0.0;
    return bodies.h * joint::swingOf(gauge, {frame, convert<double>(bodies.poses[body].q), convert<double>(bodies.velocities[body].w), gyration});
  }
  CAIRN_HD void operator()(int k) const {
    const JointGauge& gauge = gauges[k];
    const joint::Errors found = errors(k);
    out.offsets[k] = maxOf(found.offset, 0.0);
    out.turns[k] = maxOf(found.turn, 0.0);
    out.swings[k] = maxOf(maxOf(swing(gauge, gauge.frameA, gauge.bodyA), swing(gauge, gauge.frameB, gauge.bodyB)), 0.0);
  }
};

template <class T> struct GaugeCoordinates {
  const JointGauge* gauges;
  const BodyPose<T>* poses;
  const T* phases;
  T* coordinates;

  CAIRN_HD void put(const JointGauge& gauge, Vec3<double> linear, Vec3<double> angular) const {
    T* const out = coordinates + 6 * gauge.slot;
    for (int k = 0; k < 3; ++k) {
      out[k] = T(component(linear, k));
      out[k + 3] = T(component(angular, k));
    }
  }
  CAIRN_HD void operator()(int k) const {
    const JointGauge& gauge = gauges[k];
    const Vec3<double> none{0, 0, 0};
    if (gauge.kind == kGaugeGear) return put(gauge, {gauge.phase < 0 ? 0.0 : double(phases[gauge.phase]), 0, 0}, none);
    const joint::State<double> state = joint::stateOf(gauge, inDouble(poses[gauge.bodyA]), inDouble(poses[gauge.bodyB]));
    if (gauge.kind == kGaugeDistance) return put(gauge, {length(state.x), 0, 0}, none);
    put(gauge, state.x, joint::coordinateAngles(gauge.lockedAngular, state.q));
  }
};

}  // namespace

template <class T>
void gaugeCoordinates(Queue& queue, const JointGauge* gauges, int count, const BodyPose<T>* poses, const T* phases, T* coordinates) {
  forEach(queue, "joints/coordinates", count, GaugeCoordinates<T>{gauges, poses, phases, coordinates}, kMediumGrain);
}

template <class T>
void gaugeTargets(Queue& queue, const JointGauge* gauges, const int* boxes, int count, const BodyPose<T>* poses, JointTarget<double>* targets) {
  forEach(queue, "joints/gauge_targets", count, GaugeTarget<T>{gauges, boxes, poses, targets}, kMediumGrain);
}

template <class T> void gaugeJoints(Queue& queue, const JointGauge* gauges, int count, const SwungBodies<T>& bodies, const T* phases,
                                    const JointTarget<double>* targets, const JointErrorArrays& out) {
  forEach(queue, "joints/gauge", count, GaugeJoint<T>{gauges, bodies, phases, targets, out}, kMediumGrain);
}

#define CAIRN_INSTANTIATE(T)                                                                                        \
  template void gaugeCoordinates(Queue&, const JointGauge*, int, const BodyPose<T>*, const T*, T*);                 \
  template void gaugeTargets(Queue&, const JointGauge*, const int*, int, const BodyPose<T>*, JointTarget<double>*); \
  template void gaugeJoints(Queue&, const JointGauge*, int, const SwungBodies<T>&, const T*, const JointTarget<double>*, const JointErrorArrays&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
