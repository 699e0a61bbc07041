// Residual: the certificate of a step. The formulas are in kernels/solve/residual.cu.
#pragma once

#include "kernels/solve/residual.hpp"

#include <cairn/report.hpp>

namespace cairn::v0 {

struct ResidualSummary {
  double max = 0;                                  // scaled [-]
  int worst = -1;                                  // 4 manifold + point
  double rms = 0;                                  // scaled [-]
  double penetrationMax = 0, penetrationMean = 0;  // [m]
  int activePoints = 0;
};

template <class T> class Residual {
 public:
  // The residual of the rows' impulses against the velocities before and after them. pointCount enters the means alone. Waits for the device.
  ResidualSummary measure(Queue& queue, PrimitiveScratch& scratch, const SolvedRows<T>& solved, int pointCount);

  // On the target: the largest residual of a point, and the largest velocity that it is scaled by. Waits for nothing; valid until the next question.
  const MaxAt<T>* maxima(Queue& queue, PrimitiveScratch& scratch, const SolvedRows<T>& solved);

  // What bodies gained and lost in a step, and what forces gave them. Waits for the device.
  EnergyBalance measureWork(Queue& queue, PrimitiveScratch& scratch, const StepWork<T>& step, const GravityField<double>& gravity);

  // Energies and momenta into the report. Waits for the device.
  void measureBodies(Queue& queue, PrimitiveScratch& scratch, const BodyStates<T>& bodies, const GravityField<double>& gravity, StepReport& report);

  // By environment. Points without offsets: there are no contacts, and `solved` is not looked at. What points.residual and so on are is found here.
  std::vector<EnvironmentSums> measureEnvironments(Queue& queue, PrimitiveScratch& scratch, const BodyStates<T>& bodies,
                                                   const GravityField<double>& gravity, const SolvedRows<T>& solved, EnvironmentPoints<T> points,
                                                   int count);

 private:
  BodyEnergyArrays findEnergies(Queue& queue, const BodyStates<T>& bodies, const GravityField<double>& gravity);
  Buffer<T> residual_, residualSquared_, velocityScale_, penetration_;
  Buffer<int> active_;
  Buffer<MaxAt<T>> maxima_;
  Buffer<T> sums_;
  Buffer<int> activeSum_;
  Buffer<EnvironmentSums> environmentSums_;
  Buffer<double> bodies_, bodySums_;
  Buffer<MaxAt<double>> bodyMaximum_;
};

}  // namespace cairn::v0
