// On a GPU: collide and solve in one CUDA graph. Balls fall on a plane; kernels of this program find their contacts and count them, ContactSolver
// solves them on the same stream, and the host only launches the graph, step after step. What the solver has to say it leaves in device memory.
#include <cairn/contact_solver.hpp>
#include <cairn/error.hpp>

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr float kRadius = 0.5f, kStep = 1.0f / 240, kGravity = 9.81f, kMargin = 0.02f;
constexpr int kBalls = 64, kMostContacts = 8 * kBalls, kSteps = 480, kThreads = 64;

// Arrays of structs here, structs of arrays there: both are only strides to the solver.
struct Ball {
  float position[3], velocity[3], spin[3], move[3];
  float inverseMass, inverseInertia[6];
};
struct Contacts {
  int* bodies;                                    // [kMostContacts][2]
  float *point, *normal, *separation, *friction;  // [kMostContacts][3] or [kMostContacts]
  int* count;                                     // as many as were found: maybe more than there is room for
};

__device__ int itemOfThread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

// Calls found(j, gap, n) for each thing that ball i touches: the plane, -1, and balls after it.
template <class Found> __device__ void touching(const Ball* balls, int i, Found found) {
  const float* a = balls[i].position;
  if (a[1] - kRadius < kMargin) {
    const float down[3] = {0, -1, 0};
    found(-1, a[1] - kRadius, down);
  }
  for (int j = i + 1; j < kBalls; ++j) {
    const float* b = balls[j].position;
    const float d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, distance = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (distance > 2 * kRadius + kMargin) continue;
    const float n[3] = {d[0] / distance, d[1] / distance, d[2] / distance};
    found(j, distance - 2 * kRadius, n);
  }
}

__global__ void countContacts(Ball* balls, int* counts) {
  const int i = itemOfThread();
  if (i >= kBalls) return;
  balls[i].velocity[1] -= kStep * kGravity;
  int count = 0;
  touching(balls, i, [&](int, float, const float*) { ++count; });
  counts[i] = count;
}

// Each ball's contacts behind those of the balls before it: an order that no thread decides.
__global__ void writeContacts(const Ball* balls, const int* counts, Contacts contacts) {
  const int i = itemOfThread();
  if (i >= kBalls) return;
  int place = 0;
  for (int before = 0; before < i; ++before) place += counts[before];
  touching(balls, i, [&](int j, float gap, const float* n) {
    const int at = place++;
    if (at >= kMostContacts) return;  // counted, so that the solver refuses the step and says so
    contacts.bodies[2 * at] = i;
    contacts.bodies[2 * at + 1] = j;
    for (int k = 0; k < 3; ++k) {
      contacts.normal[3 * at + k] = n[k];
      contacts.point[3 * at + k] = balls[i].position[k] + (kRadius + 0.5f * gap) * n[k];
    }
    contacts.separation[at] = gap;
    contacts.friction[at] = 0.5f;
  });
  if (i == kBalls - 1) *contacts.count = place;
}

__global__ void moveBalls(Ball* balls) {
  const int i = itemOfThread();
  if (i >= kBalls) return;
  for (int k = 0; k < 3; ++k) balls[i].position[k] += kStep * balls[i].move[k];
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}
template <class T> T* allocate(size_t count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}
template <class... Parameters> void launch(cudaStream_t stream, void (*kernel)(Parameters...), Parameters... arguments) {
  void* addresses[] = {&arguments...};
  check(cudaLaunchKernel(kernel, dim3((kBalls + kThreads - 1) / kThreads), dim3(kThreads), addresses, 0, stream));
}
template <class T, int N> cairn::Field<T, N> ofBall(T* first) { return {first, sizeof(Ball), sizeof(T)}; }

