// Work of a queue that is put down once and then done again and again as a whole: on a device a CUDA graph, which costs the host one call and spares
// the device the gaps between launches. No CUDA types here.
#pragma once

#include "kernels/runtime/runtime.hpp"

namespace cairn::v0 {

class RecordedWork {
 public:
  RecordedWork() = default;
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;
  ~RecordedWork() { drop(); }

  // What the queue is asked for from `begin` on is put down, not done, until `end`. Whoever asks it for something that needs the host meanwhile, such
  // as memory or a number, has a DeviceError. The queue's target is Cuda.
  void begin(Queue& queue);
  void end(Queue& queue);
  // Instead of `end`, after an exception: nothing was put down.
  void abandon(Queue& queue) noexcept;

  bool there() const { return executable_ != nullptr; }
  void launch(Queue& queue);
  void drop();

 private:
  void* executable_ = nullptr;  // a cudaGraphExec_t
};

// The number of the capture that the queue's stream is in, by the caller whose stream it is; 0: it is in none.
unsigned long long foreignCapture(const Queue& queue);

// While it lives, what the queue is asked for is put down in a capture that is the caller's, if there is one.
class ForeignRecording {
 public:
  explicit ForeignRecording(Queue& queue) : queue_(queue), number_(foreignCapture(queue)) {
    if (number_ != 0) queue_.recording = true;
  }
  ForeignRecording(const ForeignRecording&) = delete;
  ForeignRecording& operator=(const ForeignRecording&) = delete;
  ~ForeignRecording() {
    if (number_ != 0) queue_.recording = false;
  }

  unsigned long long number() const { return number_; }

 private:
  Queue& queue_;
  unsigned long long number_;
};

}  // namespace cairn::v0
