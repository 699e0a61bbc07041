// A small copy of something on the target, on its way to the host: the host goes on, and may ask whether it has arrived.
#pragma once

#include "kernels/runtime/runtime.hpp"

namespace cairn::v0 {

class AsyncCopy {
 public:
  explicit AsyncCopy(size_t bytes) : bytes_(bytes) {}
  AsyncCopy(const AsyncCopy&) = delete;
  AsyncCopy& operator=(const AsyncCopy&) = delete;
  ~AsyncCopy();

  // Memory for it, which `take` asks for otherwise. Whatever it throws, it can be asked again.
  void reserve(Queue& queue);
  // Queues the copy behind all work so far. The one before must have arrived.
  void take(Queue& queue, const void* from);
  bool taken() const { return taken_; }
  // Whether a copy that was taken is there. Does not wait.
  bool arrived(Queue& queue) const;
  // Waits for it if need be.
  const void* wait(Queue& queue);
  // What it was taken for is over.
  void clear() { taken_ = false; }

 private:
  size_t bytes_;
  void* host_ = nullptr;                    // page-locked where the target is a device
  [[maybe_unused]] void* event_ = nullptr;  // Cuda: a cudaEvent_t
  bool taken_ = false;
};

}  // namespace cairn::v0
