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

std::string quotient(const std::string& text) {
  const size_t slash = text.find('/');
  double above = 0, below = 0;
  if (slash == std::string::npos || !CLI::detail::lexical_cast(text.substr(0, slash), above) ||
      !CLI::detail::lexical_cast(text.substr(slash + 1), below))
    return text;
  return fmt::format("{}", above / below);
}

CLI::Validator wholeNumber(int low, int high) {
  const auto check = [low, high](std::string& text) {
    int value = 0;
    const bool fits = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
    return fits ? std::string() : fmt::format("must be a whole number from {} to {}, is '{}'", low, high, text);
  };
  return CLI::Validator(check, "");
}

void addSwitch(CLI::App& command, const SettingWords& setting, bool& value) {
  const std::string name = setting.option(), initial = value ? "on" : "off";
  if (setting.form == OptionForm::Flag) {
    command.add_flag(optionNames(setting), value, setting.help)->group(setting.group->heading);
  } else if (setting.form == OptionForm::FlagPair) {
    command.add_flag(name + ",!--no-" + name.substr(2), value, setting.help)->default_str(initial)->group(setting.group->heading);
  } else {
    const auto set = [&value, name](const std::string& given) {
      const std::string text = inSmallLetters(given);
      if (text != "on" && text != "off") throw InvalidInput(name, "must be one of on, off, is '" + given + "'");
      value = text == "on";
    };
    command.add_option_function<std::string>(optionNames(setting), set, setting.help)
        ->type_name("on|off")
        ->default_str(initial)
        ->group(setting.group->heading);
  }
}

}  // namespace cairn::cli
