// What the devices say of themselves, and launches as the host asks for them: with the limits of a real device.
#include "tests/device/arena.hpp"
#include "tests/device/capture.hpp"
#include "tests/device/device.hpp"
#include "tests/device/errors.hpp"
#include "tests/device/launches.hpp"
#include "tests/device/reports.hpp"
#include "tests/device/settings.hpp"
#include "tests/device/streams.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace emulated {
namespace {

// Of sm_90.
constexpr unsigned kMostThreads = 1024, kMostThreadsZ = 64, kMostBlocksX = 0x7fffffff, kMostBlocksYZ = 65535;
constexpr int kThreadsOfMultiprocessor = 2048, kLeastCapability = 80;  // the library is built for sm_80 and later
constexpr size_t kMostShared = 48 << 10;
constexpr int kVersion = 13000;

bool isDevice(int device) { return device >= 0 && device < settings().devices; }

cudaError_t refusedShape(const LaunchShape& shape, int device) {
  const dim3 &grid = shape.grid, &block = shape.block;
  const uint64_t threads = uint64_t(block.x) * block.y * block.z, blocks = uint64_t(grid.x) * grid.y * grid.z;
  if (threads == 0 || blocks == 0 || block.x > kMostThreads || block.y > kMostThreads || block.z > kMostThreadsZ || threads > kMostThreads) {
    return cudaErrorInvalidConfiguration;
  }
  if (grid.x > kMostBlocksX || grid.y > kMostBlocksYZ || grid.z > kMostBlocksYZ) return cudaErrorInvalidConfiguration;
  if (shape.shared > kMostShared) return cudaErrorInvalidValue;
  if (!shape.cooperative) return cudaSuccess;
  if (!settings().cooperative) return cudaErrorNotSupported;
  int resident = 0;
  residentBlocks(&resident, static_cast<int>(threads));
  (void)device;
  return blocks > static_cast<uint64_t>(resident) * static_cast<uint64_t>(settings().multiprocessors) ? cudaErrorCooperativeLaunchTooLarge
                                                                                                      : cudaSuccess;
}

}  // namespace

cudaError_t residentBlocks(int* blocks, int threads) {
  if (threads <= 0) return fail(cudaErrorInvalidValue);
  *blocks = threads > static_cast<int>(kMostThreads) ? 0 : std::min(settings().residentBlocks, kThreadsOfMultiprocessor / threads);
  return cudaSuccess;
}

cudaError_t enqueueLaunch(const KernelCode& code, const LaunchShape& shape, void* const* arguments, cudaStream_t stream) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (settings().devices == 0) return fail(cudaErrorNoDevice);
  if (settings().capability < kLeastCapability) return fail(cudaErrorNoKernelImageForDevice);
  if (!isStream(stream) || deviceOfStream(stream) != currentDevice()) return fail(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = refusedShape(shape, currentDevice())) return fail(error);
  Launch launch{code, shape, {}, currentDevice()};
  for (int k = 0; k < code.count; ++k) {
    const size_t bytes = code.sizes[k];
    launch.arguments.emplace_back((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t) + 1);
    std::memcpy(launch.arguments.back().data(), arguments[k], bytes);
  }
  return enqueue(stream, {labelOfLaunch(), [launch = std::move(launch)] { return runLaunch(launch); }});
}

void resetDevices() {
  dropAllWork();
  for (int device = 0; device < kMaxDevices; ++device) freeAllOf(device);
  forgetErrors();
}

}  // namespace emulated

using namespace emulated;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = settings().devices;
  return *count == 0 ? fail(cudaErrorNoDevice) : cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (!isDevice(device)) return fail(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "emulated device %d", device);
  properties->totalGlobalMem = settings().memory;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = static_cast<int>(kMostThreads);
  properties->multiProcessorCount = settings().multiprocessors;
  properties->major = settings().capability / 10;
  properties->minor = settings().capability % 10;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (!isDevice(device)) return fail(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = static_cast<int>(kMostThreads);
      return cudaSuccess;
    case cudaDevAttrWarpSize:
      *value = 32;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = settings().multiprocessors;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = settings().capability / 10;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = settings().capability % 10;
      return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
      *value = settings().cooperative ? 1 : 0;
      return cudaSuccess;
  }
  return fail(cudaErrorInvalidValue);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = kVersion;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (kernel == nullptr) return fail(cudaErrorInvalidValue);
  if (settings().capability < kLeastCapability) return fail(cudaErrorNoKernelImageForDevice);
  *attributes = {};
  attributes->maxThreadsPerBlock = static_cast<int>(kMostThreads);
  attributes->ptxVersion = attributes->binaryVersion = settings().capability;
  return cudaSuccess;
}

cudaError_t cudaDeviceReset() {
  const ApiCall call;
  resetDevices();
  return cudaSuccess;
}
