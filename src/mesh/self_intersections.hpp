// Triangles of a mesh that meet elsewhere than in the corners that they share.
#pragma once

#include <cairn/mesh.hpp>

#include <vector>

namespace cairn::v0 {

struct SelfIntersections {
  long pairs = 0;
  std::vector<int32_t> triangles;  // that are in any, ascending
};

// Of the triangles in this list, whose corners are `corners` (numbers of vertices in different places) and none of which is a line.
SelfIntersections selfIntersections(const std::vector<Vec3d>& vertices, const std::vector<std::array<int32_t, 3>>& corners,
                                    const std::vector<int32_t>& list);

}  // namespace cairn::v0
