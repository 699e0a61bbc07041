// How much memory a sweep over contacts asks for, by count: what its lanes read and write once each, whatever caches make of it. Places without a
// point, lanes without a manifold and joints are not counted.
#pragma once

#include "kernels/rows/rows.hpp"

namespace cairn::v0 {

constexpr int kPointFieldsWritten = 3;  // the impulse

// Bytes of one sweep.
template <class T> double sweepTraffic(double manifolds, double points) {
  // Both bodies: their indices, their records read, their velocities written.
  const double bodies = 2 * (double(sizeof(int)) + 2 * double(sizeof(BodyVelocity<T>)) + double(sizeof(BodyInertia<T>)));
  return manifolds * (bodies + kManifoldFields * double(sizeof(T))) + points * (kPointFields + kPointFieldsWritten) * double(sizeof(T));
}

}  // namespace cairn::v0
