// What is known of the launch that is running.
#pragma once

#include "tests/device/include/cuda_runtime.h"
#include "tests/device/threads.hpp"

#include <string>
#include <vector>

namespace emulated {

// A launch as it waits in its stream: with a copy of its arguments, as a device has it.
struct Launch {
  KernelCode code;
  LaunchShape shape;
  std::vector<std::vector<std::max_align_t>> arguments;
  int device;
};

cudaError_t runLaunch(const Launch& launch);
std::string parameterNote(const void* address);  // whether the address is near one that the launch was given

extern bool checksRaces;  // as the settings had it when the launch began
extern int runningDevice;
inline int launchDevice() { return runningDevice; }

}  // namespace emulated
