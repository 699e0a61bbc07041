// Checks of what threads of the emulated device do to memory.
#pragma once

#include <cstddef>

namespace emulated {

enum class AccessKind { Read, Write, Atomic };

// Before an access of the current device thread. `site` is the code's address.
void checkAccess(const void* address, size_t bytes, AccessKind kind, const void* site);

}  // namespace emulated
