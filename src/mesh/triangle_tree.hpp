// A tree of boxes around triangles: which of them may meet, and what a ray hits first.
//
// Halves by the median of the boxes' middles along the axis where these are furthest apart, ties by number: the tree depends on the triangles alone.
// 64 bytes a triangle and a half.
#pragma once

#include <cairn/scene.hpp>

#include <array>
#include <vector>

namespace cairn::v0 {

using Triangle = std::array<Vec3d, 3>;

struct Bounds {
  Vec3d low, high;

  bool overlaps(const Bounds& other) const {
    return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y && low.z <= other.high.z &&
           other.low.z <= high.z;
  }
};
Bounds boundsOf(const Triangle& triangle);
Bounds unionOf(const Bounds& a, const Bounds& b);

struct TriangleHit {
  int triangle = -1;  // none
  double distance = 0;
  double second = 0, third = 0;  // weights of the triangle's corners 1 and 2
};

class TriangleTree {
 public:
  explicit TriangleTree(std::vector<Triangle> triangles);

  // Calls visit(i, j), i < j, for each pair of triangles whose bounds overlap, each once.
  template <class Visit> void forEachPair(const Visit& visit) const {
    if (nodes_.empty()) return;
    std::vector<std::array<int, 2>> open{{0, 0}};
    while (!open.empty()) {
      const auto [a, b] = open.back();
      open.pop_back();
      const Node &first = nodes_[static_cast<size_t>(a)], &second = nodes_[static_cast<size_t>(b)];
      if (a == b) {
        if (first.count > 0) {
          visitWithin(first, visit);
        } else {
          open.insert(open.end(), {{first.left, first.left}, {first.left + 1, first.left + 1}, {first.left, first.left + 1}});
        }
        continue;
      }
      if (!first.bounds.overlaps(second.bounds)) continue;
      if (first.count > 0 && second.count > 0) {
        visitBetween(first, second, visit);
      } else if (second.count > 0 || (first.count == 0 && first.size >= second.size)) {
        open.insert(open.end(), {{first.left, b}, {first.left + 1, b}});
      } else {
        open.insert(open.end(), {{a, second.left}, {a, second.left + 1}});
      }
    }
  }

  // The first triangle along the ray, from either side, beyond `least` times the direction.
  TriangleHit cast(Vec3d origin, Vec3d direction, double least = 0) const;

  const Triangle& triangle(int i) const { return triangles_[static_cast<size_t>(i)]; }

 private:
  struct Node {
    Bounds bounds;
    int left = 0;              // of two children that lie side by side
    int begin = 0, count = 0;  // leaf: its part of order_; count 0: no leaf
    int size = 0;              // triangles below
  };

  void build(int node, int begin, int end);
  const Bounds& boundsAt(int place) const { return bounds_[static_cast<size_t>(order_[static_cast<size_t>(place)])]; }
  template <class Visit> void visitPlaces(int p, int q, const Visit& visit) const {
    const int i = order_[static_cast<size_t>(p)], j = order_[static_cast<size_t>(q)];
    if (boundsAt(p).overlaps(boundsAt(q))) i < j ? visit(i, j) : visit(j, i);
  }
  template <class Visit> void visitWithin(const Node& node, const Visit& visit) const {
    for (int p = node.begin; p < node.begin + node.count; ++p) {
      for (int q = p + 1; q < node.begin + node.count; ++q) visitPlaces(p, q, visit);
    }
  }
  template <class Visit> void visitBetween(const Node& a, const Node& b, const Visit& visit) const {
    for (int p = a.begin; p < a.begin + a.count; ++p) {
      for (int q = b.begin; q < b.begin + b.count; ++q) visitPlaces(p, q, visit);
    }
  }

  std::vector<Triangle> triangles_;
  std::vector<Bounds> bounds_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace cairn::v0
