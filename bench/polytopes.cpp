#include "bench/polytopes.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace cairn::bench {
namespace {

struct Extent {
  double low, high;
};
Extent extentAlong(const Polytope& polytope, Vec3d n) {
  Extent extent{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Vec3d& v : polytope.vertices) {
    const double along = dot(v, n);
    extent.low = std::min(extent.low, along);
    extent.high = std::max(extent.high, along);
  }
  return extent;
}

double depthAlong(const Polytope& a, const Polytope& b, Vec3d n) {
  const Extent ofA = extentAlong(a, n), ofB = extentAlong(b, n);
  return std::min(ofA.high - ofB.low, ofB.high - ofA.low);
}

}  // namespace

Polytope polytopeOf(const ConvexHull& hull, const Posed& pose) {
  Polytope made;
  for (const Vec3d& v : hull.vertices) made.vertices.push_back(transform(pose, v));
  for (const Vec3d& n : hull.normals) made.faceNormals.push_back(rotate(pose.q, n));
  std::set<std::pair<int, int>> seen;
  for (const std::vector<int>& face : hull.faces)
    for (size_t k = 0; k < face.size(); ++k) {
      const std::pair<int, int> edge = std::minmax(face[k], face[(k + 1) % face.size()]);
      if (!seen.insert(edge).second) continue;
      made.edgeDirections.push_back(made.vertices[static_cast<size_t>(edge.second)] - made.vertices[static_cast<size_t>(edge.first)]);
    }
  return made;
}

Polytope boxPolytope(Vec3d halfExtents, const Posed& pose) {
  Polytope made;
  for (const double x : {-halfExtents.x, halfExtents.x})
    for (const double y : {-halfExtents.y, halfExtents.y})
      for (const double z : {-halfExtents.z, halfExtents.z}) made.vertices.push_back(transform(pose, {x, y, z}));
  for (const Vec3d axis : {Vec3d{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) made.faceNormals.push_back(rotate(pose.q, axis));
  made.edgeDirections = made.faceNormals;
  return made;
}

double overlapDepth(const Polytope& a, const Polytope& b) {
  double depth = std::numeric_limits<double>::infinity();
  for (const Polytope* of : {&a, &b})
    for (const Vec3d& n : of->faceNormals) {
      depth = std::min(depth, depthAlong(a, b, n));
      if (depth <= 0) return depth;
    }
  for (const Vec3d& u : a.edgeDirections)
    for (const Vec3d& v : b.edgeDirections) {
      const Vec3d n = cross(u, v);
      const double size = length(n);
      if (!(size > 1e-7 * length(u) * length(v))) continue;
      depth = std::min(depth, depthAlong(a, b, (1 / size) * n));
      if (depth <= 0) return depth;
    }
  return depth;
}

}  // namespace cairn::bench
