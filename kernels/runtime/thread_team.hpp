// The threads of a queue on the CPU. They share the items of one loop after the other.
//
// A loop is cut into pieces, some for each thread, and a thread that has done its own takes those of others. So nobody waits for a thread that the
// system does not let run: on a busy machine a team is about as fast as the threads that do. Between loops a thread looks out for the next one for a
// moment, and then sleeps.
#pragma once

#include <cairn/export.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cairn::v0 {

class ThreadTeam {
 public:
  // The calling thread is one of them; the others start with the first loop. Where the system has no more threads the team is smaller.
  explicit ThreadTeam(int threads);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  int threads() const { return threads_; }

  // body(begin, end) for pieces that make up 0..count-1, each by some thread. Returns when all are done. For one caller at a time; body must neither
  // throw nor run a loop of the same team.
  template <class Body> void run(int64_t count, const Body& body) {
    runPieces(
        count, [](const void* of, int64_t begin, int64_t end) { (*static_cast<const Body*>(of))(begin, end); }, &body);
  }

 private:
  using Piece = void (*)(const void* body, int64_t begin, int64_t end);
  // What a thread has to know of a loop, in the one line of memory that it looks at: each further one would take as long to come as this one.
  struct alignas(64) Post {
    // How many pieces the thread has, and how many of them are taken, in 16 bits each; above them the number of the loop. So one word says whether
    // there is a piece, and who takes one knows that its loop is under way until the piece is done.
    std::atomic<uint64_t> word{0};
    // Of the loop that is under way, for those who have taken a piece from here.
    std::atomic<Piece> piece{nullptr};
    std::atomic<const void*> body{nullptr};
    std::atomic<int64_t> count{0};
    std::atomic<int> pieces{0};
  };

  int firstPiece(int thread, int pieces) const { return pieces * thread / threads_; }
  uint32_t loopOf(int thread) const { return static_cast<uint32_t>(posts_[thread].word.load(std::memory_order_acquire) >> 32); }
  void runPieces(int64_t count, Piece piece, const void* body);
  void startOthers();
  void work(int self);
  void takePart(int self, uint32_t loop);
  bool takePieceOf(int owner, uint32_t loop, int& piece);
  bool waitForLoop(int self, uint32_t last);

  const int threads_;
  std::unique_ptr<Post[]> posts_;  // by thread

  struct Bed {
    std::mutex mutex;
    std::condition_variable awake;
  };
  std::unique_ptr<Bed> bed_;  // where threads sleep until the next loop
  std::atomic<int> asleep_{0};
  std::atomic<bool> over_{false};  // whoever waits for a loop looks at it: in no line that loops write to
  std::vector<std::thread> others_;
  long process_ = 0;  // that the others are threads of: a fork does not take them along

  alignas(64) std::atomic<int> left_{0};       // pieces that are not done yet
  alignas(64) std::atomic<uint32_t> loop_{0};  // the number of loops so far; only those that sleep look at it
};

}  // namespace cairn::v0
