// cairn settings: what can be tuned, as text, as the manual's tables, as JSON.
#include "src/cli/commands.hpp"
#include "src/cli/setting_options.hpp"
#include "src/io/report_json.hpp"
#include "src/problems/solver_settings.hpp"
#include "src/scene/settings_table.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

namespace cairn::cli {
namespace {

// A setting, with everything that depends on its type as text.
struct Description {
  SettingWords words;
  std::string type;                  // "choice", "switch", "whole number", "number"
  std::vector<std::string> choices;  // of a choice or a switch
  std::string initial;
  std::string meaning;  // help, note and what it does not go together with
  bool inReports = false;
};

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

std::string meaningOf(const SettingWords& words) {
  std::string text = words.help;
  const auto add = [&](const std::string& more) { text += (text.empty() || more.empty() ? "" : "; ") + more; };
  if (!words.zero.empty()) add("0: " + words.zero);
  add(words.note);
  return text;
}

template <class Settings, class Field> std::vector<Description> describe(const std::vector<Setting<Settings, Field>>& rows) {
  const Settings defaults;
  std::vector<Description> all;
  for (const Setting<Settings, Field>* row : byGroup(rows)) {
    Description description;
    description.words = *row;
    description.meaning = meaningOf(*row);
    row->visit(defaults, [&](const auto& value) { describeValue(description, value); });
    all.push_back(description);
  }
  return all;
}

std::vector<Description> describeCommand(const std::string& command) {
  if (command == "solve") return describe(contactSolverSettings());
  if (command != "run") throw InvalidInput("settings", "must be one of run, solve, is '" + command + "'");
  std::vector<Description> all = describe(worldSettings());
  for (Description& description : all) {
    description.inReports = true;
    for (const SettingsConflict& conflict : worldSettingsConflicts()) {
      if (description.words.name == conflict.name) description.meaning += std::string("; ") + conflict.rule;
    }
  }
  return all;
}

// "`a`, `b`" with the quote "`".
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

void printText(const std::vector<Description>& settings) {
  const SettingGroup* group = nullptr;
  for (const Description& each : settings) {
    if (each.words.group != group) fmt::print("{}{}\n", group == nullptr ? "" : "\n", each.words.group->heading);
    group = each.words.group;
    const std::string values = valuesOf(each, "");
    fmt::print("  {}\n", joined(optionsOf(each.words), ""));
    fmt::print("      {}{}default {}\n", values, values.empty() ? "" : "; ", each.initial);
    fmt::print("      {}\n", each.meaning);
  }
}

void printMarkdown(const std::vector<Description>& settings) {
  const SettingGroup* group = nullptr;
  for (const Description& each : settings) {
    if (each.words.group != group) {
      group = each.words.group;
      const std::string page = *group->page == '\0' ? "" : fmt::format(" ([{0}]({0}))", group->page);
      fmt::print("\n### {}{}\n\n", group->heading, page);
      fmt::print("| option | values | default |{} meaning |\n|---|---|---|{}---|\n", each.inReports ? " in JSON |" : "",
                 each.inReports ? "---|" : "");
    }
    const std::string key = each.inReports ? " `" + each.words.key() + "` |" : "";
    fmt::print("| {} | {} | {} |{} {} |\n", joined(optionsOf(each.words), "`"), valuesOf(each, "`"), each.initial, key, each.meaning);
  }
}

Json boundJson(const SettingRange& range, double bound) { return range.bounded() && std::isfinite(bound) ? Json(bound) : Json(nullptr); }

void printJson(const std::vector<Description>& settings) {
  Json rows = Json::array();
  for (const Description& each : settings) {
    const SettingRange& range = each.words.range;
    rows.push_back({{"field", each.words.name},
                    {"options", optionsOf(each.words)},
                    {"key", each.inReports ? Json(each.words.key()) : Json(nullptr)},
                    {"group", each.words.group->heading},
                    {"type", each.type},
                    {"choices", each.choices},
                    {"unit", each.words.unit},
                    {"min", boundJson(range, range.min)},
                    {"min_is_allowed", !range.minIsOpen},
                    {"max", boundJson(range, range.max)},
                    {"max_is_allowed", !range.maxIsOpen},
                    {"default", each.initial},
                    {"meaning", each.meaning}});
  }
  fmt::print("{}\n", rows.dump(2));
}

struct SettingsOptions {
  std::string command = "run";
  bool markdown = false, json = false;
};

void list(const SettingsOptions& options) {
  const std::vector<Description> settings = describeCommand(options.command);
  if (options.json) return printJson(settings);
  options.markdown ? printMarkdown(settings) : printText(settings);
}

}  // namespace

void addSettingsList(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("settings", "Settings: options, ranges, units, defaults");
  auto options = std::make_shared<SettingsOptions>();
  command->add_option("command", options->command, "Of which command: run (bench and verify have the same), solve")->capture_default_str();
  command->add_flag("--markdown", options->markdown, "As the tables of docs/program.md");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options] { list(*options); });
}

}  // namespace cairn::cli
