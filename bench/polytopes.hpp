// Convex polytopes by their corners, faces' normals and edges' directions: how deep two of them are in each other, by every axis that counts.
#pragma once

#include "src/scene/convex_hull.hpp"

#include <cairn/scene.hpp>

#include <utility>
#include <vector>

namespace cairn::bench {

struct Polytope {
  std::vector<Vec3d> vertices;        // [m]
  std::vector<Vec3d> faceNormals;     // unit
  std::vector<Vec3d> edgeDirections;  // of any length, each once
};

// In the frame that `pose` leads to.
Polytope polytopeOf(const ConvexHull& hull, const Posed& pose);
Polytope boxPolytope(Vec3d halfExtents, const Posed& pose);

// The smallest translation that parts two that overlap, along the normal of a face or of two edges; else 0 or less [m].
double overlapDepth(const Polytope& a, const Polytope& b);

}  // namespace cairn::bench
