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
// std::stable_sort takes these and gives their memory to the plain delete: both have to be of one kind.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return remaining > 0 && --remaining == 0 ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept { return operator new(size, tag); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace cairn::test {

FailingAllocation::FailingAllocation(long n) { remaining = n; }
FailingAllocation::~FailingAllocation() { remaining = 0; }

}  // namespace cairn::test
