// Stabilization of joints: from the settings to the numbers by which their rows (kernels/joints/joint_bias.hpp) and sweeps treat errors.
#pragma once

#include "kernels/joints/joint_sweep.hpp"

#include <cairn/settings.hpp>

namespace cairn::v0 {

// For substeps of length h [s]: how the joints' rows and sweeps treat errors. With `store` their impulses add up in the rows.
template <class T> JointBias<T> jointBias(const WorldSettings& settings, double h);
template <class T> JointBlock<T> jointBlock(const WorldSettings& settings, double h, bool biased, bool store = true);

}  // namespace cairn::v0