cairn::ContactSolverCall<float> callOn(Ball* balls, const Contacts& contacts, cairn::ContactSolverStatus* status) {
  cairn::ContactSolverCall<float> call;
  call.bodies.count = kBalls;
  call.bodies.position = ofBall<const float, 3>(balls->position);
  call.bodies.linearVelocity = ofBall<float, 3>(balls->velocity);
  call.bodies.angularVelocity = ofBall<float, 3>(balls->spin);
  call.bodies.linearMove = ofBall<float, 3>(balls->move);
  call.bodies.inverseMass = ofBall<const float, 1>(&balls->inverseMass);
  call.bodies.inverseInertia = ofBall<const float, 6>(balls->inverseInertia);
  call.contacts.counted = contacts.count;
  call.contacts.bodies.data = contacts.bodies;
  call.contacts.point.data = contacts.point;
  call.contacts.normal.data = contacts.normal;
  call.contacts.separation.data = contacts.separation;
  call.contacts.friction.data = contacts.friction;
  call.status = status;
  return call;
}

int run() {
  std::vector<Ball> start(kBalls);
  for (int i = 0; i < kBalls; ++i) {
    Ball& ball = start[static_cast<size_t>(i)];
    ball = {};
    ball.position[0] = 1.02f * static_cast<float>(i % 4) + 0.1f * static_cast<float>(i / 16);
    ball.position[1] = 0.6f + static_cast<float>(i / 16);
    ball.position[2] = 1.02f * static_cast<float>(i / 4 % 4);
    ball.inverseMass = 1;
    for (int k = 0; k < 3; ++k) ball.inverseInertia[k] = 1 / (0.4f * kRadius * kRadius);
  }
  cairn::WorldSettings settings;
  settings.backend = cairn::Backend::Cuda;
  settings.dt = kStep;
  settings.substeps = 1;
  settings.iterations = 8;
  cairn::ContactCapacity capacity;
  capacity.bodies = kBalls;
  capacity.contacts = kMostContacts;
  cairn::ContactSolver solver(capacity, settings);

  Ball* const balls = allocate<Ball>(kBalls);
  int* const counts = allocate<int>(kBalls);
  Contacts contacts{};
  contacts.bodies = allocate<int>(2 * kMostContacts);
  contacts.point = allocate<float>(3 * kMostContacts);
  contacts.normal = allocate<float>(3 * kMostContacts);
  contacts.separation = allocate<float>(kMostContacts);
  contacts.friction = allocate<float>(kMostContacts);
  contacts.count = allocate<int>(1);
  auto* const status = allocate<cairn::ContactSolverStatus>(1);
  unsigned char* const workspace = allocate<unsigned char>(solver.workspaceBytes());
  check(cudaMemcpy(balls, start.data(), kBalls * sizeof(Ball), cudaMemcpyHostToDevice));

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t step;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch<Ball*, int*>(stream, countContacts, balls, counts);
  launch<const Ball*, const int*, Contacts>(stream, writeContacts, balls, counts, contacts);
  solver.enqueue(stream, {workspace, solver.workspaceBytes()}, callOn(balls, contacts, status));
  launch<Ball*>(stream, moveBalls, balls);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&step, graph, 0));
  for (int k = 0; k < kSteps; ++k) check(cudaGraphLaunch(step, stream));
  check(cudaStreamSynchronize(stream));

  cairn::ContactSolverStatus said{};
  std::vector<Ball> end(kBalls);
  check(cudaMemcpy(&said, status, sizeof said, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(end.data(), balls, kBalls * sizeof(Ball), cudaMemcpyDeviceToHost));
  float lowest = end[0].position[1];
  for (const Ball& ball : end) lowest = ball.position[1] < lowest ? ball.position[1] : lowest;
  std::printf("%d steps in a graph: flags %d, %d contacts in %d colours, lowest ball at %.3f m\n", kSteps, said.flags, said.contactsNeeded,
              said.colours, static_cast<double>(lowest));

  check(cudaGraphExecDestroy(step));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  for (void* memory : {static_cast<void*>(balls), static_cast<void*>(counts), static_cast<void*>(contacts.bodies), static_cast<void*>(contacts.point),
                       static_cast<void*>(contacts.normal), static_cast<void*>(contacts.separation), static_cast<void*>(contacts.friction),
                       static_cast<void*>(contacts.count), static_cast<void*>(status), static_cast<void*>(workspace)})
    check(cudaFree(memory));
  return said.flags == 0 && lowest > kRadius - 0.01f ? 0 : 1;
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
