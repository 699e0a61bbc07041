// Options and habits that the commands share.
#pragma once

#include "src/io/report_json.hpp"

#include <cairn/error.hpp>
#include <cairn/settings.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace cairn::cli {

// All fields of WorldSettings as options.
void addSettings(CLI::App& command, WorldSettings& settings);
// Of them only where to run: backend and threads.
void addTarget(CLI::App& command, WorldSettings& settings);
// Throws InvalidInput, naming the option, for a value out of its range, and DeviceError for a backend that this machine lacks.
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

// Throws InvalidInput if a file of this name could not be made, or would replace something that is not a file. Leaves nothing behind.
void requireWritable(const std::string& option, const std::string& path);
// Throws InvalidInput for a path that does not end in one of the formats of contact problems.
void requireProblemFile(const std::string& option, const std::string& path);
// Makes the directory if it is not there.
void requireDirectory(const std::string& path);
// Throws InvalidInput if two options name the same output. Empty paths are none.
void requireDistinct(const std::vector<std::pair<std::string, std::string>>& optionsAndPaths);

// A text that a command writes at its end: to a file, "-" for standard output, or empty for nowhere. Refused (InvalidInput) when it is made
// if it could not be written, before any work is done.
class OutputFile {
 public:
  OutputFile(const std::string& option, std::string path);
  bool wanted() const { return !path_.empty(); }
  // All or nothing: written beside the destination and renamed.
  void write(const std::string& text) const;

 private:
  std::string path_;
  bool stream_ = false;  // a device or a pipe: there is nothing to rename
};

// "  label 12/100" on a terminal's standard error, nothing in a pipe.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(long done, long total);
  void say(const std::string& text);
  // As often as show() would, and only then is the text made.
  template <class Text> void sayAtTimes(const Text& text) {
    if (due()) say(text());
  }

 private:
  bool due();
  std::string label_;
  bool terminal_;
  std::chrono::steady_clock::time_point next_;
};

// Times of whole steps and stages.
class StepTimes {
 public:
  // One step of the world, timed. The device is waited for, so that the time is the step's.
  void step(World& world);
  // Notes the worst joint error, untimed; of scenes with few joints, since all of them are read. Others have the last step's.
  void watch(const World& world);
  void summarize(RunRow& row) const;

 private:
  static constexpr int kMostWatchedJoints = 4096;
  double jointErrorPeak_ = 0;
  std::vector<double> steps_;
  std::vector<std::pair<std::string, std::vector<double>>> stages_;
};

}  // namespace cairn::cli
