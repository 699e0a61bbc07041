// The CUDA runtime as far as Cairn uses it, for the emulated device (tests/device/README.md): the host's side. Names and values are the toolkit's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __grid_constant__

// --- types -----------------------------------------------------------------------------------------------------
struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned ofX = 1, unsigned ofY = 1, unsigned ofZ = 1) : x(ofX), y(ofY), z(ofZ) {}
};

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchTimeout = 702,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorNotPermitted = 800,
  cudaErrorNotSupported = 801,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureMerge = 902,
  cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorStreamCaptureIsolation = 905,
  cudaErrorStreamCaptureImplicit = 906,
  cudaErrorCapturedEvent = 907,
  cudaErrorStreamCaptureWrongThread = 908,
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrCooperativeLaunch = 95,
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  int warpSize, maxThreadsPerBlock, multiProcessorCount, major, minor;
};

struct cudaFuncAttributes {
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
};

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;

constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;
constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4;

// --- devices and errors ----------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

// --- memory ----------------------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** address, size_t bytes);
cudaError_t cudaFree(void* address);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void** address, size_t bytes);
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaHostGetDevicePointer(void** onDevice, void* onHost, unsigned flags);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* to, int byte, size_t bytes);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream = nullptr);

template <class T> cudaError_t cudaMalloc(T** address, size_t bytes) { return cudaMalloc(reinterpret_cast<void**>(address), bytes); }
template <class T> cudaError_t cudaHostAlloc(T** address, size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(address), bytes, flags);
}
template <class T> cudaError_t cudaMallocHost(T** address, size_t bytes) { return cudaMallocHost(reinterpret_cast<void**>(address), bytes); }
template <class T> cudaError_t cudaHostGetDevicePointer(T** onDevice, void* onHost, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(onDevice), onHost, flags);
}

// --- streams and events ----------------------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// --- launches --------------------------------------------------------------------------------------------------

namespace emulated {

// A kernel whose type is forgotten: what a launch keeps of it until it runs.
struct KernelCode {
  void (*kernel)();
  void (*call)(void (*kernel)(), void* const* arguments);
  int count;
  size_t sizes[16];  // of the parameters [bytes]
};

struct LaunchShape {
  dim3 grid, block;
  size_t shared;
  bool cooperative;
};

cudaError_t enqueueLaunch(const KernelCode& code, const LaunchShape& shape, void* const* arguments, cudaStream_t stream);
cudaError_t residentBlocks(int* blocks, int threads);

// Parameters get to each thread by value, on its own stack. Not instrumented: what it reads is the launch's copy of them.
template <class... Parameters, size_t... I>
__attribute__((no_sanitize("thread"))) void callKernel(void (*kernel)(), void* const* arguments, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(Parameters...)>(kernel)(*static_cast<const Parameters*>(arguments[I])...);
  (void)arguments;
}
template <class... Parameters> __attribute__((no_sanitize("thread"))) void callTyped(void (*kernel)(), void* const* arguments) {
  callKernel<Parameters...>(kernel, arguments, std::index_sequence_for<Parameters...>());
}

template <class... Parameters>
cudaError_t launchTyped(void (*kernel)(Parameters...), const LaunchShape& shape, void* const* arguments, cudaStream_t stream) {
  static_assert((sizeof(Parameters) + ... + 0) <= 32764, "a kernel's parameters have at most 32764 bytes");
  static_assert(sizeof...(Parameters) <= 16, "the emulated device knows kernels of up to 16 parameters");
  return enqueueLaunch({reinterpret_cast<void (*)()>(kernel), callTyped<Parameters...>, int(sizeof...(Parameters)), {sizeof(Parameters)...}}, shape,
                       arguments, stream);
}

}  // namespace emulated

template <class... Parameters> cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                                            cudaStream_t stream = nullptr) {
  return emulated::launchTyped(kernel, {grid, block, shared, false}, arguments, stream);
}
template <class... Parameters> cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                                                       size_t shared = 0, cudaStream_t stream = nullptr) {
  return emulated::launchTyped(kernel, {grid, block, shared, true}, arguments, stream);
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*)(Parameters...), int threads, size_t /*shared*/) {
  return emulated::residentBlocks(blocks, threads);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel);
template <class... Parameters> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Parameters...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}

#include "graph_api.h"
#include "in_kernels.h"
