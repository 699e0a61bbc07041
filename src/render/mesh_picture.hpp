// Pictures of a mesh.
#pragma once

#include "src/render/picture.hpp"

#include <cairn/mesh.hpp>

#include <string>

namespace cairn::v0 {

// A PNG of the mesh, of which the report is, from the front, above and aside; y is up. Its outside is ochre, its inside violet where it can be seen;
// triangles that meet others are red, borders are green wires. Throws InvalidInput if the file cannot be written.
void writeMeshPicture(const TriangleMesh& mesh, const MeshReport& report, const std::string& path, const PictureSettings& settings = {});

}  // namespace cairn::v0
