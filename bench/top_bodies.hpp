// The bodies that were highest at the start: whether a structure still stands shows in them first.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <vector>

namespace cairn::bench {

struct TopBodies {
  int count = 0;
  int standing = 0;  // of these, at 0.97 or more of their height
  double ratio = 1;  // smallest height over that at the start
};

TopBodies topBodies(const Scene& scene, const std::vector<BodyState>& states);

}  // namespace cairn::bench
