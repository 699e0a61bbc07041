#include "src/io/json_fields.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cmath>

namespace cairn::v0 {

using nlohmann::json;

std::string escapedKey(const std::string& key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += '?';
    else
      out += c;
  }
  return out;
}

std::string JsonPath::text() const {
  if (!parent) return "";
  return parent->text() + "/" + (key ? escapedKey(key) : std::to_string(index));
}

std::string describe(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

// --- reading ---------------------------------------------------------------------------------------------------

void FieldReader::fail(const Path& path, const std::string& reason) const {
  const std::string pointer = path.text();
  throw InvalidInput(pointer.empty() ? source_ : source_ + ": " + pointer, reason);
}

void FieldReader::checkKeys(const json& value, const Path& path, const char* const* allowed, size_t count) const {
  if (!value.is_object()) fail(path, "must be an object, is " + describe(value));
  for (const auto& item : value.items())
    if (std::none_of(allowed, allowed + count, [&](const char* key) { return item.key() == key; }))
      fail({&path, item.key().c_str()}, fmt::format("is no key of this object; there are {}", fmt::join(allowed, allowed + count, ", ")));
}

const json& FieldReader::required(const json& object, const char* key, const Path& path) const {
  const json* value = find(object, key);
  if (!value) fail({&path, key}, "is missing");
  return *value;
}

void FieldReader::readBoolean(const json& object, const char* key, const Path& path, bool& out) const {
  const json* value = find(object, key);
  if (!value) return;
  if (!value->is_boolean()) fail({&path, key}, "must be true or false, is " + describe(*value));
  out = value->get<bool>();
}

void FieldReader::readString(const json& object, const char* key, const Path& path, std::string& out) const {
  const json* value = find(object, key);
  if (!value) return;
  if (!value->is_string()) fail({&path, key}, "must be a string, is " + describe(*value));
  out = value->get_ref<const std::string&>();
}

void FieldReader::readNumber(const json& object, const char* key, const Path& path, double& out) const {
  const json* value = find(object, key);
  if (!value) return;
  if (!value->is_number()) fail({&path, key}, "must be a number, is " + describe(*value));
  out = value->get<double>();
}

void FieldReader::readVector(const json& object, const char* key, const Path& path, Vec3d& out) const {
  std::array<double, 3> v;
  if (readNumbers(object, key, path, v)) out = {v[0], v[1], v[2]};
}

std::vector<Vec3d> FieldReader::readPoints(const json& object, const char* key, const Path& path) const {
  const json& list = required(object, key, path);
  const Path at{&path, key};
  if (!list.is_array()) fail(at, "must be an array of points, is " + describe(list));
  std::vector<Vec3d> points;
  points.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const json& point = list[i];
    const Path own{&at, nullptr, i};
    if (!point.is_array() || point.size() != 3) fail(own, "must be an array of 3 numbers, is " + describe(point));
    for (size_t k = 0; k < 3; ++k)
      if (!point[k].is_number()) fail({&own, nullptr, k}, "must be a number, is " + describe(point[k]));
    points.push_back({point[0].get<double>(), point[1].get<double>(), point[2].get<double>()});
  }
  return points;
}

void FieldReader::readPose(const json& object, const Path& path, Posed& out) const {
  readVector(object, "position", path, out.p);
  std::array<double, 4> q;
  if (readNumbers(object, "orientation", path, q)) out.q = {q[0], q[1], q[2], q[3]};
}

bool FieldReader::isWhole(const json& value, int64_t low, int64_t high) {
  // An unsigned value beyond int64 would turn negative: compare it as it is.
  if (value.is_number_unsigned()) return high >= 0 && value.get<uint64_t>() <= uint64_t(high) && (low <= 0 || value.get<uint64_t>() >= uint64_t(low));
  return value.is_number_integer() && value.get<int64_t>() >= low && value.get<int64_t>() <= high;
}

// --- writing ---------------------------------------------------------------------------------------------------

std::string FieldWriter::number(double value) { return value == 0 && std::signbit(value) ? "-0.0" : fmt::format("{}", value); }

bool FieldWriter::isPlusZero(double value) { return value == 0 && !std::signbit(value); }

bool FieldWriter::isIdentity(const Posed& pose) {
  const Vec3d p = pose.p;
  const Quatd q = pose.q;
  return isPlusZero(p.x) && isPlusZero(p.y) && isPlusZero(p.z) && isPlusZero(q.x) && isPlusZero(q.y) && isPlusZero(q.z) && q.w == 1;
}

void FieldWriter::writeVector(bool& first, const char* name, Vec3d v) {
  if (isPlusZero(v.x) && isPlusZero(v.y) && isPlusZero(v.z)) return;
  key(first, name);
  put("{}", numbers(v));
}

void FieldWriter::writePose(bool& first, const Posed& pose) {
  writeVector(first, "position", pose.p);
  const Quatd q = pose.q;
  if (isIdentity({{0, 0, 0}, q})) return;
  key(first, "orientation");
  put("[{}, {}, {}, {}]", number(q.x), number(q.y), number(q.z), number(q.w));
}

}  // namespace cairn::v0
