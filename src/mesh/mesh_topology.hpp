// How the triangles of a mesh hang together.
#pragma once

#include <cairn/mesh.hpp>

#include <vector>

namespace cairn::v0 {

// One triangle's part of an edge: from a lower to a higher number of a vertex.
struct EdgeSide {
  int32_t low, high;
  int32_t triangle;
  bool forward;  // the triangle runs from low to high
};

struct MeshTopology {
  int edges = 0, crowdedEdges = 0, twistedEdges = 0, pinchedVertices = 0, usedVertices = 0, parts = 0;
  std::vector<EdgeSide> boundary;  // one each
  std::vector<int32_t> part;       // of each triangle in the list
  std::vector<bool> partIsClosed;  // every edge of it has two triangles, which agree on what is outside
};

// Of the triangles in this list, whose corners are different numbers.
MeshTopology topologyOf(size_t vertexCount, const std::vector<std::array<int32_t, 3>>& corners, const std::vector<int32_t>& list);

// The ways round the border. Where several meet in a vertex, one goes on with the edge that was found first.
std::vector<MeshHole> holesOf(const std::vector<Vec3d>& vertices, const std::vector<EdgeSide>& boundary);

// The vertices that triangles refer to, in their order: what a mesh's hull is of. The mesh is valid.
std::vector<Vec3d> usedVertices(const TriangleMesh& mesh);

}  // namespace cairn::v0
