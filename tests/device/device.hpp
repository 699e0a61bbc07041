// What tests may ask the emulated device for, beside the CUDA runtime's calls.
#pragma once

#include "tests/device/reports.hpp"
#include "tests/device/settings.hpp"

namespace emulated {

// As after a start of the process: no work, no memory, no errors. Reports stay.
void resetDevices();

// Events with a time that were recorded since the process began.
long timedEvents();

}  // namespace emulated
