// Memory that is read later, on its way while something else is computed. For code of the CPU alone: a device has other threads instead.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::v0 {

// Always inlined: a function that does nothing but fetch has no effect that the compiler knows of, and its calls would be dropped.
#define CAIRN_FETCH __attribute__((always_inline)) inline

constexpr int kLineBytes = 64;

// From so many tiles of rows on, some 8 KB each in float, and so many bodies, they are more than the second-level cache holds. Below, fetches only
// cost.
constexpr int kFetchedTiles = 512, kFetchedBodies = 4096;

// The line at `address`, into the second-level cache. The first has room for few lines that are not there yet, and who asks it for more of them
// waits: walls beyond the caches took twice as long.
CAIRN_FETCH void fetchLine(const void* address) {
  constexpr int kSecondLevel = 2;
  __builtin_prefetch(address, 0, kSecondLevel);
}

// All lines of `count` records side by side. The loop counts addresses: where it counted bytes beside a base, a sweep had nothing from its fetches.
template <class Record> CAIRN_FETCH void fetch(const Record* first, size_t count = 1) {
  const char* const end = reinterpret_cast<const char*>(first + count);
  for (auto at = reinterpret_cast<const char*>(reinterpret_cast<uintptr_t>(first) / kLineBytes * kLineBytes); at < end; at += kLineBytes) {
    fetchLine(at);
  }
}

}  // namespace cairn::v0
