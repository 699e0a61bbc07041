// Residual: how well the contact problem of the last substep was solved. See residual.cu.
#pragma once

#include "kernels/rows/rows.hpp"
#include "kernels/runtime/primitives.hpp"

namespace cairn {

// Per point, at 4 manifold + point: scaled natural-map residual [m/s], the larger of |q| and |u| [m/s], penetration [m].
template <class T> struct ResidualArrays {
  T* residual;
  T* residualSquared;
  T* velocityScale;
  T* penetration;
  int* active;  // 1 with a normal impulse
};

// `free` are the velocities without this substep's contact impulses, `solved` with them. The bias is part of u and q: that of gaps (s/h)
// always, that of penetrations (the correction's speed) if the rows were solved with it.
template <class T> void pointResiduals(Queue& queue, const RowView<T>& rows, const BodyVelocity<T>* freeVelocities,
                                       const BodyVelocity<T>* solvedVelocities, const BodyInertia<T>* inertias, const Manifold<T>* manifolds,
                                       int manifoldCount, bool biased, T restSpeed, const ResidualArrays<T>& out);

// Energy and momentum of each body; zero for bodies that are not dynamic.
struct BodyEnergyArrays {
  double* kinetic;
  double* potential;
  double* momentum[3];
  double* angularMomentum[3];
  double* mass;
  double* speed;
};
template <class T> void bodyEnergies(Queue& queue, int bodySlots, const BodyPose<T>* poses, const BodyVelocity<T>* velocities,
                                     const BodyConstants<T>* constants, Vec3<double> gravity, const BodyEnergyArrays& out);

}  // namespace cairn
