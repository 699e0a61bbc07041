// The factor of the conjugate direction, for substeps and for stand-alone problems. The algorithm around it: kernels/solve/conjugate_sweep.hpp.
#pragma once

#include <cairn/math.hpp>

namespace cairn::v0 {

// Fletcher and Reeves: |g|^2 / |g before|^2 of the last two sweeps' changes; 0, a restart, where the changes have grown or there was none before.
template <class T> CAIRN_HD inline T conjugateFactor(T square, T squareBefore) {
  return squareBefore > T(0) && square <= squareBefore ? square / squareBefore : T(0);
}

}  // namespace cairn::v0
