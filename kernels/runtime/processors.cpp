// Apart from the runtime, so that cairn_io can have it without the device's.
#include "kernels/runtime/runtime.hpp"

#include <sched.h>

namespace cairn::v0 {

int defaultThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    const int count = CPU_COUNT(&set);
    if (count > 0) return count;
  }
  return 1;
}

}  // namespace cairn::v0
