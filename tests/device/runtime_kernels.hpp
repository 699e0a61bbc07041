// Launches through the library's runtime, for its tests.
#pragma once

#include "kernels/runtime/runtime.hpp"

namespace cairn {

void launchFillWith(Queue& queue, int* array, int count, int value);
void launchTooManyThreads(Queue& queue, int* array);  // in a block: the device refuses it
int64_t residentBlocksOfFill(const Queue& queue, int threads);

}  // namespace cairn
