// Meshes that tests begin with.
#pragma once

#include "tests/support/hulls.hpp"

#include <cairn/mesh.hpp>

namespace cairn::test {

// A box of twelve triangles, about the origin.
inline TriangleMesh boxMesh(Vec3d half) {
  TriangleMesh mesh;
  mesh.vertices = cornersOfBox(half);
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

inline TriangleMesh together(TriangleMesh a, const TriangleMesh& b, Vec3d moved = {0, 0, 0}) {
  const auto first = static_cast<int32_t>(a.vertices.size());
  for (const Vec3d& p : b.vertices) a.vertices.push_back(p + moved);
  for (const auto& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

inline TriangleMesh turnedOver(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

// Each triangle with vertices of its own, as STL has them.
inline TriangleMesh exploded(const TriangleMesh& mesh) {
  TriangleMesh out;
  for (const auto& t : mesh.triangles) {
    const auto first = static_cast<int32_t>(out.vertices.size());
    for (const int32_t corner : t) out.vertices.push_back(mesh.vertices[static_cast<size_t>(corner)]);
    out.triangles.push_back({first, first + 1, first + 2});
  }
  return out;
}

}  // namespace cairn::test
