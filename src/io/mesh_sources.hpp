// Shapes of scenes that come from meshes: from files, from generators, or written out.
#pragma once

#include "src/io/json_fields.hpp"

#include <cairn/mesh.hpp>

#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace cairn::v0 {

// Factor on the vertices of a file or a generator, the key `scale`.
double readMeshScale(const FieldReader& reader, const nlohmann::json& object, const JsonPath& path);

// What the key, `file` or `generator`, names, so many times as large. Files are looked for in the folder of the reader's source. Throws InvalidInput,
// with the place in the scene, for whatever is wrong with the mesh too.
TriangleMesh readScaledMesh(const FieldReader& reader, const JsonPath& key, const std::string& name, double scale);

// Of one scene: what several shapes name is read once, and they share it.
class MeshSources {
 public:
  // The mesh of the keys `file`, `generator`, or `vertices` and `triangles`, and `two_sided`, `solid` and `cell`.
  ShapeDef mesh(const FieldReader& reader, const nlohmann::json& object, const JsonPath& path) const;

 private:
  std::shared_ptr<const TriangleMesh> triangles(const FieldReader& reader, const nlohmann::json& object, const JsonPath& path) const;

  mutable std::map<std::tuple<std::string, std::string, double>, std::shared_ptr<const TriangleMesh>> made_;
};

}  // namespace cairn::v0
