#include "kernels/runtime/recorded_work.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {

#if CAIRN_WITH_CUDA

namespace {
cudaStream_t streamOf(const Queue& queue) { return static_cast<cudaStream_t>(queue.stream); }
}  // namespace

void RecordedWork::begin(Queue& queue) {
  drop();
  // Of this thread alone: others may go on allocating memory.
  checkCuda(cudaStreamBeginCapture(streamOf(queue), cudaStreamCaptureModeThreadLocal), "begin of a capture", queue.label);
  queue.recording = true;
}

void RecordedWork::end(Queue& queue) {
  queue.recording = false;
  cudaGraph_t graph = nullptr;
  checkCuda(cudaStreamEndCapture(streamOf(queue), &graph), "capture", queue.label);
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  checkCuda(status, "instantiation of a graph", queue.label);
  executable_ = executable;
}

void RecordedWork::abandon(Queue& queue) noexcept {
  if (!queue.recording) return;
  queue.recording = false;
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(streamOf(queue), &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();  // the exception that is under way says what went wrong
}

void RecordedWork::launch(Queue& queue) {
  if (queue.log != nullptr) ++queue.log->now().launches;
  checkCuda(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable_), streamOf(queue)), "launch of a graph", queue.label);
}

void RecordedWork::drop() {
  if (executable_ != nullptr) cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable_));
  executable_ = nullptr;
}

unsigned long long foreignCapture(const Queue& queue) {
  if (queue.target != Target::Cuda || queue.ownsStream) return 0;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long number = 0;
  checkCuda(cudaStreamGetCaptureInfo(streamOf(queue), &status, &number), "question about a capture", queue.label);
  return status == cudaStreamCaptureStatusNone ? 0 : number;
}

#else

unsigned long long foreignCapture(const Queue&) { return 0; }
void RecordedWork::begin(Queue&) { throw DeviceError("CUDA: this build has no CUDA backend"); }
void RecordedWork::end(Queue&) {}
void RecordedWork::abandon(Queue&) noexcept {}
void RecordedWork::launch(Queue&) {}
void RecordedWork::drop() {}

#endif

}  // namespace cairn::v0
