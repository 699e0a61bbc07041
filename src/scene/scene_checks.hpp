// Checks that bodies and joints share, and the messages for values that they refuse.
#pragma once

#include "src/scene/text.hpp"

#include <cairn/error.hpp>
#include <cairn/names.hpp>
#include <cairn/scene.hpp>

#include <cmath>
#include <string>

namespace cairn::v0 {

inline bool isFinite(Vec3d v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

inline bool isZero(Vec3d v) { return v.x == 0 && v.y == 0 && v.z == 0; }

inline double lengthSquared(Quatd q) { return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w; }

// The source of a scene that comes from no file, for messages.
inline std::string sourceOf(const Scene& scene) {
  return scene.name.empty() || flawOfName(scene.name) != nullptr ? "scene" : "scene '" + scene.name + "'";
}

// The field that a check looks at. Text is put together only when a check fails, so that a million bodies cost no strings.
struct ErrorContext {
  const std::string& source;          // the file, or the scene's name: stands before the JSON pointer
  const char* kind = nullptr;         // "body", "joint"; null: the field is the scene's
  const char* list = nullptr;         // the kind's key in the scene: "bodies", "joints"
  int index = -1;                     // in that list; -1: it stands alone
  const std::string* name = nullptr;  // null: messages do not quote it
  int shapeIndex = -1;                // -1: the field is none of a shape's
  const char* axis = nullptr;         // key of a joint's axis; null: the field is none of an axis'

  static ErrorContext scene(const std::string& source) { return at(source, nullptr, nullptr, -1, nullptr); }
  static ErrorContext body(const std::string& source, int index, const BodyDef& body) { return at(source, "body", "bodies", index, &body.name); }
  static ErrorContext joint(const std::string& source, int index, const JointDef& joint) { return at(source, "joint", "joints", index, &joint.name); }
  ErrorContext shape(int i) const {
    ErrorContext inner = *this;
    inner.shapeIndex = i;
    return inner;
  }
  ErrorContext ofAxis(const char* key) const {
    ErrorContext inner = *this;
    inner.axis = key;
    return inner;
  }

  // `field` empty: the whole thing.
  [[noreturn]] void fail(const char* field, const std::string& reason) const {
    std::string pointer;
    if (list && index >= 0) pointer += text("/{}/{}", list, index);
    if (shapeIndex >= 0) pointer += text("/shapes/{}", shapeIndex);
    if (axis) pointer += std::string("/axes/") + axis;
    if (*field) pointer += std::string("/") + field;
    std::string who;
    if (name && !name->empty()) {
      who = text(" ({} '{}')", kind, *name);
    } else if (name && index >= 0) {
      who = text(" ({} '{}-{}')", kind, kind, index);
    }
    // What stands alone may be its own source.
    if (index < 0 && name && source == text("{} '{}'", kind, *name)) who.clear();
    throw InvalidInput(pointer.empty() ? source : source + ": " + pointer, reason + who);
  }
  void positive(const char* field, double value) const {
    if (!(std::isfinite(value) && value > 0)) fail(field, text("must be a finite number > 0, is {}", value));
  }
  void notNegative(const char* field, double value) const {
    if (!(std::isfinite(value) && value >= 0)) fail(field, text("must be a finite number >= 0, is {}", value));
  }
  void finite(const char* field, double value) const {
    if (!std::isfinite(value)) fail(field, text("must be a finite number, is {}", value));
  }
  void finite(const char* field, Vec3d v) const {
    if (!isFinite(v)) fail(field, text("must be three finite numbers, is [{}, {}, {}]", v.x, v.y, v.z));
  }
  // For what sums of squares and products are made of.
  void bounded(const char* field, double value) const {
    if (!(std::abs(value) <= kLargestMagnitude)) fail(field, text("must be at most {} in size, is {}", kLargestMagnitude, value));
  }
  void bounded(const char* field, Vec3d v) const {
    for (const double each : {v.x, v.y, v.z}) bounded(field, each);
  }
  void pose(const Posed& pose, const char* position = "position", const char* orientation = "orientation") const {
    finite(position, pose.p);
    bounded(position, pose.p);
    const Quatd q = pose.q;
    const double l2 = lengthSquared(q);
    if (!std::isfinite(l2) || !(l2 > 1e-24))
      fail(orientation, text("must be a quaternion of finite length other than 0, is [{}, {}, {}, {}]", q.x, q.y, q.z, q.w));
  }
  void nameIsPrintable() const {
    const char* const flaw = flawOfName(*name);
    if (flaw == nullptr) return;
    // A name with a line break would tear every message that quotes it, so this one is not quoted.
    ErrorContext unquoted = *this;
    unquoted.name = nullptr;
    unquoted.fail("name", flaw);
  }

 private:
  static ErrorContext at(const std::string& source, const char* kind, const char* list, int index, const std::string* name) {
    ErrorContext context{source};
    context.kind = kind;
    context.list = list;
    context.index = index;
    context.name = name;
    return context;
  }
};

// Checks joint i of a scene, or a joint by itself (-1): everything but its bodies (joint_def.cpp).
void validateJoint(const JointDef& joint, const std::string& source, int index);
// Checks the bodies of a scene's joint i.
void validateJointBodies(const Scene& scene, const std::string& source, int index);

}  // namespace cairn::v0
