// Options and habits that the commands share.
#pragma once

#include "io/report_json.hpp"

#include <cairn/settings.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace cairn::cli {

// All fields of WorldSettings as options; validated when the World is made.
void addSettings(CLI::App& command, WorldSettings& settings);

// An output file, "-" for standard output, or empty for none. Refused (InvalidInput) if it could not be written, before any work is done.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  bool wanted() const { return !path_.empty(); }
  // All or nothing: written beside the destination and renamed.
  void write(const std::string& text) const;

 private:
  std::string path_;
};

// Throws InvalidInput if a file of this name cannot be made. Leaves no file behind.
void requireWritable(const std::string& path);
// Makes the directory if it is not there.
void requireDirectory(const std::string& path);

// "  label 12/100" on a terminal's standard error, nothing in a pipe.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(long done, long total);

 private:
  std::string label_;
  bool terminal_;
  std::chrono::steady_clock::time_point next_;
};

// Times of whole steps and stages.
class StepTimes {
 public:
  // One step of the world, timed. The device is waited for, so that the time is the step's.
  void step(World& world);
  void summarize(RunRow& row) const;
  // One step outside of the times.
  static void stepUntimed(World& world) { world.step(); }

 private:
  std::vector<double> steps_;
  std::vector<std::pair<std::string, std::vector<double>>> stages_;
};

}  // namespace cairn::cli
