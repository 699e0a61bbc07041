// Residual: the natural map of the contact law at what the solver returned (formulas.md 2.3), scaled like eta_scl of the contact-problem
// format: rho_i = 3 / trace(W_ii), so that units and masses drop out; and the energies of the bodies.
//
// In: rows with their impulses, velocities before and after the contact impulses of the last substep. Out: one number a point or body, reduced over
// fixed tiles by the caller. Only runs when a report is asked for or a tolerance is set.
#include "kernels/solve/residual.hpp"

#include "kernels/rows/lane_launch.hpp"
#include "kernels/rows/row_math.hpp"

#include <cassert>

namespace cairn::v0 {
namespace {

// Points without rows, those of bodies that sleep, have a penetration and nothing else.
template <class T> struct ClearPoint {
  ManifoldView<T> manifolds;
  ResidualArrays<T> out;
  CAIRN_HD void operator()(int i) const {
    const int index = i / kMaxManifoldPoints, point = i % kMaxManifoldPoints;
    out.residual[i] = out.residualSquared[i] = out.velocityScale[i] = T(0);
    out.penetration[i] = T(0);
    out.active[i] = 0;
    if (manifolds.found != nullptr && index >= *manifolds.found) return;
    const Manifold<T>& m = manifolds.manifolds[index];
    if (point < m.pointCount && !isGone(m)) out.penetration[i] = maxOf(-m.points[point].separation, T(0));
  }
};

template <class T> struct PointResidual {
  SolvedRows<T> solved;
  ResidualArrays<T> out;

  CAIRN_HD LaneBody<T> body(const BodyVelocity<T>* velocities, int slot) const { return loadBody(velocities[slot], solved.inertias[slot]); }

  CAIRN_HD void operator()(int slot) const {
    const RowView<T>& rows = solved.rows;
    const int index = rows.manifold[slot];
    if (index < 0) return;
    const SlotFields<T> fields(rows, slot);
    const auto get = [&fields](int field) { return fields.get(field); };
    const Manifold<T>& m = solved.manifolds.manifolds[index];
    if (isGone(m)) return;
    const LaneBody<T> a = body(solved.solvedVelocities, m.bodyA), b = body(solved.solvedVelocities, m.bodyB);
    const LaneBody<T> freeA = body(solved.freeVelocities, m.bodyA), freeB = body(solved.freeVelocities, m.bodyB);
    Vec3<T> t1, t2;
    tangentFrame(m.normal, t1, t2);
    const T mu = get(kFrictionField);
    for (int p = 0; p < m.pointCount; ++p) {
      const int base = kManifoldFields + p * kPointFields;
      const Vec3<T> rA = m.points[p].rA, rB = m.points[p].rB;
      const T trace = effectiveInverseMass(a, b, rA, rB, m.normal, m.normal) + effectiveInverseMass(a, b, rA, rB, t1, t1) +
                      effectiveInverseMass(a, b, rA, rB, t2, t2);
      const T bias = get(base + kPointBias);
      const T offset = solved.biased ? bias : gapSpeed(bias, solved.restSpeed);
      const Vec3<T> relative = relativeVelocity(a, b, rA, rB), relativeFree = relativeVelocity(freeA, freeB, rA, rB);
      const bool slips = solved.biased && rows.slips.values != nullptr;
      const T slip1 = slips ? *rows.slips.at(slot, p, kSlipBias) : T(0), slip2 = slips ? *rows.slips.at(slot, p, kSlipBias + 1) : T(0);
      const Vec3<T> u{dot(m.normal, relative) + offset, dot(t1, relative) + slip1, dot(t2, relative) + slip2};
      const Vec3<T> q{dot(m.normal, relativeFree) + offset, dot(t1, relativeFree) + slip1, dot(t2, relativeFree) + slip2};
      const Vec3<T> lambda{get(base + kPointImpulse), get(base + kPointImpulse + 1), get(base + kPointImpulse + 2)};
      const T rho = trace > T(0) ? T(3) / trace : T(1);
      const T residual = length(naturalMap(lambda, u, mu, rho)) / rho;
      const int i = index * kMaxManifoldPoints + p;
      out.residual[i] = residual;
      out.residualSquared[i] = residual * residual;
      out.velocityScale[i] = maxOf(length(u), length(q));
      out.penetration[i] = maxOf(-m.points[p].separation, T(0));
      out.active[i] = lambda.x > T(0) ? 1 : 0;
    }
    if (solved.rolling.values == nullptr) return;
    T normalImpulse = T(0);
    for (int p = 0; p < m.pointCount; ++p) normalImpulse += fields.impulse(p).x;
    const T residual = rollingResidual(slot, m.normal, normalImpulse, a, b);
    const int first = index * kMaxManifoldPoints;
    out.residual[first] = maxOf(out.residual[first], residual);
    out.residualSquared[first] = out.residual[first] * out.residual[first];
  }

  // Of the angular rows (rolling_sweep.hpp): their natural maps, as speeds at the end of the lever that bounds the moment [m/s].
  CAIRN_HD T rollingResidual(int slot, Vec3<T> n, T normalImpulse, const LaneBody<T>& a, const LaneBody<T>& b) const {
    const RollingView<T>& rolling = solved.rolling;
    const Vec3<T> impulse{*rolling.at(slot, kAngularImpulse), *rolling.at(slot, kAngularImpulse + 1), *rolling.at(slot, kAngularImpulse + 2)};
    const Vec3<T> turn = b.w - a.w;
    const T torsional = *rolling.at(slot, kTorsionalRadius), radius = *rolling.at(slot, kRollingRadius);
    const T mobility = dot(n, a.invInertia * n + b.invInertia * n);
    const T trace = a.invInertia.xx + a.invInertia.yy + a.invInertia.zz + b.invInertia.xx + b.invInertia.yy + b.invInertia.zz;
    T spin = T(0);
    if (mobility > T(0)) {
      const T old = dot(impulse, n), bound = torsional * normalImpulse;
      spin = torsional * mobility * (old - minOf(maxOf(old - dot(turn, n) / mobility, -bound), bound));
    }
    if (!(trace > T(0))) return length(Vec3<T>{spin, T(0), T(0)});
    const Vec3<T> old = impulse - dot(impulse, n) * n;
    const Vec3<T> fresh = clampLength(old - (T(1) / trace) * (turn - dot(turn, n) * n), radius * normalImpulse);
    return length(Vec3<T>{spin, radius * trace * length(old - fresh), T(0)});
  }
};

// A body in double.
struct WideBody {
  double mass;  // 0 if it is not dynamic
  Vec3<double> x, v, w, spin;

