// Residual: the natural map of the contact law at what the solver returned (formulas.md 2.3), scaled like eta_scl of the contact-problem
// format: rho_i = 3 / trace(W_ii), so that units and masses drop out; and the energies of the bodies.
//
// In: rows with their impulses, velocities before and after the contact impulses of the last substep. Out: one number a point or body, reduced over
// fixed tiles by the caller. Only runs when a report is asked for or a tolerance is set.
#include "kernels/solve/residual.hpp"

#include "kernels/rows/lane_launch.hpp"
#include "kernels/rows/row_math.hpp"

#include <cassert>

namespace cairn {
namespace {

template <class T> struct ClearPoint {
  ResidualArrays<T> out;
  CAIRN_HD void operator()(int i) const {
    out.residual[i] = out.residualSquared[i] = out.velocityScale[i] = out.penetration[i] = T(0);
    out.active[i] = 0;
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
  }
};

template <class T> struct BodyEnergy {
  BodyStates<T> bodies;
  Vec3<double> gravity;
  BodyEnergyArrays out;

  CAIRN_HD void operator()(int i) const {
    const BodyConstants<T>& constants = bodies.constants[i];
    const bool dynamic = (constants.flags & kBodyDynamic) != 0;
    const double m = dynamic ? double(constants.mass) : 0.0;
    const Vec3<double> x = convert<double>(bodies.poses[i].x), v = convert<double>(bodies.velocities[i].v),
                       w = convert<double>(bodies.velocities[i].w);
    const Quat<double> q = convert<double>(bodies.poses[i].q);
    const Sym3<double> inertia = convert<double>(constants.inertia);
    const Vec3<double> spin = dynamic ? rotate(q, inertia * inverseRotate(q, w)) : Vec3<double>{0, 0, 0};
    const Vec3<double> momentum = m * v;
    const Vec3<double> angular = cross(x, momentum) + spin;
    out.kinetic[i] = 0.5 * (m * dot(v, v) + dot(w, spin));
    out.potential[i] = -(m * double(constants.gravityScale) * dot(gravity, x));
    out.momentum[0][i] = momentum.x;
    out.momentum[1][i] = momentum.y;
    out.momentum[2][i] = momentum.z;
    out.angularMomentum[0][i] = angular.x;
    out.angularMomentum[1][i] = angular.y;
    out.angularMomentum[2][i] = angular.z;
    out.mass[i] = m;
    out.speed[i] = dynamic ? length(v) : 0.0;
  }
};

}  // namespace

template <class T> void pointResiduals(Queue& queue, const SolvedRows<T>& solved, const ResidualArrays<T>& out) {
  assert(solved.freeVelocities != nullptr && solved.solvedVelocities != nullptr && solved.inertias != nullptr);
  forEach(queue, "residual/clear", static_cast<int64_t>(solved.manifolds.count) * kMaxManifoldPoints, ClearPoint<T>{out});
  overLanes(queue, "residual/points", solved.rows, PointResidual<T>{solved, out}, kLightGrain / 8);
}

template <class T> void bodyEnergies(Queue& queue, const BodyStates<T>& bodies, Vec3<double> gravity, const BodyEnergyArrays& out) {
  forEach(queue, "residual/energies", bodies.slots, BodyEnergy<T>{bodies, gravity, out});
}

#define CAIRN_INSTANTIATE(T)                                                            \
  template void pointResiduals(Queue&, const SolvedRows<T>&, const ResidualArrays<T>&); \
  template void bodyEnergies(Queue&, const BodyStates<T>&, Vec3<double>, const BodyEnergyArrays&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
