// The memory of the emulated devices: one range of addresses that is unmapped while the host's code runs, with a shadow beside it.
//
// Addresses are never used twice, so that what was freed stays known as freed. For every four bytes the shadow has a byte that says which of them are
// allocated (low half) and which were ever written (high half), and three words that say who accessed them last (races.hpp).
#pragma once

#include "tests/device/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulated {

constexpr uintptr_t kArena = uintptr_t(1) << 45;
constexpr size_t kArenaSize = size_t(1) << 38;
constexpr uintptr_t kStates = uintptr_t(3) << 44;
constexpr uintptr_t kAccesses = uintptr_t(1) << 46;
constexpr size_t kGranule = 4;

struct Accesses {
  uint64_t write, read, otherRead;
};

inline bool inArena(const void* p) { return reinterpret_cast<uintptr_t>(p) - kArena < kArenaSize; }
constexpr size_t kArenaOfDevice = kArenaSize / kMaxDevices;
inline bool inArenaOf(int device, const void* p) {
  return reinterpret_cast<uintptr_t>(p) - kArena - static_cast<size_t>(device) * kArenaOfDevice < kArenaOfDevice;
}
inline size_t granuleOf(const void* p) { return (reinterpret_cast<uintptr_t>(p) - kArena) / kGranule; }
inline uint8_t* statesOf(const void* p) { return reinterpret_cast<uint8_t*>(kStates) + granuleOf(p); }
inline Accesses* accessesOf(const void* p) { return reinterpret_cast<Accesses*>(kAccesses) + granuleOf(p); }

// --- allocations -----------------------------------------------------------------------------------------------

void* allocateInArena(int device, size_t bytes);  // null where there is no room
bool freeInArena(void* address);                  // false: nothing that was allocated begins there
void freeAllOf(int device);
size_t bytesInUse(int device);
// The device that the bytes belong to; -1 unless they are within one live allocation.
int deviceOf(const void* address, size_t bytes);
std::string describe(const void* address);  // in words, for reports
bool isFreed(const void* address);

// --- what was written ------------------------------------------------------------------------------------------

void markWritten(const void* address, size_t bytes);
void markUnwritten(const void* address, size_t bytes);  // whole words
void copyWritten(const void* to, const void* from, size_t bytes);
// The first byte that was never written, or `bytes`.
size_t firstUnwritten(const void* address, size_t bytes);
// The same where records are read as a whole: gaps between their fields do not count. A gap follows what was written and ends at a word of four or
// eight bytes.
size_t firstUnwrittenField(const void* address, size_t bytes);

// --- the door --------------------------------------------------------------------------------------------------

// Device memory can be accessed while one of these lives. Nests.
class OpenArena {
 public:
  OpenArena();
  ~OpenArena();
  OpenArena(const OpenArena&) = delete;
  OpenArena& operator=(const OpenArena&) = delete;
};
void watchTheHost();  // from now on an access of the host's to device memory stops the process with a message

// --- memory of the host that a device may access ---------------------------------------------------------------

size_t pinnedInUse();  // [bytes]
void* allocatePinned(size_t bytes);
bool freePinned(void* address);
bool isPinned(const void* address, size_t bytes);
bool isConstant(const void* address, size_t bytes);  // read-only data of the program

// While it lives, a fault of the host's is put down to an asynchronous copy of this memory.
class CopyOfHostMemory {
 public:
  CopyOfHostMemory(const char* what, const void* address);
  ~CopyOfHostMemory();
  CopyOfHostMemory(const CopyOfHostMemory&) = delete;
  CopyOfHostMemory& operator=(const CopyOfHostMemory&) = delete;
};

}  // namespace emulated
