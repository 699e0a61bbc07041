// The functions that g++ calls for atomics in instrumented code. The host's threads use them too, so that they are atomics indeed.
#include "tests/device/access.hpp"
#include "tests/device/races.hpp"
#include "tests/device/threads.hpp"

#include <atomic>
#include <cstdint>

namespace emulated {
namespace {

// Loads and stores are not told from changes: either is fine beside atomics, and a race with a plain write.
inline void beforeAtomic(const volatile void* volatileAddress, size_t bytes, const void* site) {
  if (currentThread == nullptr) return;
  const void* const address = const_cast<const void*>(volatileAddress);
  checkAccess(address, bytes, AccessKind::Atomic, site);
  noteAtomic(*currentThread, address);
}

}  // namespace

void fence() {
  std::atomic_thread_fence(std::memory_order_acq_rel);
  if (currentThread != nullptr) noteFence(*currentThread);
}

}  // namespace emulated

#define EMULATED_CHANGE(bits, type, name)                                                 \
  extern "C" type __tsan_atomic##bits##_##name(volatile type* address, type value, int) { \
    emulated::beforeAtomic(address, sizeof(type), __builtin_return_address(0));           \
    return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                             \
  }
#define EMULATED_EXCHANGE_IF(bits, type, name, weak)                                                                           \
  extern "C" int __tsan_atomic##bits##_compare_exchange_##name(volatile type* address, type* expected, type value, int, int) { \
    emulated::beforeAtomic(address, sizeof(type), __builtin_return_address(0));                                                \
    return __atomic_compare_exchange_n(address, expected, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                    \
  }
#define EMULATED_ATOMICS(bits, type)                                                        \
  extern "C" type __tsan_atomic##bits##_load(const volatile type* address, int) {           \
    emulated::beforeAtomic(address, sizeof(type), __builtin_return_address(0));             \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                      \
  }                                                                                         \
  extern "C" void __tsan_atomic##bits##_store(volatile type* address, type value, int) {    \
    emulated::beforeAtomic(address, sizeof(type), __builtin_return_address(0));             \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                     \
  }                                                                                         \
  extern "C" type __tsan_atomic##bits##_exchange(volatile type* address, type value, int) { \
    emulated::beforeAtomic(address, sizeof(type), __builtin_return_address(0));             \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                           \
  }                                                                                         \
  EMULATED_CHANGE(bits, type, fetch_add)                                                    \
  EMULATED_CHANGE(bits, type, fetch_sub)                                                    \
  EMULATED_CHANGE(bits, type, fetch_and)                                                    \
  EMULATED_CHANGE(bits, type, fetch_or)                                                     \
  EMULATED_CHANGE(bits, type, fetch_xor)                                                    \
  EMULATED_CHANGE(bits, type, fetch_nand)                                                   \
  EMULATED_EXCHANGE_IF(bits, type, strong, false)                                           \
  EMULATED_EXCHANGE_IF(bits, type, weak, true)

EMULATED_ATOMICS(8, uint8_t)
EMULATED_ATOMICS(16, uint16_t)
EMULATED_ATOMICS(32, uint32_t)
EMULATED_ATOMICS(64, uint64_t)

extern "C" void __tsan_atomic_thread_fence(int) { emulated::fence(); }
extern "C" void __tsan_atomic_signal_fence(int) {}
