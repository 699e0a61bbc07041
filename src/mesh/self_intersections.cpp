// Two triangles as closed sets. Without a common corner they meet where an edge of one meets the other. With one common corner: where the edge
// opposite to it, of either, meets the other triangle, since a ray from the corner leaves each triangle through that edge. With two: where
// they lie in one plane on the same side of the common edge. All of it rests on the signs of exact_orientation.hpp, so that neighbours in a flat part
// of a mesh never count, and crossings always do.
#include "src/mesh/self_intersections.hpp"

#include "src/mesh/exact_orientation.hpp"
#include "src/mesh/triangle_tree.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

// Onto the two axes across the given one.
Vec2d flattened(Vec3d p, int axis) { return axis == 0 ? Vec2d{p.y, p.z} : axis == 1 ? Vec2d{p.z, p.x} : Vec2d{p.x, p.y}; }

// An axis along which the triangle is no line; the one along which it looks largest is tried first.
int axisAcross(const Triangle& t) {
  const Vec3d n = absOf(cross(t[1] - t[0], t[2] - t[0]));
  const int first = n.x >= n.y && n.x >= n.z ? 0 : n.y >= n.z ? 1 : 2;
  for (int k = 0; k < 3; ++k) {
    const int axis = (first + k) % 3;
    if (orientation(flattened(t[0], axis), flattened(t[1], axis), flattened(t[2], axis)) != 0) return axis;
  }
  return first;
}

bool isBetween(Vec2d p, Vec2d a, Vec2d b) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y && p.y <= std::max(a.y, b.y);
}

bool segmentsMeet(Vec2d a, Vec2d b, Vec2d c, Vec2d d) {
  const int ofC = orientation(a, b, c), ofD = orientation(a, b, d), ofA = orientation(c, d, a), ofB = orientation(c, d, b);
  if (ofC * ofD < 0 && ofA * ofB < 0) return true;
  return (ofC == 0 && isBetween(c, a, b)) || (ofD == 0 && isBetween(d, a, b)) || (ofA == 0 && isBetween(a, c, d)) || (ofB == 0 && isBetween(b, c, d));
}

bool isInside(Vec2d p, Vec2d a, Vec2d b, Vec2d c) {
  const int ab = orientation(a, b, p), bc = orientation(b, c, p), ca = orientation(c, a, p);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

bool meetInPlane(Vec3d p, Vec3d q, const Triangle& t) {
  const int axis = axisAcross(t);
  const Vec2d a = flattened(t[0], axis), b = flattened(t[1], axis), c = flattened(t[2], axis), u = flattened(p, axis), v = flattened(q, axis);
  return isInside(u, a, b, c) || isInside(v, a, b, c) || segmentsMeet(u, v, a, b) || segmentsMeet(u, v, b, c) || segmentsMeet(u, v, c, a);
}

bool segmentMeets(Vec3d p, Vec3d q, const Triangle& t) {
  const int ofP = orientation(t[0], t[1], t[2], p), ofQ = orientation(t[0], t[1], t[2], q);
  if (ofP * ofQ > 0) return false;
  if (ofP == 0 && ofQ == 0) return meetInPlane(p, q, t);
  const int ab = orientation(p, q, t[0], t[1]), bc = orientation(p, q, t[1], t[2]), ca = orientation(p, q, t[2], t[0]);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

bool isBesidePlane(const Triangle& a, const Triangle& b) {
  const int first = orientation(a[0], a[1], a[2], b[0]);
  return first != 0 && first == orientation(a[0], a[1], a[2], b[1]) && first == orientation(a[0], a[1], a[2], b[2]);
}

bool anyEdgeMeets(const Triangle& a, const Triangle& b) {
  return segmentMeets(a[0], a[1], b) || segmentMeets(a[1], a[2], b) || segmentMeets(a[2], a[0], b);
}

// The corners of the triangles, turned so that those that both have come first.
bool meet(const Triangle& a, const Triangle& b, int common) {
  switch (common) {
    case 0:
      return !isBesidePlane(a, b) && !isBesidePlane(b, a) && (anyEdgeMeets(a, b) || anyEdgeMeets(b, a));
    case 1:
      return segmentMeets(a[1], a[2], b) || segmentMeets(b[1], b[2], a);
    case 2: {
      if (orientation(a[0], a[1], a[2], b[2]) != 0) return false;
      const int axis = axisAcross(a);
      const Vec2d p = flattened(a[0], axis), q = flattened(a[1], axis);
      return orientation(p, q, flattened(a[2], axis)) == orientation(p, q, flattened(b[2], axis));
    }
    default:
      return false;
  }
}

}  // namespace

SelfIntersections selfIntersections(const std::vector<Vec3d>& vertices, const std::vector<std::array<int32_t, 3>>& corners,
                                    const std::vector<int32_t>& list) {
  SelfIntersections found;
  if (list.empty()) return found;
  // Scaled by a power of two: the exact signs are those of the mesh, and products stay in range.
  double largest = 0;
  const auto place = [&](int32_t triangle, size_t corner) { return static_cast<size_t>(corners[static_cast<size_t>(triangle)][corner]); };
  for (const int32_t i : list) {
    for (size_t k = 0; k < 3; ++k) {
      const Vec3d size = absOf(vertices[place(i, k)]);
      largest = std::max({largest, size.x, size.y, size.z});
    }
  }
  const double unit = largest > 0 ? powerToUnit(largest) : 1;
  std::vector<Triangle> triangles;
  triangles.reserve(list.size());
  for (const int32_t i : list) triangles.push_back({unit * vertices[place(i, 0)], unit * vertices[place(i, 1)], unit * vertices[place(i, 2)]});
  const TriangleTree tree(std::move(triangles));
  std::vector<bool> marked(list.size(), false);
  tree.forEachPair([&](int i, int j) {
    const auto &of = corners[static_cast<size_t>(list[static_cast<size_t>(i)])], &and_ = corners[static_cast<size_t>(list[static_cast<size_t>(j)])];
    Triangle a = tree.triangle(i), b = tree.triangle(j);
    std::array<int32_t, 3> numbersA = of, numbersB = and_;
    size_t common = 0;
    for (size_t p = 0; p < 3; ++p) {
      for (size_t q = common; q < 3; ++q) {
        if (numbersA[p] != numbersB[q]) continue;
        std::swap(numbersA[p], numbersA[common]);
        std::swap(a[p], a[common]);
        std::swap(numbersB[q], numbersB[common]);
        std::swap(b[q], b[common]);
        ++common;
        break;
      }
    }
    if (!meet(a, b, static_cast<int>(common))) return;
    ++found.pairs;
    marked[static_cast<size_t>(i)] = marked[static_cast<size_t>(j)] = true;
  });
  for (size_t i = 0; i < list.size(); ++i) {
    if (marked[i]) found.triangles.push_back(list[i]);
  }
  std::sort(found.triangles.begin(), found.triangles.end());
  return found;
}

}  // namespace cairn::v0
