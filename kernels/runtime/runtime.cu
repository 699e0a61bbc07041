#include "kernels/runtime/runtime.hpp"

#include "kernels/runtime/launch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace cairn::v0 {

namespace {
LaunchLog* logOfNewQueues = nullptr;
}  // namespace

void LaunchCounts::add(const LaunchCounts& other) {
  launches += other.launches;
  sweeps += other.sweeps;
  transfers += other.transfers;
  bytes += other.bytes;
  waits += other.waits;
}

void LaunchLog::mark(const char* stage) {
  const auto same = std::find_if(stages_.begin(), stages_.end(), [&](const auto& each) { return each.first == stage; });
  if (same != stages_.end()) {
    same->second.add(now_);
  } else {
    stages_.emplace_back(stage, now_);
  }
  now_ = {};
}

void LaunchLog::clear() {
  now_ = {};
  stages_.clear();
}

void MemoryMeter::add(const MemoryShare& share) {
  shares_.push_back(share);
  current += share.bytes();
  peak = std::max(peak, current);
}

void MemoryMeter::remove(const void* address) {
  const auto same = std::find_if(shares_.begin(), shares_.end(), [&](const MemoryShare& each) { return each.address == address; });
  if (same == shares_.end()) return;
  current -= same->bytes();
  shares_.erase(same);
}

void MemoryMeter::mark(const char* stage) {
  // Those that no mark has seen are the last: steps that ask for nothing have nothing to look at.
  for (auto share = shares_.rbegin(); share != shares_.rend() && share->stage == nullptr; ++share) share->stage = stage;
}

void HeldMemory::take(Target target, void* address) noexcept {
  try {
    pieces_.emplace_back(target, address);
  } catch (const std::bad_alloc&) {
    // Lost, rather than given back while somebody looks.
  }
}

void HeldMemory::clear() {
  for (const auto& [target, address] : pieces_) releaseBytes(target, address);
  pieces_.clear();
}

LaunchLogging::LaunchLogging(LaunchLog& log) { logOfNewQueues = &log; }
LaunchLogging::~LaunchLogging() { logOfNewQueues = nullptr; }

Queue makeCpuQueue(int threads) {
  Queue queue;
  cpuLevel();  // what CAIRN_CPU asks for in vain is said here, before anything has been done
  queue.team = std::make_shared<ThreadTeam>(threads > 0 ? threads : defaultThreads());
  return queue;
}

#if CAIRN_WITH_CUDA

// Pinned memory through which the host's data go. A copy from memory that is not pinned may read it after the call has returned, when its owner has
// changed it or given it back: CUDA promises nothing else.
struct UploadRing {
  static constexpr size_t kBytes = size_t(1) << 20;
  unsigned char* memory = nullptr;
  size_t used = 0;  // by copies that may still be under way
};

// How many blocks of a kernel fit on the device, for kernels that were asked for: a question costs as much as a launch.
struct ResidentBlocks {
  std::map<std::pair<const void*, int>, int64_t> most;  // by kernel and threads a block
};

int64_t* knownResidentBlocks(const Queue& queue, const void* kernel, int threads) {
  return &queue.residentBlocks->most.emplace(std::make_pair(kernel, threads), kNotAsked).first->second;
}

Queue makeCudaQueue(int device, void* stream) {
  if (cudaDeviceCount() == 0) throw DeviceError("CUDA: no device");
  const DeviceScope scope(device);
  forgetForeignErrors();
  Queue queue;
  queue.target = Target::Cuda;
  try {
    checkCuda(cudaGetDevice(&queue.device), "device query", "start");
    int cooperative = 0;
    checkCuda(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, queue.device), "device query", "start");
    checkCuda(cudaDeviceGetAttribute(&queue.multiprocessors, cudaDevAttrMultiProcessorCount, queue.device), "device query", "start");
    queue.cooperative = cooperative != 0;
    queue.ownsStream = stream == nullptr;
    queue.stream = stream;
    if (queue.ownsStream) {
      cudaStream_t fresh;
      checkCuda(cudaStreamCreateWithFlags(&fresh, cudaStreamNonBlocking), "stream creation", "start");
      queue.stream = fresh;
    }
    queue.residentBlocks = new ResidentBlocks;
    queue.uploads = new UploadRing;
    checkCuda(cudaMallocHost(&queue.uploads->memory, UploadRing::kBytes), "allocation of pinned memory", "start");
  } catch (...) {
    releaseQueue(queue);
    throw;
  }
  queue.log = logOfNewQueues;
  return queue;
}

