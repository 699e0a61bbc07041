// Damping: implicit Euler for dv/dt = -c v over a substep, v / (1 + h c).
//
// In: velocities after the forces of the substep. Out: the same, damped, and the energy that it took.
//
// Why not exp(-h c): a division is rounded the same everywhere, which no mathematical library promises of an exponential; it is as far from the
// exponential as the forces' own integration is from the truth, second order in h c; and no c makes it unstable. Since it comes after gravity a
// falling body ends at g / c to the last digit, whatever the substep.
//
// A pass of its own, so that Worlds without damped bodies launch and store nothing. One item a body, so the order does not matter. 2 numbers and 8
// bytes a body slot.
#include "kernels/state/damping.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> CAIRN_HD inline double kineticEnergy(const BodyConstants<T>& constants, const Quat<double>& q, const BodyVelocity<T>& u) {
  const Vec3<double> v = convert<double>(u.v), w = inverseRotate(q, convert<double>(u.w));
  return 0.5 * (double(constants.mass) * dot(v, v) + dot(w, convert<double>(constants.inertia) * w));
}

template <class T> struct DampVelocity {
  DampedBodies<T> bodies;
  T h;
  bool first;

  CAIRN_HD void operator()(int i) const {
    const BodyConstants<T>& constants = bodies.constants[i];
    const BodyDamping<T> damping = bodies.damping[i];
    double work = 0;
    if ((constants.flags & kBodyDynamic) != 0 && isDamped(damping)) {
      const BodyVelocity<T> before = bodies.velocities[i];
      BodyVelocity<T> u = before;
      u.v = damped(u.v, damping.linear, constants.flags, kLockTranslationX);
      u.w = damped(u.w, damping.angular, constants.flags, kLockRotationX);
      bodies.velocities[i] = u;
      if (bodies.work != nullptr) {
        const Quat<double> q = convert<double>(bodies.poses[i].q);
        work = kineticEnergy(constants, q, u) - kineticEnergy(constants, q, before);
      }
    }
    if (bodies.work != nullptr) bodies.work[i] = first ? work : bodies.work[i] + work;
  }

  // The flags of y and z follow that of x.
  CAIRN_HD Vec3<T> damped(Vec3<T> speed, T coefficient, int flags, int lockX) const {
    const T divisor = T(1) + h * coefficient;
    return {(flags & lockX) != 0 ? speed.x : speed.x / divisor, (flags & 2 * lockX) != 0 ? speed.y : speed.y / divisor,
            (flags & 4 * lockX) != 0 ? speed.z : speed.z / divisor};
  }
};
static_assert(kLockTranslationY == 2 * kLockTranslationX && kLockTranslationZ == 4 * kLockTranslationX, "DampVelocity::damped counts on it");
static_assert(kLockRotationY == 2 * kLockRotationX && kLockRotationZ == 4 * kLockRotationX, "DampVelocity::damped counts on it");

}  // namespace

template <class T> void dampVelocities(Queue& queue, int bodySlots, const DampedBodies<T>& bodies, T h, bool first) {
  forEach(queue, "damping/velocities", bodySlots, DampVelocity<T>{bodies, h, first});
}

template void dampVelocities(Queue&, int, const DampedBodies<float>&, float, bool);
template void dampVelocities(Queue&, int, const DampedBodies<double>&, double, bool);

}  // namespace cairn::v0
