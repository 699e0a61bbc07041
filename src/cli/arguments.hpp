// What is wrong with a command line, told before the parser looks at it: that one names neither the word nor what may have been meant.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cairn::cli {

// Throws InvalidInput for a command or an option that is not there, naming the nearest.
void requireKnown(const CLI::App& app, const std::vector<std::string>& arguments);

// "help" and "help run" for --help and run --help, "version" for --version.
std::vector<std::string> withoutSynonyms(std::vector<std::string> arguments);

// The name that the word is, in any case. Throws InvalidInput with all names, and with those that may have been meant.
std::string oneOf(const std::string& place, const std::string& word, const std::vector<std::string>& names);

// The parser's message with the command that it is about, and without the parser's words.
std::string messageOf(const CLI::ParseError& error, const CLI::App& app);

// Names that a user can write, for suggestions and completion.
std::vector<std::string> commandNames(const CLI::App& app);
std::vector<std::string> optionNames(const CLI::App& command);

}  // namespace cairn::cli
