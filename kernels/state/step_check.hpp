// The end of a planned step: whether what the plan took for granted was so, and accordingly the step's state or the one before. See step_check.cu.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// What an assumption is about, where that is no number that the status keeps.
enum StepExpectation : int {
  kExpectedFinite = -2,    // no body whose state is not finite: the value is its slot
  kExpectedWhole = -3,     // no joint that came apart: likewise
  kExpectedUnbroken = -4,  // no joint that bore more than it can
  kExpectedContacts = -5,  // some contact, in a World of joints
  kExpectedUnswept = -6,   // no joined body that was put back to where it met something
};

// Holds if low <= *value <= high. The value lies on the target; the status keeps it as number `kept`, or not if that is negative: a StepExpectation.
struct StepAssumption {
  const int* value;
  int low, high;
  int kept;
};
constexpr int kMaxAssumptions = 26;
constexpr int kKeptValues = 18;

// The steps that were queued since the host last looked. On the target; copied to the host after each step.
struct StepStatus {
  int failed;               // 1: a step did not keep to its plan: it and all after it have changed nothing
  int done;                 // steps that did keep to it
  int what;                 // of the step that failed: StepAssumption::kept of the first assumption that did not hold,
  int found, room;          // its value, and what it was to be at most
  int values[kKeptValues];  // of the last step that was done
};

struct StepAssumptions {
  StepAssumption items[kMaxAssumptions];
  int count;
};

// One more step done, or failed for good.
void checkStep(Queue& queue, const StepAssumptions& assumptions, StepStatus* status);

// A copy that depends on the status. Bytes are a multiple of four.
struct StatusCopy {
  void* to;
  const void* from;
  size_t bytes;
};
// Both copies if the steps so far have failed: states as they were. One copy if they have not.
void copyIfFailed(Queue& queue, const StepStatus* status, const StatusCopy& copy, const StatusCopy& another = {nullptr, nullptr, 0});
void copyIfDone(Queue& queue, const StepStatus* status, const StatusCopy& copy);

}  // namespace cairn::v0
