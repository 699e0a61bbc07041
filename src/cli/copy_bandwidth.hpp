// What the memory of this machine, or of a CUDA device, gives: a yardstick beside measured times.
#pragma once

#include <cairn/world.hpp>

namespace cairn::cli {

// Bytes a second that a plain copy moves where the World runs, read and written ones both counted as STREAM does: on the CPU with as many threads as
// the World has, each over 64 MiB or more; on CUDA within the device. The median of several copies, measured once a process and kept. 0 where there
// is no memory for it.
double copyBandwidth(const World& world);

}  // namespace cairn::cli
