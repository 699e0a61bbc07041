// Triangle meshes as they collide: welded, with what each edge and vertex borders on, and a tree over the triangles.
#pragma once

#include "kernels/state/mesh_view.hpp"

#include <cairn/mesh.hpp>

#include <memory>

namespace cairn::v0 {

// The parts of a MeshShape. The same mesh gives the same parts, to the bit.
struct CollisionMesh {
  std::vector<Vec3d> vertices;          // those that triangles refer to
  std::vector<Vec3d> normals;           // of vertices, as MeshShape has them
  std::vector<MeshTriangle> triangles;  // in the order of the tree's leaves
  std::vector<BoxNode> nodes;
  std::vector<int> fans, near;
  std::vector<int> given;       // by triangle: its number in the mesh that it was made of
  Vec3d low{}, high{};          // bounds [m]
  double outer = 0;             // radius of the ball about the origin of the frame that it lies in [m]
  int degenerateTriangles = 0;  // that were left out
  bool twoSided = false;
};

// Throws InvalidInput as validate does for a mesh that is not valid, for one whose triangles all have no area, and for more than kMaxMeshTriangles. A
// triangle that is there again the same way round (of a two-sided mesh either way) is left out without being counted.
std::shared_ptr<const CollisionMesh> makeCollisionMesh(const TriangleMesh& mesh, bool twoSided);

}  // namespace cairn::v0
