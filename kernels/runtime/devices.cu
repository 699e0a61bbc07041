#include "kernels/runtime/devices.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {

#if CAIRN_WITH_CUDA

namespace {

// What it does is of no matter: a device that has code for it has code for all kernels, since all are compiled alike.
__global__ void kernelOfThisBuild() {}

int currentDevice() {
  int device = 0;
  checkCuda(cudaGetDevice(&device), "device query", "start");
  return device;
}

cudaDeviceProp propertiesOf(int device) {
  cudaDeviceProp properties;
  checkCuda(cudaGetDeviceProperties(&properties, device), "device query", "start");
  return properties;
}

bool saysNoCode(cudaError_t status) {
  return status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction || status == cudaErrorUnsupportedPtxVersion;
}

}  // namespace

void failOnDevice(int error, const char* what, const char* label) {
  cudaGetLastError();  // it is reported here, and must not be found by somebody else
  const std::string text = cudaGetErrorString(static_cast<cudaError_t>(error));
  throw DeviceError(std::string("CUDA: ") + what + " failed after '" + label + "': " + text);
}

bool cudaCompiledIn() { return true; }

int cudaDeviceCount() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver is no error here: there is just no device
    return 0;
  }
  return count;
}

std::string cudaObstacle(int device) {
  if (cudaDeviceCount() == 0) return "there is no CUDA device";
  const DeviceScope scope(device);
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernelOfThisBuild);
  if (!saysNoCode(status)) {
    checkCuda(status, "kernel query", "start");
    return {};
  }
  cudaGetLastError();
  const int asked = currentDevice();
  const cudaDeviceProp properties = propertiesOf(asked);
  return "this build has no code for device " + std::to_string(asked) + " (" + properties.name + ", sm_" + std::to_string(properties.major) +
         std::to_string(properties.minor) + ")";
}

std::string cudaDeviceName(int device) {
  if (device == kCurrentDevice) device = currentDevice();
  int driver = 0, runtime = 0;
  checkCuda(cudaDriverGetVersion(&driver), "driver query", "start");
  checkCuda(cudaRuntimeGetVersion(&runtime), "runtime query", "start");
  const auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  return std::string(propertiesOf(device).name) + ", driver " + version(driver) + ", runtime " + version(runtime);
}

void forgetForeignErrors() { cudaGetLastError(); }

DeviceScope::DeviceScope(int device) {
  if (device == kCurrentDevice) return;
  const int current = currentDevice();
  if (current == device) return;
  checkCuda(cudaSetDevice(device), "choice of a device", "start");
  before_ = current;
}

DeviceScope::~DeviceScope() {
  if (before_ != kCurrentDevice) cudaSetDevice(before_);
}

#else

bool cudaCompiledIn() { return false; }
int cudaDeviceCount() { return 0; }
std::string cudaObstacle(int) { return "this build has no CUDA backend"; }
std::string cudaDeviceName(int) { return {}; }
void forgetForeignErrors() {}
DeviceScope::DeviceScope(int) {}
DeviceScope::~DeviceScope() = default;

#endif

}  // namespace cairn::v0
