// Groups of threads as far as Cairn uses them: the grid of a cooperative launch, and the block.
#pragma once

#include <cuda_runtime.h>

namespace cooperative_groups {

class grid_group {
 public:
  void sync() const { emulated::gridBarrier(); }

  // Threads wait for each other where they wait: what one does after it has arrived counts as done before it.
  using arrival_token = unsigned;
  arrival_token barrier_arrive() const { return 0; }
  void barrier_wait(arrival_token&&) const { emulated::gridBarrier(); }
};
class thread_block {
 public:
  void sync() const { emulated::blockBarrier(); }
};

inline grid_group this_grid() { return {}; }
inline thread_block this_thread_block() { return {}; }

}  // namespace cooperative_groups
