// Launches through the library's runtime, for its tests.
#pragma once

#include "kernels/runtime/runtime.hpp"

namespace cairn {

void launchFillWith(Queue& queue, int* array, int count, int value);
// One more in the array for each item of so many, by heavy items; and how many threads each has.
void launchCountEach(Queue& queue, const int* count, int64_t capacity, int* array);
int spreadOfCountEach(const Queue& queue, int64_t items);
void launchTooManyThreads(Queue& queue, int* array);  // in a block: the device refuses it
int64_t residentBlocksOfFill(const Queue& queue, int threads);

}  // namespace cairn
