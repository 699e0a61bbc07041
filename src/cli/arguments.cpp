#include "src/cli/arguments.hpp"

#include "src/io/suggestion.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace cairn::cli {
namespace {

bool isOption(const std::string& word) {
  return word.size() >= 2 && word[0] == '-' && (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0);
}

// Commands that have the option.
std::vector<std::string> commandsWith(const CLI::App& app, const std::string& option) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_option_no_throw(option) != nullptr) names.push_back(command->get_name());
  }
  return names;
}

void requireOption(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const bool isShort = name[1] != '-';
  if (command.get_option_no_throw(isShort ? name.substr(0, 2) : name) != nullptr) return;
  const bool beforeCommand = command.get_parent() == nullptr;
  if (beforeCommand && !commandsWith(command, name).empty()) {
    throw InvalidInput(name, fmt::format("comes after its command: {}", fmt::join(commandsWith(command, name), ", ")));
  }
  const std::string place = beforeCommand ? "" : command.get_name() + ": ";
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
    if (arguments.size() > 1 && arguments[1] == "help") arguments.pop_back();
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  return arguments;
}

std::string oneOf(const std::string& place, const std::string& word, const std::vector<std::string>& names) {
  const std::string name = inSmallLetters(word);
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  const std::vector<std::string> near = namesNear(name, names);
  const std::string meant = near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, ", "));
  throw InvalidInput(place, fmt::format("must be one of {}, is '{}'{}", fmt::join(names, ", "), word, meant));
}

std::string messageOf(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  const std::string place = commands.empty() ? "" : command.get_name() + ": ", more = "; cairn " + command.get_name() + " --help says more";
  const std::string text = error.what();
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (kind == CLI::ExitCodes::RequiredError) return place + text + more;
  if (kind == CLI::ExitCodes::ExtrasError)
    return fmt::format("{}'{}' is more than it takes{}", place, fmt::join(command.remaining(true), "' '"), more);
  if (kind == CLI::ExitCodes::ArgumentMismatch) return place + text.substr(0, text.find(':')) + ": its value is missing";
  return place + text;
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
