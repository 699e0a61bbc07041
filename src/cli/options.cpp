#include "options.hpp"

#include "settings_names.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace cairn::cli {
namespace {

template <class Enum> void addEnum(CLI::App& command, const std::string& name, Enum& value, const std::string& help) {
  command
      .add_option_function<std::string>(
          name, [&value, name](const std::string& text) { value = enumFromName<Enum>(text, name); }, help + ": " + nameList<Enum>())
      ->default_str(nameOf(value));
}

template <class Number> void addNumber(CLI::App& command, const std::string& name, Number& value, const std::string& help) {
  command.add_option(name, value, help)->capture_default_str();
}

}  // namespace

void addSettings(CLI::App& command, WorldSettings& s) {
  addEnum(command, "--backend", s.backend, "Where to run");
  addNumber(command, "--threads", s.threads, "CPU threads, 0: all");
  addEnum(command, "--precision", s.precision, "Of state and kernels");
  addEnum(command, "--solver", s.solver, "Contact solver");
  addNumber(command, "--dt", s.dt, "Time step [s]");
  addNumber(command, "--substeps", s.substeps, "Substeps of a step");
  addNumber(command, "--iterations", s.iterations, "Stabilized sweeps a substep");
  addNumber(command, "--relaxations", s.relaxations, "Sweeps without stabilization a substep");
  addNumber(command, "--normal-passes", s.normalPasses, "Passes over a manifold's normals a sweep");
  addNumber(command, "--over-relaxation", s.overRelaxation, "Of normal impulses in stabilized sweeps");
  addNumber(command, "--tolerance", s.tolerance, "Sweep until the scaled residual is below it; 0: fixed sweeps");
  addNumber(command, "--max-iterations", s.maxIterations, "Most sweeps with a tolerance");
  command.add_flag("--warm-start,!--no-warm-start", s.warmStart, "Start from the last step's impulses")->default_str("on");
  addEnum(command, "--normal-stabilization", s.normalStabilization, "Treatment of penetration");
  addNumber(command, "--error-reduction", s.errorReduction, "Baumgarte: part of the error removed a substep");
  addNumber(command, "--force-mixing", s.forceMixing, "Baumgarte: part of its impulse that a point gives up a sweep");
  addNumber(command, "--slop", s.slop, "Depth that contacts rest at [m]");
  addNumber(command, "--max-correction-speed", s.maxCorrectionSpeed, "Largest speed of the correction [m/s]");
  addNumber(command, "--soft-frequency", s.softFrequency, "Soft: natural frequency [Hz]");
  addNumber(command, "--soft-damping", s.softDamping, "Soft: damping ratio");
  addNumber(command, "--envelope", s.envelope, "Largest gap of a contact [m]");
  addNumber(command, "--restitution-threshold", s.restitutionThreshold, "Approach speed below which nothing bounces [m/s]");
  addNumber(command, "--max-linear-speed", s.maxLinearSpeed, "[m/s]");
  addNumber(command, "--max-angular-speed", s.maxAngularSpeed, "[rad/s]");
  addNumber(command, "--max-colours", s.maxColours, "Constraints beyond go to the mass-split tail, 0..64");
}

void requireWritable(const std::string& path) {
  namespace fs = std::filesystem;
  const bool existed = fs::exists(path);
  if (fs::is_directory(path)) throw InvalidInput(path, "cannot be written: it is a directory");
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) throw InvalidInput(path, "cannot be written");
  std::fclose(file);
  if (!existed) std::remove(path.c_str());
}

void requireDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!std::filesystem::is_directory(path)) throw InvalidInput(path, "is not a directory and cannot be made one");
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (!path_.empty() && path_ != "-") requireWritable(path_);
}

void OutputFile::write(const std::string& text) const {
  if (path_ == "-") {
    std::cout << text << std::endl;
    return;
  }
  const std::string partial = path_ + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file << text << '\n';
  file.close();
  if (!file || std::rename(partial.c_str(), path_.c_str()) != 0) {
    std::remove(partial.c_str());
    throw InvalidInput(path_, "writing failed: is the disk full?");
  }
}

Progress::Progress(std::string label) : label_(std::move(label)), terminal_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(long done, long total) {
  if (!terminal_ || std::chrono::steady_clock::now() < next_) return;
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  fmt::print(stderr, "\r\033[K  {} {}/{}", label_, done, total);
  std::fflush(stderr);
}

void StepTimes::step(World& world) {
  const auto start = std::chrono::steady_clock::now();
  world.step();
  const std::vector<StageTime> stages = world.stageTimes();  // waits for the device
  steps_.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  for (const StageTime& stage : stages) {
    size_t k = 0;
    while (k < stages_.size() && stages_[k].first != stage.stage) ++k;
    if (k == stages_.size()) stages_.push_back({stage.stage, {}});
    stages_[k].second.push_back(stage.milliseconds);
  }
}

void StepTimes::summarize(RunRow& row) const {
  row.stepMedian = quantile(steps_, 0.5);
  row.stepP95 = quantile(steps_, 0.95);
  row.stageMedians.clear();
  for (const auto& [stage, times] : stages_) row.stageMedians.push_back({stage, quantile(times, 0.5)});
}

}  // namespace cairn::cli
