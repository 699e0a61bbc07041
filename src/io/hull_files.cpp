#include "src/io/hull_files.hpp"

#include "src/mesh/mesh_topology.hpp"
#include "src/scene/convex_hull.hpp"

#include <cairn/error.hpp>
#include <cairn/mesh.hpp>

#include <filesystem>

namespace cairn::v0 {

ShapeDef HullFiles::hull(const FieldReader& reader, const nlohmann::json& object, const JsonPath& path, int maxVertices) const {
  if (FieldReader::find(object, "points") != nullptr) reader.fail({&path, "points"}, "there is a file already: a hull has either");
  std::string name;
  double scale = 1;
  reader.readString(object, "file", path, name);
  reader.readNumber(object, "scale", path, scale);
  if (!(scale > 0 && scale <= kLargestMagnitude))
    reader.fail({&path, "scale"}, fmt::format("must be a number > 0 and at most {}, is {}", kLargestMagnitude, scale));
  const auto [entry, isNew] = made_.try_emplace({name, scale, maxVertices});
  if (!isNew) return entry->second;
  const JsonPath own{&path, "file"};
  try {
    TriangleMesh mesh = readMesh((std::filesystem::path(reader.source()).parent_path() / name).string());
    for (Vec3d& p : mesh.vertices) p = scale * p;
    validate(mesh, "scaled mesh");
    entry->second = ShapeDef::hull(makeHull(usedVertices(mesh), maxVertices)->vertices);
  } catch (const InvalidInput& error) {
    reader.fail(own, error.what());
  }
  return entry->second;
}

}  // namespace cairn::v0
