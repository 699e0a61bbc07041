// Settings as options of a command, and their mistakes named as options.
#pragma once

#include <cairn/error.hpp>
#include <cairn/settings.hpp>

#include <CLI/CLI.hpp>

namespace cairn::cli {

// All fields of WorldSettings as options.
void addSettings(CLI::App& command, WorldSettings& settings);
// Backend and number of threads alone, for commands that choose the other settings themselves.
void addTarget(CLI::App& command, WorldSettings& settings);
// Throws InvalidInput, naming the option, for a value out of its range, and DeviceError for a backend that this machine lacks. Says on
// standard error why it is the CPU where there is a device that `auto` cannot take.
void requireUsable(const WorldSettings& settings);
// "settings.maxColours" is --max-colours on the command line.
InvalidInput asOption(const InvalidInput& error);
template <class Work> void namingOptions(const Work& work) {
  try {
    work();
  } catch (const InvalidInput& error) {
    throw asOption(error);
  }
}

}  // namespace cairn::cli
