// The hooks that g++ puts before every load and store of instrumented code (-fsanitize=thread), with rules of our own behind them.
#include "tests/device/access.hpp"

#include "tests/device/arena.hpp"
#include "tests/device/launches.hpp"
#include "tests/device/races.hpp"
#include "tests/device/reports.hpp"
#include "tests/device/settings.hpp"
#include "tests/device/threads.hpp"

#include <cstring>
#include <string>
#include <type_traits>

namespace emulated {

thread_local DeviceThread* currentThread = nullptr;

namespace {

const char* verbOf(AccessKind kind) { return kind == AccessKind::Read ? "reads" : kind == AccessKind::Write ? "writes" : "changes"; }

std::string sentence(AccessKind kind, const void* address, size_t bytes) {
  return std::string(verbOf(kind)) + " " + std::to_string(bytes) + " bytes at " + describe(address);
}

bool onOwnStack(const DeviceThread& thread, const void* address) { return reinterpret_cast<uintptr_t>(address) - thread.stackLow < thread.stackSize; }

[[gnu::noinline]] void checkOutside(const DeviceThread& thread, const void* address, size_t bytes, AccessKind kind, const void* site) {
  if (isPinned(address, bytes) || (kind == AccessKind::Read && isConstant(address, bytes))) return;
  report(Finding::HostMemory, sentence(kind, address, bytes) + parameterNote(address), site, &thread);
  abandonLaunch(thread, cudaErrorIllegalAddress);
}

[[gnu::noinline]] void faultOnDevice(const DeviceThread& thread, const void* address, size_t bytes, AccessKind kind, const void* site) {
  const int device = deviceOf(address, bytes);
  const std::string where = device >= 0 && device != launchDevice() ? ", which is of another device" : "";
  report(isFreed(address) ? Finding::UseAfterFree : Finding::OutOfBounds, sentence(kind, address, bytes) + where, site, &thread);
  abandonLaunch(thread, cudaErrorIllegalAddress);
}

// All bytes allocated, on the device that runs.
inline void checkLive(const DeviceThread& thread, const void* address, size_t bytes, AccessKind kind, const void* site) {
  const char* const begin = static_cast<const char*>(address);
  bool live = inArenaOf(launchDevice(), address);
  for (size_t i = 0; i < bytes;) {
    const size_t first = reinterpret_cast<uintptr_t>(begin + i) % kGranule;
    const size_t count = bytes - i < kGranule - first ? bytes - i : kGranule - first;
    const unsigned wanted = ((1u << count) - 1) << first;
    live = live && (*statesOf(begin + i) & wanted) == wanted;
    i += count;
  }
  if (!live) faultOnDevice(thread, address, bytes, kind, site);
}

[[gnu::noinline]] void checkWritten(const DeviceThread& thread, const void* address, size_t bytes, const void* site) {
  if (!settings().checkUnwritten) return;
  const size_t first = firstUnwritten(address, bytes);
  if (first < bytes)
    report(Finding::UnwrittenRead, sentence(AccessKind::Read, static_cast<const char*>(address) + first, bytes - first), site, &thread);
}

// One access as the race checks see it: of the word at `address`.
struct Access {
  const DeviceThread* thread;
  const void* address;
  AccessKind kind;
  const void* site;
};

[[gnu::noinline]] void checkOrder(uint64_t earlier, uint64_t now, const char* did, const Access& access) {
  const DeviceThread& thread = *access.thread;
  const AsHost host;
  if ((earlier & now & kAllBytes) == 0 || isOrdered(earlier, thread)) return;
  report(Finding::Race, sentence(access.kind, access.address, kGranule) + ", which " + nameOfTag(earlier) + " " + did + " with no barrier between",
         access.site, &thread);
}

inline void checkOrderOfRead(uint64_t earlier, uint64_t now, const Access& access) {
  if (earlier < epochFloor || sameThread(earlier, now)) return;
  checkOrder(earlier, now, (earlier & kAtomicTag) != 0 ? "changes by an atomic" : "reads", access);
}
inline void checkOrderOfWrite(uint64_t earlier, uint64_t now, const Access& access) {
  if (earlier >= epochFloor && !sameThread(earlier, now)) checkOrder(earlier, now, "writes", access);
}

inline void noteReader(Accesses& word, uint64_t tag) {
  if (word.read < epochFloor) {
    word.read = tag;
    word.otherRead = 0;
  } else if (sameThread(word.read, tag)) {
    word.read = tag | (word.read & kAllBytes);
  } else {
    word.otherRead = tag;
  }
}

inline void noteWriter(Accesses& word, uint64_t tag) { word.write = sameThread(word.write, tag) ? tag | (word.write & kAllBytes) : tag; }

// Atomics conflict with plain writes alone, as reads do: they are kept with these.
inline void order(const Access& access, uint64_t tag) {
  Accesses& word = *accessesOf(access.address);
  checkOrderOfWrite(word.write, tag, access);
  if (access.kind != AccessKind::Write) return noteReader(word, tag);
  checkOrderOfRead(word.read, tag, access);
  checkOrderOfRead(word.otherRead, tag, access);
  noteWriter(word, tag);
}

// Any bytes, also those that begin or end within a word.
[[gnu::noinline]] void orderBytes(const Access& access, size_t bytes, uint64_t tag) {
  const char* const begin = static_cast<const char*>(access.address);
  for (size_t i = 0; i < bytes;) {
    const size_t first = reinterpret_cast<uintptr_t>(begin + i) % kGranule;
    const size_t count = bytes - i < kGranule - first ? bytes - i : kGranule - first;
    order({access.thread, begin + i - first, access.kind, access.site}, tag | static_cast<uint64_t>(((1u << count) - 1) << first) << kByteShift);
    i += count;
  }
}

// An aligned access of one, two or four words.
template <size_t kBytes> [[gnu::noinline]] void checkWords(const void* address, AccessKind kind, const void* site) {
  const DeviceThread& thread = *currentThread;
  constexpr size_t kWords = kBytes / kGranule;
  if (!inArenaOf(launchDevice(), address) || reinterpret_cast<uintptr_t>(address) % kBytes != 0) {
    if (!onOwnStack(thread, address)) checkAccess(address, kBytes, kind, site);
    return;
  }
  uint8_t* const states = statesOf(address);
  using States = std::conditional_t<kWords == 1, uint8_t, std::conditional_t<kWords == 2, uint16_t, uint32_t>>;
  constexpr States kFull = static_cast<States>(~States(0)), kLive = static_cast<States>(kFull / 255 * 0x0f);
  States state;
  std::memcpy(&state, states, sizeof state);
  if (state != kFull) {
    const AsHost host;
    if ((state & kLive) != kLive) checkLive(thread, address, kBytes, kind, site);
    if (kind == AccessKind::Write) {
      std::memcpy(states, &kFull, sizeof state);
    } else {
      checkWritten(thread, address, kBytes, site);
    }
  }
  if (!checksRaces) return;
  const char* const begin = static_cast<const char*>(address);
  for (size_t i = 0; i < kWords; ++i) order({&thread, begin + i * kGranule, kind, site}, thread.tag | kAllBytes);
}

// Who did this needs no order with a thread that has this tag.
inline bool isQuiet(uint64_t earlier, uint64_t tag) { return earlier < epochFloor || sameThread(earlier, tag); }

// Most accesses are aligned, of bytes that are allocated and written, which no other thread has touched in this epoch: these are done here. False:
// nothing is known of it, and nothing noted.
template <size_t kBytes, AccessKind kKind> inline bool passesAtOnce(const DeviceThread& thread, const void* address) {
  if (!inArenaOf(launchDevice(), address) || reinterpret_cast<uintptr_t>(address) % kBytes != 0 || !checksRaces) return false;
  constexpr size_t kWords = kBytes < kGranule ? 1 : kBytes / kGranule;
  using States = std::conditional_t<kWords == 1, uint8_t, std::conditional_t<kWords == 2, uint16_t, uint32_t>>;
  States state;
  std::memcpy(&state, statesOf(address), sizeof state);
  uint64_t bytes = kAllBytes;
  if constexpr (kBytes < kGranule) {
    const unsigned mask = ((1u << kBytes) - 1) << reinterpret_cast<uintptr_t>(address) % kGranule, both = mask | mask << 4;
    if ((state & both) != both) return false;
    bytes = static_cast<uint64_t>(mask) << kByteShift;
  } else if (state != static_cast<States>(~States(0))) {
    return false;
  }
  Accesses* const words = accessesOf(address);
  for (size_t i = 0; i < kWords; ++i) {
    if (!isQuiet(words[i].write, thread.tag)) return false;
    if (kKind == AccessKind::Write && !(isQuiet(words[i].read, thread.tag) && isQuiet(words[i].otherRead, thread.tag))) return false;
  }
  for (size_t i = 0; i < kWords; ++i) {
    if constexpr (kKind == AccessKind::Read) {
      noteReader(words[i], thread.tag | bytes);
    } else {
      noteWriter(words[i], thread.tag | bytes);
    }
  }
  return true;
}

template <size_t kBytes, AccessKind kKind> inline void check(const void* address, const void* site) {
  const DeviceThread* const thread = currentThread;
  if (thread == nullptr || passesAtOnce<kBytes, kKind>(*thread, address) || onOwnStack(*thread, address)) return;
  if constexpr (kBytes < kGranule) {
    checkAccess(address, kBytes, kKind, site);
  } else {
    checkWords<kBytes>(address, kKind, site);
  }
}

}  // namespace

void checkAccess(const void* address, size_t bytes, AccessKind kind, const void* site) {
  const DeviceThread& thread = *currentThread;
  if (bytes == 0 || onOwnStack(thread, address)) return;
  const AsHost host;
  if (!inArena(address)) return checkOutside(thread, address, bytes, kind, site);
  checkLive(thread, address, bytes, kind, site);
  if (kind != AccessKind::Write) checkWritten(thread, address, bytes, site);
  if (kind != AccessKind::Read) markWritten(address, bytes);
  if (!checksRaces) return;
  uint64_t tag = thread.tag;
  if (kind == AccessKind::Atomic) {
    // What a fence has made known includes the atomic that follows it.
    tag |= kAtomicTag;
    if (fencesOf(tag) > 0) tag -= kOneFence;
  }
  orderBytes({&thread, address, kind, site}, bytes, tag);
}

}  // namespace emulated

