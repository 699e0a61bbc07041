// Reading and writing a record of settings by the names of its table.
#pragma once

#include "src/scene/setting.hpp"

#include <cairn/setting_values.hpp>

#include <limits>

namespace cairn::v0 {

template <class Settings, class Field> std::vector<SettingInfo> infosOf(const std::vector<Setting<Settings, Field>>& rows, const Settings& settings) {
  std::vector<SettingInfo> infos;
  infos.reserve(rows.size());
  for (const Setting<Settings, Field>& row : rows) {
    SettingInfo info;
    info.name = row.fieldInSmallLetters();
    info.unit = row.unit;
    info.meaning = row.meaning();
    row.visit(settings, [&](const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_enum_v<Value>) {
        info.value = std::string(nameOf(value));
        info.allowed = "one of " + nameList<Value>();
      } else if constexpr (std::is_same_v<Value, bool>) {
        info.value = value;
        info.allowed = "true or false";
      } else {
        info.value = static_cast<std::conditional_t<std::is_integral_v<Value>, long, double>>(value);
        info.allowed = row.range.bounded() ? describeRange(row.range, std::is_integral_v<Value>)
                                           : std::string(std::is_integral_v<Value> ? "a whole number" : "a number");
      }
    });
    infos.push_back(std::move(info));
  }
  return infos;
}

// For messages: a name in quotes, a switch as a word.
std::string textOfSetting(const SettingValue& value);

template <class Settings, class Field>
void setByName(const std::vector<Setting<Settings, Field>>& rows, Settings& settings, const std::string& name, const SettingValue& given) {
  for (const Setting<Settings, Field>& row : rows) {
    if (row.fieldInSmallLetters() != name) continue;
    row.visit(settings, [&](auto& out) {
      using Value = std::decay_t<decltype(out)>;
      const auto take = [&](bool fits, const std::string& allowed, const auto& value) {
        if (!fits) refuseSetting(row.name, allowed, textOfSetting(given));
        out = static_cast<Value>(*value);
      };
      const long* whole = std::get_if<long>(&given);
      if constexpr (std::is_enum_v<Value>) {
        const std::string* choice = std::get_if<std::string>(&given);
        if (choice == nullptr) refuseSetting(row.name, "one of " + nameList<Value>(), textOfSetting(given));
        out = enumFromName<Value>(*choice, "settings." + row.name);
      } else if constexpr (std::is_same_v<Value, bool>) {
        const bool* on = std::get_if<bool>(&given);
        take(on != nullptr, "true or false", on);
      } else if constexpr (std::is_integral_v<Value>) {
        using Limits = std::numeric_limits<Value>;
        take(whole != nullptr && *whole >= Limits::min() && *whole <= Limits::max(), "a whole number", whole);
      } else if (whole != nullptr) {
        out = static_cast<double>(*whole);
      } else {
        const double* number = std::get_if<double>(&given);
        take(number != nullptr, "a number", number);
      }
    });
    return;
  }
  throw InvalidInput("settings." + name, "there is no such setting");
}

}  // namespace cairn::v0
