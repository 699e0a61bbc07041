#include "src/cli/setting_options.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace cairn::cli {

std::string shortRange(const SettingRange& range) {
  if (!range.bounded()) return "";
  const bool hasMax = std::isfinite(range.max);
  if (hasMax && !range.minIsOpen && !range.maxIsOpen) return fmt::format("{}..{}", range.min, range.max);
  std::string text = fmt::format("{} {}", range.minIsOpen ? ">" : ">=", range.min);
  if (hasMax) text += fmt::format(" and {} {}", range.maxIsOpen ? "<" : "<=", range.max);
  return range.finite ? text : text + " or inf";
}

std::string numberHelp(const SettingWords& setting) {
  std::string text = setting.help;
  if (!setting.unit.empty()) text += (text.empty() ? "[" : " [") + setting.unit + "]";
  if (setting.range.bounded()) text += ", " + shortRange(setting.range);
  if (!setting.zero.empty()) text += "; 0: " + setting.zero;
  return text;
}

std::string optionNames(const SettingWords& setting) {
  std::string names = setting.option();
  for (const std::string& alias : setting.aliases) names += "," + alias;
  return names;
}

void addSwitch(CLI::App& command, const SettingWords& setting, bool& value) {
  const std::string name = setting.option(), initial = value ? "on" : "off";
  if (setting.form == OptionForm::Flag) {
    command.add_flag(optionNames(setting), value, setting.help);
  } else if (setting.form == OptionForm::FlagPair) {
    command.add_flag(name + ",!--no-" + name.substr(2), value, setting.help)->default_str(initial);
  } else {
    const auto set = [&value, name](const std::string& text) {
      if (text != "on" && text != "off") throw InvalidInput(name, "must be one of on, off, is '" + text + "'");
      value = text == "on";
    };
    command.add_option_function<std::string>(optionNames(setting), set, setting.help + ": on, off")->default_str(initial);
  }
}

}  // namespace cairn::cli
