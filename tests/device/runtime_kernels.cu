#include "tests/device/runtime_kernels.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn {
namespace {

struct FillWith {
  int* array;
  int value;
  CAIRN_HD void operator()(int i) const { array[i] = value; }
};

struct CountEach {
  int* array;
  CAIRN_HD void operator()(int i) const { atomicAddInt(array + i, 1); }
};

}  // namespace

void launchFillWith(Queue& queue, int* array, int count, int value) { forEach(queue, "test/fill", count, FillWith{array, value}); }

void launchCountEach(Queue& queue, const int* count, int64_t capacity, int* array) {
  forEachHeavy(queue, "test/count", count, capacity, CountEach{array});
}
int spreadOfCountEach(const Queue& queue, int64_t items) { return spreadOf<CountEach>(queue, items); }

void launchTooManyThreads(Queue& queue, int* array) {
  queue.label = "test/too_many";
  launchOnCuda(queue, {1, 4096}, forEachInGrid<FillWith>, 1, FillWith{array, 1});
}

int64_t residentBlocksOfFill(const Queue& queue, int threads) { return mostResidentBlocks(queue, forEachInGrid<FillWith>, threads); }

}  // namespace cairn
