// A field of a record of settings, described once. Its checks, its option, its JSON key and its row of the manual are made from this.
#pragma once

#include "src/scene/text.hpp"

#include <cairn/names.hpp>

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cairn::v0 {

// CPU threads: more than machines have processors, and few enough to be made at once.
constexpr int kMostThreads = 1024;

// The numbers that a setting may be. Choices and switches have none.
struct SettingRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool minIsOpen = false;  // min itself is not allowed
  bool maxIsOpen = false;
  bool finite = true;      // false: infinity stands for "no limit"
  const char* words = "";  // for messages, where the ones made from the bounds will not do

  bool bounded() const { return min > -std::numeric_limits<double>::infinity(); }
  bool contains(double value) const;
};

enum class OptionForm {
  Value,     // --name VALUE; switches take on and off
  Flag,      // --name
  FlagPair,  // --name and --no-name
};

// maxLinearSpeed: "--max-linear-speed"
std::string optionOf(const std::string& field);

// Settings that the manual shows under one heading.
struct SettingGroup {
  const char* heading;
  const char* page;  // of docs/ that says more; "": none
};

// Everything of a setting but the field itself.
struct SettingWords {
  std::string name;  // of the field in C++
  const SettingGroup* group = nullptr;
  std::string help;                  // a line of --help
  std::string note;                  // what only the manual says
  std::string unit;                  // "": none
  std::string zero;                  // what 0 stands for; "": the number itself
  std::vector<std::string> aliases;  // further names of the option
  SettingRange range;
  OptionForm form = OptionForm::Value;

  std::string option() const { return optionOf(name); }
  std::string fieldInSmallLetters() const;  // "max_linear_speed"
  std::string key() const;                  // in JSON, with the unit: "max_linear_speed_m_s"
  std::string meaning() const;              // help, meaning of 0 and note in one line
};

// `Field` is a variant of pointers to members of `Settings`, one for each type that a field of it can have.
template <class Settings, class Field> struct Setting : SettingWords {
  Field field;

  // Calls `work` with a reference to the field of these settings, const or not.
  template <class Record, class Work> auto visit(Record& settings, const Work& work) const {
    return std::visit([&](auto member) { return work(settings.*member); }, field);
  }
};

// A table in the making: `add` starts a row, and what follows it describes that row.
template <class Settings, class Field> class SettingsTable {
 public:
  using Row = Setting<Settings, Field>;

  SettingsTable& add(const SettingGroup& group, Field field, const char* name, const char* help) {
    Row row;
    row.field = field;
    row.name = name;
    row.group = &group;
    row.help = help;
    rows_.push_back(std::move(row));
    return *this;
  }
  SettingsTable& note(const char* text) { return rows_.back().note = text, *this; }
  SettingsTable& unit(const char* text) { return rows_.back().unit = text, *this; }
  SettingsTable& zero(const char* meaning) { return rows_.back().zero = meaning, *this; }
  SettingsTable& alias(const char* option) { return rows_.back().aliases.push_back(option), *this; }
  SettingsTable& form(OptionForm value) { return rows_.back().form = value, *this; }
  SettingsTable& from(double min) { return rows_.back().range.min = min, *this; }
  SettingsTable& above(double min) { return rows_.back().range.minIsOpen = true, from(min); }
  SettingsTable& to(double max) { return rows_.back().range.max = max, *this; }
  SettingsTable& below(double max) { return rows_.back().range.maxIsOpen = true, to(max); }
  SettingsTable& orInfinity() { return rows_.back().range.finite = false, *this; }
  SettingsTable& words(const char* text) { return rows_.back().range.words = text, *this; }

  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

// "a whole number >= 1", "a number >= 0 and < 1": for messages.
std::string describeRange(const SettingRange& range, bool whole);

// Throws InvalidInput("settings.NAME", "must be ALLOWED, is VALUE").
[[noreturn]] void refuseSetting(const std::string& name, const std::string& allowed, const std::string& value);

// Throws InvalidInput for the first setting that is not what its row allows.
template <class Settings, class Field> void requireInRange(const std::vector<Setting<Settings, Field>>& rows, const Settings& settings) {
  for (const Setting<Settings, Field>& row : rows) {
    row.visit(settings, [&](const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_enum_v<Value>) {
        if (std::string(nameOf(value)) == "?") refuseSetting(row.name, "one of " + nameList<Value>(), textOf(static_cast<long>(value)));
      } else if constexpr (!std::is_same_v<Value, bool>) {
        using Number = std::conditional_t<std::is_integral_v<Value>, long, double>;
        const bool allowed = !row.range.bounded() || row.range.contains(static_cast<double>(value));
        if (!allowed) refuseSetting(row.name, describeRange(row.range, std::is_integral_v<Value>), textOf(static_cast<Number>(value)));
      }
    });
  }
}

}  // namespace cairn::v0
