// The one owner of a queue. Whoever runs something on a backend asks chooseTarget where, and keeps an OwnedQueue beside its buffers.
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <cairn/settings.hpp>

namespace cairn::v0 {

// Throws InvalidInput for a device that is not there, DeviceError where CUDA is asked for, or a device by its number, and cannot be had.
inline Target chooseTarget(Backend backend, int device = kCurrentDevice) {
  if (backend == Backend::Cpu) return Target::Cpu;
  const int count = cudaDeviceCount();
  if (device >= count && device != kCurrentDevice) {
    throw InvalidInput("settings.device",
                       count == 0 ? "must be -1, as there is no CUDA device, is " + std::to_string(device)
                                  : "must be below " + std::to_string(count) + ", the number of CUDA devices, is " + std::to_string(device));
  }
  const std::string obstacle = cudaObstacle(device);
  if (obstacle.empty()) return Target::Cuda;
  if (backend == Backend::Auto && device == kCurrentDevice) return Target::Cpu;
  throw DeviceError("backend cuda: " + obstacle);
}

// A queue with its memory meter; the stream is released at the end. Buffers refer to the meter, so this member is declared before them.
class OwnedQueue {
 public:
  // threads: of the CPU, 0: all processors that the process may run on. stream: the caller's; null: one of its own.
  OwnedQueue(Target target, int threads, int device = kCurrentDevice, void* stream = nullptr)
      : queue(target == Target::Cuda ? makeCudaQueue(device, stream) : makeCpuQueue(threads)) {
    queue.memory = &memory;
  }
  OwnedQueue(const OwnedQueue&) = delete;
  OwnedQueue& operator=(const OwnedQueue&) = delete;
  ~OwnedQueue() { releaseQueue(queue); }

  MemoryMeter memory;
  Queue queue;
};

}  // namespace cairn::v0
