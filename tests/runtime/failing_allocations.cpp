#include "tests/runtime/failing_allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
thread_local long remaining = 0;  // until the one that fails; 0: none does
}

void* operator new(std::size_t size) {
  if (remaining > 0 && --remaining == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace cairn::test {

FailingAllocation::FailingAllocation(long n) { remaining = n; }
FailingAllocation::~FailingAllocation() { remaining = 0; }

}  // namespace cairn::test
