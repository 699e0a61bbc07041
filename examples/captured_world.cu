// On a GPU: a World within a CUDA graph of the program's. A kernel reads where the bodies are and writes forces that lift every second box, the World
// steps on the same stream, and the host only launches the graph. No copies, no waits; what became of the steps stands in device memory.
#include <cairn/cairn.hpp>

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kBoxes = 16, kSteps = 600, kFirst = 3, kThreads = 64;
constexpr float kHeight = 2, kStiffness = 4000, kDamping = 4000, kWeight = 1000 * 9.81f;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

// Component k of item i of a field.
template <class T, int N> __device__ T& at(const cairn::Field<T, N>& field, int i, int k) {
  return *(T*)((char*)field.data + i * field.stride + k * field.componentStride);
}

// A spring and a damper to the height, for bodies with an odd index; body 0 is the ground.
__global__ void lift(cairn::BodyArrays<float> bodies, cairn::ForceInputs<float> forces) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= bodies.count || i % 2 == 0) return;
  const float y = at(bodies.position, i, 1), v = at(bodies.linearVelocity, i, 1);
  at(forces.force, i, 1) += kWeight + kStiffness * (kHeight - y) - kDamping * v;
}

int run() {
  cairn::Scene scene;
  cairn::BodyDef ground;
  ground.type = cairn::BodyType::Static;
  ground.shapes = {cairn::ShapeDef::halfSpace()};
  scene.add(ground);
  for (int k = 0; k < kBoxes; ++k) {
    cairn::BodyDef box;
    box.pose.p = {2.0 * k, 0.5, 0};
    box.shapes = {cairn::ShapeDef::box({0.5, 0.5, 0.5})};
    scene.add(box);
  }

  cudaStream_t stream = nullptr;
  cairn::WorldSettings settings;
  settings.backend = cairn::Backend::Cuda;
  { const cairn::World first(scene, settings); }  // throws without a device
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  settings.stream = stream;
  {
    cairn::World world(scene, settings);
    world.makeRoom({64, 64, 0});
    cairn::WorldArrays<float> arrays = world.arrays<float>();
    const auto liftAndStep = [&] {
      cairn::BodyArrays<float> bodies = arrays.bodies;
      cairn::ForceInputs<float> forces = world.writeForces<float>();
      void* arguments[] = {&bodies, &forces};
      check(cudaLaunchKernel(lift, dim3((kBoxes + kThreads) / kThreads), dim3(kThreads), arguments, 0, stream));
      world.enqueueStep();
    };
    // The first step finds out how much room a step needs, the next one makes it.
    for (int k = 0; k < kFirst; ++k) liftAndStep();
    world.wait();
    arrays = world.arrays<float>();

    cudaGraph_t graph;
    cudaGraphExec_t recorded;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    liftAndStep();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&recorded, graph, 0));
    const unsigned long long version = world.arraysVersion();
    for (int k = kFirst; k < kSteps; ++k) check(cudaGraphLaunch(recorded, stream));
    world.wait();  // throws what a step would have thrown
    std::printf("%d steps, %d of them in a graph that %s: the lifted box is at %.3f m, the other one at %.3f m\n", kSteps, kSteps - kFirst,
                version == world.arraysVersion() ? "still serves" : "is out of date", world.state(world.bodies()[1]).pose.p.y,
                world.state(world.bodies()[2]).pose.p.y);
    check(cudaGraphExecDestroy(recorded));
    check(cudaGraphDestroy(graph));
  }
  check(cudaStreamDestroy(stream));
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const cairn::DeviceError& error) {
    std::printf("skipped: %s\n", error.what());
    return 0;
  }
}
