// The one owner of a queue. Whoever runs something on a backend asks chooseTarget where, and keeps an OwnedQueue beside its buffers.
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <cairn/settings.hpp>

namespace cairn {

// Throws DeviceError where CUDA is asked for and cannot be had.
inline Target chooseTarget(Backend backend) {
  if (backend == Backend::Cpu) return Target::Cpu;
  if (cudaDeviceCount() > 0) return Target::Cuda;
  if (backend == Backend::Auto) return Target::Cpu;
  throw DeviceError(cudaCompiledIn() ? "backend cuda: there is no CUDA device" : "backend cuda: this build has no CUDA backend");
}

// A queue with its memory meter; the stream is released at the end. Buffers refer to the meter, so this member is declared before them.
class OwnedQueue {
 public:
  // threads: of the CPU, 0: all processors that the process may run on.
  OwnedQueue(Target target, int threads) : queue(target == Target::Cuda ? makeCudaQueue() : makeCpuQueue(threads)) { queue.memory = &memory; }
  OwnedQueue(const OwnedQueue&) = delete;
  OwnedQueue& operator=(const OwnedQueue&) = delete;
  ~OwnedQueue() { releaseQueue(queue); }

  MemoryMeter memory;
  Queue queue;
};

}  // namespace cairn
