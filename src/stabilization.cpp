#include "stabilization.hpp"

#include <algorithm>

namespace cairn {
namespace {

struct Spring {
  double rate, massScale, impulseScale;
};

// Stiffer than a quarter of the substep rate a spring only rings.
Spring spring(const WorldSettings& settings, double h) {
  const double frequency = std::min(settings.softFrequency, 0.25 / h);
  const double w = 2 * 3.14159265358979323846 * frequency;
  const double a1 = 2 * settings.softDamping + w * h;
  const double a2 = w * h * a1;
  const double a3 = 1 / (1 + a2);
  return {w / a1, a2 * a3, a3};
}

}  // namespace

template <class T> NormalBias<T> normalBias(const WorldSettings& settings, double h) {
  double rate = 0;
  switch (settings.normalStabilization) {
    case NormalStabilization::None:
      break;
    case NormalStabilization::Baumgarte:
      rate = settings.errorReduction / h;
      break;
    case NormalStabilization::Soft:
      rate = spring(settings, h).rate;
      break;
  }
  return {T(1 / h), T(rate), T(settings.slop), T(settings.maxCorrectionSpeed)};
}

template <class T> SolveBlock<T> solveBlock(const WorldSettings& settings, double h, bool biased) {
  SolveBlock<T> block{biased, T(1), T(0), settings.normalPasses};
  if (biased && settings.normalStabilization == NormalStabilization::Soft) {
    const Spring soft = spring(settings, h);
    block.massScale = T(soft.massScale);
    block.impulseScale = T(soft.impulseScale);
  }
  if (biased && settings.normalStabilization == NormalStabilization::Baumgarte) {
    block.massScale = T(1 - settings.forceMixing);
    block.impulseScale = T(settings.forceMixing);
  }
  return block;
}

template NormalBias<float> normalBias(const WorldSettings&, double);
template NormalBias<double> normalBias(const WorldSettings&, double);
template SolveBlock<float> solveBlock(const WorldSettings&, double, bool);
template SolveBlock<double> solveBlock(const WorldSettings&, double, bool);

}  // namespace cairn
