#include "bench/overlaps.hpp"

#include "bench/polytopes.hpp"
#include "tests/collide/collide_oracle.hpp"

#include <cairn/error.hpp>
#include <cairn/names.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace cairn::bench {
namespace {

struct Placed {
  test::Shape shape;
  Vec3d low, high;  // bounds
  int body;
  bool dynamic;
  const ShapeDef* def;
  std::shared_ptr<const Polytope> polytope;  // of hulls, and of boxes where there are hulls
};

Vec3d sizeOf(const ShapeDef& shape) {
  return shape.type == ShapeType::Box || shape.type == ShapeType::Ellipsoid ? shape.halfExtents : Vec3d{shape.radius, shape.halfHeight, 0};
}

bool anyHull(const Scene& scene) {
  const auto isHull = [](const ShapeDef& shape) { return shape.type == ShapeType::Hull; };
  return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [&](const BodyDef& body) { return std::any_of(body.shapes.begin(), body.shapes.end(), isHull); });
}

std::shared_ptr<const Polytope> polytopeOf(const ShapeDef& def, const Posed& pose) {
  if (def.type == ShapeType::Hull) return std::make_shared<Polytope>(bench::polytopeOf(*hullOf(def), pose));
  if (def.type == ShapeType::Box) return std::make_shared<Polytope>(boxPolytope(def.halfExtents, pose));
  return nullptr;
}

void bound(Placed& placed) {
  const test::Core core = placed.polytope ? test::Core{placed.polytope->vertices, {}, {}, {}, 0} : test::coreOf(placed.shape);
  const Vec3d radius{core.radius, core.radius, core.radius};
  placed.low = placed.high = core.vertices.front();
  for (const Vec3d& vertex : core.vertices) {
    placed.low = minOf(placed.low, vertex);
    placed.high = maxOf(placed.high, vertex);
  }
  placed.low -= radius;
  placed.high += radius;
}

double depthOf(const Placed& a, const Placed& b) {
  const bool hull = a.def->type == ShapeType::Hull || b.def->type == ShapeType::Hull;
  if (!hull) return -test::signedDistance(a.shape, b.shape);
  if (a.polytope && b.polytope) return overlapDepth(*a.polytope, *b.polytope);
  if (b.def->type != ShapeType::HalfSpace) throw InvalidInput("hull", "has no measure of its overlaps with round shapes here");
  const Vec3d outward = rotate(b.shape.pose.q, Vec3d{0, 1, 0});
  double depth = 0;
  for (const Vec3d& v : a.polytope->vertices) depth = std::max(depth, dot(outward, b.shape.pose.p - v));
  return depth;
}

using Pairs = std::set<std::pair<int, int>>;

Pairs keptFromColliding(const Scene& scene) {
  Pairs pairs;
  for (const JointDef& joint : scene.joints)
    if (!joint.collide) pairs.insert(std::minmax(joint.bodyA, joint.bodyB));
  return pairs;
}

}  // namespace

bool mayCollide(const ShapeDef& a, const ShapeDef& b) {
  if (a.filter.group != 0 && a.filter.group == b.filter.group) return a.filter.group > 0;
  return (a.filter.category & b.filter.mask) != 0 && (b.filter.category & a.filter.mask) != 0;
}

Overlaps measureOverlaps(const Scene& scene, const std::vector<BodyState>& states) {
  std::vector<Placed> bounded, halfSpaces;
  const bool hulls = anyHull(scene);
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    for (const ShapeDef& def : scene.bodies[i].shapes) {
      if (isRevolved(static_cast<int>(def.type))) throw InvalidInput(nameOf(def.type), "has no measure of overlaps here");
      const Posed body{states[i].pose.p, normalized(states[i].pose.q)};
      const Posed pose = body * def.localPose;
      Placed placed{{static_cast<int>(def.type), sizeOf(def), pose}, pose.p, pose.p, static_cast<int>(i),
                    scene.bodies[i].type == BodyType::Dynamic,       &def,   {}};
      if (hulls) placed.polytope = polytopeOf(def, pose);
      if (def.type == ShapeType::HalfSpace) {
        halfSpaces.push_back(placed);
        continue;
      }
      bound(placed);
      bounded.push_back(placed);
    }
  }
  const Pairs apart = keptFromColliding(scene);
  Overlaps overlaps;
  const auto add = [&](const Placed& a, const Placed& b) {
    if (a.body == b.body || (!a.dynamic && !b.dynamic) || !mayCollide(*a.def, *b.def)) return;
    if (apart.count(std::minmax(a.body, b.body)) != 0) return;
    const double depth = depthOf(a, b);
    if (depth <= 0) return;
    ++overlaps.pairs;
    overlaps.mean += depth;
    overlaps.max = std::max(overlaps.max, depth);
  };
  // Along the x axis: a shape meets those that begin before it ends.
  std::sort(bounded.begin(), bounded.end(), [](const Placed& a, const Placed& b) { return a.low.x < b.low.x; });
  for (size_t i = 0; i < bounded.size(); ++i) {
    const Placed& a = bounded[i];
    for (size_t k = i + 1; k < bounded.size() && bounded[k].low.x <= a.high.x; ++k) {
      const Placed& b = bounded[k];
      if (a.low.y <= b.high.y && b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z) add(a, b);
    }
    for (const Placed& plane : halfSpaces) add(a, plane);
  }
  if (overlaps.pairs > 0) overlaps.mean /= static_cast<double>(overlaps.pairs);
  return overlaps;
}

}  // namespace cairn::bench
