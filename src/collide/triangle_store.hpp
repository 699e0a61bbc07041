// Where a device keeps what the triangles of meshes have to say, until the pairs that they are of take it (kernels/collide/mesh_triangles.hpp).
#pragma once

#include "kernels/collide/mesh_triangles.hpp"
#include "kernels/runtime/runtime.hpp"

namespace cairn::v0 {

class TriangleStore {
 public:
  // Empty, for so many pairs.
  MeshTriangles ready(Queue& queue, int pairs);

 private:
  Buffer<ConvexOnMesh> pairs_;
  Buffer<int> firstRun_, spilled_, counts_;
  Buffer<TriangleRun> runs_;
  Buffer<int> triangles_;
  Buffer<TouchSpan> spans_;
  Buffer<mesh::Touch> touches_;
};

}  // namespace cairn::v0
