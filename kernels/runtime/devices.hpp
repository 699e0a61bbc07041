// The devices of this machine, and which of them a thread works with. No CUDA types here.
#pragma once

#include <cairn/export.hpp>

#include <string>

namespace cairn::v0 {

constexpr int kCurrentDevice = -1;  // the one that is current in the calling thread

bool cudaCompiledIn();
int cudaDeviceCount();  // 0 without a device, a driver, or CUDA in this build
// Why this build's kernels do not run on the device, naming it; empty if they do. Throws DeviceError where the device cannot even be asked.
std::string cudaObstacle(int device = kCurrentDevice);
inline bool cudaUsable(int device = kCurrentDevice) { return cudaObstacle(device).empty(); }
std::string cudaDeviceName(int device = kCurrentDevice);  // "name, driver x.y, runtime x.y"

// An error that other code of the process has left behind says nothing about what is done next.
void forgetForeignErrors();

// While it lives, the device is the thread's current one; kCurrentDevice: nothing changes. Throws DeviceError.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  [[maybe_unused]] int before_ = kCurrentDevice;  // that is put back; kCurrentDevice: none
};

}  // namespace cairn::v0
