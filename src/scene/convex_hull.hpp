// The convex hull of points: corners, faces and mass properties, made by Qhull.
#pragma once

#include <cairn/scene.hpp>

namespace cairn::v0 {

// In the frame of the points. The same points give the same hull, to the bit.
struct ConvexHull {
  std::vector<Vec3d> vertices;          // in the order of the points that they are
  std::vector<std::vector<int>> faces;  // their corners, anticlockwise seen from outside, the smallest number first
  std::vector<Vec3d> normals;           // of the faces: unit, outward
  std::vector<double> offsets;          // of their planes along the normals [m]
  double volume = 0;                    // [m^3]
  double wholeVolume = 0;               // with the corners that were left out for maxVertices [m^3]
  Vec3d centre{0, 0, 0};                // of the volume [m]
  Sym3<double> inertia{};               // about the centre, for a density of one [m^5]
  double inner = 0, outer = 0;          // radii of the balls about the centre that lie in it and that it lies in [m]
};

constexpr int kMostHullVertices = 64;

// What a hull was made of, so that copies of a shape share it and changed points are noticed.
struct HullSource {
  std::vector<Vec3d> points;
  int maxVertices = 0;
  std::shared_ptr<const ConvexHull> hull;

  bool isOf(const std::vector<Vec3d>& others, int most) const;
};

// Of points, with at most so many corners; 0: all of them, which may be kMostHullVertices at most. Throws as hullOf does.
std::shared_ptr<const ConvexHull> makeHull(const std::vector<Vec3d>& points, int maxVertices);

// The hull of a shape of that type, which `ShapeDef::hull` may have made already. Throws InvalidInput with the field, "points" or "max_vertices", as
// its place and the reason for points that have none: fewer than four, not finite, in one plane or nearly so, or with too many corners.
std::shared_ptr<const ConvexHull> hullOf(const ShapeDef& shape);

}  // namespace cairn::v0
