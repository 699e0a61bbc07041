#include "src/render/body_reach.hpp"

#include <cairn/height_field.hpp>
#include <cairn/mesh.hpp>

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

double furthestOf(const std::vector<Vec3d>& points) {
  double furthest = 0;
  for (const Vec3d& p : points) furthest = std::max(furthest, length(p));
  return furthest;
}

double furthestOf(const HeightField& field) {
  double tallest = 0;
  for (const double y : field.heights) tallest = std::max(tallest, std::abs(y));
  const Vec3d corner = field.sample(0, 0);
  return length(Vec3d{corner.x, tallest, corner.z});
}

}  // namespace

double ownReachOf(const ShapeDef& shape) {
  switch (shape.type) {
    case ShapeType::Sphere:
      return shape.radius;
    case ShapeType::Capsule:
      return shape.radius + shape.halfHeight;
    case ShapeType::Box:
      return length(shape.halfExtents);
    case ShapeType::Ellipsoid:
      return std::max({shape.halfExtents.x, shape.halfExtents.y, shape.halfExtents.z});
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      return std::hypot(shape.radius, shape.halfHeight);
    case ShapeType::Hull:
      return furthestOf(shape.points);
    case ShapeType::Mesh:
      return shape.triangles == nullptr ? 0 : furthestOf(shape.triangles->vertices);
    case ShapeType::HeightField:
      return shape.heights == nullptr ? 0 : furthestOf(*shape.heights);
    case ShapeType::HalfSpace:
      break;
  }
  return 0;
}

double reachOf(const ShapeDef& shape) { return shape.type == ShapeType::HalfSpace ? 0 : length(shape.localPose.p) + ownReachOf(shape); }

double reachOf(const BodyDef& body) {
  double reach = 0;
  for (const ShapeDef& shape : body.shapes) reach = std::max(reach, reachOf(shape));
  return reach;
}

}  // namespace cairn::v0
