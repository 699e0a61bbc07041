// Height fields of scenes: written out, or pictures.
#pragma once

#include "src/io/json_fields.hpp"

#include <cairn/height_field.hpp>

#include <map>
#include <memory>
#include <string>

namespace cairn::v0 {

// Of one scene: what several shapes name in the same way is read once, and they share it.
class HeightSources {
 public:
  // The field of the keys `spacing`, and `heights` or `file` with `height`. Throws InvalidInput, with the place in the scene, for whatever is wrong
  // with a file too; what validate looks at is left to it.
  ShapeDef field(const FieldReader& reader, const nlohmann::json& object, const JsonPath& path) const;

 private:
  mutable std::map<std::pair<std::string, std::array<double, 4>>, std::shared_ptr<const HeightField>> made_;
};

}  // namespace cairn::v0