void releaseQueue(Queue& queue) {
  if (queue.stream != nullptr && queue.ownsStream) cudaStreamDestroy(static_cast<cudaStream_t>(queue.stream));
  queue.stream = nullptr;
  if (queue.uploads != nullptr) cudaFreeHost(queue.uploads->memory);
  delete queue.uploads;
  queue.uploads = nullptr;
  delete queue.residentBlocks;
  queue.residentBlocks = nullptr;
}

void synchronize(Queue& queue) {
  if (queue.target == Target::Cpu) return;
  if (queue.log != nullptr) ++queue.log->now().waits;
  checkCuda(cudaStreamSynchronize(static_cast<cudaStream_t>(queue.stream)), "work", queue.label);
}

#else

Queue makeCudaQueue(int, void*) { throw DeviceError("CUDA: this build has no CUDA backend"); }
void releaseQueue(Queue&) {}
void synchronize(Queue&) {}

#endif

size_t availableMemory(Target target) {
#if CAIRN_WITH_CUDA
  if (target == Target::Cuda) {
    size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess) return free;
    cudaGetLastError();
    return 0;
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

namespace {
std::atomic<int> allocationsToFailure{0};  // 0: none fails
}  // namespace

void failAllocation(int n) { allocationsToFailure = n; }

void* Arena::take(size_t bytes) {
  const size_t begin = (used_ + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > bytes_ || begin > bytes_ - bytes) throw CapacityError("workspace", begin + bytes, bytes_);
  used_ = begin + bytes;
  return measures() ? reinterpret_cast<void*>(kAlignment + begin) : memory_ + begin;
}

#ifndef NDEBUG
namespace {
// What is read before it is written shows in builds for debugging: as a NaN in both precisions, and as an index far outside.
void markUnwritten(void* address, size_t bytes) {
  auto* const words = static_cast<uint32_t*>(address);
  const size_t count = bytes / sizeof(uint32_t);
  std::fill(words, words + count, kUnwritten);
  std::memset(words + count, 0xff, bytes - count * sizeof(uint32_t));
}
}  // namespace
#endif

void* allocateBytes(const Queue& queue, size_t bytes) {
  if (queue.arena != nullptr) return queue.arena->take(bytes);
  if (allocationsToFailure > 0 && --allocationsToFailure == 0) throw CapacityError("memory that a test withholds", bytes, 0);
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    if (queue.recording) throw DeviceError(std::string("CUDA: '") + queue.label + "' asks for memory within a recording");
    void* address = nullptr;
    const cudaError_t status = cudaMalloc(&address, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw CapacityError("device memory", bytes, availableMemory(Target::Cuda));
    }
    checkCuda(status, "allocation", queue.label);
    return address;
  }
#endif
  void* address = nullptr;
  // Linux hands out more than it has and kills later: ask first when the block is large enough to matter.
  if (bytes > (size_t(64) << 20) && bytes > availableMemory(Target::Cpu)) throw CapacityError("host memory", bytes, availableMemory(Target::Cpu));
  // Large arrays are read at random by body: huge pages, where the system has them, spare most of the address translation.
  constexpr size_t kHugePage = size_t(2) << 20;
  const bool large = bytes >= kHugePage;
  if (posix_memalign(&address, large ? kHugePage : 256, bytes) != 0) throw CapacityError("host memory", bytes, availableMemory(queue.target));
  if (large) madvise(address, bytes, MADV_HUGEPAGE);
#ifndef NDEBUG
  markUnwritten(address, bytes);
#endif
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
  if (queue.measures()) return;
  if (queue.log != nullptr) {
    ++queue.log->now().transfers;
    if (kind != cudaMemcpyDeviceToDevice) queue.log->now().bytes += static_cast<int64_t>(bytes);
  }
  checkCuda(cudaMemcpyAsync(to, from, bytes, kind, static_cast<cudaStream_t>(queue.stream)), "copy", queue.label);
}

