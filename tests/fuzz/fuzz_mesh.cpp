// The readers of meshes and what looks through them: any bytes are refused with InvalidInput in one line, or are a mesh that can be inspected,
// welded, made a hull of, and comes back from its own OBJ text to the same numbers. The first byte says which form the others are.
#include "src/io/mesh_text.hpp"

#include <cairn/error.hpp>
#include <cairn/mesh.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace cairn;

void requireOneLine(const InvalidInput& error) {
  if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
}

void lookThrough(const TriangleMesh& mesh) {
  const MeshReport plain = inspectMesh(mesh);
  if (plain.weldedVertices + plain.unusedVertices > plain.vertices) std::abort();
  if (plain.closed != (plain.boundaryEdges == 0 && plain.crowdedEdges == 0 && plain.edges > 0)) std::abort();
  const double size = length(plain.high - plain.low);
  inspectMesh(mesh, 0.01 * size);
  if (inspectMesh(welded(mesh)).edges != plain.edges) std::abort();
  try {
    fieldCost(mesh, size > 0 ? size / 50 : 1);
    const MeshHull hull = meshHull(mesh, 16);
    if (hull.points.size() > 16 || !(hull.volume > 0)) std::abort();
  } catch (const InvalidInput& error) {
    requireOneLine(error);
  }
}

bool sameMesh(const TriangleMesh& a, const TriangleMesh& b) {
  const auto same = [](Vec3d p, Vec3d q) { return p.x == q.x && p.y == q.y && p.z == q.z; };
  return a.triangles == b.triangles && std::equal(a.vertices.begin(), a.vertices.end(), b.vertices.begin(), b.vertices.end(), same);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const TriangleMesh mesh = data[0] % 2 == 0 ? parseObj(bytes, "fuzz.obj") : parseStl(bytes, "fuzz.stl");
    if (!sameMesh(parseObj(objText(mesh), "again.obj"), mesh)) std::abort();
    if (parseStl(stlBytes(mesh), "again.stl").triangles.size() != mesh.triangles.size()) std::abort();
    lookThrough(mesh);
  } catch (const InvalidInput& error) {
    requireOneLine(error);
  }
  return 0;
}
