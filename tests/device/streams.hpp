// Streams: what is asked of the device waits in them until somebody waits for it, so as late as on a real device it may run.
#pragma once

#include "tests/device/include/cuda_runtime.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace emulated {

// One item of a stream's work. `run` may be called more than once: graphs replay it.
struct Operation {
  std::string label;
  std::function<cudaError_t()> run;
};

struct Capture;

struct Pending {
  uint64_t serial;  // operations of all streams are numbered in the order in which they were asked for
  Operation operation;
};

// What an event stands for, kept while operations refer to it.
struct EventState {
  int device = 0;
  bool timed = true;
  uint64_t stream = 0, recorded = 0, done = 0;  // id of the stream, serials of the last record asked for and made
  double milliseconds = 0;
  std::weak_ptr<Capture> capture;  // where it was recorded last, if that was a capture
};

cudaError_t enqueue(cudaStream_t stream, Operation operation);
// Runs what was asked of a stream up to and with a serial, and what this depends on.
void runUntil(cudaStream_t stream, uint64_t serial);
void runAll(int device);
cudaError_t waitFor(cudaStream_t stream);
bool isStream(cudaStream_t stream);
int deviceOfStream(cudaStream_t stream);
cudaStream_t resolved(cudaStream_t stream);  // the legacy stream of the current device for null
int currentDevice();
void dropAllWork();
uint64_t idOf(cudaStream_t stream);
cudaStream_t streamOfId(uint64_t id);  // null where it is gone, with all its work done

constexpr uint64_t kAllWork = UINT64_MAX;

// The name of a launch: the range that is open, for profilers, on this thread. Other operations are named after the last one.
std::string labelOfLaunch();
const std::string& labelOfLastLaunch();
std::string labelOf(const char* what);

}  // namespace emulated

struct CUstream_st {
  uint64_t id;
  int device;
  bool legacy, blocking, destroyed;
  std::deque<emulated::Pending> pending;
  std::shared_ptr<emulated::Capture> capture;
};

struct CUevent_st {
  std::shared_ptr<emulated::EventState> state;
};
