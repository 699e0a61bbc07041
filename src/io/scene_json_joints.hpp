// Joints in scene files: docs/scene-format.md.
#pragma once

#include "src/io/json_fields.hpp"

#include <string_view>
#include <unordered_map>

namespace cairn::v0 {

struct ErrorContext;

// Elements of "joints". The scene has its bodies already, whose poses may not have been checked yet; it must not change while this is in use.
class JointReader {
 public:
  JointReader(const FieldReader& fields, const Scene& scene);
  JointDef read(const nlohmann::json& object, const JsonPath& path) const;

 private:
  using json = nlohmann::json;
  using Path = JsonPath;

  void checkKeys(JointType type, const json& object, const Path& path) const;
  int readBodyIndex(const json& object, const char* key, const Path& path) const;
  void readFrames(const json& object, const Path& path, JointDef& joint) const;
  Posed readFrame(const json& frame, const Path& path, const JointDef& joint, const ErrorContext& context) const;
  JointAxis readAxis(const json& object, const Path& path, JointType type) const;

  const FieldReader& fields_;
  const Scene& scene_;
  std::unordered_map<std::string_view, int> bodyIndices_;  // by name
};

// The scene's joint `index`, which is valid. Throws InvalidInput for a black box, which no file can hold.
void writeJoint(FieldWriter& writer, const Scene& scene, int index);

}  // namespace cairn::v0
