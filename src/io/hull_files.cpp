#include "src/io/hull_files.hpp"

#include "src/io/mesh_sources.hpp"
#include "src/mesh/mesh_topology.hpp"
#include "src/scene/convex_hull.hpp"

#include <cairn/error.hpp>
#include <cairn/mesh.hpp>

namespace cairn::v0 {

ShapeDef HullFiles::hull(const FieldReader& reader, const nlohmann::json& object, const JsonPath& path, int maxVertices) const {
  if (FieldReader::find(object, "points") != nullptr) reader.fail({&path, "points"}, "there is a file already: a hull has either");
  std::string name;
  reader.readString(object, "file", path, name);
  const double scale = readMeshScale(reader, object, path);
  const auto [entry, isNew] = made_.try_emplace({name, scale, maxVertices});
  if (!isNew) return entry->second;
  const JsonPath own{&path, "file"};
  const TriangleMesh mesh = readScaledMesh(reader, own, name, scale);
  try {
    entry->second = ShapeDef::hull(makeHull(usedVertices(mesh), maxVertices)->vertices);
  } catch (const InvalidInput& error) {
    reader.fail(own, error.what());
  }
  return entry->second;
}

}  // namespace cairn::v0