  CAIRN_HD double kinetic() const { return 0.5 * (mass * dot(v, v) + dot(w, spin)); }
};
template <class T> CAIRN_HD inline WideBody widened(const BodyConstants<T>& constants, const BodyPose<T>& pose, const BodyVelocity<T>& velocity) {
  const bool dynamic = (constants.flags & kBodyDynamic) != 0;
  const Vec3<double> w = convert<double>(velocity.w);
  const Quat<double> q = convert<double>(pose.q);
  const Sym3<double> inertia = convert<double>(constants.inertia);
  const Vec3<double> spin = dynamic ? rotate(q, inertia * inverseRotate(q, w)) : Vec3<double>{0, 0, 0};
  return {dynamic ? double(constants.mass) : 0.0, convert<double>(pose.x), convert<double>(velocity.v), w, spin};
}

template <class T> struct BodyWork {
  StepWork<T> step;
  GravityField<double> gravity;
  BodyWorkArrays out;

  CAIRN_HD void operator()(int i) const {
    const BodyConstants<T>& constants = step.after.constants[i];
    const WideBody before = widened(constants, step.posesBefore[i], step.velocitiesBefore[i]);
    const WideBody after = widened(constants, step.after.poses[i], step.after.velocities[i]);
    const Vec3<double> way = after.x - before.x;
    out.kineticChange[i] = after.kinetic() - before.kinetic();
    out.potentialChange[i] = -(after.mass * double(constants.gravityScale) * dot(gravity.of(i), way));
    out.forceWork[i] = 0;
    if (step.forces == nullptr) return;
    const Vec3<double> turn = rotationVector(convert<double>(step.after.poses[i].q) * conjugate(convert<double>(step.posesBefore[i].q)));
    out.forceWork[i] = dot(convert<double>(step.forces[i].force), way) + dot(convert<double>(step.forces[i].torque), turn);
  }
};

template <class T> struct BodyEnergy {
  BodyStates<T> bodies;
  GravityField<double> gravity;
  BodyEnergyArrays out;

  CAIRN_HD void operator()(int i) const {
    const BodyConstants<T>& constants = bodies.constants[i];
    const WideBody body = widened(constants, bodies.poses[i], bodies.velocities[i]);
    const Vec3<double> momentum = body.mass * body.v;
    const Vec3<double> angular = cross(body.x, momentum) + body.spin;
    out.kinetic[i] = body.kinetic();
    out.potential[i] = -(body.mass * double(constants.gravityScale) * dot(gravity.of(i), body.x));
    out.momentum[0][i] = momentum.x;
    out.momentum[1][i] = momentum.y;
    out.momentum[2][i] = momentum.z;
    out.angularMomentum[0][i] = angular.x;
    out.angularMomentum[1][i] = angular.y;
    out.angularMomentum[2][i] = angular.z;
    out.mass[i] = body.mass;
    out.speed[i] = (constants.flags & kBodyDynamic) != 0 ? length(body.v) : 0.0;
  }
};

}  // namespace

template <class T> void pointResiduals(Queue& queue, const SolvedRows<T>& solved, const ResidualArrays<T>& out) {
  assert(solved.freeVelocities != nullptr && solved.solvedVelocities != nullptr && solved.inertias != nullptr);
  forEach(queue, "residual/clear", static_cast<int64_t>(solved.manifolds.count) * kMaxManifoldPoints, ClearPoint<T>{solved.manifolds, out});
  overLanes(queue, "residual/points", solved.rows, PointResidual<T>{solved, out}, kLightGrain / 8);
}

template <class T> void bodyEnergies(Queue& queue, const BodyStates<T>& bodies, const GravityField<double>& gravity, const BodyEnergyArrays& out) {
  forEach(queue, "residual/energies", bodies.slots, BodyEnergy<T>{bodies, gravity, out});
}

template <class T> void bodyWorks(Queue& queue, const StepWork<T>& step, const GravityField<double>& gravity, const BodyWorkArrays& out) {
  forEach(queue, "residual/works", step.after.slots, BodyWork<T>{step, gravity, out});
}

#define CAIRN_INSTANTIATE(T)                                                                                      \
  template void pointResiduals(Queue&, const SolvedRows<T>&, const ResidualArrays<T>&);                           \
  template void bodyEnergies(Queue&, const BodyStates<T>&, const GravityField<double>&, const BodyEnergyArrays&); \
  template void bodyWorks(Queue&, const StepWork<T>&, const GravityField<double>&, const BodyWorkArrays&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
