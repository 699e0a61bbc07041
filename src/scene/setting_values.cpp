#include "src/scene/setting_values.hpp"

#include "src/scene/settings_table.hpp"

namespace cairn::v0 {

std::string textOfSetting(const SettingValue& value) {
  if (const bool* on = std::get_if<bool>(&value)) return *on ? "true" : "false";
  if (const long* whole = std::get_if<long>(&value)) return std::to_string(*whole);
  if (const double* number = std::get_if<double>(&value)) return textOf(*number);
  return "'" + std::get<std::string>(value) + "'";
}

std::vector<SettingInfo> settingInfos(const WorldSettings& settings) { return infosOf(worldSettings(), settings); }

void setSetting(WorldSettings& settings, const std::string& name, const SettingValue& value) { setByName(worldSettings(), settings, name, value); }

}  // namespace cairn::v0
