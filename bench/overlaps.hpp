// The depth of overlaps between bodies, from their poses alone: the same measure for every engine, without any engine's own narrow phase.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <vector>

namespace cairn::bench {

struct Overlaps {
  long pairs = 0;   // of shapes that overlap
  double mean = 0;  // depth over those pairs [m]
  double max = 0;   // [m]
};

// Whether the shapes' filters let them collide.
bool mayCollide(const ShapeDef& a, const ShapeDef& b);

// Over all pairs of shapes that may collide: on different bodies, of which one is dynamic, and that no joint keeps from colliding. Depth: the
// smallest translation that parts the two shapes. States are in the order of the scene's bodies.
Overlaps measureOverlaps(const Scene& scene, const std::vector<BodyState>& states);

}  // namespace cairn::bench
