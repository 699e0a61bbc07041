// Settings by name, from a dict.
#pragma once

#include "python/src/convert.hpp"

#include <cairn/setting_values.hpp>

namespace cairn::python {

inline SettingValue toSettingValue(nb::handle value, const std::string& name) {
  if (PyBool_Check(value.ptr())) return nb::cast<bool>(value);
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  const std::string place = "settings." + name;
  if (PyIndex_Check(value.ptr()) != 0) return toWhole(value, Place(place), std::numeric_limits<long>::min(), std::numeric_limits<long>::max());
  return toNumber(value, Place(place));
}

template <class Settings> void setFrom(nb::dict given, Settings& settings) {
  for (const auto [key, value] : given) {
    const std::string name = toText(key, Place("settings"));
    setSetting(settings, name, toSettingValue(value, name));
  }
}

inline nb::object toPython(const SettingValue& value) {
  return std::visit([](const auto& each) { return nb::cast(each); }, value);
}

template <class Settings> nb::dict toDict(const Settings& settings) {
  nb::dict out;
  for (const SettingInfo& info : settingInfos(settings)) out[info.name.c_str()] = toPython(info.value);
  return out;
}

}  // namespace cairn::python
