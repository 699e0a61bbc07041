// cairn settings: what can be tuned, as text, as the manual's tables, as JSON.
#include "src/cli/commands.hpp"
#include "src/cli/setting_descriptions.hpp"
#include "src/io/report_json.hpp"

#include <fmt/format.h>

namespace cairn::cli {
namespace {

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
  const std::vector<Description> settings = describeSettings(options.command);
  if (options.json) return printJson(settings);
  options.markdown ? printMarkdown(settings) : printText(settings);
}

}  // namespace

void addSettingsList(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("settings", "Settings: options, ranges, units, defaults");
  auto options = std::make_shared<SettingsOptions>();
  command->add_option("command", options->command, "Of which command: run (bench and verify have the same), solve")
      ->type_name("COMMAND")
      ->capture_default_str();
  command->add_flag("--markdown", options->markdown, "As the tables of docs/program.md");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options] { list(*options); });
}

}  // namespace cairn::cli
