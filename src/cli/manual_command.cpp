// cairn manual: the page of `man`, from the options as the parser has them and the tables of settings. docs/cairn.1 is what it prints.
#include "src/cli/commands.hpp"
#include "src/cli/setting_descriptions.hpp"
#include "src/scene/settings_table.hpp"

#include <cairn/version.hpp>

#include <fmt/ranges.h>

#include <array>

namespace cairn::cli {
namespace {

// For roff: a backslash begins an escape, a bare hyphen is no minus, and a period or an apostrophe begins a request at a line's start.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '-' || c == '\\') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}
std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }
std::string allBold(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + bold(name);
  return list;
}

void section(const char* title) { fmt::print(".SH {}\n", title); }
void paragraph(const std::string& text) { fmt::print(".PP\n{}\n", escaped(text)); }
// The tag is roff already.
void item(const std::string& tag, const std::string& text) { fmt::print(".TP\n{}\n{}\n", tag, escaped(text)); }

bool isPositional(const CLI::Option* option) { return option->get_positional(); }
bool isSetting(const CLI::Option* option) { return option->get_group() != "Options"; }

std::string tagOf(const CLI::Option& option) {
  if (option.get_positional()) return italic(option.get_type_name());
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return allBold(names) + (option.get_items_expected_max() > 0 ? " " + italic(option.get_type_name()) : "");
}

// " [SCENE ...]"
std::string argumentsOf(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options(isPositional)) {
    const std::string name = italic(option->get_type_name()) + (option->get_items_expected_max() > 1 ? " ..." : "");
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text;
}

// What a command takes beside its own options.
std::string settingsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options(isSetting)) names.push_back("--" + option->get_lnames().front());
  if (names.empty()) return "";
  if (command.get_name() == "solve") return "Its settings are below.";
  if (names.size() == worldSettings().size()) return "It takes all settings of a World, below.";
  return fmt::format("Of the settings below it takes {}.", fmt::join(names, ", "));
}

void printCommand(const CLI::App& command) {
  fmt::print(".SS {}{}\n{}.\n", bold("cairn " + command.get_name()), argumentsOf(command), escaped(command.get_description()));
  for (const CLI::Option* option : command.get_options()) {
    if (isSetting(option) || option == command.get_help_ptr()) continue;
    const std::string initial = option->get_default_str();
    item(tagOf(*option), option->get_description() + "." + (initial.empty() ? "" : " Default: " + initial + "."));
  }
  const std::string settings = settingsOf(command);
  if (!settings.empty()) paragraph(settings);
}

void printSettings(const std::string& command) {
  const SettingGroup* group = nullptr;
  for (const Description& each : describeSettings(command)) {
    if (each.words.group != group) fmt::print(".SS {}\n", escaped(each.words.group->heading));
    group = each.words.group;
    const std::string values = valuesOf(each, "");
    item(allBold(optionsOf(each.words)), fmt::format("{}. {}{}default {}.", each.meaning, values, values.empty() ? "" : "; ", each.initial));
  }
}

void printAround() {
  section("EXIT STATUS");
  item("0", "All went well.");
  item("1", "It ran, but a check failed, a body's state became infinite or NaN, or a joint was lost.");
  item("2", "Bad input. One line on standard error names place and reason, and nothing is written.");
  section("ENVIRONMENT");
  item(bold("CAIRN_CPU"),
       "The code that the processor runs: baseline, avx2 or avx512. It is the best that the processor has, and results do not depend on it.");
  section("EXAMPLES");
  constexpr std::array<const char*, 4> kExamples{
      "cairn run wall:width=20,height=10 --steps 600 --picture wall.png --report wall.json",
      "cairn run tower:height=5 --steps 60 --problem tower.json",
      "cairn solve tower.json --solver nncg --tolerance 1e-10 --json -",
      "cairn verify pile:count=500,shape=mixed --threads 4",
  };
  for (const char* example : kExamples) fmt::print(".PP\n.EX\n{}\n.EE\n", escaped(example));
}

void print(const CLI::App& app) {
  fmt::print(".\\\" What `cairn manual` prints; a test compares them.\n");
  fmt::print(".TH CAIRN 1 \"\" \"cairn {}\" \"User Commands\"\n", version());
  section("NAME");
  fmt::print("cairn \\- rigid bodies in frictional contact, the same to the bit on CPU and GPU\n");
  section("SYNOPSIS");
  const std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) {
    fmt::print("{}{}{}\n.br\n", bold("cairn " + command->get_name()), argumentsOf(*command), " [" + italic("OPTION") + " ...]");
  }
  fmt::print("{} | {}\n", bold("cairn --help"), bold("cairn --version"));
  section("DESCRIPTION");
  fmt::print("{}\n",
             escaped("SCENE is the path of a JSON file, or a generator with parameters: pyramid:base=40. `cairn scenes` lists the generators. "
                     "Numbers may be written as fractions (1/60), names in any case. Units are SI."));
  paragraph(
      "Files appear whole or not at all: they are written as NAME.partial and renamed. Where JSON can be written to a file, - is standard output.");
  section("COMMANDS");
  for (const CLI::App* command : commands) printCommand(*command);
  section("SETTINGS OF A WORLD");
  printSettings("run");
  section("SETTINGS OF SOLVE");
  printSettings("solve");
  printAround();
}

}  // namespace

void addManual(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("manual", "The page that man shows: cairn manual | man -l -");
  command->callback([&app] { print(app); });
}

}  // namespace cairn::cli
