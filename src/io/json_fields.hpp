// Fields of JSON objects, for the readers and writers of scenes, with messages for values that are wrong.
#pragma once

#include <cairn/names.hpp>
#include <cairn/scene.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace cairn::v0 {

// A key as part of a JSON pointer (RFC 6901); line breaks and the like are kept out of one-line messages.
std::string escapedKey(const std::string& key);

// The path to a value in the file: a chain on the stack that becomes text only for a message.
struct JsonPath {
  const JsonPath* parent = nullptr;
  const char* key = nullptr;  // null: `index` counts
  size_t index = 0;

  std::string text() const;
};

// A value for a message: itself if it is short, else its type or its beginning.
std::string describe(const nlohmann::json& value);

// Fields of objects of one file. Every mistake is an InvalidInput with the file's name and the value's pointer.
class FieldReader {
 public:
  using json = nlohmann::json;
  using Path = JsonPath;

  explicit FieldReader(const std::string& source) : source_(source) {}

  const std::string& source() const { return source_; }

  [[noreturn]] void fail(const Path& path, const std::string& reason) const;

  // `value` must be an object, with keys out of this list.
  void checkKeys(const json& value, const Path& path, std::initializer_list<const char*> allowed) const {
    checkKeys(value, path, allowed.begin(), allowed.size());
  }
  void checkKeys(const json& value, const Path& path, const char* const* allowed, size_t count) const;
  static const json* find(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }
  const json& required(const json& object, const char* key, const Path& path) const;

  // Values that may be absent: `out` stays what it is then.
  void readBoolean(const json& object, const char* key, const Path& path, bool& out) const;
  void readString(const json& object, const char* key, const Path& path, std::string& out) const;
  void readNumber(const json& object, const char* key, const Path& path, double& out) const;
  void readVector(const json& object, const char* key, const Path& path, Vec3d& out) const;
  std::vector<Vec3d> readPoints(const json& object, const char* key, const Path& path) const;  // an array of them, which must be there
  void readPose(const json& object, const Path& path, Posed& out) const;                       // keys "position" and "orientation"
  template <class Enum> void readName(const json& object, const char* key, const Path& path, Enum& out) const {
    const json* value = find(object, key);
    if (!value) return;
    if (value->is_string())
      for (const NamedValue<Enum>& entry : namedValues<Enum>())
        if (value->get_ref<const std::string&>() == entry.name) {
          out = entry.value;
          return;
        }
    fail({&path, key}, fmt::format("must be one of {}, is {}", nameList<Enum>(), describe(*value)));
  }
  template <class Int> void readWhole(const json& object, const char* key, const Path& path, int64_t low, int64_t high, Int& out) const {
    const json* value = find(object, key);
    if (!value) return;
    if (!isWhole(*value, low, high)) fail({&path, key}, fmt::format("must be a whole number from {} to {}, is {}", low, high, describe(*value)));
    out = value->get<Int>();
  }
  static bool isWhole(const json& value, int64_t low, int64_t high);
  template <size_t n> bool readNumbers(const json& object, const char* key, const Path& path, std::array<double, n>& out) const {
    const json* value = find(object, key);
    if (!value) return false;
    if (!value->is_array() || value->size() != n) fail({&path, key}, fmt::format("must be an array of {} numbers, is {}", n, describe(*value)));
    const Path array{&path, key};
    for (size_t i = 0; i < n; ++i) {
      if (!(*value)[i].is_number()) fail({&array, nullptr, i}, "must be a number, is " + describe((*value)[i]));
      out[i] = (*value)[i].get<double>();
    }
    return true;
  }

 private:
  const std::string& source_;
};

// Text of JSON objects on one line each. Throws json::type_error for a string that is not UTF-8.
class FieldWriter {
 public:
  template <class... Args> void put(const char* format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), fmt::runtime(format), std::forward<Args>(args)...);
  }
  std::string text() const { return std::string(text_.data(), text_.size()); }

  static std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }
  // Shortest text that reads back to the same double. "-0" would be read as a whole number, which has no such zero.
  static std::string number(double value);
  static std::string numbers(Vec3d v) { return fmt::format("[{}, {}, {}]", number(v.x), number(v.y), number(v.z)); }
  static bool isPlusZero(double value);
  static bool isIdentity(const Posed& pose);

  // Starts the next key of an object that `first` tells the state of.
  void key(bool& first, const char* name) {
    put(first ? "{{\"{}\": " : ", \"{}\": ", name);
    first = false;
  }
  void writeNumber(bool& first, const char* name, double value) {
    key(first, name);
    put("{}", number(value));
  }
  // Values that are zero, and identities, are left out.
  void writeNonZero(bool& first, const char* name, double value) {
    if (!isPlusZero(value)) writeNumber(first, name, value);
  }
  void writeVector(bool& first, const char* name, Vec3d v);
  void writePose(bool& first, const Posed& pose);

 private:
  fmt::memory_buffer text_;
};

}  // namespace cairn::v0
