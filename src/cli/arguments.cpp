#include "src/cli/arguments.hpp"

#include "src/io/suggestion.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cctype>

namespace cairn::cli {
namespace {

bool isOption(const std::string& word) {
  return word.size() >= 2 && word[0] == '-' && (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0);
}

void requireOption(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const bool isShort = name[1] != '-';
  if (command.get_option_no_throw(isShort ? name.substr(0, 2) : name) != nullptr) return;
  const std::string place = command.get_parent() == nullptr ? "" : command.get_name() + ": ";
  const std::vector<std::string> near = namesNear(name, optionNames(command));
  std::string reason = near.empty() ? "is no option; --help lists them" : "is no option; did you mean";
  for (size_t k = 0; k < near.size(); ++k) reason += (k == 0 ? " " : ", ") + near[k];
  throw InvalidInput(place + name, near.empty() ? reason : reason + "?");
}

}  // namespace

std::vector<std::string> commandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> optionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> withoutSynonyms(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments[0] == "version") {
    arguments[0] = "--version";
  } else if (arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  return arguments;
}

void requireKnown(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const std::string& word : arguments) {
    if (word == "--") return;
    if (isOption(word)) {
      requireOption(*command, word);
    } else if (command == &app) {
      const std::vector<std::string> commands = commandNames(app);
      if (std::find(commands.begin(), commands.end(), word) == commands.end()) {
        throw InvalidInput(word, "is no command; " + suggestion(word, commands));
      }
      command = app.get_subcommand(word);
    }
  }
  if (command == &app && arguments.empty()) throw InvalidInput("a command is missing", suggestion("", commandNames(app)) + "; --help says more");
}

}  // namespace cairn::cli