using emulated::AccessKind;

// Names that the compiler asks for.
#define EMULATED_BYTES(bytes)                                                                                                           \
  extern "C" void __tsan_read##bytes(void* address) { emulated::check<bytes, AccessKind::Read>(address, __builtin_return_address(0)); } \
  extern "C" void __tsan_write##bytes(void* address) { emulated::check<bytes, AccessKind::Write>(address, __builtin_return_address(0)); }
EMULATED_BYTES(1)
EMULATED_BYTES(2)
EMULATED_BYTES(4)
EMULATED_BYTES(8)
EMULATED_BYTES(16)

extern "C" void __tsan_init() {}
extern "C" void __tsan_read_range(void* address, size_t bytes) {
  if (emulated::currentThread != nullptr) {
    emulated::checkAccess(address, bytes, AccessKind::Read, __builtin_return_address(0));
  }
}
extern "C" void __tsan_write_range(void* address, size_t bytes) {
  if (emulated::currentThread != nullptr) emulated::checkAccess(address, bytes, AccessKind::Write, __builtin_return_address(0));
}
extern "C" void __tsan_vptr_update(void** address, void*) {
  if (emulated::currentThread != nullptr) emulated::checkAccess(address, sizeof(void*), AccessKind::Write, __builtin_return_address(0));
}
extern "C" void __tsan_vptr_read(void** address) {
  if (emulated::currentThread != nullptr) emulated::checkAccess(address, sizeof(void*), AccessKind::Read, __builtin_return_address(0));
}