void uploadThroughRing(Queue& queue, unsigned char* to, const unsigned char* from, size_t bytes) {
  if (queue.recording) throw DeviceError(std::string("CUDA: '") + queue.label + "' uploads numbers of the host within a recording");
  UploadRing& ring = *queue.uploads;
  while (bytes > 0) {
    if (ring.used == UploadRing::kBytes) {
      synchronize(queue);
      ring.used = 0;
    }
    const size_t piece = std::min(bytes, UploadRing::kBytes - ring.used);
    unsigned char* const staged = ring.memory + ring.used;
    std::memcpy(staged, from, piece);
    copyOnStream(queue, to, staged, piece, cudaMemcpyHostToDevice);
    ring.used += piece;
    to += piece;
    from += piece;
    bytes -= piece;
  }
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
  if (queue.target == Target::Cuda) return uploadThroughRing(queue, static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from), bytes);
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
    if (queue.measures()) return;
    if (queue.log != nullptr) ++queue.log->now().transfers;
    checkCuda(cudaMemsetAsync(to, byte, bytes, static_cast<cudaStream_t>(queue.stream)), "fill", queue.label);
    return;
  }
#endif
  (void)queue;
  std::memset(to, byte, bytes);
}

void StageClock::stamp(Queue& queue) {
  if (queue.recording) return;  // an event of a recording is none that can be asked
  if (used_ == marks_.size()) marks_.push_back({"", 0, nullptr});
  Mark& mark = marks_[used_];
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    cudaEvent_t event = static_cast<cudaEvent_t>(mark.event);
    if (event == nullptr) checkCuda(cudaEventCreate(&event), "event creation", queue.label);
    mark.event = event;
    checkCuda(cudaEventRecord(event, static_cast<cudaStream_t>(queue.stream)), "event", queue.label);
    ++used_;
    return;
  }
#endif
  (void)queue;
  mark.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  ++used_;
}

void StageClock::begin(Queue& queue) {
  used_ = 0;
  missing_ = false;
  if (queue.memory != nullptr) queue.memory->mark("between steps");
  if (runs_) stamp(queue);
}

void StageClock::mark(Queue& queue, const char* stage) noexcept {
  try {
    if (runs_) {
      stamp(queue);
      if (used_ > 0) marks_[used_ - 1].stage = stage;
    }
    if (queue.log != nullptr) queue.log->mark(stage);
    if (queue.memory != nullptr) queue.memory->mark(stage);
  } catch (const std::exception&) {
    missing_ = true;  // what has failed fails again where a step begins
  }
}

std::vector<std::pair<std::string, double>> StageClock::read(Queue& queue) const {
  std::vector<std::pair<std::string, double>> times;
  if (missing_) throw DeviceError(std::string("the times of the last step are not known: a mark failed after '") + queue.label + "'");
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda && used_ > 0)
    checkCuda(cudaEventSynchronize(static_cast<cudaEvent_t>(marks_[used_ - 1].event)), "event", queue.label);
#endif
  for (size_t i = 1; i < used_; ++i) {
    double passed = marks_[i].milliseconds - marks_[i - 1].milliseconds;
#if CAIRN_WITH_CUDA
    if (queue.target == Target::Cuda) {
      float elapsed = 0;
      const auto before = static_cast<cudaEvent_t>(marks_[i - 1].event), after = static_cast<cudaEvent_t>(marks_[i].event);
      checkCuda(cudaEventElapsedTime(&elapsed, before, after), "event", queue.label);
      passed = elapsed;
    }
#endif
    size_t k = 0;
    while (k < times.size() && times[k].first != marks_[i].stage) ++k;
    if (k == times.size()) times.emplace_back(marks_[i].stage, 0.0);
    times[k].second += passed;
  }
  (void)queue;
  return times;
}

StageClock::~StageClock() {
#if CAIRN_WITH_CUDA
  for (const Mark& mark : marks_) {
    if (mark.event != nullptr) cudaEventDestroy(static_cast<cudaEvent_t>(mark.event));
  }
#endif
}

}  // namespace cairn::v0
