// Runs a launch: its threads one after another, those of a block or of a cooperative grid together as far as barriers ask for it.
#include "tests/device/launches.hpp"

#include "tests/device/fibers.hpp"
#include "tests/device/races.hpp"
#include "tests/device/reports.hpp"
#include "tests/device/settings.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace emulated {

bool checksRaces = true;
int runningDevice = 0;

namespace {

constexpr unsigned kWarp = 32;

struct Block {
  unsigned number;  // in the grid
  unsigned phase, atBarrier, finished;
};

void runThreads(Fiber& self);

unsigned product(const dim3& extent) { return extent.x * extent.y * extent.z; }
uint3 placeIn(const dim3& extent, unsigned linear) { return {linear % extent.x, linear / extent.x % extent.y, linear / extent.x / extent.y}; }

// Threads that are alive at the same time: those of one block, or all of a cooperative grid.
class Batch {
 public:
  Batch(const Launch& launch, FiberPool& pool, std::mt19937& shuffle)
      : launch_(launch), pool_(pool), shuffle_(shuffle), size_(product(launch.shape.block)) {
    for (const auto& argument : launch.arguments) pointers_.push_back(const_cast<std::max_align_t*>(argument.data()));
  }

  cudaError_t run(unsigned firstBlock, unsigned blockCount);

  // For the threads themselves.
  DeviceThread* nextToStart();
  void call() const { launch_.code.call(launch_.code.kernel, pointers_.data()); }
  void finish(DeviceThread& thread);
  void wait(DeviceThread& thread, Waiting what);
  void abandon(cudaError_t error) { error_ = error; }
  uint64_t warpValue(const DeviceThread& thread, unsigned lane) const;
  const LaunchShape& shape() const { return launch_.shape; }

 private:
  void prepare(unsigned firstBlock, unsigned blockCount);
  void goOn(Fiber* fiber);
  bool release();
  void releaseBlock(size_t block);
  void releaseGrid();
  bool releaseWarps();
  void newSegments(size_t block);
  std::string whoWaits() const;
  DeviceThread* threadsOf(size_t block) { return threads_.data() + block * size_; }

  const Launch& launch_;
  FiberPool& pool_;
  std::mt19937& shuffle_;
  const unsigned size_;  // threads a block
  std::vector<void*> pointers_;
  std::vector<DeviceThread> threads_;
  std::vector<Block> blocks_;
  std::vector<unsigned> order_;
  std::vector<uint64_t> laneValues_;  // what the threads gave to their last warp barrier
  size_t next_ = 0, unfinished_ = 0, atGrid_ = 0, atWarp_ = 0;
  bool parked_ = false;
  cudaError_t error_ = cudaSuccess;
};

// Of the launch that runs on this thread of the process. Read by fibers, which always run on the thread that has made them.
thread_local Batch* batch = nullptr;

void orderBy(std::vector<unsigned>& order, size_t count, std::mt19937& shuffle) {
  order.resize(count);
  std::iota(order.begin(), order.end(), 0u);
  const unsigned choice = settings().order;
  if (choice == 1) std::reverse(order.begin(), order.end());
  if (choice > 1) std::shuffle(order.begin(), order.end(), shuffle);
}

void Batch::prepare(unsigned firstBlock, unsigned blockCount) {
  blocks_.resize(blockCount);
  threads_.resize(static_cast<size_t>(blockCount) * size_);
  laneValues_.resize(threads_.size());
  for (unsigned b = 0; b < blockCount; ++b) {
    blocks_[b] = {firstBlock + b, 0, 0, 0};
    const uint3 place = placeIn(launch_.shape.grid, firstBlock + b);
    for (unsigned i = 0; i < size_; ++i) {
      DeviceThread& thread = threadsOf(b)[i];
      thread = {};
      thread.index = placeIn(launch_.shape.block, i);
      thread.blockIndex = place;
      thread.linear = i;
      thread.block = firstBlock + b;
      thread.known = thread.pending = -1;
    }
    newSegments(b);
  }
  orderBy(order_, threads_.size(), shuffle_);
  next_ = atGrid_ = atWarp_ = 0;
  unfinished_ = threads_.size();
}

cudaError_t Batch::run(unsigned firstBlock, unsigned blockCount) {
  prepare(firstBlock, blockCount);
  while (next_ < order_.size() && error_ == cudaSuccess) goOn(pool_.take());
  while (unfinished_ > 0 && error_ == cudaSuccess) {
    if (!release()) {
      report(Finding::Barrier, whoWaits(), nullptr);
      error_ = cudaErrorLaunchTimeout;  // a real device would wait on
      break;
    }
    for (unsigned i : order_) {
      if (error_ != cudaSuccess) break;
      if (threads_[i].waiting != Waiting::Nothing) continue;
      currentThread = &threads_[i];
      goOn(threads_[i].fiber);
    }
  }
  if (error_ != cudaSuccess) pool_.forgetAll();
  return error_;
}

void Batch::goOn(Fiber* fiber) {
  parked_ = false;
  fiber->enter();
  currentThread = nullptr;
  if (!parked_ && error_ == cudaSuccess) pool_.giveBack(fiber);
}

DeviceThread* Batch::nextToStart() { return next_ < order_.size() ? &threads_[order_[next_++]] : nullptr; }

void Batch::finish(DeviceThread& thread) {
  thread.waiting = Waiting::Finished;
  ++blocks_[thread.block - blocks_[0].number].finished;
  --unfinished_;
}

void Batch::wait(DeviceThread& thread, Waiting what) {
  thread.waiting = what;
  if (what == Waiting::Block) ++blocks_[thread.block - blocks_[0].number].atBarrier;
  if (what == Waiting::Grid) ++atGrid_;
  if (what == Waiting::Warp) ++atWarp_;
  parked_ = true;
  thread.fiber->leave();
}

// --- barriers --------------------------------------------------------------------------------------------------

bool Batch::release() {
  bool released = false;
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    if (block.atBarrier == 0 || block.atBarrier + block.finished < size_) continue;
    if (block.finished > 0) {
      report(Finding::Barrier, std::to_string(block.finished) + " threads of block " + std::to_string(block.number) + " have ended before it",
             nullptr);
    }
    releaseBlock(b);
    released = true;
  }
  if (atGrid_ > 0 && atGrid_ == threads_.size()) {
    releaseGrid();
    released = true;
  }
  return (atWarp_ > 0 && releaseWarps()) || released;
}

