// Names of the enumerations on the command line, in JSON and in messages: one table each.
#pragma once

#include <cairn/error.hpp>
#include <cairn/scene.hpp>
#include <cairn/settings.hpp>

#include <string>
#include <vector>

namespace cairn {

template <class Enum> struct NamedValue {
  const char* name;
  Enum value;
};

// In the order in which they are listed for users. Each enumeration that has names is declared below; those of contact problems are in
// src/problems/problem_enum_names.hpp.
template <class Enum> const std::vector<NamedValue<Enum>>& namedValues();
template <> const std::vector<NamedValue<Backend>>& namedValues();
template <> const std::vector<NamedValue<Precision>>& namedValues();
template <> const std::vector<NamedValue<Solver>>& namedValues();
template <> const std::vector<NamedValue<NormalStabilization>>& namedValues();
template <> const std::vector<NamedValue<JointStabilization>>& namedValues();
template <> const std::vector<NamedValue<JointSolver>>& namedValues();
template <> const std::vector<NamedValue<BodyType>>& namedValues();
template <> const std::vector<NamedValue<ShapeType>>& namedValues();
template <> const std::vector<NamedValue<JointType>>& namedValues();
template <> const std::vector<NamedValue<JointMotor>>& namedValues();

// "?" for a value that is none of the enumeration's.
template <class Enum> const char* nameOf(Enum value) {
  for (const NamedValue<Enum>& entry : namedValues<Enum>())
    if (entry.value == value) return entry.name;
  return "?";
}

// "auto, cpu, cuda"
template <class Enum> std::string nameList() {
  std::string list;
  for (const NamedValue<Enum>& entry : namedValues<Enum>()) list += (list.empty() ? "" : ", ") + std::string(entry.name);
  return list;
}

// Throws InvalidInput(path, ...) for a name that is not in the table.
template <class Enum> Enum enumFromName(const std::string& name, const std::string& path) {
  for (const NamedValue<Enum>& entry : namedValues<Enum>())
    if (name == entry.name) return entry.value;
  throw InvalidInput(path, "must be one of " + nameList<Enum>() + ", is '" + name + "'");
}

}  // namespace cairn
