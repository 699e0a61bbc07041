// Stacks on which threads of the device run, and the switches between them.
//
// A fiber runs one thread after another. Only where one of them has to wait does the fiber go to sleep with it, and others go on on another fiber. A
// switch is a pair of __builtin_setjmp and __builtin_longjmp: swapcontext would ask the system for the signal mask each time, and the library's
// functions look after signals and threads that end.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace emulated {

class Fiber {
 public:
  using Work = void (*)(Fiber& self);

  Fiber(Work work, size_t number);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void enter();      // from the scheduler: goes on until the fiber leaves
  void leave();      // from the fiber: back to the scheduler
  void startAnew();  // whatever it was doing is forgotten

  uintptr_t stackLow() const { return reinterpret_cast<uintptr_t>(stack_); }
  size_t stackSize() const;

 private:
  static void begin(unsigned high, unsigned low);
  void makeContext();

  Work work_;
  char* stack_;
  size_t height_;  // [bytes] of the stack
  bool fresh_ = true;
  ucontext_t context_;
  void *inside_[5], *outside_[5];  // five words each, as the compiler asks for
};

// Fibers that sleep without a thread. Of one thread of the process.
class FiberPool {
 public:
  explicit FiberPool(Fiber::Work work) : work_(work) {}
  Fiber* take();
  void giveBack(Fiber* fiber) { idle_.push_back(fiber); }
  void forgetAll();  // all fibers are idle again and start anew

 private:
  Fiber::Work work_;
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> idle_;
};

}  // namespace emulated
