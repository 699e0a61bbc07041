// Options that are made from tables of settings.
#pragma once

#include "src/scene/setting.hpp"
#include "src/scene/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace cairn::cli {

// "0..64", "> 0 and < 2": for tables and lines of help.
std::string shortRange(const SettingRange& range);

// "Time step [s], > 0"
std::string numberHelp(const SettingWords& setting);

// The rows group by group, in the order in which the groups first appear.
template <class Row> std::vector<const Row*> byGroup(const std::vector<Row>& rows) {
  std::vector<const Row*> sorted;
  for (const Row& first : rows) {
    const bool seen = std::any_of(sorted.begin(), sorted.end(), [&](const Row* row) { return row->group == first.group; });
    if (seen) continue;
    for (const Row& row : rows) {
      if (row.group == first.group) sorted.push_back(&row);
    }
  }
  return sorted;
}

// "1/60" as a decimal number; other texts as they are.
std::string quotient(const std::string& text);

// Takes "1/60" for a number, and says what it does not take.
template <class Value> CLI::Validator number() {
  const auto check = [](std::string& text) {
    const std::string given = text;
    text = quotient(given);
    Value value{};
    if (CLI::detail::lexical_cast(text, value)) return std::string();
    return std::string("must be a ") + (std::is_integral_v<Value> ? "whole number" : "number") + ", is '" + given + "'";
  };
  return CLI::Validator(check, "");
}

// For numbers of steps: from one to a billion.
CLI::Validator wholeNumber(int low = 1, int high = 1000000000);

// "--envelope,--contact-margin": what the parser takes.
std::string optionNames(const SettingWords& setting);

template <class Enum> void addChoice(CLI::App& command, const SettingWords& setting, Enum& value) {
  command
      .add_option_function<std::string>(
          optionNames(setting),
          [&value, name = setting.option()](const std::string& text) { value = enumFromName<Enum>(inSmallLetters(text), name); },
          setting.help + ": " + nameList<Enum>())
      ->type_name("NAME")
      ->default_str(nameOf(value))
      ->group(setting.group->heading);
}

// "on" and "off", or flags without a value.
void addSwitch(CLI::App& command, const SettingWords& setting, bool& value);

template <class Settings, class Field> void addSetting(CLI::App& command, const Setting<Settings, Field>& row, Settings& settings) {
  row.visit(settings, [&](auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_enum_v<Value>) {
      addChoice(command, row, value);
    } else if constexpr (std::is_same_v<Value, bool>) {
      addSwitch(command, row, value);
    } else {
      command.add_option(optionNames(row), value, numberHelp(row))
          ->transform(number<Value>())
          ->type_name("N")
          ->capture_default_str()
          ->group(row.group->heading);
    }
  });
}

}  // namespace cairn::cli
