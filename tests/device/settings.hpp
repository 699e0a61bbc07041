// What the emulated device says of itself and in which order it works: from the environment (README.md), changed by tests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulated {

constexpr int kMaxDevices = 2;

struct Settings {
  int devices;          // 0 .. 2
  int multiprocessors;  // >= 1
  int residentBlocks;   // a multiprocessor, >= 1
  bool cooperative;     // whether grids can wait at a barrier
  unsigned order;       // of blocks and threads: 0 ascending, 1 descending, else the seed of a shuffle
  size_t memory;        // [bytes] of each device
  uint32_t fill;        // what fresh memory holds
  long failAllocation;  // the so-manieth cudaMalloc from now on fails; 0: none
  long failRequest;     // likewise of all that takes something of the system: memory of the device, pinned memory, streams, events, graphs to launch
  int capability;       // 90: 9.0
  bool checkRaces, checkUnwritten;
};

Settings& settings();
Settings settingsOfEnvironment();

// Called by each such request: whether it is the one that fails.
bool isFailingRequest();

}  // namespace emulated
