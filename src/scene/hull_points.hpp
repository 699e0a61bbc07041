// What Qhull is asked for. Apart from the rest, so that a build for a machine without it can put something else in its place.
#pragma once

#include <cairn/scene.hpp>

namespace cairn::v0 {

// The faces of the hull of points whose largest coordinate is about 1: for each the numbers of its corners, in no order. Faces that lie within
// `coplanar` of one plane are one. Empty: the points lie in one plane, or Qhull gave up.
std::vector<std::vector<int>> facesOfHull(const std::vector<Vec3d>& points, double coplanar);

}  // namespace cairn::v0
