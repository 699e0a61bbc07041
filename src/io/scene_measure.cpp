#include "src/io/scene_measure.hpp"

#include "src/scene/flat_triangle.hpp"

#include <cairn/height_field.hpp>
#include <cairn/mesh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEscapeMargin = 1;  // [m]
constexpr double kCarries = 0.1;     // upward part of a half-space's normal above which it counts as ground

struct Enclosure {
  Vec3d low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  std::vector<Posed> planes;  // half-spaces: solid below y = 0 of their frames

  void add(const Posed& pose, Vec3d halfExtents) {
    const Mat3<double> r = rotationMatrix(pose.q);
    const Vec3d reach = halfExtents.x * absOf(r.c0) + halfExtents.y * absOf(r.c1) + halfExtents.z * absOf(r.c2);
    low = minOf(low, pose.p - reach);
    high = maxOf(high, pose.p + reach);
  }
  bool encloses(Vec3d p) const {
    bool ground = false;  // a half-space that carries: nothing can fall past it, and it has no edge
    for (const Posed& plane : planes) {
      if (inverseTransform(plane, p).y < -kEscapeMargin) return false;
      ground = ground || rotate(plane.q, Vec3d{0, 1, 0}).y > kCarries;
    }
    if (ground || low.x > high.x) return true;
    return p.y > low.y - kEscapeMargin && p.x > low.x - kEscapeMargin && p.x < high.x + kEscapeMargin && p.z > low.z - kEscapeMargin &&
           p.z < high.z + kEscapeMargin;
  }
};

Enclosure enclosureOf(const Scene& scene) {
  Enclosure enclosure;
  for (const BodyDef& body : scene.bodies) {
    if (body.type == BodyType::Dynamic) continue;
    const Posed frame{body.pose.p, normalized(body.pose.q)};
    for (const ShapeDef& shape : body.shapes) {
      if (shape.sensor) continue;
      const Posed pose = frame * shape.localPose;
      const double r = shape.radius;
      switch (shape.type) {
        case ShapeType::Sphere:
          enclosure.add(pose, {r, r, r});
          break;
        case ShapeType::Capsule:
          enclosure.add(pose, {r, r + shape.halfHeight, r});
          break;
        case ShapeType::Cylinder:
        case ShapeType::Cone:
          enclosure.add(pose, {r, shape.halfHeight, r});
          break;
        case ShapeType::Box:
        case ShapeType::Ellipsoid:
          enclosure.add(pose, shape.halfExtents);
          break;
        case ShapeType::Hull:
          for (const Vec3d& p : shape.points) enclosure.add({transform(pose, p), pose.q}, {0, 0, 0});
          break;
        case ShapeType::Mesh:
          for (const Vec3d& p : shape.triangles->vertices) enclosure.add({transform(pose, p), pose.q}, {0, 0, 0});
          break;
        case ShapeType::HeightField:
          for (int row = 0; row < shape.heights->rows; ++row) {
            for (int column = 0; column < shape.heights->columns; ++column)
              enclosure.add({transform(pose, shape.heights->sample(row, column)), pose.q}, {0, 0, 0});
          }
          break;
        case ShapeType::HalfSpace:
          enclosure.planes.push_back(pose);
          break;
      }
    }
  }
  return enclosure;
}

}  // namespace

SceneMeasure measureScene(const Scene& scene, const std::vector<BodyState>& states) {
  const Enclosure enclosure = enclosureOf(scene);
  SceneMeasure measure;
  bool anyHeight = false;
  for (size_t i = 0; i < scene.bodies.size() && i < states.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    const Vec3d start = scene.bodies[i].pose.p, now = states[i].pose.p;
    measure.driftMax = std::max(measure.driftMax, std::hypot(now.x - start.x, now.z - start.z));
    if (start.y > 0) {
      measure.heightRatioMin = anyHeight ? std::min(measure.heightRatioMin, now.y / start.y) : now.y / start.y;
      anyHeight = true;
    }
    if (enclosure.encloses(start) && !enclosure.encloses(now)) ++measure.escapedBodies;
  }
  return measure;
}

int64_t flatTriangles(const Scene& scene) {
  int64_t flat = 0;
  for (const BodyDef& body : scene.bodies) {
    for (const ShapeDef& shape : body.shapes) {
      if (shape.type != ShapeType::Mesh) continue;
      const std::vector<Vec3d>& at = shape.triangles->vertices;
      for (const auto& t : shape.triangles->triangles) {
        const bool hasArea = flatness(at[static_cast<size_t>(t[0])], at[static_cast<size_t>(t[1])], at[static_cast<size_t>(t[2])]) > kLineHeight;
        flat += hasArea ? 0 : 1;
      }
    }
  }
  return flat;
}

double energyAtStart(const Scene& scene) {
  double energy = 0;
  for (const BodyDef& body : scene.bodies) {
    if (body.type != BodyType::Dynamic) continue;
    const MassProperties own = massProperties(body);
    const Quat<double> q = normalized(body.pose.q);
    const Vec3d x = body.pose.p + rotate(q, own.centre), w = body.angularVelocity;
    const Vec3d spin = rotate(q, own.inertia * inverseRotate(q, w));
    energy += 0.5 * (own.mass * dot(body.linearVelocity, body.linearVelocity) + dot(w, spin)) - own.mass * body.gravityScale * dot(scene.gravity, x);
  }
  return energy;
}

}  // namespace cairn::v0
