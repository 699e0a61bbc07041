// Sort, scan, compact, reduce on both targets. kernels/runtime/primitives.cu is the only user of CUB and Thrust.
//
// All results are the same for every target and number of threads: integers by definition, floating-point reductions because
// they run over fixed tiles of kReductionTile items in a fixed order (tile by tile, then over the tiles' results).
#pragma once

#include "kernels/runtime/record.hpp"
#include "kernels/runtime/runtime.hpp"

namespace cairn::v0 {

constexpr int kReductionTile = 1024;  // no tuning: it decides where floating-point sums are rounded

// Reused scratch; one for each user that may be interleaved with another.
struct PrimitiveScratch {
  Buffer<unsigned char> bytes;
  Buffer<unsigned char> moreBytes;
};

// Stable ascending sort in place; only the low `keyBits` of the keys are looked at (the rest must be zero).
void sortByKey(Queue& queue, PrimitiveScratch& scratch, uint32_t* keys, int* values, int count, int keyBits = 32);
void sortByKey(Queue& queue, PrimitiveScratch& scratch, uint64_t* keys, int* values, int count, int keyBits = 64);

// out[i] = in[0] + ... + in[i-1] for 0 <= i <= count: `out` holds count + 1 items, the last is the total. in == out is allowed
// (then the array must have count + 1 items).
void exclusiveScan(Queue& queue, PrimitiveScratch& scratch, const int* in, int* out, int count);

// Indices i with flags[i] != 0, ascending, to `out` (capacity count); their number to *outCount (on the target).
void compactIndices(Queue& queue, PrimitiveScratch& scratch, const int* flags, int* out, int* outCount, int count);

// *result (on the target) = sum over fixed tiles; 0 for count 0.
void reduceSum(Queue& queue, PrimitiveScratch& scratch, const float* values, float* result, int count);
void reduceSum(Queue& queue, PrimitiveScratch& scratch, const double* values, double* result, int count);
void reduceSum(Queue& queue, PrimitiveScratch& scratch, const int* values, int* result, int count);

// Largest value and the smallest index that has it; {0, -1} for count 0. Values must not be NaN.
template <class T> struct MaxAt {
  T value;
  Beside<T, int> index;
};
void reduceMax(Queue& queue, PrimitiveScratch& scratch, const float* values, MaxAt<float>* result, int count);
void reduceMax(Queue& queue, PrimitiveScratch& scratch, const double* values, MaxAt<double>* result, int count);

}  // namespace cairn::v0
