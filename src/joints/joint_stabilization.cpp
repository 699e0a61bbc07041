#include "src/joints/joint_stabilization.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// Fraction of its way that a position motor wants to go in a substep: all of it would overshoot wherever the force does not suffice to stop.
constexpr double kServoFraction = 0.2;

// Fraction of its error that a joint in sweeps asks back in a substep, as contacts do (docs/defaults.md). Sweeps that are not converged and start
// from old impulses ring with more.
constexpr double kSweptErrorFraction = 0.2;

// What is compliant gives way at a speed that grows with its impulse, and asks for at most maxCorrectionSpeed back. Against this part of it no motor
// wins, however strong.
constexpr double kMotorShare = 0.4;
constexpr double kLeastForceMixing = 1e-3;  // rows that are not compliant hold any motor

// What errors, margins and speeds of offsets are to those of turns is a length. It grows with the envelope, by which scenes of bodies of other sizes
// than the usual ones say what is near: 1 m at an envelope of 2 cm.
double leverOf(const WorldSettings& settings) { return settings.envelope / 0.02; }

}  // namespace

template <class T> JointBias<T> jointBias(const WorldSettings& settings, double h) {
  double rate = 0;
  switch (settings.jointStabilization) {
    case JointStabilization::None:
    case JointStabilization::Post:
      break;
    case JointStabilization::Baumgarte:
      rate = settings.jointErrorReduction / h;
      break;
    case JointStabilization::AnitescuHart:
    case JointStabilization::Pre:
      rate = 1 / h;
      break;
  }
  JointBias<T> bias{};
  bias.h = T(h);
  bias.rate = T(rate);
  const double lever = leverOf(settings), motorReach = kMotorShare * settings.maxCorrectionSpeed / std::max(settings.forceMixing, kLeastForceMixing);
  bias.maxSpeed = T(settings.maxCorrectionSpeed);
  bias.maxTurnSpeed = T(settings.maxCorrectionSpeed / lever);
  bias.softness = T(settings.forceMixing);
  bias.servoRate = T(kServoFraction / h);
  bias.errorFraction = T(kSweptErrorFraction);
  bias.step = T(settings.dt);
  bias.motorReach = T(motorReach);
  bias.turnReach = T(motorReach / lever);
  bias.lever = T(lever);
  return bias;
}

template <class T> JointBlock<T> jointBlock(const WorldSettings& settings, double h, bool biased, bool store) {
  JointBlock<T> block{};
  if (biased) {
    switch (settings.jointStabilization) {
      case JointStabilization::None:
      case JointStabilization::Post:
        break;
      case JointStabilization::Baumgarte:
      case JointStabilization::AnitescuHart:
        block.error = JointError::Linear;
        break;
      case JointStabilization::Pre:
        block.error = JointError::Predicted;
        break;
    }
  }
  // With impulses to start from, a sweep that aims low would take them back.
  block.ramped = block.error == JointError::Predicted && settings.jointSolver == JointSolver::Sweeps && !settings.warmStart;
  block.h = T(h);
  const JointBias<T> bias = jointBias<T>(settings, h);
  block.rate = bias.rate;
  block.lever = bias.lever;
  block.biased = biased;
  block.store = block.drives = store;
  return block;
}

template JointBias<float> jointBias(const WorldSettings&, double);
template JointBias<double> jointBias(const WorldSettings&, double);
template JointBlock<float> jointBlock(const WorldSettings&, double, bool, bool);
template JointBlock<double> jointBlock(const WorldSettings&, double, bool, bool);

}  // namespace cairn::v0
