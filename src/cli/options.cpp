#include "src/cli/options.hpp"

#include "src/scene/enum_names.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace cairn::cli {
namespace {

template <class Enum> void addEnum(CLI::App& command, const std::string& name, Enum& value, const std::string& help) {
  command
      .add_option_function<std::string>(
          name, [&value, name](const std::string& text) { value = enumFromName<Enum>(text, name); }, help + ": " + nameList<Enum>())
      ->default_str(nameOf(value));
}

void addSwitch(CLI::App& command, const std::string& name, bool& value, const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [&value, name](const std::string& text) {
            if (text != "on" && text != "off") throw InvalidInput(name, "must be one of on, off, is '" + text + "'");
            value = text == "on";
          },
          help + ": on, off")
      ->default_str(value ? "on" : "off");
}

template <class Number> void addNumber(CLI::App& command, const std::string& name, Number& value, const std::string& help) {
  command.add_option(name, value, help)->capture_default_str();
}

}  // namespace

void addTarget(CLI::App& command, WorldSettings& s) {
  addEnum(command, "--backend", s.backend, "Where to run");
  addNumber(command, "--threads", s.threads, "CPU threads, 0: all");
}

void addSettings(CLI::App& command, WorldSettings& s) {
  addTarget(command, s);
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
  addNumber(command, "--force-mixing", s.forceMixing, "Part of its impulse that a point gives up a sweep");
  addNumber(command, "--slop", s.slop, "Depth that contacts rest at [m]");
  addNumber(command, "--gamma", s.gamma, "Anitescu-Hart: part of a gap or penetration that a substep closes");
  addNumber(command, "--max-correction-speed", s.maxCorrectionSpeed, "Largest speed of the correction [m/s]");
  addNumber(command, "--soft-frequency", s.softFrequency, "Soft: natural frequency [Hz]");
  addNumber(command, "--soft-damping", s.softDamping, "Soft: damping ratio");
  addSwitch(command, "--friction-stabilization", s.frictionStabilization, "Pull points that stuck back to where they did");
  addNumber(command, "--slip-tolerance", s.slipTolerance, "Friction stabilization: slip that is let be [m]");
  addNumber(command, "--slip-reduction", s.slipReduction, "Friction stabilization: part of the slip taken back a substep");
  addNumber(command, "--position-corrections", s.positionCorrections, "Position post-stabilizations after a step, 0: off");
  addNumber(command, "--position-sweeps", s.positionSweeps, "Sweeps of each");
  addNumber(command, "--max-position-correction", s.maxPositionCorrection, "Most of a penetration that one takes out [m]");
  addEnum(command, "--joint-stabilization", s.jointStabilization, "Treatment of joints' errors");
  addEnum(command, "--joint-solver", s.jointSolver, "Joints: all at once, or by sweeps like contacts");
  addNumber(command, "--joint-error-reduction", s.jointErrorReduction, "Baumgarte: part of a joint's error removed a substep, 0..2");
  addNumber(command, "--joint-sweeps", s.jointSweeps, "Sweeps over the joints alone after the others");
  addSwitch(command, "--shock-propagation", s.shockPropagation, "Contacts once more, level by level from the ground up");
  addNumber(command, "--envelope", s.envelope, "Largest gap of a contact [m]");
  addSwitch(command, "--grow-envelope", s.growEnvelope, "Envelopes of fast bodies grow by their motion");
  addNumber(command, "--restitution-threshold", s.restitutionThreshold, "Approach speed below which nothing bounces [m/s]");
  addNumber(command, "--max-linear-speed", s.maxLinearSpeed, "[m/s]");
  addNumber(command, "--max-angular-speed", s.maxAngularSpeed, "[rad/s]");
  addNumber(command, "--max-colours", s.maxColours, "Constraints beyond go to the mass-split tail, 0..64");
}

void requireUsable(const WorldSettings& settings) {
  namingOptions([&] { World(Scene{}, settings); });
}

InvalidInput asOption(const InvalidInput& error) {
  const std::string prefix = "settings.";
  if (error.place.compare(0, prefix.size(), prefix) != 0) return error;
  std::string option = "--";
  for (const char c : error.place.substr(prefix.size())) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) option += '-';
    option += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return {option, error.reason};
}

