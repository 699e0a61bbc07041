// Threads of the emulated device: what each of them is while it runs, and the fibers that carry those that wait.
#pragma once

#include "tests/device/include/cuda_runtime.h"

#include <cstdint>
#include <string>

namespace emulated {

class Fiber;

enum class Waiting : unsigned char { Nothing, Block, Grid, Warp, Finished };

struct DeviceThread {
  uint64_t tag;  // who accesses, as the shadow of memory holds it (races.hpp)
  uintptr_t stackLow;
  size_t stackSize;
  uint3 index, blockIndex;
  unsigned linear;  // in the block
  unsigned block;   // in the grid
  Waiting waiting;
  unsigned warpMask;  // of the warp barrier it waits at
  uint64_t warpValue;
  unsigned warpBallot;  // who gave another value than 0 to the last warp barrier
  Fiber* fiber;         // that holds its stack while it waits
  int known;            // what it has learned through fences: a node of races.cpp, -1: nothing
  int pending;          // what its next fence learns
};

// Null while the host's code runs on this thread of the process.
extern thread_local DeviceThread* currentThread;

std::string nameOf(const DeviceThread& thread);

// While it lives, what runs is the emulation's own work and no kernel's: it may allocate, and is not checked.
class AsHost {
 public:
  AsHost() : thread(currentThread) { currentThread = nullptr; }
  ~AsHost() { currentThread = thread; }
  AsHost(const AsHost&) = delete;
  AsHost& operator=(const AsHost&) = delete;

  DeviceThread* const thread;
};

// Ends the launch: what runs on the device cannot go on. Called on the stack of a device thread.
[[noreturn]] void abandonLaunch(const DeviceThread& thread, cudaError_t error);

}  // namespace emulated
