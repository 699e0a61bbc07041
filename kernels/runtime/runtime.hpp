// Queue and Buffer, the places where work runs and data lies, and the handful of runtime calls that both targets have. No CUDA types here.
#pragma once

#include "kernels/runtime/devices.hpp"
#include "kernels/runtime/thread_team.hpp"

#include <cairn/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace cairn::v0 {

enum class Target { Cpu, Cuda };

// The memory of a Buffer.
struct MemoryShare {
  const void* address;
  const char* stage;    // of a step, that the memory was asked for in; null: no stage has ended since
  const char* element;  // type, as the compiler writes it
  size_t elementBytes, elements;

  size_t bytes() const { return elementBytes * elements; }
};

// Memory that Buffers have given up, as it was, for somebody who still looks there. Given back when this goes.
class HeldMemory {
 public:
  HeldMemory() = default;
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() { clear(); }

  void take(Target target, void* address) noexcept;
  void clear();

 private:
  std::vector<std::pair<Target, void*>> pieces_;
};

// Bytes held by Buffers: now, the maximum so far (with what is copied from while an array moves), and which they are.
class MemoryMeter {
 public:
  size_t current = 0;
  size_t peak = 0;
  HeldMemory* held = nullptr;  // that takes what they give up, and outlives them; null: it is given back at once

  void add(const MemoryShare& share);
  void remove(const void* address);
  // What was asked for since the last mark belongs to this stage.
  void mark(const char* stage);
  const std::vector<MemoryShare>& shares() const { return shares_; }

 private:
  std::vector<MemoryShare> shares_;
};

// What a queue on a device was asked for. Whoever wants to know sets Queue::log.
struct LaunchCounts {
  int64_t launches = 0;   // kernels, those of library algorithms as far as they are known
  int64_t sweeps = 0;     // of these, those that sweep over colours
  int64_t transfers = 0;  // copies and fills
  int64_t bytes = 0;      // that copies move between host and device
  int64_t waits = 0;      // of the host for the device

  void add(const LaunchCounts& other);
};
class LaunchLog {
 public:
  LaunchCounts& now() { return now_; }
  // What was counted since the last mark belongs to this stage.
  void mark(const char* stage);
  const std::vector<std::pair<std::string, LaunchCounts>>& stages() const { return stages_; }  // in the order of their first marks
  void clear();

 private:
  LaunchCounts now_;
  std::vector<std::pair<std::string, LaunchCounts>> stages_;
};
// Queues that are made while this lives write to its log.
class LaunchLogging {
 public:
  explicit LaunchLogging(LaunchLog& log);
  LaunchLogging(const LaunchLogging&) = delete;
  LaunchLogging& operator=(const LaunchLogging&) = delete;
  ~LaunchLogging();
};

struct UploadRing;
struct ResidentBlocks;

// Memory that a queue's Buffers get instead of memory of their own: one piece after the other, none of which comes back before the whole is over.
// What was in a Buffer that grows stays where it is for launches that are still under way, so that nothing has to wait.
class Arena {
 public:
  static constexpr size_t kAlignment = 256;

  Arena(void* memory, size_t bytes) : memory_(static_cast<unsigned char*>(memory)), bytes_(bytes) {}
  // An arena that finds out how much is needed: its addresses are those of no memory, and a queue that has it launches nothing.
  static Arena forMeasuring() { return Arena(nullptr, SIZE_MAX); }

  bool measures() const { return memory_ == nullptr; }
  size_t used() const { return used_; }
  void* take(size_t bytes);  // throws CapacityError

 private:
  unsigned char* memory_;
  size_t bytes_, used_ = 0;
};

