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

// Names that a user can write, for suggestions and completion.
std::vector<std::string> commandNames(const CLI::App& app);
std::vector<std::string> optionNames(const CLI::App& command);

}  // namespace cairn::cli
