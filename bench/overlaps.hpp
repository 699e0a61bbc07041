// How deep bodies are in each other, from their poses alone: the same measure for every engine, and none of its own narrow phase.
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

// Depth: the least translation that parts two shapes. Of all pairs of shapes on different bodies of which one is dynamic, states in the order of
// the scene's bodies.
Overlaps measureOverlaps(const Scene& scene, const std::vector<BodyState>& states);

}  // namespace cairn::bench
