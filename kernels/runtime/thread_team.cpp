#include "kernels/runtime/thread_team.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace cairn::v0 {
namespace {

// Many pieces a thread share a loop evenly; of few items they would take longer to hand out than to do.
constexpr int kPiecesAThread = 4, kPiecesOfFew = 2;
constexpr int64_t kFewItemsAThread = 32;
// A thread looks out for the next loop this long before it sleeps: about what the serial parts of a step take.
constexpr std::chrono::microseconds kLookout{100};
// The caller looks at pieces that others are at this long before it leaves the processor to them.
constexpr std::chrono::microseconds kPatience{20};
constexpr int kPauses = 32;  // between two looks at the clock

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Until `seen` or the time is over; whether it was seen.
template <class Condition> bool watch(const Condition& seen, std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int k = 0; k < kPauses; ++k) {
      if (seen()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

ThreadTeam::ThreadTeam(int threads)
    : threads_(std::max(threads, 1)), posts_(new Post[static_cast<size_t>(threads_)]), bed_(std::make_unique<Bed>()) {}

ThreadTeam::~ThreadTeam() {
  if (others_.empty()) return;
  if (process_ != getpid()) {
    for (std::thread& thread : others_) thread.detach();
    (void)bed_.release();  // its end would wait for those that sleep in it, who are not here to wake up
    return;
  }
  over_ = true;
  {
    const std::lock_guard<std::mutex> lock(bed_->mutex);
    ++loop_;
  }
  bed_->awake.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void ThreadTeam::startOthers() {
  process_ = getpid();
  others_.reserve(static_cast<size_t>(threads_) - 1);
  for (int self = 1; self < threads_; ++self) {
    try {
      others_.emplace_back([this, self] { work(self); });
    } catch (const std::system_error&) {
      return;  // their pieces are taken by those that are there
    }
  }
}

void ThreadTeam::runPieces(int64_t count, Piece piece, const void* body) {
  if (count <= 0) return;
  if (threads_ == 1) return piece(body, 0, count);
  if (others_.empty()) startOthers();
  const int64_t each = count < threads_ * kFewItemsAThread ? kPiecesOfFew : kPiecesAThread;
  const int pieces = static_cast<int>(std::min(count, threads_ * each));
  left_.store(pieces, std::memory_order_relaxed);
  const uint32_t loop = loop_.load(std::memory_order_relaxed) + 1;
  for (int t = 0; t < threads_; ++t) {
    Post& post = posts_[t];
    post.piece.store(piece, std::memory_order_relaxed);
    post.body.store(body, std::memory_order_relaxed);
    post.count.store(count, std::memory_order_relaxed);
    post.pieces.store(pieces, std::memory_order_relaxed);
    const int own = firstPiece(t + 1, pieces) - firstPiece(t, pieces);
    post.word.store(uint64_t(loop) << 32 | uint64_t(own) << 16, std::memory_order_release);
  }
  loop_.store(loop);
  if (asleep_.load() > 0 && process_ == getpid()) {
    { const std::lock_guard<std::mutex> lock(bed_->mutex); }  // whoever is about to sleep does so before the call
    bed_->awake.notify_all();
  }
  takePart(0, loop);
  const auto done = [this] { return left_.load(std::memory_order_acquire) == 0; };
  if (watch(done, kPatience)) return;
  while (!done()) sched_yield();
}

// `piece`: counted from the owner's first.
bool ThreadTeam::takePieceOf(int owner, uint32_t loop, int& piece) {
  std::atomic<uint64_t>& word = posts_[owner].word;
  uint64_t seen = word.load(std::memory_order_acquire);
  do {
    const int own = static_cast<int>(seen >> 16 & 0xffff);
    piece = static_cast<int>(seen & 0xffff);
    if (seen >> 32 != loop || piece >= own) return false;
  } while (!word.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

void ThreadTeam::takePart(int self, uint32_t loop) {
  int done = 0;
  for (int k = 0; k < threads_; ++k) {
    const int owner = (self + k) % threads_;
    for (int piece = 0; takePieceOf(owner, loop, piece); ++done) {
      const Post& post = posts_[owner];
      const int64_t count = post.count.load(std::memory_order_relaxed);
      const int pieces = post.pieces.load(std::memory_order_relaxed), at = firstPiece(owner, pieces) + piece;
      post.piece.load(std::memory_order_relaxed)(post.body.load(std::memory_order_relaxed), count * at / pieces, count * (at + 1) / pieces);
    }
  }
  if (done > 0) left_.fetch_sub(done, std::memory_order_acq_rel);
}

// False at the end.
bool ThreadTeam::waitForLoop(int self, uint32_t last) {
  // The end may have come with the loop that this thread was late for: then there is no further one to wait for.
  if (watch([this, self, last] { return over_ || loopOf(self) != last; }, kLookout)) return !over_;
  std::unique_lock<std::mutex> lock(bed_->mutex);
  ++asleep_;
  bed_->awake.wait(lock, [this, last] { return over_ || loop_.load() != last; });
  --asleep_;
  return !over_;
}

void ThreadTeam::work(int self) {
  // The loop that it was started for may be over already, or still be under way.
  for (uint32_t last = 0; waitForLoop(self, last);) {
    last = loopOf(self);
    takePart(self, last);
  }
}

}  // namespace cairn::v0
