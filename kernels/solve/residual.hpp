// Residual: how well the contact problem of the last substep was solved. See residual.cu.
#pragma once

#include "kernels/rows/rolling_rows.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/state/environments.hpp"
#include "kernels/state/integration.hpp"

namespace cairn::v0 {

// Per point, at 4 manifold + point: scaled natural-map residual [m/s], the larger of |q| and |u| [m/s], penetration [m].
template <class T> struct ResidualArrays {
  T* residual;
  T* residualSquared;
  T* velocityScale;
  T* penetration;
  int* active;  // 1 with a normal impulse
};

// A substep's contact problem as its solver left it: the rows have the impulses. The bias is part of u and q: that of gaps (s/h) always, that of
// penetrations (the correction's speed) if the rows were solved with it.
template <class T> struct SolvedRows {
  RowView<T> rows{};
  RollingView<T> rolling{};
  ManifoldView<T> manifolds{};
  const BodyVelocity<T>* freeVelocities = nullptr;    // without this substep's contact impulses
  const BodyVelocity<T>* solvedVelocities = nullptr;  // with them
  const BodyInertia<T>* inertias = nullptr;
  bool biased = false;  // the rows were solved with the correction's speed
  T restSpeed = T(0);   // the bias at gap 0, as in NormalBias
};
template <class T> void pointResiduals(Queue& queue, const SolvedRows<T>& solved, const ResidualArrays<T>& out);

// All bodies of a World, by slot.
template <class T> struct BodyStates {
  int slots = 0;
  const BodyPose<T>* poses = nullptr;
  const BodyVelocity<T>* velocities = nullptr;
  const BodyConstants<T>* constants = nullptr;
};

// Energy and momentum of each body; zero for bodies that are not dynamic.
struct BodyEnergyArrays {
  double* kinetic;
  double* potential;
  double* momentum[3];
  double* angularMomentum[3];
  double* mass;
  double* speed;
};
// What a step has changed for each body; zero for bodies that are not dynamic [J].
struct BodyWorkArrays {
  double* kineticChange;
  double* potentialChange;
  double* forceWork;
};
// `forces` may be null. Both states are of the same bodies.
template <class T> struct StepWork {
  BodyStates<T> after{};
  const BodyPose<T>* posesBefore = nullptr;
  const BodyVelocity<T>* velocitiesBefore = nullptr;
  const BodyForce<T>* forces = nullptr;
  const double* dampingWork = nullptr;  // of the step, by body; null: none is damped. bodyWorks does not look at it
};
template <class T> void bodyWorks(Queue& queue, const StepWork<T>& step, const GravityField<double>& gravity, const BodyWorkArrays& out);

template <class T> void bodyEnergies(Queue& queue, const BodyStates<T>& bodies, const GravityField<double>& gravity, const BodyEnergyArrays& out);

}  // namespace cairn::v0
