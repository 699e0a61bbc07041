// Memory calls of the runtime: allocation, copies and fills. Copies read and write the host's memory when the stream gets to them, which is late.
#include "tests/device/arena.hpp"
#include "tests/device/capture.hpp"
#include "tests/device/errors.hpp"
#include "tests/device/reports.hpp"
#include "tests/device/settings.hpp"
#include "tests/device/streams.hpp"

#include <algorithm>
#include <cstring>

namespace emulated {
namespace {

uint64_t hashOf(const void* begin, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  const unsigned char* const at = static_cast<const unsigned char*>(begin);
  for (size_t i = 0; i + 8 <= bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, at + i, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  for (size_t i = bytes / 8 * 8; i < bytes; ++i) hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}

void checkWrittenForCopy(const void* from, size_t bytes) {
  if (!settings().checkUnwritten) return;
  const size_t first = firstUnwritten(from, bytes);
  if (first == bytes) return;
  report(Finding::UnwrittenRead,
         "copies " + std::to_string(bytes) + " bytes to the host, among them " + describe(static_cast<const char*>(from) + first), nullptr);
}

Operation uploadOf(void* to, const void* from, size_t bytes) {
  return {labelOf("copy to the device"), [to, from, bytes, hash = hashOf(from, bytes)] {
            const CopyOfHostMemory copying("an asynchronous copy", from);
            if (hashOf(from, bytes) != hash) {
              report(Finding::LateCopy, std::to_string(bytes) + " bytes for " + describe(to) + " were changed between the call and the copy",
                     nullptr);
            }
            std::memcpy(to, from, bytes);
            markWritten(to, bytes);
            return cudaSuccess;
          }};
}

Operation downloadOf(void* to, const void* from, size_t bytes) {
  return {labelOf("copy to the host"), [to, from, bytes] {
            checkWrittenForCopy(from, bytes);
            const CopyOfHostMemory copying("an asynchronous copy", to);
            std::memcpy(to, from, bytes);
            return cudaSuccess;
          }};
}

Operation moveOf(void* to, const void* from, size_t bytes) {
  return {labelOf("copy"), [to, from, bytes] {
            std::memmove(to, from, bytes);
            copyWritten(to, from, bytes);
            return cudaSuccess;
          }};
}

cudaError_t enqueueCopy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  const bool toDevice = inArena(to), fromDevice = inArena(from);
  const bool asSaid = kind == cudaMemcpyDefault || (toDevice == (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) &&
                                                    fromDevice == (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice));
  const bool inRange = (!toDevice || deviceOf(to, bytes) >= 0) && (!fromDevice || deviceOf(from, bytes) >= 0);
  if (!asSaid || !inRange || to == nullptr || from == nullptr) return fail(cudaErrorInvalidValue);
  if (toDevice && fromDevice) return enqueue(stream, moveOf(to, from, bytes));
  if (toDevice) return enqueue(stream, uploadOf(to, from, bytes));
  if (fromDevice) return enqueue(stream, downloadOf(to, from, bytes));
  return enqueue(stream, {labelOf("copy within the host"), [to, from, bytes] {
                            std::memmove(to, from, bytes);
                            return cudaSuccess;
                          }});
}

cudaError_t enqueueFill(void* to, int byte, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (deviceOf(to, bytes) < 0) return fail(cudaErrorInvalidValue);
  return enqueue(stream, {labelOf("fill"), [to, byte, bytes] {
                            std::memset(to, byte, bytes);
                            markWritten(to, bytes);
                            return cudaSuccess;
                          }});
}

}  // namespace
}  // namespace emulated

using namespace emulated;

cudaError_t cudaMalloc(void** address, size_t bytes) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (settings().devices == 0) return fail(cudaErrorNoDevice);
  if (const cudaError_t error = refusedAsUnsafe()) return fail(error);
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  long& countdown = settings().failAllocation;
  if (countdown > 0 && --countdown == 0) return fail(cudaErrorMemoryAllocation);
  if (isFailingRequest()) return fail(cudaErrorMemoryAllocation);
  *address = allocateInArena(currentDevice(), bytes);
  return *address == nullptr ? fail(cudaErrorMemoryAllocation) : cudaSuccess;
}

cudaError_t cudaFree(void* address) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (address == nullptr) return cudaSuccess;
  if (const cudaError_t error = refusedAsUnsafe()) return fail(error);
  const int device = deviceOf(address, 0);
  if (device < 0) return fail(cudaErrorInvalidValue);
  runAll(device);
  if (!freeInArena(address)) return fail(cudaErrorInvalidValue);
  return fail(lastingError());
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (settings().devices == 0) return fail(cudaErrorNoDevice);
  *total = settings().memory;
  *free = *total - std::min(*total, bytesInUse(currentDevice()));
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (const cudaError_t error = refusedAsUnsafe()) return fail(error);
  *address = isFailingRequest() ? nullptr : allocatePinned(bytes);
  return *address == nullptr ? fail(cudaErrorMemoryAllocation) : cudaSuccess;
}
cudaError_t cudaMallocHost(void** address, size_t bytes) { return cudaHostAlloc(address, bytes, cudaHostAllocDefault); }

cudaError_t cudaFreeHost(void* address) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (address == nullptr) return cudaSuccess;
  if (const cudaError_t error = refusedAsUnsafe()) return fail(error);
  for (int device = 0; device < settings().devices; ++device) runAll(device);
  return freePinned(address) ? fail(lastingError()) : fail(cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void** onDevice, void* onHost, unsigned flags) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (flags != 0 || !isPinned(onHost, 0)) return fail(cudaErrorInvalidValue);
  *onDevice = onHost;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall call;
  return call.error != cudaSuccess ? call.error : enqueueCopy(to, from, bytes, kind, stream);
}

cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream) {
  const ApiCall call;
  return call.error != cudaSuccess ? call.error : enqueueFill(to, byte, bytes, stream);
}

// On the legacy stream. Only copies within the device return before they are done.
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (const cudaError_t error = enqueueCopy(to, from, bytes, kind, nullptr)) return error;
  return inArena(to) && inArena(from) ? cudaSuccess : waitFor(nullptr);
}

cudaError_t cudaMemset(void* to, int byte, size_t bytes) {
  const ApiCall call;
  return call.error != cudaSuccess ? call.error : enqueueFill(to, byte, bytes, nullptr);
}
