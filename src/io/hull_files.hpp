// Hulls of scenes whose points are those of a mesh's file.
#pragma once

#include "src/io/json_fields.hpp"

#include <map>
#include <string>
#include <tuple>

namespace cairn::v0 {

// Shapes of one scene: each file is read once for each scale and number of corners.
class HullFiles {
 public:
  // The hull of the keys `file`, a path from the folder of the reader's source, and `scale`, with at most so many corners. It has its corners alone
  // as points. Throws InvalidInput, with the place in the scene, for whatever is wrong with the file too.
  ShapeDef hull(const FieldReader& reader, const nlohmann::json& object, const JsonPath& path, int maxVertices) const;

 private:
  mutable std::map<std::tuple<std::string, double, int>, ShapeDef> made_;
};

}  // namespace cairn::v0
