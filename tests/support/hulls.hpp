// Points whose hulls tests are about.
#pragma once

#include <cairn/scene.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace cairn::test {

inline std::vector<Vec3d> cornersOfBox(Vec3d half) {
  std::vector<Vec3d> corners;
  for (int k = 0; k < 8; ++k) corners.push_back({(k & 1) != 0 ? half.x : -half.x, (k & 2) != 0 ? half.y : -half.y, (k & 4) != 0 ? half.z : -half.z});
  return corners;
}

// On an ellipsoid, so that all of them are corners.
inline std::vector<Vec3d> gem(unsigned seed, int count, Vec3d semiAxes) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Vec3d> points;
  while (static_cast<int>(points.size()) < count) {
    const Vec3d p{normal(random), normal(random), normal(random)};
    if (length(p) > 0.1) points.push_back((1 / length(p)) * p);
  }
  for (Vec3d& p : points) p = scale(p, semiAxes);
  return points;
}

}  // namespace cairn::test
