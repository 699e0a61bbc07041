// cairn completion: what a shell needs to complete the program's words.
#include "src/cli/arguments.hpp"
#include "src/cli/commands.hpp"
#include "src/experiments/experiment.hpp"

#include <cairn/scene.hpp>

#include <fmt/ranges.h>

namespace cairn::cli {
namespace {

const std::vector<std::string> kShells{"bash", "zsh", "fish"};

// Words after a command: its options, and what its arguments may be.
std::vector<std::string> wordsAfter(const CLI::App& command) {
  std::vector<std::string> words = optionNames(command);
  const bool takesScenes =
      command.get_option_no_throw("scene") != nullptr || command.get_option_no_throw("scenes") != nullptr || command.get_name() == "scenes";
  if (takesScenes) {
    for (const SceneGenerator& generator : sceneGenerators()) words.push_back(generator.name);
  }
  if (command.get_name() == "completion") words.insert(words.end(), kShells.begin(), kShells.end());
  if (command.get_name() == "settings") words.insert(words.end(), {"run", "solve"});
  if (command.get_name() == "paper") {
    for (const experiments::Experiment& experiment : experiments::all()) words.push_back(experiment.name);
  }
  return words;
}

std::string bashFunction(const CLI::App& app) {
  std::string cases;
  for (const std::string& name : commandNames(app)) {
    cases += fmt::format("    {}) words='{}' ;;\n", name, fmt::join(wordsAfter(*app.get_subcommand_ptr(name)), " "));
  }
  cases += fmt::format("    help) words='{}' ;;\n", fmt::join(commandNames(app), " "));
  return fmt::format(
      "_cairn() {{\n"
      "  local words='{} --help --version' current=\"${{COMP_WORDS[COMP_CWORD]}}\"\n"
      "  ((COMP_CWORD > 1)) && case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n"
      "}}\n"
      "complete -o filenames -F _cairn cairn\n",
      fmt::join(commandNames(app), " "), cases);
}

std::string fishLines(const CLI::App& app) {
  std::string lines = fmt::format("complete -c cairn -n __fish_use_subcommand -f -a '{}'\n", fmt::join(commandNames(app), " "));
  for (const std::string& name : commandNames(app)) {
    for (const std::string& word : wordsAfter(*app.get_subcommand_ptr(name))) {
      const bool option = word.compare(0, 2, "--") == 0;
      lines +=
          fmt::format("complete -c cairn -n '__fish_seen_subcommand_from {}' {} {}\n", name, option ? "-l" : "-a", option ? word.substr(2) : word);
    }
  }
  return lines;
}

void print(const CLI::App& app, const std::string& given) {
  const std::string shell = oneOf("shell", given, kShells);
  if (shell == "bash") {
    fmt::print("{}", bashFunction(app));
  } else if (shell == "zsh") {
    fmt::print("autoload -U +X bashcompinit && bashcompinit\n{}", bashFunction(app));
  } else {
    fmt::print("{}", fishLines(app));
  }
}

}  // namespace

void addCompletion(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("completion", "Completion of words for a shell: source <(cairn completion bash)");
  auto shell = std::make_shared<std::string>("bash");
  command->add_option("shell", *shell, "bash, zsh or fish")->type_name("SHELL")->capture_default_str();
  command->callback([shell, &app] { print(app, *shell); });
}

}  // namespace cairn::cli
