#include "tests/device/capture.hpp"

#include "tests/device/errors.hpp"
#include "tests/device/graphs.hpp"

#include <algorithm>
#include <map>

namespace emulated {
namespace {

// Captures that have begun and not ended.
std::map<uint64_t, std::shared_ptr<Capture>>& captures() {
  static std::map<uint64_t, std::shared_ptr<Capture>> all;
  return all;
}
uint64_t lastCapture = 0;
thread_local cudaStreamCaptureMode threadMode = cudaStreamCaptureModeGlobal;

void leaveStreams(const Capture& capture) {
  for (uint64_t id : capture.joined) {
    if (const cudaStream_t stream = streamOfId(id)) stream->capture.reset();
  }
  if (const cudaStream_t origin = streamOfId(capture.origin)) origin->capture.reset();
  captures().erase(capture.id);
}

void remove(std::vector<uint64_t>& from, uint64_t id) { from.erase(std::remove(from.begin(), from.end(), id), from.end()); }

cudaError_t begin(cudaStream_t stream, const std::shared_ptr<GraphData>& graph, bool given, cudaStreamCaptureMode mode) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  CUstream_st& where = *resolved(stream);
  if (where.legacy) return fail(cudaErrorStreamCaptureUnsupported);
  if (where.capture != nullptr) return fail(cudaErrorInvalidValue);
  auto capture = std::make_shared<Capture>();
  capture->id = ++lastCapture;
  capture->origin = where.id;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->graph = graph;
  capture->intoGivenGraph = given;
  captures()[capture->id] = capture;
  where.capture = std::move(capture);
  return cudaSuccess;
}

}  // namespace

cudaError_t addToCapture(CUstream_st& stream, Operation operation) {
  Capture& capture = *stream.capture;
  if (capture.invalidated) return fail(cudaErrorStreamCaptureInvalidated);
  auto node = std::make_shared<GraphNode>();
  node->operation = std::move(operation);
  capture.graph->nodes.push_back(std::move(node));
  if (stream.id != capture.origin && std::count(capture.unjoined.begin(), capture.unjoined.end(), stream.id) == 0)
    capture.unjoined.push_back(stream.id);
  return cudaSuccess;
}

// A stream that waits for an event of a capture takes part in it from then on. The origin's wait joins what the others have recorded.
cudaError_t joinCapture(CUstream_st& stream, const std::shared_ptr<Capture>& capture, uint64_t recordedIn) {
  if (stream.capture != nullptr && stream.capture != capture) return invalidateCapture(*capture, cudaErrorStreamCaptureMerge);
  if (stream.legacy) return invalidateCapture(*capture, cudaErrorStreamCaptureImplicit);
  if (stream.capture == nullptr) {
    stream.capture = capture;
    capture->joined.push_back(stream.id);
    capture->unjoined.push_back(stream.id);
  }
  if (recordedIn != stream.id) remove(capture->unjoined, recordedIn);
  return cudaSuccess;
}

cudaError_t invalidateCapture(Capture& capture, cudaError_t error) {
  capture.invalidated = true;
  return error;
}

void abandonCapture(CUstream_st& stream) {
  const std::shared_ptr<Capture> capture = stream.capture;
  capture->invalidated = true;
  leaveStreams(*capture);
}

cudaError_t refusedWhileCapturing() {
  cudaError_t error = cudaSuccess;
  for (const auto& [id, capture] : captures()) error = invalidateCapture(*capture, cudaErrorStreamCaptureUnsupported);
  return error;
}

cudaError_t refusedAsUnsafe() {
  if (threadMode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (const auto& [id, capture] : captures()) {
    const bool here = capture->thread == std::this_thread::get_id();
    const bool forbids = capture->mode == cudaStreamCaptureModeGlobal ? here || threadMode == cudaStreamCaptureModeGlobal
                                                                      : capture->mode == cudaStreamCaptureModeThreadLocal && here;
    if (forbids) return invalidateCapture(*capture, cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

cudaError_t refusedOnCapturing(CUstream_st& stream) {
  return stream.capture == nullptr ? cudaSuccess : invalidateCapture(*stream.capture, cudaErrorStreamCaptureUnsupported);
}

cudaError_t refusedBesideCapture(CUstream_st& stream) {
  if (!stream.legacy) return cudaSuccess;
  for (const auto& [id, capture] : captures()) {
    const cudaStream_t origin = streamOfId(capture->origin);
    if (origin != nullptr && origin->blocking) return invalidateCapture(*capture, cudaErrorStreamCaptureImplicit);
  }
  return refusedAsUnsafe();
}

}  // namespace emulated

using namespace emulated;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin(stream, std::make_shared<GraphData>(), false, mode);
}

// Dependencies are not followed: nodes run in the order in which they were added.
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t*, const cudaGraphEdgeData*, size_t,
                                          cudaStreamCaptureMode mode) {
  return graph == nullptr ? fail(cudaErrorInvalidValue) : begin(stream, graph->data, true, mode);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (!isStream(stream) || resolved(stream)->capture == nullptr) return fail(cudaErrorInvalidValue);
  const std::shared_ptr<Capture> capture = resolved(stream)->capture;
  if (graph != nullptr) *graph = nullptr;
  if (capture->origin != resolved(stream)->id) return fail(invalidateCapture(*capture, cudaErrorStreamCaptureUnmatched));
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id()) {
    return fail(invalidateCapture(*capture, cudaErrorStreamCaptureWrongThread));
  }
  leaveStreams(*capture);
  if (capture->invalidated) return fail(cudaErrorStreamCaptureInvalidated);
  if (!capture->unjoined.empty()) return fail(cudaErrorStreamCaptureUnjoined);
  if (graph == nullptr) return fail(cudaErrorInvalidValue);
  *graph = capture->intoGivenGraph ? handleOf(capture->graph) : newHandle(capture->graph);
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** dependencyData, size_t* dependencyCount) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<Capture>& capture = resolved(stream)->capture;
  *status = capture == nullptr     ? cudaStreamCaptureStatusNone
            : capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
  if (id != nullptr) *id = capture == nullptr ? 0 : capture->id;
  if (graph != nullptr) *graph = capture == nullptr ? nullptr : handleOf(capture->graph);
  if (dependencies != nullptr) *dependencies = nullptr;
  if (dependencyData != nullptr) *dependencyData = nullptr;
  if (dependencyCount != nullptr) *dependencyCount = 0;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) { return cudaStreamGetCaptureInfo(stream, status); }

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t*, const cudaGraphEdgeData*, size_t, unsigned) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  return isStream(stream) && resolved(stream)->capture != nullptr ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, threadMode);
  return cudaSuccess;
}
