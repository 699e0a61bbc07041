// What the checks of bodies and of joints share: where a check stands, and the words for what it refuses.
#pragma once

#include "src/scene/text.hpp"

#include <cairn/error.hpp>
#include <cairn/scene.hpp>

#include <cmath>
#include <string>

namespace cairn {

inline bool isFinite(Vec3d v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

inline double lengthSquared(Quatd q) { return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w; }

inline bool hasControlCharacter(const std::string& text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  return false;
}

// What stands before the pointer in messages about a scene that comes from no file.
inline std::string placeOf(const Scene& scene) {
  return scene.name.empty() || hasControlCharacter(scene.name) ? "scene" : "scene '" + scene.name + "'";
}

// Where a check stands: text is put together only when a check fails, so that a million bodies cost no strings.
struct Where {
  const std::string& place;
  const char* kind = nullptr;         // "body", "joint"; null: the field is the scene's
  const char* list = nullptr;         // the kind's key in the scene: "bodies", "joints"
  int index = -1;                     // in that list; -1: it stands alone
  const std::string* name = nullptr;  // null: messages do not quote it
  int shapeIndex = -1;                // -1: the field is none of a shape's
  const char* axis = nullptr;         // key of a joint's axis; null: the field is none of an axis'

  static Where scene(const std::string& place) { return at(place, nullptr, nullptr, -1, nullptr); }
  static Where body(const std::string& place, int index, const BodyDef& body) { return at(place, "body", "bodies", index, &body.name); }
  static Where joint(const std::string& place, int index, const JointDef& joint) { return at(place, "joint", "joints", index, &joint.name); }
  Where shape(int i) const {
    Where inner = *this;
    inner.shapeIndex = i;
    return inner;
  }
  Where ofAxis(const char* key) const {
    Where inner = *this;
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
    throw InvalidInput(pointer.empty() ? place : place + ": " + pointer, reason + who);
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
  void pose(const Posed& pose, const char* position = "position", const char* orientation = "orientation") const {
    finite(position, pose.p);
    const Quatd q = pose.q;
    const double l2 = lengthSquared(q);
    if (!std::isfinite(l2) || !(l2 > 1e-24))
      fail(orientation, text("must be a quaternion of finite length other than 0, is [{}, {}, {}, {}]", q.x, q.y, q.z, q.w));
  }
  void nameIsPrintable() const {
    if (!hasControlCharacter(*name)) return;
    // A name with a line break would tear every message that quotes it, so this one is not quoted.
    Where unquoted = *this;
    unquoted.name = nullptr;
    unquoted.fail("name", "must not contain control characters");
  }

 private:
  static Where at(const std::string& place, const char* kind, const char* list, int index, const std::string* name) {
    return Where{place, kind, list, index, name, -1, nullptr};
  }
};

// Of joint i of a scene, or of one by itself (-1): everything but what its bodies are (joint.cpp).
void validateJoint(const JointDef& joint, const std::string& place, int index);
// The bodies of a scene's joint i.
void validateJointBodies(const Scene& scene, const std::string& place, int index);

// Keys of a joint's axes in files and messages, in the order of JointDef::axes.
constexpr const char* kJointAxisKeys[6] = {"x", "y", "z", "about_x", "about_y", "about_z"};

}  // namespace cairn
