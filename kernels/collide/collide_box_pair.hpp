// Two boxes in one frame, and the numbers that their contacts' features are made of.
#pragma once

#include "kernels/collide/collide_manifold.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn::v0 {

namespace collide_detail {

// Features of box pairs: corners are three bits (set: at +halfExtents), edges are axis * 4 + bits of the next axis and the one after it.
constexpr uint32_t kCornerOfA = 0x000, kCornerOfB = 0x100, kEdges = 0x200, kClosest = 0x300;
CAIRN_HD constexpr uint32_t edgePair(uint32_t edgeOfA, uint32_t edgeOfB) { return kEdges | edgeOfA << 4 | edgeOfB; }

CAIRN_HD inline int nextAxis(int axis) { return axis == 2 ? 0 : axis + 1; }

// The answer of a comparison, and the type of an axis' number: of a lane, or of a pack of lanes (kernels/rows/pack.hpp).
template <class V> using MaskOf = decltype(V() < V());
template <class V> struct AxisNumber { using Type = V; };
template <> struct AxisNumber<float> { using Type = int; };
template <> struct AxisNumber<double> { using Type = int; };
template <class V> using AxisOf = typename AxisNumber<V>::Type;

// Both boxes in A's frame.
template <class T> struct BoxPair {
  Vec3<T> a, b;     // half extents
  Mat3<T> r, absR;  // B's axes, and the absolute values of their components
  Vec3<T> d;        // B's centre
  Vec3<T> across;   // B's centre along B's axes
  T margin;
};

template <class T> CAIRN_HD inline BoxPair<T> boxPair(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin) {
  BoxPair<T> pair;
  pair.a = sizeA;
  pair.b = sizeB;
  pair.r = rotationMatrix(conjugate(a.q) * b.q);
  pair.absR = {absOf(pair.r.c0), absOf(pair.r.c1), absOf(pair.r.c2)};
  pair.d = inverseRotate(a.q, b.p - a.p);
  pair.across = transposeTimes(pair.r, pair.d);
  pair.margin = margin;
  return pair;
}

}  // namespace collide_detail

}  // namespace cairn::v0
