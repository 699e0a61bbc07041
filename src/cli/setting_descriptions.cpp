#include "src/cli/setting_descriptions.hpp"

#include "src/cli/arguments.hpp"
#include "src/cli/setting_options.hpp"
#include "src/problems/solver_settings.hpp"
#include "src/scene/settings_table.hpp"

#include <fmt/format.h>

namespace cairn::cli {
namespace {

template <class Value> void describeValue(Description& out, const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    out.type = "choice";
    for (const NamedValue<Value>& entry : namedValues<Value>()) out.choices.push_back(entry.name);
    out.initial = nameOf(value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    out.type = "switch";
    if (out.words.form == OptionForm::Value) out.choices = {"on", "off"};
    out.initial = value ? "on" : "off";
  } else {
    out.type = std::is_integral_v<Value> ? "whole number" : "number";
    out.initial = std::is_integral_v<Value> ? fmt::format("{}", value) : fmt::format("{:.6g}", value);
  }
}

template <class Settings, class Field> std::vector<Description> describe(const std::vector<Setting<Settings, Field>>& rows) {
  const Settings defaults;
  std::vector<Description> all;
  for (const Setting<Settings, Field>* row : byGroup(rows)) {
    Description description;
    description.words = *row;
    description.meaning = row->meaning();
    row->visit(defaults, [&](const auto& value) { describeValue(description, value); });
    all.push_back(description);
  }
  return all;
}

}  // namespace

std::vector<Description> describeSettings(const std::string& command) {
  if (oneOf("settings", command, {"run", "solve"}) == "solve") return describe(contactSolverSettings());
  std::vector<Description> all = describe(worldSettings());
  for (Description& description : all) {
    description.inReports = true;
    for (const SettingsConflict& conflict : worldSettingsConflicts()) {
      if (description.words.name == conflict.name) description.meaning += std::string("; ") + conflict.rule;
    }
  }
  return all;
}

std::string joined(const std::vector<std::string>& texts, const std::string& quote) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quote + text + quote;
  return list;
}

std::vector<std::string> optionsOf(const SettingWords& words) {
  std::vector<std::string> options{words.option()};
  if (words.form == OptionForm::FlagPair) options.push_back("--no-" + words.option().substr(2));
  options.insert(options.end(), words.aliases.begin(), words.aliases.end());
  return options;
}

std::string valuesOf(const Description& description, const std::string& quote) {
  std::string text = description.choices.empty() ? shortRange(description.words.range) : joined(description.choices, quote);
  if (!description.words.unit.empty()) text += " [" + description.words.unit + "]";
  return text;
}

}  // namespace cairn::cli
