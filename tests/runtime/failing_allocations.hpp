// Lets one allocation of the host fail, for tests of what is left behind.
#pragma once

namespace cairn::test {

// From its construction on, the n-th allocation of this thread by operator new throws std::bad_alloc; n counts from 1.
class FailingAllocation {
 public:
  explicit FailingAllocation(long n);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
};

}  // namespace cairn::test