// In-order work on one target. Launches on Cuda return before the work is done; everything on Cpu is done on return.
struct Queue {
  Target target = Target::Cpu;
  std::shared_ptr<ThreadTeam> team;          // Cpu only
  void* stream = nullptr;                    // Cuda only: a cudaStream_t
  bool ownsStream = true;                    // Cuda only
  int device = kCurrentDevice;               // Cuda only: where the stream is; whoever uses the queue makes it the current one (DeviceScope)
  int multiprocessors = 0;                   // Cuda only
  bool cooperative = false;                  // Cuda only: whether the blocks of a grid can wait for each other
  bool recording = false;                    // Cuda only: what it is asked for is put down instead of done (RecordedWork)
  UploadRing* uploads = nullptr;             // Cuda only: what is on its way to the device
  ResidentBlocks* residentBlocks = nullptr;  // Cuda only: answers of the device about kernels
  uint64_t allocations = 0;                  // of Buffers so far: an address from before may be another's now
  const char* label = "";                    // of the last launch, "stage/object": named when the device fails
  MemoryMeter* memory = nullptr;             // may be null; must outlive the buffers made with this queue
  LaunchLog* log = nullptr;                  // may be null
  Arena* arena = nullptr;                    // that its Buffers lie in; null: each has memory of its own

  bool measures() const { return arena != nullptr && arena->measures(); }
};

// --- queues ----------------------------------------------------------------------------------------------------
int defaultThreads();                   // processors this process may run on
size_t availableMemory(Target target);  // bytes that can still be had, as well as the system tells

Queue makeCpuQueue(int threads);
Queue makeCudaQueue(int device = kCurrentDevice, void* stream = nullptr);  // null: makes one; throws DeviceError without a device
void releaseQueue(Queue& queue);
void synchronize(Queue& queue);  // waits for all work so far; throws DeviceError with the queue's label

// --- memory ----------------------------------------------------------------------------------------------------
void* allocateBytes(const Queue& queue, size_t bytes);  // 256-byte aligned; throws CapacityError, or DeviceError where the device has failed
void releaseBytes(Target target, void* address);
// For tests of what a failure leaves behind: the n-th allocation from now on throws CapacityError, on any target; 0: none does.
void failAllocation(int n);
// Fresh memory on Cpu in builds without NDEBUG, by words.
constexpr uint32_t kUnwritten = 0xfff4dead;
void copyBytes(Queue& queue, void* to, const void* from, size_t bytes);      // within the target
void uploadBytes(Queue& queue, void* to, const void* from, size_t bytes);    // host to target
void downloadBytes(Queue& queue, void* to, const void* from, size_t bytes);  // target to host; waits
void fillBytes(Queue& queue, void* to, int byte, size_t bytes);

// --- time ------------------------------------------------------------------------------------------------------

// The time that each stage of a step takes, without waiting for the device: marks are clock readings on Cpu and events on Cuda. Who asks for no times
// gets a clock that stands still: it reads and records nothing, and only tells the queue's log which stage is over.
class StageClock {
 public:
  explicit StageClock(bool runs = true) : runs_(runs) {}
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;
  ~StageClock();

  void begin(Queue& queue);  // forgets the last step
  // What ran since the last mark belongs to this stage; the name must outlive the clock. A mark that cannot be made spoils the times, not the step.
  void mark(Queue& queue, const char* stage) noexcept;
  // Milliseconds by stage, in the order of their first marks; none of a clock that stands still. Waits for the last mark. Throws DeviceError if one
  // is missing.
  std::vector<std::pair<std::string, double>> read(Queue& queue) const;

 private:
  void stamp(Queue& queue);

  struct Mark {
    const char* stage;
    double milliseconds;  // Cpu: since an arbitrary start
    void* event;          // Cuda
  };
  bool runs_;
  std::vector<Mark> marks_;
  size_t used_ = 0;
  bool missing_ = false;  // a mark since `begin`
};

// --- arrays ----------------------------------------------------------------------------------------------------

// Arrays from this size on are worth being careful with.
constexpr size_t kLargeArray = size_t(1) << 20;  // bytes
// A large array that so many resizes in a row have left more than half empty gives back what none of them needed: the scene was wilder once.
constexpr int kRoomyResizes = 60;

