// Capture of streams, graphs and conditional nodes on the emulated device.
#include "tests/device/device.hpp"
#include "tests/device/device_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace emulated {
namespace {

class CaptureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&array, 16), cudaSuccess);
    ASSERT_EQ(cudaMemset(array, 0, 16), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void TearDown() override {
    cudaStreamDestroy(stream);
    resetDevices();
  }
  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) { ASSERT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess); }
  int read(int index) {
    int value = -1;
    EXPECT_EQ(cudaMemcpy(&value, array + index, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
  }
  // A capture during which something was refused is of no more use.
  void expectInvalidated() {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
    EXPECT_EQ(launchFill(stream, array, 1, 1), cudaErrorStreamCaptureInvalidated);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  }

  cudaStream_t stream = nullptr;
  int* array = nullptr;
};

TEST_F(CaptureTest, RecordsAndRepeats) {
  cudaGraphConditionalHandle none = 0;
  begin();
  launchFill(stream, array, 1, 1 << 20);
  ASSERT_EQ(launchCountDown(stream, array, array + 1, none), cudaSuccess);
  cudaGraph_t graph;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 2u);
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(read(1), 0) << "what is recorded does not run";
  for (int k = 0; k < 3; ++k) ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(read(1), 3);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(CaptureTest, OtherStreamsJoinThroughEventsAndHaveToComeBack) {
  cudaStream_t other;
  cudaEvent_t fork, join;
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&fork), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&join), cudaSuccess);
  for (const bool comesBack : {true, false}) {
    begin();
    launchFill(stream, array, 1, 1);
    ASSERT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other, fork), cudaSuccess);
    launchFill(other, array + 1, 1, 2);
    if (comesBack) {
      ASSERT_EQ(cudaEventRecord(join, other), cudaSuccess);
      ASSERT_EQ(cudaStreamWaitEvent(stream, join), cudaSuccess);
    }
    cudaGraph_t graph;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), comesBack ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    cudaStreamCaptureStatus status;
    EXPECT_EQ(cudaStreamIsCapturing(other, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  }
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(other);
}

TEST_F(CaptureTest, WaitingIsRefused) {
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  expectInvalidated();
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorStreamCaptureUnsupported);
  expectInvalidated();
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  expectInvalidated();
  cudaEvent_t event;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  begin(cudaStreamCaptureModeRelaxed);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorCapturedEvent);
  expectInvalidated();
  cudaEventDestroy(event);
}

TEST_F(CaptureTest, AllocationIsAMatterOfTheMode) {
  for (const cudaStreamCaptureMode mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    void* address = nullptr;
    begin(mode);
    EXPECT_EQ(cudaMalloc(&address, 4), cudaErrorStreamCaptureUnsupported);
    expectInvalidated();
    begin(mode);
    EXPECT_EQ(cudaFree(array), cudaErrorStreamCaptureUnsupported);
    expectInvalidated();
  }
  void* address = nullptr;
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&address, 4), cudaSuccess);
  cudaGraph_t graph;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
}

TEST_F(CaptureTest, TheLegacyStreamIsRefused) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  int value = 0;
  begin();
  EXPECT_EQ(cudaMemcpy(&value, array, sizeof value, cudaMemcpyDeviceToHost), cudaErrorStreamCaptureUnsupported);
  expectInvalidated();
}

TEST_F(CaptureTest, ADependenceOnWorkOutsideIsRefused) {
  cudaStream_t other;
  cudaEvent_t event;
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, other), cudaSuccess);
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream, event), cudaErrorStreamCaptureIsolation);
  expectInvalidated();
  cudaEventDestroy(event);
  cudaStreamDestroy(other);
}

// A loop on the device: a kernel counts down and ends it.
TEST_F(CaptureTest, KernelsEndALoop) {
  cudaGraph_t graph;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphConditionalHandle handle;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal), cudaSuccess);
  launchFill(stream, array, 1, 5);
  cudaGraph_t same;
  ASSERT_EQ(cudaStreamEndCapture(stream, &same), cudaSuccess);
  EXPECT_EQ(same, graph);
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  cudaGraphNode_t node;
  ASSERT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream, parameters.conditional.phGraph_out[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  launchCountDown(stream, array, array + 1, handle);
  cudaGraph_t body;
  ASSERT_EQ(cudaStreamEndCapture(stream, &body), cudaSuccess);
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  for (int k = 0; k < 2; ++k) ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(read(0), 0);
  EXPECT_EQ(read(1), 10) << "five rounds in each of two launches";
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

}  // namespace
}  // namespace emulated
