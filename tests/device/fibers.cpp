#include "tests/device/fibers.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace emulated {
namespace {

constexpr size_t kStack = size_t(256) << 10, kGuard = 4096;

// Stacks begin at other lines of a page, else all that threads have on top of theirs would fall into the same few sets of the first cache.
constexpr size_t kPage = 4096, kStep = 320;

// A function of its own: where such a jump may lead, the compiler looks for none that comes from the same function.
[[gnu::noinline, noreturn]] void jump(void** to) { __builtin_longjmp(to, 1); }

}  // namespace

Fiber::Fiber(Work work, size_t number) : work_(work), height_(kStack - number * kStep % kPage) {
  void* const memory = mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("emulated device: a stack cannot be had");
    std::abort();
  }
  mprotect(memory, kGuard, PROT_NONE);
  stack_ = static_cast<char*>(memory) + kGuard;
}

Fiber::~Fiber() { munmap(stack_ - kGuard, kGuard + kStack); }

size_t Fiber::stackSize() const { return height_; }

void Fiber::startAnew() { fresh_ = true; }

void Fiber::begin(unsigned high, unsigned low) {
  Fiber* const self = reinterpret_cast<Fiber*>(static_cast<uintptr_t>(high) << 32 | low);
  for (;;) {
    self->work_(*self);
    self->leave();
  }
}

void Fiber::makeContext() {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = height_;
  context_.uc_link = nullptr;
  const uintptr_t self = reinterpret_cast<uintptr_t>(this);
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::begin), 2, static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

void Fiber::enter() {
  if (fresh_) makeContext();
  if (__builtin_setjmp(outside_) != 0) return;
  if (!fresh_) jump(inside_);
  fresh_ = false;
  setcontext(&context_);
}

void Fiber::leave() {
  if (__builtin_setjmp(inside_) == 0) jump(outside_);
}

Fiber* FiberPool::take() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<Fiber>(work_, all_.size()));
    return all_.back().get();
  }
  Fiber* const fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

void FiberPool::forgetAll() {
  idle_.clear();
  for (const auto& fiber : all_) {
    fiber->startAnew();
    idle_.push_back(fiber.get());
  }
}

}  // namespace emulated
