#include "src/io/mesh_sources.hpp"

#include <cairn/error.hpp>

#include <filesystem>
#include <limits>

namespace cairn::v0 {
namespace {

using nlohmann::json;

TriangleMesh writtenOut(const FieldReader& reader, const json& object, const JsonPath& path) {
  constexpr auto kMost = std::numeric_limits<int32_t>::max();
  TriangleMesh mesh;
  mesh.vertices = reader.readPoints(object, "vertices", path);
  const json& list = reader.required(object, "triangles", path);
  const JsonPath at{&path, "triangles"};
  if (!list.is_array()) reader.fail(at, "must be an array of triangles, is " + describe(list));
  mesh.triangles.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const json& row = list[i];
    const JsonPath own{&at, nullptr, i};
    std::array<int32_t, 3> corners{};
    if (!row.is_array() || row.size() != corners.size()) reader.fail(own, "must be an array of 3 numbers of vertices, is " + describe(row));
    for (size_t k = 0; k < corners.size(); ++k) {
      if (!FieldReader::isWhole(row[k], 0, kMost)) reader.fail({&own, nullptr, k}, "must be the number of a vertex, is " + describe(row[k]));
      corners[k] = row[k].get<int32_t>();
    }
    mesh.triangles.push_back(corners);
  }
  return mesh;
}

}  // namespace

double readMeshScale(const FieldReader& reader, const json& object, const JsonPath& path) {
  double scale = 1;
  reader.readNumber(object, "scale", path, scale);
  if (!(scale > 0 && scale <= kLargestMagnitude))
    reader.fail({&path, "scale"}, fmt::format("must be a number > 0 and at most {}, is {}", kLargestMagnitude, scale));
  return scale;
}

TriangleMesh readScaledMesh(const FieldReader& reader, const JsonPath& key, const std::string& name, double scale) {
  const bool isFile = std::string("file") == key.key;
  try {
    TriangleMesh mesh = isFile ? readMesh((std::filesystem::path(reader.source()).parent_path() / name).string()) : loadMesh(name);
    for (Vec3d& p : mesh.vertices) p = scale * p;
    validate(mesh, "scaled mesh");
    return mesh;
  } catch (const InvalidInput& error) {
    reader.fail(key, error.what());
  }
}

std::shared_ptr<const TriangleMesh> MeshSources::triangles(const FieldReader& reader, const json& object, const JsonPath& path) const {
  const char* key = nullptr;
  int sources = 0;
  for (const char* const source : {"file", "generator", "vertices"}) {
    if (FieldReader::find(object, source) == nullptr) continue;
    key = source;
    ++sources;
  }
  if (sources != 1) reader.fail(path, "a mesh has a file, a generator, or vertices and triangles: one of the three");
  const bool writtenHere = std::string("vertices") == key;
  for (const char* const other : {"triangles", "scale"}) {
    const bool fits = writtenHere == (std::string("triangles") == other);
    if (!fits && FieldReader::find(object, other) != nullptr) reader.fail({&path, other}, fmt::format("does not go with {}", key));
  }
  if (writtenHere) return std::make_shared<const TriangleMesh>(writtenOut(reader, object, path));
  const double scale = readMeshScale(reader, object, path);
  std::string name;
  reader.readString(object, key, path, name);
  std::shared_ptr<const TriangleMesh>& made = made_[{key, name, scale}];
  if (!made) made = std::make_shared<const TriangleMesh>(readScaledMesh(reader, {&path, key}, name, scale));
  return made;
}

ShapeDef MeshSources::mesh(const FieldReader& reader, const json& object, const JsonPath& path) const {
  ShapeDef shape = ShapeDef::mesh(triangles(reader, object, path));
  reader.readBoolean(object, "two_sided", path, shape.twoSided);
  reader.readBoolean(object, "solid", path, shape.solid);
  reader.readNumber(object, "cell", path, shape.cell);
  for (const char* const key : {"cell", "density"}) {
    if (!shape.solid && FieldReader::find(object, key) != nullptr) reader.fail({&path, key}, "is for a mesh that is solid");
  }
  return shape;
}

}  // namespace cairn::v0
