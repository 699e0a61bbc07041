// Memory that is read later, on its way while something else is computed. For code of the CPU alone: a device has other threads instead.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::v0 {

// Always inlined: a function that does nothing but fetch has no effect that the compiler knows of, and its calls would be dropped.
#define CAIRN_FETCH __attribute__((always_inline)) inline

constexpr int kLineBytes = 64;

// All lines of `count` records side by side, into the second-level cache. The first has room for few lines that are not there yet, and who asks it for
// more of them waits: walls beyond the caches took twice as long.
template <class Record> CAIRN_FETCH void fetch(const Record* first, size_t count = 1) {
  constexpr int kSecondLevel = 2;
  auto at = reinterpret_cast<const char*>(first);
  const char* const end = at + count * sizeof(Record);
  for (; at < end; at += kLineBytes) __builtin_prefetch(at, 0, kSecondLevel);
}

}  // namespace cairn::v0
