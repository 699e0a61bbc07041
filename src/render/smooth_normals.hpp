// Normals of meshes that are meant to be round.
#pragma once

#include "src/mesh/triangle_tree.hpp"

#include <cairn/scene.hpp>

#include <map>
#include <memory>

namespace cairn::v0 {

// Triangles that meet at a small angle look like one smooth surface: at each corner those around it are averaged, by their area, and in between it is
// interpolated (Gouraud's way, with Phong's normals). Sharp edges stay sharp.
class SmoothNormals {
 public:
  explicit SmoothNormals(const Scene& scene);
  // Of the scene's mesh or height field that a ray has hit at this point of the shape's frame; the normal itself for all others. Directions are unit
  // vectors in that frame.
  Vec3d at(const void* surface, Vec3d point, Vec3d direction, Vec3d normal) const;

 private:
  struct Surface {
    TriangleTree tree;
    std::vector<std::array<Vec3d, 3>> normals;  // by triangle and corner
    double size;                                // [m]
  };
  void add(const void* key, const TriangleMesh& mesh);

  std::map<const void*, std::unique_ptr<Surface>> surfaces_;
};

}  // namespace cairn::v0
