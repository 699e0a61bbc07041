#include "tests/device/fibers.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace emulated {
namespace {

constexpr size_t kStack = size_t(256) << 10, kGuard = 4096;

}  // namespace

Fiber::Fiber(Work work) : work_(work) {
  void* const memory = mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("emulated device: a stack cannot be had");
    std::abort();
  }
  mprotect(memory, kGuard, PROT_NONE);
  stack_ = static_cast<char*>(memory) + kGuard;
}

Fiber::~Fiber() { munmap(stack_ - kGuard, kGuard + kStack); }

size_t Fiber::stackSize() const { return kStack; }

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
  context_.uc_stack.ss_size = kStack;
  context_.uc_link = nullptr;
  const uintptr_t self = reinterpret_cast<uintptr_t>(this);
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::begin), 2, static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

void Fiber::enter() {
  if (fresh_) makeContext();
  if (_setjmp(outside_) != 0) return;
  if (!fresh_) _longjmp(inside_, 1);
  fresh_ = false;
  setcontext(&context_);
}

void Fiber::leave() {
  if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
}

Fiber* FiberPool::take() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<Fiber>(work_));
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
