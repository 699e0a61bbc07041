#include "src/mesh/signed_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr int next(int k) { return k == 2 ? 0 : k + 1; }

Vec3d unitNormal(Vec3d a, Vec3d b, Vec3d c) { return normalizedOr(cross(b - a, c - a), {0, 0, 0}); }

double squareTo(const BoxNode& node, Vec3d p) {
  const auto beyond = [](double v, float low, float high) { return std::max({double(low) - v, v - double(high), 0.0}); };
  const Vec3d d{beyond(p.x, node.low[0], node.high[0]), beyond(p.y, node.low[1], node.high[1]), beyond(p.z, node.low[2], node.high[2])};
  return dot(d, d);
}

}  // namespace

SignedDistance::SignedDistance(const CollisionMesh& mesh) : mesh_(mesh), normals_(mesh.triangles.size()) {
  const size_t faces = mesh.triangles.size();
  for (size_t t = 0; t < faces; ++t) {
    const int* const corners = mesh.triangles[t].corners;
    const auto at = [&](int k) { return mesh.vertices[static_cast<size_t>(corners[k])]; };
    normals_[t] = unitNormal(at(0), at(1), at(2));
  }
}

// Ericson, "Real-Time Collision Detection", 2005, section 5.1.5: by the regions of corners, edges and face.
void SignedDistance::look(int triangle, Vec3d p, Nearest& best) const {
  const int* const corners = mesh_.triangles[static_cast<size_t>(triangle)].corners;
  const auto at = [&](int k) { return mesh_.vertices[static_cast<size_t>(corners[k])]; };
  const Vec3d a = at(0), b = at(1), c = at(2), ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const auto consider = [&](Vec3d q, int corner, int edge) {
    const double square = lengthSquared(p - q);
    if (square < best.square) best = {square, q, triangle, corner, edge};
  };
  const double abAp = dot(ab, ap), acAp = dot(ac, ap), abBp = dot(ab, bp), acBp = dot(ac, bp), abCp = dot(ab, cp), acCp = dot(ac, cp);
  if (abAp <= 0 && acAp <= 0) return consider(a, 0, -1);
  if (abBp >= 0 && acBp <= abBp) return consider(b, 1, -1);
  if (acCp >= 0 && abCp <= acCp) return consider(c, 2, -1);
  const double ofC = abAp * acBp - abBp * acAp, ofB = abCp * acAp - abAp * acCp, ofA = abBp * acCp - abCp * acBp;
  if (ofC <= 0 && abAp >= 0 && abBp <= 0) return consider(a + (abAp / (abAp - abBp)) * ab, -1, 0);
  if (ofB <= 0 && acAp >= 0 && acCp <= 0) return consider(a + (acAp / (acAp - acCp)) * ac, -1, 2);
  const double toC = acBp - abBp, toB = abCp - acCp;
  if (ofA <= 0 && toC >= 0 && toB >= 0) return consider(b + (toC / (toC + toB)) * (c - b), -1, 1);
  const Vec3d n = normals_[static_cast<size_t>(triangle)];
  consider(p - dot(n, ap) * n, -1, -1);
}

Vec3d SignedDistance::pseudonormal(const Nearest& nearest) const {
  const MeshTriangle& triangle = mesh_.triangles[static_cast<size_t>(nearest.triangle)];
  const Vec3d own = normals_[static_cast<size_t>(nearest.triangle)];
  if (nearest.corner >= 0) return mesh_.normals[static_cast<size_t>(triangle.corners[nearest.corner])];
  if (nearest.edge < 0 || triangle.across[nearest.edge] == kBorder) return own;
  const auto at = [&](int v) { return mesh_.vertices[static_cast<size_t>(v)]; };
  // The triangle beyond runs the other way along the edge.
  return own + unitNormal(at(triangle.corners[next(nearest.edge)]), at(triangle.corners[nearest.edge]), at(triangle.across[nearest.edge]));
}

double SignedDistance::at(Vec3d p, int& triangle) const {
  Nearest best{std::numeric_limits<double>::infinity(), p, triangle, -1, -1};
  look(triangle, p, best);
  struct Open {
    double square;
    int node;
  };
  std::array<Open, 128> open;  // the tree is balanced
  size_t count = 0;
  const auto squareOf = [&](int node) { return squareTo(mesh_.nodes[static_cast<size_t>(node)], p); };
  const auto push = [&](double square, int node) {
    if (square < best.square) open[count++] = {square, node};
  };
  push(squareOf(0), 0);
  while (count > 0) {
    const Open top = open[--count];
    if (!(top.square < best.square)) continue;
    const BoxNode& node = mesh_.nodes[static_cast<size_t>(top.node)];
    if (node.items != 0) {
      const int first = node.items >> 3, end = first + (node.items & 7);
      for (int t = first; t < end; ++t) look(t, p, best);
      continue;
    }
    // The nearer child last, so that it is the next one.
    const int left = top.node + 1, right = mesh_.nodes[static_cast<size_t>(left)].next;
    const double toLeft = squareOf(left), toRight = squareOf(right);
    const bool leftFirst = toLeft <= toRight;
    push(leftFirst ? toRight : toLeft, leftFirst ? right : left);
    push(leftFirst ? toLeft : toRight, leftFirst ? left : right);
  }
  triangle = best.triangle;
  const double distance = std::sqrt(best.square);
  return dot(p - best.at, pseudonormal(best)) < 0 ? -distance : distance;
}

}  // namespace cairn::v0
