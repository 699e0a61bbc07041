// Hulls with their faces, where the collide functions and FCL find them.
#pragma once

#include "src/scene/convex_hull.hpp"
#include "src/state/hull_table.hpp"
#include "tests/collide/fcl_shapes.hpp"

#include "kernels/runtime/owned_queue.hpp"

#include <map>
#include <memory>
#include <vector>

namespace cairn::test {

class Hulls {
 public:
  Hulls() : queue_(Target::Cpu, 1) {}

  Shape add(const std::vector<Vec3d>& points) {
    const std::shared_ptr<const ConvexHull> hull = hullOf(ShapeDef::hull(points));
    const int type = table_.typeOf(*hull);
    made_[type] = hull;
    table_.upload(queue_.queue);
    return {type, {hull->inner, hull->outer, 0}, identityPose<double>()};
  }
  HullView view() const { return table_.view(); }
  // About the centre of mass.
  std::vector<Vec> corners(int type) const {
    std::vector<Vec> out;
    for (const Vec3d& v : made_.at(type)->vertices) out.push_back(v - made_.at(type)->centre);
    return out;
  }
  std::shared_ptr<fcl::CollisionGeometryd> geometry(int type) const {
    std::shared_ptr<fcl::CollisionGeometryd>& known = geometries_[type];
    if (known) return known;
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    for (const Vec& v : corners(type)) vertices->push_back({v.x, v.y, v.z});
    auto faces = std::make_shared<std::vector<int>>();
    for (const std::vector<int>& face : made_.at(type)->faces) {
      faces->push_back(static_cast<int>(face.size()));
      faces->insert(faces->end(), face.begin(), face.end());
    }
    return known = std::make_shared<fcl::Convexd>(vertices, static_cast<int>(made_.at(type)->faces.size()), faces);
  }

 private:
  OwnedQueue queue_;
  HullTable table_;
  std::map<int, std::shared_ptr<const ConvexHull>> made_;
  mutable std::map<int, std::shared_ptr<fcl::CollisionGeometryd>> geometries_;
};

inline fcl::CollisionObjectd objectOf(const Hulls& hulls, const Shape& shape) {
  if (!isHull(shape.type)) return fclObject(shape);
  Shape frame = shape;
  frame.type = kBox;
  return fcl::CollisionObjectd(hulls.geometry(shape.type), fclObject(frame).getTransform());
}
// Each of its two solvers stops short of the smallest distance now and then.
inline double fclDistance(const Hulls& hulls, const Shape& a, const Shape& b) {
  const fcl::CollisionObjectd first = objectOf(hulls, a), second = objectOf(hulls, b);
  double least = 1e300;
  for (const fcl::GJKSolverType solver : {fcl::GST_INDEP, fcl::GST_LIBCCD}) {
    fcl::DistanceRequestd request;
    request.gjk_solver_type = solver;
    request.distance_tolerance = 1e-9;
    fcl::DistanceResultd result;
    least = std::min(least, fcl::distance(&first, &second, request, result));
  }
  return least;
}

}  // namespace cairn::test
