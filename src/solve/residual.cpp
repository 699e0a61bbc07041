#include "src/solve/residual.hpp"

#include <cassert>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr int kBodySums = 9;

}  // namespace

template <class T> const MaxAt<T>* Residual<T>::maxima(Queue& queue, PrimitiveScratch& scratch, const SolvedRows<T>& solved) {
  assert(solved.manifolds.count > 0);
  const int places = solved.manifolds.count * kMaxManifoldPoints;
  for (Buffer<T>* buffer : {&residual_, &residualSquared_, &velocityScale_, &penetration_}) buffer->resize(queue, static_cast<size_t>(places));
  active_.resize(queue, static_cast<size_t>(places));
  maxima_.resize(queue, 3);
  ResidualArrays<T> out{};
  out.residual = residual_.data();
  out.residualSquared = residualSquared_.data();
  out.velocityScale = velocityScale_.data();
  out.penetration = penetration_.data();
  out.active = active_.data();
  pointResiduals(queue, solved, out);
  reduceMax(queue, scratch, residual_.data(), maxima_.data(), places);
  reduceMax(queue, scratch, velocityScale_.data(), maxima_.data() + 1, places);
  return maxima_.data();
}

template <class T> ResidualSummary Residual<T>::measure(Queue& queue, PrimitiveScratch& scratch, const SolvedRows<T>& solved, int pointCount) {
  ResidualSummary summary;
  if (pointCount == 0) return summary;
  assert(pointCount > 0);
  maxima(queue, scratch, solved);
  const int places = solved.manifolds.count * kMaxManifoldPoints;
  sums_.resize(queue, 2);
  activeSum_.resize(queue, 1);
  reduceMax(queue, scratch, penetration_.data(), maxima_.data() + 2, places);
  reduceSum(queue, scratch, residualSquared_.data(), sums_.data(), places);
  reduceSum(queue, scratch, penetration_.data(), sums_.data() + 1, places);
  reduceSum(queue, scratch, active_.data(), activeSum_.data(), places);
  const std::vector<MaxAt<T>> largest = maxima_.download(queue);
  const std::vector<T> sums = sums_.download(queue);
  const double scale = largest[1].value > T(0) ? double(largest[1].value) : 1.0;
  summary.max = double(largest[0].value) / scale;
  summary.worst = largest[0].index;
  summary.rms = std::sqrt(double(sums[0]) / pointCount) / scale;
  summary.penetrationMax = double(largest[2].value);
  summary.penetrationMean = double(sums[1]) / pointCount;
  summary.activePoints = activeSum_.read(queue, 0);
  return summary;
}

// Nine arrays of which the whole's sums are taken (kinetic, potential, momentum, angular momentum, mass), then the speeds.
template <class T> BodyEnergyArrays Residual<T>::findEnergies(Queue& queue, const BodyStates<T>& bodies, const GravityField<double>& gravity) {
  const auto size = static_cast<size_t>(bodies.slots);
  bodies_.resize(queue, size * (kBodySums + 1));
  const auto array = [&](size_t k) { return bodies_.data() + k * size; };
  BodyEnergyArrays out{};
  out.kinetic = array(0);
  out.potential = array(1);
  for (size_t k = 0; k < 3; ++k) {
    out.momentum[k] = array(2 + k);
    out.angularMomentum[k] = array(5 + k);
  }
  out.mass = array(8);
  out.speed = array(kBodySums);
  bodyEnergies(queue, bodies, gravity, out);
  return out;
}

template <class T> void Residual<T>::measureBodies(Queue& queue, PrimitiveScratch& scratch, const BodyStates<T>& bodies,
                                                   const GravityField<double>& gravity, StepReport& report) {
  const BodyEnergyArrays found = findEnergies(queue, bodies, gravity);
  bodySums_.resize(queue, kBodySums);
  bodyMaximum_.resize(queue, 1);
  const auto size = static_cast<size_t>(bodies.slots);
  for (size_t k = 0; k < kBodySums; ++k) reduceSum(queue, scratch, bodies_.data() + k * size, bodySums_.data() + k, bodies.slots);
  reduceMax(queue, scratch, found.speed, bodyMaximum_.data(), bodies.slots);
  const std::vector<double> sums = bodySums_.download(queue);
  report.kineticEnergy = sums[0];
  report.potentialEnergy = sums[1];
  report.linearMomentum = {sums[2], sums[3], sums[4]};
  report.angularMomentum = {sums[5], sums[6], sums[7]};
  report.rmsSpeed = sums[8] > 0 ? std::sqrt(2 * sums[0] / sums[8]) : 0;
  report.maxSpeed = bodyMaximum_.read(queue, 0).value;
}

template <class T> std::vector<EnvironmentSums> Residual<T>::measureEnvironments(Queue& queue, PrimitiveScratch& scratch, const BodyStates<T>& bodies,
                                                                                 const GravityField<double>& gravity, const SolvedRows<T>& solved,
                                                                                 EnvironmentPoints<T> points, int count) {
  const BodyEnergyArrays found = findEnergies(queue, bodies, gravity);
  if (points.offsets != nullptr) {
    maxima(queue, scratch, solved);
    points.residual = residual_.data();
    points.velocityScale = velocityScale_.data();
    points.penetration = penetration_.data();
  }
  environmentSums_.resize(queue, static_cast<size_t>(count));
  sumEnvironments(queue, count, {found.kinetic, found.potential, found.speed, bodies.slots / count}, points, environmentSums_.data());
  return environmentSums_.download(queue);
}

template <class T>
EnergyBalance Residual<T>::measureWork(Queue& queue, PrimitiveScratch& scratch, const StepWork<T>& step, const GravityField<double>& gravity) {
  constexpr int kSums = 3;
  const auto size = static_cast<size_t>(step.after.slots);
  bodies_.resize(queue, size * kSums);
  bodySums_.resize(queue, kSums);
  const auto array = [&](size_t k) { return bodies_.data() + k * size; };
  bodyWorks(queue, step, gravity, {array(0), array(1), array(2)});
  for (size_t k = 0; k < kSums; ++k) reduceSum(queue, scratch, array(k), bodySums_.data() + k, step.after.slots);
  const std::vector<double> sums = bodySums_.download(queue);
  EnergyBalance balance;
  balance.known = true;
  balance.kineticChange = sums[0];
  balance.potentialChange = sums[1];
  balance.forceWork = sums[2];
  if (step.dampingWork != nullptr) {
    reduceSum(queue, scratch, step.dampingWork, bodySums_.data(), step.after.slots);
    balance.dampingWork = bodySums_.read(queue, 0);
  }
  return balance;
}

template class Residual<float>;
template class Residual<double>;

}  // namespace cairn::v0
