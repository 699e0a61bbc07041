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

// Two legs at a right angle, each as wide as thick and `reach` long in all, about the middle of the square that they span.
inline TriangleMesh angleMesh(double reach, double thickness) {
  const double a = -reach / 2, b = a + thickness, c = reach / 2;
  const double outline[6][2] = {{a, a}, {c, a}, {c, b}, {b, b}, {b, c}, {a, c}};
  TriangleMesh mesh;
  for (const double z : {-thickness / 2, thickness / 2}) {
    for (const auto& corner : outline) mesh.vertices.push_back({corner[0], corner[1], z});
  }
  for (int k = 1; k < 5; ++k) {
    mesh.triangles.push_back({0, k + 1, k});
    mesh.triangles.push_back({6, 6 + k, 7 + k});
  }
  for (int k = 0; k < 6; ++k) {
    const int next = (k + 1) % 6;
    mesh.triangles.push_back({k, next, 6 + next});
    mesh.triangles.push_back({k, 6 + next, 6 + k});
  }
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