// An array on a queue's target. Not copyable. `resize` leaves new contents undefined unless it says keep.
template <class T> class Buffer {
  static_assert(std::is_trivially_copyable<T>::value, "device arrays hold plain data");

 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() { release(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }

  // Grows by half at least, large arrays by an eighth, so that a slowly growing scene does not allocate every step. Strong guarantee: on
  // CapacityError nothing changed.
  void resize(Queue& queue, size_t count) {
    grow(queue, count, false);
    giveBack(queue);
  }
  void resizeKeep(Queue& queue, size_t count) { grow(queue, count, true); }
  // Room for a later resize to so many, which then does not throw.
  void reserve(Queue& queue, size_t count) {
    const size_t size = size_;
    grow(queue, count, true);
    size_ = size;
  }
  void fillZero(Queue& queue) { fillBytes(queue, data_, 0, size_ * sizeof(T)); }
  void upload(Queue& queue, const T* from, size_t count) {
    resize(queue, count);
    uploadBytes(queue, data_, from, count * sizeof(T));
  }
  void upload(Queue& queue, const std::vector<T>& from) { upload(queue, from.data(), from.size()); }
  std::vector<T> download(Queue& queue) const {
    std::vector<T> out(size_);
    downloadBytes(queue, out.data(), data_, size_ * sizeof(T));
    return out;
  }
  T read(Queue& queue, size_t index) const {
    T out;
    downloadBytes(queue, &out, data_ + index, sizeof(T));
    return out;
  }
  void write(Queue& queue, size_t index, const T& value) { uploadBytes(queue, data_ + index, &value, sizeof(T)); }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(target_, other.target_);
    std::swap(memory_, other.memory_);
    std::swap(inArena_, other.inArena_);
    std::swap(roomyResizes_, other.roomyResizes_);
    std::swap(mostOfRoomy_, other.mostOfRoomy_);
  }

 private:
  void grow(Queue& queue, size_t count, bool keep) {
    if (count > capacity_) {
      const size_t spare = queue.arena != nullptr ? 0 : capacity_ / (capacity_ * sizeof(T) < kLargeArray ? 2 : 8);
      move(queue, count > capacity_ + spare ? count : capacity_ + spare, keep ? size_ : 0);
    }
    size_ = count;
  }
  void giveBack(Queue& queue) {
    if (inArena_ || size_ > capacity_ / 2 || capacity_ * sizeof(T) < kLargeArray) {
      roomyResizes_ = 0;
      mostOfRoomy_ = 0;
      return;
    }
    mostOfRoomy_ = size_ > mostOfRoomy_ ? size_ : mostOfRoomy_;
    if (queue.recording || ++roomyResizes_ < kRoomyResizes) return;
    roomyResizes_ = 0;
    try {
      move(queue, mostOfRoomy_ + mostOfRoomy_ / 8 + 1, size_);
    } catch (const CapacityError&) {
      // Where there is no room to move to, what there is has to do.
    }
    mostOfRoomy_ = 0;
  }
  // To memory for `wanted` items, with the first `kept` ones.
  void move(Queue& queue, size_t wanted, size_t kept) {
    T* fresh = static_cast<T*>(allocateBytes(queue, wanted * sizeof(T)));
    try {
      if (queue.memory != nullptr) queue.memory->add({fresh, nullptr, typeid(T).name(), sizeof(T), wanted});
      if (kept > 0) copyBytes(queue, fresh, data_, kept * sizeof(T));
      if (data_ != nullptr && !inArena_ && queue.target == Target::Cuda) synchronize(queue);
    } catch (...) {
      if (queue.memory != nullptr) queue.memory->remove(fresh);
      if (queue.arena == nullptr) releaseBytes(queue.target, fresh);
      throw;
    }
    const size_t size = size_;
    release();
    data_ = fresh;
    size_ = size;
    capacity_ = wanted;
    target_ = queue.target;
    memory_ = queue.memory;
    inArena_ = queue.arena != nullptr;
    ++queue.allocations;
  }
  void release() {
    if (data_ == nullptr) return;
    if (memory_ != nullptr) memory_->remove(data_);
    if (!inArena_) {
      if (memory_ != nullptr && memory_->held != nullptr) {
        memory_->held->take(target_, data_);
      } else {
        releaseBytes(target_, data_);
      }
    }
    data_ = nullptr;
    capacity_ = size_ = 0;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  Target target_ = Target::Cpu;
  MemoryMeter* memory_ = nullptr;
  bool inArena_ = false;
  int roomyResizes_ = 0;    // in a row so far
  size_t mostOfRoomy_ = 0;  // items that one of them asked for
};

}  // namespace cairn::v0
