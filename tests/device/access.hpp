// Checks of what threads of the emulated device do to memory.
#pragma once

#include <cstddef>

namespace emulated {

enum class AccessKind { Read, Write, Atomic };

// Records are copied with the gaps between their fields: the longest gap is one byte short of the widest word.
constexpr size_t kMostPadding = 7;

// Before an access of the current device thread. `site` is the code's address. Bytes of `padding` in a row may be unwritten.
void checkAccess(const void* address, size_t bytes, AccessKind kind, const void* site, size_t padding = 0);

}  // namespace emulated
