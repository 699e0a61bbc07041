// Bodies of two shapes at random, for queries, and what they are as shapes of the oracle.
#pragma once

#include "kernels/collide/convex_distance.hpp"
#include "tests/collide/collide_oracle.hpp"

#include <cairn/scene.hpp>

namespace cairn::test {

inline ConvexShape convexOf(const Shape& shape) { return {shape.type, shape.size, shape.pose}; }

inline ShapeDef shapeDefOf(const Shape& shape) {
  ShapeDef def = shape.type == kSphere    ? ShapeDef::sphere(shape.size.x)
                 : shape.type == kCapsule ? ShapeDef::capsule(shape.size.x, shape.size.y)
                 : shape.type == kBox     ? ShapeDef::box(shape.size)
                                          : ShapeDef::ellipsoid(shape.size);
  return def;
}

// A ground and bodies of two shapes each; what they are as Shapes, by body.
struct Crowd {
  Scene scene;
  std::vector<std::vector<Shape>> shapes;
};
inline Crowd crowd(unsigned seed, int count) {
  ShapeSource source(seed);
  Crowd out;
  BodyDef ground;
  ground.type = BodyType::Static;
  ground.pose.p = {0, -6, 0};
  ground.shapes = {ShapeDef::halfSpace()};
  out.scene.add(ground);
  out.shapes.push_back({{kHalfSpace, {}, ground.pose}});
  for (int i = 0; i < count; ++i) {
    BodyDef body;
    if (i % 5 == 0) body.type = BodyType::Static;
    body.pose = {source.uniform(0, 6) * source.direction(), source.turn(3)};
    std::vector<Shape> placed;
    for (int k = 0; k < 2; ++k) {
      Shape shape = source.shape(i % 4 == 3 ? kEllipsoid : i % 4);
      shape.pose.p = 0.3 * source.direction();
      ShapeDef def = shapeDefOf(shape);
      def.localPose = shape.pose;
      def.filter.category = k == 0 ? 1 : 4;
      body.shapes.push_back(def);
      shape.pose = body.pose * shape.pose;
      placed.push_back(shape);
    }
    out.shapes.push_back(placed);
    out.scene.add(body);
  }
  return out;
}

}  // namespace cairn::test
