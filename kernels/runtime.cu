#include "runtime.hpp"

#include "platform.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cairn {

int defaultThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    const int count = CPU_COUNT(&set);
    if (count > 0) return count;
  }
  return 1;
}

Queue makeCpuQueue(int threads) {
  Queue queue;
  queue.threads = threads > 0 ? threads : defaultThreads();
  return queue;
}

#if CAIRN_WITH_CUDA

namespace {
void check(cudaError_t status, const char* what, const char* label) {
  if (status == cudaSuccess) return;
  throw DeviceError(std::string("CUDA: ") + what + " failed after '" + label + "': " + cudaGetErrorString(status));
}
}  // namespace

bool cudaCompiledIn() { return true; }

int cudaDeviceCount() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver is no error here: there is just no device
    return 0;
  }
  return count;
}

std::string cudaDeviceName() {
  if (cudaDeviceCount() == 0) return {};
  cudaDeviceProp properties;
  int driver = 0, runtime = 0;
  check(cudaGetDeviceProperties(&properties, 0), "device query", "start");
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  return std::string(properties.name) + ", driver " + version(driver) + ", runtime " + version(runtime);
}

Queue makeCudaQueue() {
  if (cudaDeviceCount() == 0) throw DeviceError("CUDA: no device");
  Queue queue;
  queue.target = Target::Cuda;
  queue.threads = defaultThreads();
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream creation", "start");
  queue.stream = stream;
  int device = 0;
  cudaGetDevice(&device);
  check(cudaDeviceGetAttribute(&queue.multiprocessors, cudaDevAttrMultiProcessorCount, device), "device query", "start");
  return queue;
}

void releaseQueue(Queue& queue) {
  if (queue.stream != nullptr) cudaStreamDestroy(static_cast<cudaStream_t>(queue.stream));
  queue.stream = nullptr;
}

void synchronize(Queue& queue) {
  if (queue.target == Target::Cpu) return;
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(queue.stream)), "work", queue.label);
  check(cudaGetLastError(), "launch", queue.label);
}

#else

bool cudaCompiledIn() { return false; }
int cudaDeviceCount() { return 0; }
std::string cudaDeviceName() { return {}; }
Queue makeCudaQueue() { throw DeviceError("CUDA: this build has no CUDA backend"); }
void releaseQueue(Queue&) {}
void synchronize(Queue&) {}

#endif

size_t availableMemory(Target target) {
#if CAIRN_WITH_CUDA
  if (target == Target::Cuda) {
    size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
  }
#endif
  (void)target;
  // sysconf counts free pages only; what the page cache would give back is in /proc/meminfo.
  if (FILE* file = std::fopen("/proc/meminfo", "r")) {
    char line[256];
    unsigned long long kib = 0;
    while (std::fgets(line, sizeof line, file) != nullptr && std::sscanf(line, "MemAvailable: %llu kB", &kib) != 1) {
    }
    std::fclose(file);
    if (kib > 0) return size_t(kib) * 1024;
  }
  return size_t(sysconf(_SC_AVPHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
}

void* allocateBytes(const Queue& queue, size_t bytes) {
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    void* address = nullptr;
    if (cudaMalloc(&address, bytes) != cudaSuccess) {
      cudaGetLastError();
      throw CapacityError("device memory", bytes, availableMemory(Target::Cuda));
    }
    return address;
  }
#endif
  void* address = nullptr;
  // Linux hands out more than it has and kills later: ask first when the block is large enough to matter.
  if (bytes > (size_t(64) << 20) && bytes > availableMemory(Target::Cpu)) throw CapacityError("host memory", bytes, availableMemory(Target::Cpu));
  if (posix_memalign(&address, 256, bytes) != 0) throw CapacityError("host memory", bytes, availableMemory(queue.target));
  return address;
}

void releaseBytes(Target target, void* address) {
#if CAIRN_WITH_CUDA
  if (target == Target::Cuda) {
    cudaFree(address);
    return;
  }
#endif
  (void)target;
  std::free(address);
}

#if CAIRN_WITH_CUDA
namespace {
void copyOnStream(Queue& queue, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  check(cudaMemcpyAsync(to, from, bytes, kind, static_cast<cudaStream_t>(queue.stream)), "copy", queue.label);
}
}  // namespace
#endif

void copyBytes(Queue& queue, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return copyOnStream(queue, to, from, bytes, cudaMemcpyDeviceToDevice);
#endif
  (void)queue;
  std::memcpy(to, from, bytes);
}

void uploadBytes(Queue& queue, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    // The source is pageable: CUDA has staged it when the call returns, so the caller may change it at once.
    return copyOnStream(queue, to, from, bytes, cudaMemcpyHostToDevice);
  }
#endif
  (void)queue;
  std::memcpy(to, from, bytes);
}

void downloadBytes(Queue& queue, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    copyOnStream(queue, to, from, bytes, cudaMemcpyDeviceToHost);
    return synchronize(queue);
  }
#endif
  (void)queue;
  std::memcpy(to, from, bytes);
}

void fillBytes(Queue& queue, void* to, int byte, size_t bytes) {
  if (bytes == 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    check(cudaMemsetAsync(to, byte, bytes, static_cast<cudaStream_t>(queue.stream)), "fill", queue.label);
    return;
  }
#endif
  (void)queue;
  std::memset(to, byte, bytes);
}

}  // namespace cairn
