// Signed distances by definition: the largest gap over all directions, looked for with supports that are written apart from the library's. The gap
// along any one direction is a lower bound on the distance, so that a direction is a proof.
#pragma once

#include "tests/collide/collide_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace cairn::test {

// The point of a shape that lies furthest along a direction in its frame, from the definition of each; a hull's is one of the corners given.
inline Vec furthestOf(const Shape& shape, const std::vector<Vec>& corners, Vec local) {
  const Vec s = shape.size;
  const double across = std::hypot(local.x, local.z), size = length(local);
  const auto side = [](double along, double reach) { return along < 0 ? -reach : reach; };
  const Vec ring = across > 0 ? Vec{s.x / across * local.x, 0, s.x / across * local.z} : Vec{0, 0, 0};
  switch (shape.type & 0xff) {
    case kSphere:
      return (s.x / size) * local;
    case kCapsule:
      return (s.x / size) * local + Vec{0, side(local.y, s.y), 0};
    case kBox:
      return {side(local.x, s.x), side(local.y, s.y), side(local.z, s.z)};
    case kEllipsoid: {
      const Vec scaled = scale(s, local);
      return scale(s, (1 / length(scaled)) * scaled);
    }
    case kCylinder:
      return ring + Vec{0, side(local.y, s.y), 0};
    case kCone:
      return s.y * local.y > s.x * across - s.y * local.y ? Vec{0, s.y, 0} : ring - Vec{0, s.y, 0};
    default: {
      size_t best = 0;
      for (size_t k = 1; k < corners.size(); ++k) best = dot(local, corners[k]) > dot(local, corners[best]) ? k : best;
      return corners[best];
    }
  }
}
inline Vec furthestAlong(const Shape& shape, const std::vector<Vec>& corners, Vec n) {
  return transform(shape.pose, furthestOf(shape, corners, inverseRotate(shape.pose.q, n)));
}
// How far a shape reaches along a unit vector.
inline double reachOf(const Shape& shape, const std::vector<Vec>& corners, Vec n) { return dot(n, furthestAlong(shape, corners, n)); }

// A pair with whatever the hulls' corners are.
struct ShapePair {
  Shape a, b;
  std::vector<Vec> cornersOfA, corners;
  double gapAlong(Vec n) const { return -reachOf(b, corners, -n) - reachOf(a, cornersOfA, n); }
};

// Uphill from a direction by ever smaller steps.
inline double climb(const ShapePair& pair, Vec n, ShapeSource& source) {
  double gap = pair.gapAlong(n);
  for (double step = 0.06; step > 1e-6;) {
    bool better = false;
    for (int t = 0; t < 16; ++t) {
      const Vec other = normalizedOr(n + (step * source.uniform(0, 2)) * source.direction(), n);
      const double there = pair.gapAlong(other);
      if (there > gap) gap = there, n = other, better = true;
    }
    if (!better) step *= 0.6;
  }
  return gap;
}

// From many directions on the sphere, and from those that somebody knows, uphill.
inline double signedDistanceOf(const ShapePair& pair, const std::vector<Vec>& known = {}) {
  constexpr int kStarts = 1500, kClimbs = 10;
  std::vector<std::pair<double, Vec>> starts;
  for (int k = 0; k < kStarts; ++k) {
    const double z = 1 - (2 * k + 1.0) / kStarts, r = std::sqrt(1 - z * z), angle = 2.399963229728653 * k;
    const Vec n{r * std::cos(angle), z, r * std::sin(angle)};
    starts.push_back({pair.gapAlong(n), n});
  }
  std::sort(starts.begin(), starts.end(), [](const auto& first, const auto& second) { return first.first > second.first; });
  ShapeSource source(5);
  double best = -1e300;
  for (int k = 0; k < kClimbs; ++k) best = std::max(best, climb(pair, starts[static_cast<size_t>(3 * k)].second, source));
  for (const Vec& n : known) best = std::max(best, climb(pair, n, source));
  return best;
}

}  // namespace cairn::test
