// The end of a planned step.
//
// In: numbers that stages left on the target, and the range that the plan has for each. Out: whether the step counts. One that does not is undone by
// copies that look at the status, and so are the steps that were queued behind it before the host knew: nothing that lasts from step to step is
// written but by kernels that look.
//
// Deterministic: one item looks at all numbers.
#include "kernels/state/step_check.hpp"

#include "kernels/runtime/launch.hpp"

#include <algorithm>
#include <cassert>

namespace cairn::v0 {
namespace {

struct CheckStep {
  StepAssumptions assumptions;
  StepStatus* status;

  CAIRN_HD void operator()(int) const {
    if (status->failed != 0) return;
    for (int k = 0; k < assumptions.count; ++k) {
      const StepAssumption& a = assumptions.items[k];
      const int value = *a.value;
      if (a.low <= value && value <= a.high) continue;
      status->failed = 1;
      status->what = a.kept;
      status->found = value;
      status->room = a.high;
      return;
    }
    for (int k = 0; k < assumptions.count; ++k) {
      const StepAssumption& a = assumptions.items[k];
      if (a.kept >= 0) status->values[a.kept] = *a.value;
    }
    ++status->done;
  }
};

struct CopyWords {
  const StepStatus* status;
  StatusCopy copy, another;
  int wanted;
  CAIRN_HD static void word(const StatusCopy& of, size_t i) {
    if (4 * i < of.bytes) static_cast<uint32_t*>(of.to)[i] = static_cast<const uint32_t*>(of.from)[i];
  }
  CAIRN_HD void operator()(int i) const {
    if (status->failed != wanted) return;
    word(copy, static_cast<size_t>(i));
    word(another, static_cast<size_t>(i));
  }
};

void copyIf(Queue& queue, const char* label, const CopyWords& copies) {
  assert(copies.copy.bytes % 4 == 0 && copies.another.bytes % 4 == 0);
  forEach(queue, label, static_cast<int64_t>(std::max(copies.copy.bytes, copies.another.bytes) / 4), copies);
}

}  // namespace

void checkStep(Queue& queue, const StepAssumptions& assumptions, StepStatus* status) {
  forEach(queue, "step/check", 1, CheckStep{assumptions, status});
}

void copyIfFailed(Queue& queue, const StepStatus* status, const StatusCopy& copy, const StatusCopy& another) {
  copyIf(queue, "step/undo", {status, copy, another, 1});
}

void copyIfDone(Queue& queue, const StepStatus* status, const StatusCopy& copy) { copyIf(queue, "step/keep", {status, copy, {}, 0}); }

}  // namespace cairn::v0
