// The geometry of triangle meshes as kernels read it: flat arrays on the queue's target, shared by all shapes that are the same mesh.
//
// In double whatever the World's precision, as hulls are. The frame is the shape's own. Triangles that have no area are not there, and vertices of
// equal coordinates are one.
#pragma once

#include "kernels/state/field_look.hpp"
#include "kernels/state/solid_view.hpp"

namespace cairn::v0 {

// The number of a shape's mesh stands in its type as that of a hull does (hull_view.hpp), above the bit of sensors.
constexpr int kMesh = 8, kMeshShift = 9, kMaxMeshes = 1 << 18;

CAIRN_HD inline bool isMesh(int type) { return (type & (kSensor - 1)) == kMesh; }
CAIRN_HD inline int meshOf(int type) { return type >> kMeshShift; }

// Whether a shape has no inside that another would be through when it comes out: what is behind a half-space has no end, and a mesh has none unless
// it is a solid, whose size says how thick it is.
template <class T> CAIRN_HD inline bool isSurface(int type, Vec3<T> size) { return type == kHalfSpace || (isMesh(type) && !(size.x > T(0))); }
template <class T> CAIRN_HD inline bool isSurface(const ShapeRecord<T>& shape) { return isSurface(shape.type, shape.size); }
// Whether it is a mesh that has one.
template <class T> CAIRN_HD inline bool isSolid(const ShapeRecord<T>& shape) { return isMesh(shape.type) && shape.size.x > T(0); }

constexpr int kBorder = -1;
constexpr int kMaxMeshTriangles = 1 << 27;  // of one mesh

// Edge k leads from corner k to corner k + 1.
struct MeshTriangle {
  int corners[3];  // anticlockwise seen from outside
  int across[3];   // by edge: the corner of the triangle beyond it that is not on it; kBorder: there is none, or there are several
};

constexpr int kNoSolid = -1;

struct MeshRecord {
  int firstVertex, vertexCount;
  int firstTriangle, triangleCount;
  int firstNode, nodeCount;
  int firstFan;   // of its vertexCount + 1 offsets, which count from firstNear
  int firstNear;  // of the vertices' neighbours
  int twoSided;   // 1: each triangle is met from both sides; 0: from outside
  int solid;      // its number among solids; kNoSolid: it has no inside
};

// One mesh of a table, with its own.
struct MeshShape : MeshRecord {
  const Vec3<double>* vertices;
  const Vec3<double>* normals;  // by vertex: the sum of those of the triangles around it, each weighted by its angle there
  const MeshTriangle* triangleList;
  const BoxNode* nodes;
  const int* fans;  // [vertexCount + 1] where the neighbours of a vertex begin
  const int* near;  // vertices that an edge leads to

  CAIRN_HD Vec3<double> corner(int triangle, int k) const { return vertices[triangleList[triangle].corners[k]]; }
};

struct MeshView {
  const MeshRecord* meshes = nullptr;
  const Vec3<double>* vertices = nullptr;
  const Vec3<double>* normals = nullptr;
  const MeshTriangle* triangles = nullptr;
  const BoxNode* nodes = nullptr;
  const int* fans = nullptr;
  const int* near = nullptr;
  SolidView solids;
  int count = 0;
  bool byWarp = false;  // all threads of a device's warp go through a pair together

  CAIRN_HD bool any() const { return count > 0; }
  CAIRN_HD MeshShape of(int type) const {
    const MeshRecord& r = meshes[meshOf(type)];
    return {r,
            vertices + r.firstVertex,
            normals + r.firstVertex,
            triangles + r.firstTriangle,
            nodes + r.firstNode,
            fans + r.firstFan,
            near + r.firstNear};
  }
};

// Whether a place in its frame is inside of a mesh that has one.
CAIRN_HD inline bool isInside(const MeshShape& shape, const SolidView& solids, Vec3<double> p) {
  return shape.solid != kNoSolid && lookAt(solids.at(shape.solid).field, p).distance < 0;
}

}  // namespace cairn::v0
