// The device that CUDA tests run on.
#pragma once

#include "kernels/runtime/devices.hpp"

#include <string>

namespace cairn::test {

// The one of tests/device, a thousand times slower than a real one: tests give it fewer steps or bodies.
inline bool deviceIsEmulated() { return cudaUsable() && cudaDeviceName().find("emulated") != std::string::npos; }

}  // namespace cairn::test
