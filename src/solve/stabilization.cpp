#include "src/solve/stabilization.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

struct Spring {
  double rate, impulseScale;
};

// Stiffer than a quarter of the substep rate a spring only rings.
Spring spring(const WorldSettings& settings, double h) {
  const double frequency = std::min(settings.softFrequency, 0.25 / h);
  const double w = 2 * kPi * frequency;
  const double a1 = 2 * settings.softDamping + w * h;
  const double a2 = w * h * a1;
  const double a3 = 1 / (1 + a2);
  return {w / a1, a3};  // the mass scale a2 a3 is 1 - a3
}

}  // namespace

template <class T> NormalBias<T> normalBias(const WorldSettings& settings, double h) {
  double rate = 0, gapRate = 1 / h, slop = settings.slop;
  switch (settings.normalStabilization) {
    case NormalStabilization::None:
      break;
    case NormalStabilization::Baumgarte:
      rate = settings.errorReduction / h;
      break;
    case NormalStabilization::AnitescuHart:
      rate = gapRate = settings.gamma / h;
      slop = 0;
      break;
    case NormalStabilization::Silcowitz:
      slop = 0;
      break;
    case NormalStabilization::Soft:
      rate = spring(settings, h).rate;
      break;
  }
  NormalBias<T> bias{};
  bias.gapRate = T(gapRate);
  bias.rate = T(rate);
  bias.slop = T(slop);
  bias.maxSpeed = T(settings.maxCorrectionSpeed);
  bias.restSpeed = T(rate) * T(slop);
  return bias;
}

template <class T> SilcowitzTarget<T> silcowitzTarget(const WorldSettings& settings, double h) {
  return {T(settings.envelope), T(1 / h), T(settings.maxCorrectionSpeed), T(settings.restitutionThreshold)};
}

template <class T> SlipTarget<T> slipTarget(const WorldSettings& settings, double h) {
  return {T(settings.slipReduction / h), T(settings.slipTolerance), T(settings.maxCorrectionSpeed)};
}

double normalOffset(const WorldSettings& settings, double h, double separation, double velocity, double restitution) {
  if (settings.normalStabilization == NormalStabilization::Silcowitz) {
    return silcowitzBias(separation, velocity, restitution, silcowitzTarget<double>(settings, h));
  }
  const bool bounces = velocity < -settings.restitutionThreshold && separation + h * velocity < 0;
  return bounces ? restitution * velocity : normalBias(separation, normalBias<double>(settings, h));
}

template <class T> SolveBlock<T> solveBlock(const WorldSettings& settings, double h, bool biased) {
  SolveBlock<T> block{};
  block.biased = biased;
  block.massScale = T(1);
  block.impulseScale = T(0);
  block.restSpeed = normalBias<T>(settings, h).restSpeed;
  block.overRelaxation = T(settings.overRelaxation);
  block.normalPasses = settings.normalPasses;
  if (!biased) return block;
  double softness = 0;
  switch (settings.normalStabilization) {
    case NormalStabilization::None:
      break;
    case NormalStabilization::Baumgarte:
    case NormalStabilization::AnitescuHart:
    case NormalStabilization::Silcowitz:
      softness = settings.forceMixing;
      break;
    case NormalStabilization::Soft:
      softness = spring(settings, h).impulseScale;
      break;
  }
  block.massScale = T(1 - softness);
  block.impulseScale = T(softness);
  // Slips that are taken back are an error fed back, as penetrations are: they need the same leak to come to rest (docs/defaults.md).
  if (settings.frictionStabilization) block.slipSoftness = T(softness);
  return block;
}

template SilcowitzTarget<float> silcowitzTarget(const WorldSettings&, double);
template SilcowitzTarget<double> silcowitzTarget(const WorldSettings&, double);
template SlipTarget<float> slipTarget(const WorldSettings&, double);
template SlipTarget<double> slipTarget(const WorldSettings&, double);
template NormalBias<float> normalBias(const WorldSettings&, double);
template NormalBias<double> normalBias(const WorldSettings&, double);
template SolveBlock<float> solveBlock(const WorldSettings&, double, bool);
template SolveBlock<double> solveBlock(const WorldSettings&, double, bool);

}  // namespace cairn::v0
