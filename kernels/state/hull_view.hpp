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
  int firstBlock;       // of its columns
  double inner, outer;  // radii of the balls about the centre of mass that lie in it and that it lies in [m]
};

// Whether the angle between the normals of an edge's faces is wider than twice the one of this cosine.
constexpr double kHalfEdgeCosine = 0.7;
CAIRN_HD inline bool isWideEdge(Vec3<double> left, Vec3<double> right) { return !(dot(left, right) >= 2 * kHalfEdgeCosine * kHalfEdgeCosine - 1); }

// The geometry once more, number by number, for packs of a CPU's lanes: columns in blocks of eight words, of which the last is filled up with what
// comes last. x, y and z of the corners; x, y and z of the faces' normals, and their offsets; of the edges a bit for each of their corners, and in
// two words one for each of their faces, with the last for those that are wide.
union HullWord {
  double number;
  uint64_t bits;
};
constexpr uint64_t kWideEdgeBit = uint64_t(1) << 63;
constexpr int kHullBlock = 8, kCornerColumns = 3, kFaceColumns = 4, kEdgeColumns = 3;
CAIRN_HD inline int hullBlocksOf(int count) { return (count + kHullBlock - 1) / kHullBlock; }

// One hull of a table, with its own.
struct HullShape : HullRecord {
  const Vec3<double>* vertices;
  const HullFace* faces;
  const HullSide* sides;
  const HullEdge* edges;
  const HullWord* columns = nullptr;

  // On the CPU.
  const HullWord* cornerColumn(int k) const { return columns + kHullBlock * k * hullBlocksOf(vertexCount); }
  const HullWord* faceColumn(int k) const { return cornerColumn(kCornerColumns) + kHullBlock * k * hullBlocksOf(faceCount); }
  const HullWord* edgeColumn(int k) const { return faceColumn(kFaceColumns) + kHullBlock * k * hullBlocksOf(edgeCount); }
};

struct HullView {
  const HullRecord* hulls = nullptr;
  const Vec3<double>* vertices = nullptr;
  const HullFace* faces = nullptr;
  const HullSide* sides = nullptr;
  const HullEdge* edges = nullptr;
  int count = 0;
  const HullWord* columns = nullptr;  // on the CPU only

  CAIRN_HD bool any() const { return count > 0; }
  CAIRN_HD HullShape at(int hull) const {
    const HullRecord& r = hulls[hull];
    return {r, vertices + r.firstVertex, faces + r.firstFace, sides + r.firstSide, edges + r.firstEdge, columnsOf(r)};
  }
  CAIRN_HD HullShape of(int type) const { return at(hullOf(type)); }

 private:
  CAIRN_HD const HullWord* columnsOf(const HullRecord& hull) const {
    return columns == nullptr ? nullptr : columns + int64_t(kHullBlock) * hull.firstBlock;
  }
};

}  // namespace cairn::v0
