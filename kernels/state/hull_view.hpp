// The geometry of convex hulls as kernels read it: flat arrays on the queue's target, shared by all shapes that are the same hull.
//
// In double whatever the World's precision: a hull's axes are differences of its corners, and float would leave them few digits. The frame of a hull
// is at its centre of mass. The first hull of a table is the cube from -1 to 1, which stands for boxes where they meet hulls.
#pragma once

#include "kernels/state/views.hpp"

namespace cairn::v0 {

// The number of a shape's hull stands in its type, above the bit of sensors.
constexpr int kHull = 5, kHullShift = 9, kMaxHulls = 1 << 18;
constexpr int kMaxHullVertices = 64;

CAIRN_HD inline bool isHull(int type) { return (type & (kSensor - 1)) == kHull; }
CAIRN_HD inline int hullOf(int type) { return type >> kHullShift; }

struct HullFace {
  Vec3<double> normal;  // unit, outward
  double offset;        // of the plane along it [m]
  int firstSide, sideCount;
};
// One corner of a face, anticlockwise seen from outside, and the edge from it to the next.
struct HullSide {
  uint8_t corner, edge;
};
// From one corner to another, with the face on its left, seen from outside, and the one on its right.
struct HullEdge {
  uint8_t from, to, left, right;
};

struct HullRecord {
  int firstVertex, vertexCount;
  int firstFace, faceCount;
  int firstSide;  // the faces' own are counted from here
  int firstEdge, edgeCount;
  int spare;
  double inner, outer;  // radii of the balls about the centre of mass that lie in it and that it lies in [m]
};

// One hull of a table, with its own.
struct HullShape : HullRecord {
  const Vec3<double>* vertices;
  const HullFace* faces;
  const HullSide* sides;
  const HullEdge* edges;
};

struct HullView {
  const HullRecord* hulls = nullptr;
  const Vec3<double>* vertices = nullptr;
  const HullFace* faces = nullptr;
  const HullSide* sides = nullptr;
  const HullEdge* edges = nullptr;
  int count = 0;

  CAIRN_HD bool any() const { return count > 0; }
  CAIRN_HD HullShape at(int hull) const {
    const HullRecord& r = hulls[hull];
    return {r, vertices + r.firstVertex, faces + r.firstFace, sides + r.firstSide, edges + r.firstEdge};
  }
  CAIRN_HD HullShape of(int type) const { return at(hullOf(type)); }
};

}  // namespace cairn::v0
