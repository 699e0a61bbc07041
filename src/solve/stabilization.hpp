// Stabilization: from the settings to the numbers by which rows treat penetrations, slips and joints' errors (kernels/rows/row_math.hpp).
#pragma once

#include "kernels/solve/contact_sweep.hpp"

#include <cairn/settings.hpp>

namespace cairn::v0 {

// For substeps of length h [s].
//
// Baumgarte: correction speed errorReduction/h per metre beyond the slop (velocity form of Cline and Pai 2003, section V, alpha = errorReduction/h).
// Soft: a damped spring of natural frequency f and damping ratio z, integrated implicitly (Catto, "Soft Constraints", GDC 2011; "Solver2D", 2024):
//   a1 = 2 z + w h, a2 = w h a1, a3 = 1/(1 + a2), w = 2 pi f;  rate = w/a1, mass scale = a2 a3, impulse scale = a3.
template <class T> NormalBias<T> normalBias(const WorldSettings& settings, double h);

// Silcowitz: the target of every contact is half the envelope.
template <class T> SilcowitzTarget<T> silcowitzTarget(const WorldSettings& settings, double h);
template <class T> SlipTarget<T> slipTarget(const WorldSettings& settings, double h);

// The term that any stabilization adds to the normal velocity of a point: from its separation [m], its normal velocity before any impulse [m/s] and
// its restitution.
double normalOffset(const WorldSettings& settings, double h, double separation, double velocity, double restitution);

// The block solve with (biased) or without (relaxation) that correction.
template <class T> SolveBlock<T> solveBlock(const WorldSettings& settings, double h, bool biased);

}  // namespace cairn::v0
