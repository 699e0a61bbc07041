// Names of choices in scene files, on the command line, in messages and in Python: one table for each enumeration.
#pragma once

#include <cairn/contact_problem.hpp>
#include <cairn/error.hpp>
#include <cairn/export.hpp>
#include <cairn/scene.hpp>
#include <cairn/settings.hpp>

#include <string>
#include <vector>

namespace cairn {
inline namespace v0 {

template <class Enum> struct NamedValue {
  const char* name;
  Enum value;
};

// In the order in which they are listed for users. Each enumeration that has names is declared below.
template <class Enum> const std::vector<NamedValue<Enum>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<Backend>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<Precision>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<Solver>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<NormalStabilization>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<JointStabilization>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<JointSolver>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<BodyType>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<ShapeType>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<JointType>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<JointMotor>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<ProblemSolver>>& namedValues();
template <> CAIRN_API const std::vector<NamedValue<SolveStatus>>& namedValues();

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

// Keys of a joint's axes, in the order of JointDef::axes.
constexpr const char* kJointAxisKeys[6] = {"x", "y", "z", "about_x", "about_y", "about_z"};

}  // namespace v0
}  // namespace cairn