namespace {

namespace fs = std::filesystem;

// What is written first, and then renamed: readers never see half a file.
std::string partialOf(const std::string& path) { return path + ".partial"; }

[[noreturn]] void refuse(const std::string& option, const std::string& path, const std::string& reason) {
  throw InvalidInput(option + " " + path, "cannot be written: " + reason);
}

}  // namespace

void requireWritable(const std::string& option, const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse(option, path, fs::is_directory(status) ? "is a directory" : "is not a file");
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0) refuse(option, path, std::strerror(errno));
  std::FILE* file = std::fopen(partialOf(path).c_str(), "wb");
  if (file == nullptr) refuse(option, path, std::strerror(errno));
  std::fclose(file);
  std::remove(partialOf(path).c_str());
}

void requireProblemFile(const std::string& option, const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending != ".json" && ending != ".hdf5" && ending != ".h5") throw InvalidInput(option + " " + path, "must end in .json, .hdf5 or .h5");
}

void requireDirectory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!fs::is_directory(path, error)) throw InvalidInput(path, "is not a directory and cannot be made one");
  requireWritable("directory", (fs::path(path) / "picture.png").string());
}

void requireDistinct(const std::vector<std::pair<std::string, std::string>>& optionsAndPaths) {
  for (size_t i = 0; i < optionsAndPaths.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const std::string &a = optionsAndPaths[i].second, &b = optionsAndPaths[k].second;
      std::error_code error;
      if (a.empty() || b.empty()) continue;
      if (fs::weakly_canonical(fs::absolute(a), error) != fs::weakly_canonical(fs::absolute(b), error)) continue;
      throw InvalidInput(optionsAndPaths[i].first + " " + a, "is what " + optionsAndPaths[k].first + " writes already");
    }
  }
}

OutputFile::OutputFile(const std::string& option, std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") return;
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  stream_ = fs::is_character_file(status) || fs::is_fifo(status) || fs::is_socket(status);
  if (!stream_) {
    requireWritable(option, path_);
  } else if (access(path_.c_str(), W_OK) != 0) {
    refuse(option, path_, std::strerror(errno));
  }
}

void OutputFile::write(const std::string& text) const {
  if (path_ == "-") {
    fmt::print("{}\n", text);
    return;
  }
  const std::string destination = stream_ ? path_ : partialOf(path_);
  std::ofstream file(destination, std::ios::binary);
  file << text << '\n';
  file.close();
  if (!file || (!stream_ && std::rename(destination.c_str(), path_.c_str()) != 0)) {
    if (!stream_) std::remove(destination.c_str());
    throw InvalidInput(path_, "writing failed: is the disk full?");
  }
}

Progress::Progress(std::string label) : label_(std::move(label)), terminal_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

bool Progress::due() {
  if (!terminal_ || std::chrono::steady_clock::now() < next_) return false;
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  return true;
}

void Progress::show(long done, long total) {
  if (due()) say(fmt::format("{} {}/{}", label_, done, total));
}

void Progress::say(const std::string& text) {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K  {}", text);
  std::fflush(stderr);
}

void StepTimes::step(World& world) {
  const auto start = std::chrono::steady_clock::now();
  const auto milliseconds = [&] { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(); };
  world.step();
  double time = milliseconds();
  const std::vector<StageTime> stages = world.stageTimes();
  if (world.backend() == Backend::Cuda) time = milliseconds();  // only now is the device done
  steps_.push_back(time);
  for (const StageTime& stage : stages) {
    size_t k = 0;
    while (k < stages_.size() && stages_[k].first != stage.stage) ++k;
    if (k == stages_.size()) stages_.push_back({stage.stage, {}});
    stages_[k].second.push_back(stage.milliseconds);
  }
}

void StepTimes::watch(const World& world) {
  if (world.jointCount() == 0 || world.jointCount() > kMostWatchedJoints) return;
  for (const JointState& joint : world.jointStates()) {
    if (!joint.broken) jointErrorPeak_ = std::max(jointErrorPeak_, joint.error);
  }
}

void StepTimes::summarize(RunRow& row) const {
  row.jointErrorPeak = std::max(jointErrorPeak_, row.report.jointErrorMax);
  row.stepMedian = quantile(steps_, 0.5);
  row.stepP95 = quantile(steps_, 0.95);
  row.stageMedians.clear();
  for (const auto& [stage, times] : stages_) row.stageMedians.push_back({stage, quantile(times, 0.5)});
}

}  // namespace cairn::cli
