#include "kernels/runtime/async_copy.hpp"

#include "kernels/runtime/platform.hpp"

#include <cstdlib>
#include <cstring>

namespace cairn::v0 {

#if CAIRN_WITH_CUDA

namespace {
void check(const Queue& queue, cudaError_t status) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError(std::string("CUDA: work failed after '") + queue.label + "': " + cudaGetErrorString(status));
}
}  // namespace

AsyncCopy::~AsyncCopy() {
  if (event_ != nullptr) {
    if (taken_) cudaEventSynchronize(static_cast<cudaEvent_t>(event_));
    cudaEventDestroy(static_cast<cudaEvent_t>(event_));
    cudaFreeHost(host_);
  } else {
    std::free(host_);
  }
}

void AsyncCopy::reserve(Queue& queue) {
  if (host_ != nullptr) return;
  if (queue.target == Target::Cpu) {
    host_ = std::malloc(bytes_);
    return;
  }
  cudaEvent_t event;
  check(queue, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  if (const cudaError_t status = cudaHostAlloc(&host_, bytes_, cudaHostAllocDefault)) {
    host_ = nullptr;
    cudaEventDestroy(event);
    check(queue, status);
  }
  event_ = event;
}

void AsyncCopy::take(Queue& queue, const void* from) {
  reserve(queue);
  if (queue.target == Target::Cpu) {
    std::memcpy(host_, from, bytes_);
    taken_ = true;
    return;
  }
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  if (queue.log != nullptr) {
    ++queue.log->now().transfers;
    queue.log->now().bytes += static_cast<int64_t>(bytes_);
  }
  check(queue, cudaMemcpyAsync(host_, from, bytes_, cudaMemcpyDeviceToHost, stream));
  check(queue, cudaEventRecord(static_cast<cudaEvent_t>(event_), stream));
  taken_ = true;
}

bool AsyncCopy::arrived(Queue& queue) const {
  if (!taken_) return false;
  if (queue.target == Target::Cpu) return true;
  const cudaError_t status = cudaEventQuery(static_cast<cudaEvent_t>(event_));
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  check(queue, status);
  return true;
}

const void* AsyncCopy::wait(Queue& queue) {
  if (queue.target == Target::Cuda && queue.log != nullptr && !arrived(queue)) ++queue.log->now().waits;
  if (queue.target == Target::Cuda) check(queue, cudaEventSynchronize(static_cast<cudaEvent_t>(event_)));
  return host_;
}

#else

AsyncCopy::~AsyncCopy() { std::free(host_); }

void AsyncCopy::reserve(Queue&) {
  if (host_ == nullptr) host_ = std::malloc(bytes_);
}

void AsyncCopy::take(Queue& queue, const void* from) {
  reserve(queue);
  std::memcpy(host_, from, bytes_);
  taken_ = true;
}

bool AsyncCopy::arrived(Queue&) const { return taken_; }
const void* AsyncCopy::wait(Queue&) { return host_; }

#endif

}  // namespace cairn::v0
