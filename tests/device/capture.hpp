// Streams whose operations are recorded instead of run, and what is refused meanwhile.
#pragma once

#include "tests/device/streams.hpp"

#include <memory>
#include <thread>
#include <vector>

namespace emulated {

struct GraphData;

// One capture: begun in one stream, joined by others through events.
struct Capture {
  uint64_t id, origin;  // the stream that it began in
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool invalidated = false;
  std::shared_ptr<GraphData> graph;
  bool intoGivenGraph = false;
  std::vector<uint64_t> joined;    // other streams
  std::vector<uint64_t> unjoined;  // of these, those whose work nothing in the origin waits for yet
};

cudaError_t addToCapture(CUstream_st& stream, Operation operation);
// `recordedIn`: the stream of the event that is waited for.
cudaError_t joinCapture(CUstream_st& stream, const std::shared_ptr<Capture>& capture, uint64_t recordedIn);
cudaError_t invalidateCapture(Capture& capture, cudaError_t error);
void abandonCapture(CUstream_st& stream);

// The error of a call that is not allowed now; cudaSuccess where it is. What is refused ends the capture's good fortune.
cudaError_t refusedWhileCapturing();                    // whatever waits for the whole device
cudaError_t refusedAsUnsafe();                          // what the capture's mode may forbid, as cudaMalloc
cudaError_t refusedOnCapturing(CUstream_st& stream);    // waiting for the stream, or asking it
cudaError_t refusedBesideCapture(CUstream_st& stream);  // work in the legacy stream

}  // namespace emulated
