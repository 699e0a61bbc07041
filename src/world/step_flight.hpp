// Planned steps on their way through the device: their status there, and copies of it that the host may look at.
#pragma once

#include "kernels/runtime/async_copy.hpp"
#include "kernels/state/step_check.hpp"

namespace cairn::v0 {

class StepFlight {
 public:
  // One step more has been queued, whose end says in status() whether it was done.
  void follow(Queue& queue) {
    ++queued_;
    if (!probe_.taken()) {
      probe_.take(queue, status_.data());
      probed_ = queued_;
    }
  }
  // Room for the status, here and on the device. A step that is on its way must not fail for want of it.
  void begin(Queue& queue) {
    if (status_.size() > 0) return;
    probe_.reserve(queue);
    status_.resize(queue, 1);
    status_.fillZero(queue);
  }

  StepStatus* status() { return status_.data(); }
  int queued() const { return queued_; }  // since the host has last seen all of them done

  // Whether some queued steps are known to be over, without waiting.
  bool anyArrived(Queue& queue) const { return probe_.taken() && probe_.arrived(queue); }
  // Of the steps up to the one that was probed. Those that are done are queued no longer.
  StepStatus land(Queue& queue) {
    const StepStatus status = *static_cast<const StepStatus*>(probe_.wait(queue));
    probe_.clear();
    queued_ -= status.done - landed_;
    landed_ = status.done;
    return status;
  }
  // Of all steps; waits for them.
  StepStatus landAll(Queue& queue) {
    if (probe_.taken() && probed_ != queued_) {
      probe_.wait(queue);
      probe_.clear();
    }
    if (!probe_.taken()) probe_.take(queue, status_.data());
    return land(queue);
  }
  // Of steps that nothing follows (src/world/enqueued_steps.cpp), and how many more they are than the host knew of. Waits for them.
  StepStatus landUnfollowed(Queue& queue, int& more) {
    const StepStatus status = status_.read(queue, 0);
    more = status.done - landed_;
    landed_ = status.done;
    return status;
  }
  // After a failure: nothing is queued.
  void reset(Queue& queue) {
    status_.fillZero(queue);
    queued_ = landed_ = 0;
  }

 private:
  Buffer<StepStatus> status_;
  AsyncCopy probe_{sizeof(StepStatus)};
  int queued_ = 0, probed_ = 0, landed_ = 0;
};

}  // namespace cairn::v0
