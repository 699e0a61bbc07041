#include "tests/device/arena.hpp"

#include "tests/device/settings.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace emulated {
namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kGap = 4096;  // between allocations: an index that is off by some does not reach the next one
constexpr size_t kPage = 4096;

struct Allocation {
  size_t bytes;
  int device, serial;
  bool live;
};

struct Arena {
  std::map<uintptr_t, Allocation> allocations;
  uintptr_t end[kMaxDevices];  // of what was ever allocated, at a page's end
  size_t inUse[kMaxDevices] = {};
  int opened = 0, made = 0;
};

uintptr_t beginOf(int device) { return kArena + static_cast<size_t>(device) * kArenaOfDevice; }

void reserve(uintptr_t address, size_t bytes, int protection) {
  void* const wanted = reinterpret_cast<void*>(address);
  if (mmap(wanted, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != wanted) {
    std::perror("emulated device: its range of addresses cannot be had");
    std::abort();
  }
}

Arena& arena() {
  static Arena* const one = [] {
    reserve(kArena, kArenaSize, PROT_NONE);
    reserve(kStates, kArenaSize / kGranule, PROT_READ | PROT_WRITE);
    reserve(kAccesses, kArenaSize / kGranule * sizeof(Accesses), PROT_READ | PROT_WRITE);
    watchTheHost();
    Arena* const made = new Arena;
    for (int device = 0; device < kMaxDevices; ++device) made->end[device] = beginOf(device);
    return made;
  }();
  return *one;
}

void protect(int protection) {
  Arena& a = arena();
  for (int device = 0; device < kMaxDevices; ++device) {
    const uintptr_t begin = beginOf(device);
    if (a.end[device] > begin) mprotect(reinterpret_cast<void*>(begin), a.end[device] - begin, protection);
  }
}

const std::pair<const uintptr_t, Allocation>* allocationAt(const void* address) {
  const std::map<uintptr_t, Allocation>& all = arena().allocations;
  auto after = all.upper_bound(reinterpret_cast<uintptr_t>(address));
  return after == all.begin() ? nullptr : &*std::prev(after);
}

uintptr_t roundedUp(uintptr_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

// The low half of the states of so many bytes.
void setLive(uintptr_t begin, size_t bytes) {
  uint8_t* const states = statesOf(reinterpret_cast<void*>(begin));
  std::memset(states, 0x0f, bytes / kGranule);
  if (bytes % kGranule != 0) states[bytes / kGranule] = static_cast<uint8_t>((1u << bytes % kGranule) - 1);
}

// Whole pages go back to the system; what was in them is zero afterwards.
void giveBack(uintptr_t begin, uintptr_t end) {
  const uintptr_t first = roundedUp(begin, kPage), last = end / kPage * kPage;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace

void* allocateInArena(int device, size_t bytes) {
  Arena& a = arena();
  uintptr_t& last = a.end[device];
  const uintptr_t begin = last + kGap;
  const uintptr_t end = roundedUp(begin + std::max<size_t>(bytes, 1), kPage);
  if (bytes > settings().memory - std::min(a.inUse[device], settings().memory) || end > beginOf(device) + kArenaOfDevice) return nullptr;
  mprotect(reinterpret_cast<void*>(last), end - last, PROT_READ | PROT_WRITE);
  uint32_t* const words = reinterpret_cast<uint32_t*>(begin);
  std::fill(words, words + (end - begin) / sizeof(uint32_t), settings().fill);
  if (a.opened == 0) mprotect(reinterpret_cast<void*>(last), end - last, PROT_NONE);
  setLive(begin, bytes);
  last = end;
  a.inUse[device] += bytes;
  a.allocations[begin] = {bytes, device, ++a.made, true};
  static_assert(kGap % kAlignment == 0 && kPage % kAlignment == 0, "allocations are aligned as those of cudaMalloc");
  return reinterpret_cast<void*>(begin);
}

bool freeInArena(void* address) {
  Arena& a = arena();
  const auto found = a.allocations.find(reinterpret_cast<uintptr_t>(address));
  if (found == a.allocations.end() || !found->second.live) return false;
  Allocation& allocation = found->second;
  const uintptr_t begin = found->first, end = begin + allocation.bytes;
  allocation.live = false;
  a.inUse[allocation.device] -= allocation.bytes;
  std::memset(statesOf(address), 0, (allocation.bytes + kGranule - 1) / kGranule);
  giveBack(begin, roundedUp(end, kPage));
  giveBack(reinterpret_cast<uintptr_t>(accessesOf(address)), reinterpret_cast<uintptr_t>(accessesOf(reinterpret_cast<void*>(end))));
  return true;
}

void freeAllOf(int device) {
  std::vector<void*> all;
  for (const auto& [begin, allocation] : arena().allocations) {
    if (allocation.live && allocation.device == device) all.push_back(reinterpret_cast<void*>(begin));
  }
  for (void* address : all) freeInArena(address);
}

size_t bytesInUse(int device) { return arena().inUse[device]; }

int deviceOf(const void* address, size_t bytes) {
  const auto* found = inArena(address) ? allocationAt(address) : nullptr;
  if (found == nullptr || !found->second.live) return -1;
  const size_t offset = reinterpret_cast<uintptr_t>(address) - found->first;
  return offset <= found->second.bytes && bytes <= found->second.bytes - offset ? found->second.device : -1;
}

bool isFreed(const void* address) {
  const auto* found = allocationAt(address);
  return found != nullptr && !found->second.live && reinterpret_cast<uintptr_t>(address) - found->first < found->second.bytes;
}

std::string describe(const void* address) {
  char text[160];
  if (!inArena(address)) {
    std::snprintf(text, sizeof text, "%p", address);
    return text;
  }
  const auto* found = allocationAt(address);
  if (found == nullptr) return "device memory before all allocations";
  const size_t offset = reinterpret_cast<uintptr_t>(address) - found->first;
  std::snprintf(text, sizeof text, "byte %zu of %sallocation %d, which has %zu", offset, found->second.live ? "" : "freed ", found->second.serial,
                found->second.bytes);
  return text;
}

// --- what was written ------------------------------------------------------------------------------------------

void markWritten(const void* address, size_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(address), end = begin + bytes;
  for (uintptr_t at = begin; at < end;) {
    uint8_t* const state = statesOf(reinterpret_cast<void*>(at));
    if (at % kGranule == 0 && end - at >= kGranule) {
      const size_t whole = (end - at) / kGranule;
      std::memset(state, 0xff, whole);
      at += whole * kGranule;
    } else {
      *state = static_cast<uint8_t>(*state | 0x10u << at % kGranule);
      ++at;
    }
  }
}

void markUnwritten(const void* address, size_t bytes) {
  uint8_t* const states = statesOf(address);
  for (size_t i = 0; i < bytes / kGranule; ++i) states[i] &= 0x0f;
}

void copyWritten(const void* to, const void* from, size_t bytes) {
  if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes) % kGranule == 0) {
    std::memmove(statesOf(to), statesOf(from), bytes / kGranule);
    return;
  }
  for (size_t i = 0; i < bytes; ++i) {
    const char *source = static_cast<const char*>(from) + i, *target = static_cast<const char*>(to) + i;
    const unsigned written = *statesOf(source) >> (4 + reinterpret_cast<uintptr_t>(source) % kGranule) & 1;
    const unsigned bit = 4 + static_cast<unsigned>(reinterpret_cast<uintptr_t>(target) % kGranule);
    uint8_t& state = *statesOf(target);
    state = static_cast<uint8_t>((state & ~(1u << bit)) | written << bit);
  }
}

size_t firstUnwritten(const void* address, size_t bytes) {
  const char* const begin = static_cast<const char*>(address);
  for (size_t i = 0; i < bytes;) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(begin + i);
    const uint8_t state = *statesOf(begin + i);
    if (at % kGranule == 0 && bytes - i >= kGranule && state == 0xff) {
      i += kGranule;
    } else if ((state >> (4 + at % kGranule) & 1) == 0) {
      return i;
    } else {
      ++i;
    }
  }
  return bytes;
}

// --- the door --------------------------------------------------------------------------------------------------

OpenArena::OpenArena() {
  if (arena().opened++ == 0) protect(PROT_READ | PROT_WRITE);
}
OpenArena::~OpenArena() {
  if (--arena().opened == 0) protect(PROT_NONE);
}

}  // namespace emulated
