// The threads of a queue: each item once, whatever the threads do.
#include "kernels/runtime/thread_team.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace cairn {
namespace {

// How often each item was done.
std::vector<int> timesDone(ThreadTeam& team, int count) {
  std::vector<int> times(static_cast<size_t>(count), 0);
  team.run(count, [&times](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++times[static_cast<size_t>(i)];
  });
  return times;
}

TEST(ThreadTeam, DoesEachItemOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadTeam team(threads);
    for (const int count : {0, 1, 2, 7, 31, 1000}) EXPECT_EQ(timesDone(team, count), std::vector<int>(static_cast<size_t>(count), 1)) << count;
  }
}

// Loops that follow each other at once, of changing lengths: a thread that is late for one must not take pieces of the next for its own.
TEST(ThreadTeam, KeepsLoopsApart) {
  ThreadTeam team(4);
  std::vector<int64_t> sums(64);
  for (int loop = 0; loop < 20000; ++loop) {
    const int count = 1 + loop * 7 % 64;
    team.run(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sums[static_cast<size_t>(i)] = loop + i;
    });
    for (int i = 0; i < count; ++i) ASSERT_EQ(sums[static_cast<size_t>(i)], loop + i) << "loop " << loop;
  }
}

TEST(ThreadTeam, WakesAfterAWhile) {
  ThreadTeam team(3);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(timesDone(team, 100), std::vector<int>(100, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// A piece that takes long keeps its thread, and nobody else waits with work to do.
TEST(ThreadTeam, TakesOverWhatALateThreadHasNotBegun) {
  ThreadTeam team(2);
  std::atomic<int> others{0};
  std::atomic<bool> held{false};
  team.run(8, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (!held.exchange(true)) {
        for (int k = 0; k < 10000 && others < 7; ++k) std::this_thread::sleep_for(std::chrono::microseconds(100));
      } else {
        ++others;
      }
    }
  });
  EXPECT_EQ(others, 7);
}

TEST(ThreadTeam, WorksAloneInAForkedProcess) {
  ThreadTeam team(2);
  timesDone(team, 100);
  const pid_t child = fork();
  if (child == 0) {
    ThreadTeam own(2);
    _exit(timesDone(team, 1000) == std::vector<int>(1000, 1) && timesDone(own, 1000) == std::vector<int>(1000, 1) ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ThreadTeam, EndsInAForkedProcessThoughItsThreadsSleepInTheOther) {
  auto team = std::make_unique<ThreadTeam>(3);
  timesDone(*team, 100);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // much longer than they look out for a loop
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    team.reset();
    _exit(0);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "14: it waited until the alarm";
}

TEST(ThreadTeam, EndsWithoutALoop) { ThreadTeam team(4); }

}  // namespace
}  // namespace cairn