void Batch::newSegments(size_t block) {
  DeviceThread* const threads = threadsOf(block);
  for (unsigned first = 0; first < size_; first += kWarp) {
    const uint64_t segment = newSegment(blocks_[block].number, blocks_[block].phase, first / kWarp);
    for (unsigned i = first; i < std::min(first + kWarp, size_); ++i) {
      const uint64_t fences = threads[i].tag & static_cast<uint64_t>(kMostFences) << kFenceShift;
      threads[i].tag = segment | static_cast<uint64_t>(i - first) << kLaneShift | fences;
    }
  }
}

void Batch::releaseBlock(size_t block) {
  int knowledge = -1;
  for (unsigned i = 0; i < size_; ++i) joinKnowledge(knowledge, threadsOf(block)[i]);
  ++blocks_[block].phase;
  blocks_[block].atBarrier = 0;
  newSegments(block);
  for (unsigned i = 0; i < size_; ++i) {
    DeviceThread& thread = threadsOf(block)[i];
    thread.known = knowledge;
    if (thread.waiting == Waiting::Block) thread.waiting = Waiting::Nothing;
  }
}

void Batch::releaseGrid() {
  beginEpoch();
  for (size_t b = 0; b < blocks_.size(); ++b) {
    ++blocks_[b].phase;
    newSegments(b);
  }
  for (DeviceThread& thread : threads_) {
    thread.known = thread.pending = -1;
    thread.waiting = Waiting::Nothing;
  }
  atGrid_ = 0;
}

// Threads of a warp that all wait with the same mask, which names just them.
bool Batch::releaseWarps() {
  bool released = false;
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].waiting != Waiting::Warp) continue;
    const unsigned mask = threads_[i].warpMask;
    const size_t first = i - threads_[i].linear % kWarp;
    unsigned there = 0;
    for (unsigned lane = 0; lane < kWarp && first + lane < threads_.size(); ++lane) {
      const DeviceThread& thread = threads_[first + lane];
      if (thread.block == threads_[i].block && thread.waiting == Waiting::Warp && thread.warpMask == mask) there |= 1u << lane;
    }
    // A warp at the end of a block may have fewer lanes than a full mask names.
    const unsigned lanes = std::min(kWarp, size_ - threads_[first].linear);
    const unsigned needed = lanes == kWarp ? mask : mask & ((1u << lanes) - 1);
    if (there != needed) continue;
    const size_t block = first / size_;
    const uint64_t segment = newSegment(threads_[i].block, blocks_[block].phase, threads_[first].linear / kWarp);
    unsigned ballot = 0;
    for (unsigned lane = 0; lane < lanes; ++lane)
      if ((there >> lane & 1) != 0 && threads_[first + lane].warpValue != 0) ballot |= 1u << lane;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((there >> lane & 1) == 0) continue;
      DeviceThread& thread = threads_[first + lane];
      thread.warpBallot = ballot;
      thread.tag = segment | (thread.tag & ((uint64_t(1) << kSegmentShift) - 1));
      thread.waiting = Waiting::Nothing;
      laneValues_[first + lane] = thread.warpValue;
      --atWarp_;
    }
    released = true;
  }
  return released;
}

