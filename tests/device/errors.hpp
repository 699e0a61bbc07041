// Errors of runtime calls, with the runtime's memory of them: the last error of each thread, and one that a fault on the device leaves for good.
#pragma once

#include "tests/device/include/cuda_runtime.h"

#include <mutex>

namespace emulated {

// What a runtime call begins with: calls of several threads come one after the other. `error` is what a fault before has left.
class ApiCall {
 public:
  ApiCall();
  cudaError_t error;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

cudaError_t fail(cudaError_t error);  // remembers it as the thread's last; success is not remembered
void failForGood(cudaError_t error);  // of a launch or copy that ran: every later call gets it
cudaError_t lastingError();
void forgetErrors();

}  // namespace emulated
