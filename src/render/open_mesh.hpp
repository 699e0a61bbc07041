// Meshes as pictures show them: containers opened towards the camera, ground down to its foot.
#pragma once

#include <cairn/mesh.hpp>
#include <cairn/scene.hpp>

#include <vector>

namespace cairn::v0 {

// Who looks at what, in the mesh's frame.
struct MeshView {
  Vec3d eye, centre;  // of the camera; of the bodies
  Vec3d extent[3];    // of the bodies: half of it, along three axes
  Vec3d vertical;     // unit
  double low = 0;     // along the vertical: what ends below hides nothing
};

// By triangle, whether it belongs to a wall that stands between the eye and the bodies: steep, reaching above `low`, with the eye beyond it and the
// bodies before; and what is level at such a wall's top. All false where the mesh does not stand around the bodies.
std::vector<bool> hidingTriangles(const TriangleMesh& mesh, const MeshView& view);

// Ground that is a sheet, whose triangles all look up, with sides from its borders down to below its lowest corner, so that no sky shows beneath it.
// Other meshes, and what is closed, come back as they are.
TriangleMesh withSides(const TriangleMesh& mesh, Vec3d vertical);

// The rest.
TriangleMesh withoutTriangles(const TriangleMesh& mesh, const std::vector<bool>& left);

}  // namespace cairn::v0