// Until the thread waits again: nobody of its mask is released before.
uint64_t Batch::warpValue(const DeviceThread& thread, unsigned lane) const {
  const size_t self = static_cast<size_t>(&thread - threads_.data()), first = self - thread.linear % kWarp;
  const bool there = (thread.warpMask >> lane & 1) != 0 && thread.linear / kWarp * kWarp + lane < size_;
  return there ? laneValues_[first + lane] : 0;
}

std::string Batch::whoWaits() const {
  size_t count[5] = {};
  for (const DeviceThread& thread : threads_) ++count[static_cast<size_t>(thread.waiting)];
  const auto number = [&](Waiting what) { return std::to_string(count[static_cast<size_t>(what)]); };
  return "of " + std::to_string(threads_.size()) + " threads " + number(Waiting::Block) + " wait for their block, " + number(Waiting::Grid) +
         " for the grid, " + number(Waiting::Warp) + " for their warp, and " + number(Waiting::Finished) + " have ended; none can go on";
}

void runThreads(Fiber& self) {
  Batch& mine = *batch;
  while (DeviceThread* const thread = mine.nextToStart()) {
    thread->fiber = &self;
    thread->stackLow = self.stackLow();
    thread->stackSize = self.stackSize();
    currentThread = thread;
    mine.call();
    currentThread = nullptr;
    mine.finish(*thread);
  }
}

FiberPool& fiberPool() {
  static thread_local FiberPool pool(runThreads);
  return pool;
}

const Launch* runningLaunch = nullptr;
unsigned launchesRun = 0;

}  // namespace

std::string nameOf(const DeviceThread& thread) { return "thread " + std::to_string(thread.linear) + " of block " + std::to_string(thread.block); }

void abandonLaunch(const DeviceThread& thread, cudaError_t error) {
  batch->abandon(error);
  thread.fiber->leave();
  __builtin_unreachable();
}

std::string parameterNote(const void* address) {
  if (runningLaunch == nullptr) return {};
  constexpr uintptr_t kNear = 1 << 20;
  for (int k = 0; k < runningLaunch->code.count; ++k) {
    const char* const parameter = reinterpret_cast<const char*>(runningLaunch->arguments[static_cast<size_t>(k)].data());
    for (size_t at = 0; at + sizeof(uintptr_t) <= runningLaunch->code.sizes[k]; at += sizeof(uintptr_t)) {
      uintptr_t word;
      std::memcpy(&word, parameter + at, sizeof word);
      if (word == 0 || reinterpret_cast<uintptr_t>(address) - word >= kNear) continue;
      return ", " + std::to_string(reinterpret_cast<uintptr_t>(address) - word) + " bytes behind the pointer at byte " + std::to_string(at) +
             " of parameter " + std::to_string(k);
    }
  }
  return {};
}

cudaError_t runLaunch(const Launch& launch) {
  runningLaunch = &launch;
  runningDevice = launch.device;
  checksRaces = settings().checkRaces;
  currentPlace().kernel = launch.code.kernel;
  std::mt19937 shuffle(settings().order + launchesRun++);
  beginEpoch();
  Batch mine(launch, fiberPool(), shuffle);
  batch = &mine;
  cudaError_t status = cudaSuccess;
  const unsigned blocks = product(launch.shape.grid);
  if (launch.shape.cooperative) {
    status = mine.run(0, blocks);
  } else {
    std::vector<unsigned> order;
    orderBy(order, blocks, shuffle);
    for (size_t i = 0; i < order.size() && status == cudaSuccess; ++i) status = mine.run(order[i], 1);
  }
  batch = nullptr;
  runningLaunch = nullptr;
  currentPlace().kernel = nullptr;
  return status;
}

// --- what kernels call -----------------------------------------------------------------------------------------

uint3 threadIndex() { return currentThread->index; }
uint3 blockIndex() { return currentThread->blockIndex; }
dim3 blockExtent() { return batch->shape().block; }
dim3 gridExtent() { return batch->shape().grid; }
unsigned laneIndex() { return currentThread->linear % kWarp; }
bool inKernel() { return currentThread != nullptr; }

void blockBarrier() { batch->wait(*currentThread, Waiting::Block); }

void gridBarrier() {
  if (!batch->shape().cooperative) {
    const AsHost host;
    report(Finding::Barrier, "the grid waits for itself in a launch that is not cooperative", __builtin_return_address(0), host.thread);
    abandonLaunch(*host.thread, cudaErrorLaunchFailure);
  }
  batch->wait(*currentThread, Waiting::Grid);
}

void warpBarrier(unsigned mask, uint64_t value) {
  DeviceThread& thread = *currentThread;
  thread.warpMask = mask;
  thread.warpValue = value;
  batch->wait(thread, Waiting::Warp);
}
uint64_t warpValue(unsigned lane) { return batch->warpValue(*currentThread, lane); }
unsigned warpBallot() { return currentThread->warpBallot; }

}  // namespace emulated
