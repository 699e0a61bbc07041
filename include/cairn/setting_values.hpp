// Settings by their names, for what has no struct of them: other languages, files, forms. The names are those of the fields in small letters,
// "max_linear_speed" for maxLinearSpeed.
#pragma once

#include <cairn/contact_problem.hpp>
#include <cairn/export.hpp>
#include <cairn/settings.hpp>

#include <string>
#include <variant>
#include <vector>

namespace cairn {
inline namespace v0 {

// A switch, a whole number, a number, or the name of a choice (<cairn/names.hpp>).
using SettingValue = std::variant<bool, long, double, std::string>;

struct SettingInfo {
  std::string name;     // "max_linear_speed"
  SettingValue value;   // of the type that the setting has
  std::string unit;     // "m/s"; empty: none
  std::string allowed;  // "a whole number >= 1", "one of float, double"
  std::string meaning;  // a line of text
};

// All settings with the values that they have there, in the order of reports.
CAIRN_API std::vector<SettingInfo> settingInfos(const WorldSettings& settings);
CAIRN_API std::vector<SettingInfo> settingInfos(const ContactSolverSettings& settings);

// Throws InvalidInput where there is no such setting, for a value of another type (a whole number will do for a number) and for a name that is none
// of the choices; `settings` are then what they were. Ranges are checked by what takes the settings: World, validate, solve.
CAIRN_API void setSetting(WorldSettings& settings, const std::string& name, const SettingValue& value);
CAIRN_API void setSetting(ContactSolverSettings& settings, const std::string& name, const SettingValue& value);

}  // namespace v0
}  // namespace cairn
