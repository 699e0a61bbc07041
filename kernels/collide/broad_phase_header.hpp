// The header of the broad phase's tree, as the kernels collect it that write what its leaves are made of.
#pragma once

#include "kernels/collide/broad_phase_bounds.hpp"
#include "kernels/runtime/platform.hpp"
#include "kernels/runtime/tuning.hpp"

#include <cstring>

namespace cairn::v0 {

// --- numbers as integers that sort alike -----------------------------------------------------------------------

CAIRN_HD inline int bitsOf(float value) {
  int bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
CAIRN_HD inline int orderedBits(float value) {
  const int bits = bitsOf(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
CAIRN_HD inline float fromOrderedBits(int ordered) {
  const int bits = ordered >= 0 ? ordered : ordered ^ 0x7fffffff;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// For the curve and the size classes float will do; far-off doubles must not become infinite.
template <class T> CAIRN_HD inline Vec3<float> curvePoint(const ShapeBounds<T>& bounds) {
  const Vec3<T> far{T(1e30), T(1e30), T(1e30)};
  return convert<float>(maxOf(-far, minOf(far, T(0.5) * bounds.low + T(0.5) * bounds.high)));
}
template <class T> CAIRN_HD inline int sizeExponent(const ShapeBounds<T>& bounds) {
  const Vec3<T> size = bounds.high - bounds.low;
  return bitsOf(float(minOf(maxOf(size.x, maxOf(size.y, size.z)), T(1e30)))) >> 23;
}

// --- the header ------------------------------------------------------------------------------------------------

CAIRN_HD inline TreeHeader headerOfNothing() {
  return {{0x7fffffff, 0x7fffffff, 0x7fffffff}, {-0x7fffffff, -0x7fffffff, -0x7fffffff}, 0, 0, 0, 0, kNoRoot};
}

// What is neither a leaf nor a half-space does not count.
template <class T> CAIRN_HD inline void noteInHeader(const ShapeBounds<T>& own, TreeHeader& seen) {
  if (own.kind == kUnbounded) ++seen.unboundedCount;
  if (own.kind != kMoving && own.kind != kFixed) return;
  const Vec3<float> centre = curvePoint(own);
  for (int axis = 0; axis < 3; ++axis) {
    const int ordered = orderedBits(component(centre, axis));
    seen.low[axis] = minOf(seen.low[axis], ordered);
    seen.high[axis] = maxOf(seen.high[axis], ordered);
  }
  ++seen.leafCount;
  const int exponent = sizeExponent(own);
  seen.lowExponentSum += exponent & 15;
  seen.highExponentSum += exponent >> 4;
}

// Where kernels add what they have seen. An item is a run of slots, on a device one slot of its warp's: few atomics are needed.
struct HeaderCopies {
  TreeHeader* copies;  // null: nobody wants to know
  int count, run;
  bool inWarps;

  // Whole warps on a device.
  int64_t items(int slots) const {
    const int lanes = inWarps ? kWarp : 1;
    return int64_t{(slots + lanes * run - 1) / (lanes * run)} * lanes;
  }

  CAIRN_HD void add(int item, TreeHeader& seen) const {
    if (copies == nullptr) return;
    if (inWarps) {
      gatherOverWarp(seen);
      if (Warp::lane() != 0) return;
      item /= kWarp;
    }
    TreeHeader* const header = copies + item % count;
    if (seen.leafCount > 0) {
      for (int axis = 0; axis < 3; ++axis) {
        atomicMinInt(&header->low[axis], seen.low[axis]);
        atomicMaxInt(&header->high[axis], seen.high[axis]);
      }
      atomicAddInt(&header->leafCount, seen.leafCount);
      atomicAddInt(&header->lowExponentSum, seen.lowExponentSum);
      atomicAddInt(&header->highExponentSum, seen.highExponentSum);
    }
    if (seen.unboundedCount > 0) atomicAddInt(&header->unboundedCount, seen.unboundedCount);
  }

  CAIRN_HD static void gatherOverWarp(TreeHeader& seen) {
    for (int axis = 0; axis < 3; ++axis) {
      seen.low[axis] = Warp::lowest(seen.low[axis]);
      seen.high[axis] = -Warp::lowest(-seen.high[axis]);  // none of them is the one integer that has no negative
    }
    for (int* sum : {&seen.leafCount, &seen.unboundedCount, &seen.lowExponentSum, &seen.highExponentSum}) *sum = Warp::sum(*sum);
  }
};

inline HeaderCopies headerCopies(Target target, TreeHeader* copies) {
  const bool gpu = target == Target::Cuda;
  return {copies, gpu ? kHeaderCopiesOnGpu : 1, gpu ? 1 : kBoundsRunOnCpu, gpu};
}

}  // namespace cairn::v0
