#include "src/cli/figure.hpp"

#include "src/cli/output_file.hpp"
#include "src/cli/python_program.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <cstdio>
#include <filesystem>

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMatplotlib = "matplotlib";
std::string pathOf(const std::string& script) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& path : {fs::path(CAIRN_SCRIPTS) / script, program.parent_path() / "../share/cairn" / script}) {
    if (fs::exists(path, error)) return path.string();
  }
  return {};
}

}  // namespace

std::string figureObstacle(const std::string& script) {
  if (pathOf(script).empty()) return "a plot needs the script " + script + ", which is neither beside the sources nor installed";
  if (pythonWith(kMatplotlib).empty())
    return "a plot needs Python 3 with Matplotlib (Debian: python3-matplotlib), which neither python3 nor /usr/bin/python3 has";
  return {};
}

std::string runFigureScript(const std::string& script, const std::vector<std::string>& arguments, const std::string& input) {
  if (std::string obstacle = figureObstacle(script); !obstacle.empty()) return obstacle;
  std::vector<std::string> words{pythonWith(kMatplotlib), pathOf(script)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return runQuietly(words, input);
}

Figure::Figure(std::string option, std::string path, std::string script)
    : option_(std::move(option)), path_(std::move(path)), script_(std::move(script)) {
  if (path_.empty()) return;
  requireEnding(option_, path_, kFigureEndings);
  requireWritable(option_, path_);
  if (const std::string obstacle = figureObstacle(script_); !obstacle.empty()) throw InvalidInput(option_ + " " + path_, obstacle);
}

void Figure::draw(const std::vector<std::string>& arguments, const std::string& input) const {
  const std::string format = inSmallLetters(fs::path(path_).extension().string()).substr(1), partial = path_ + ".partial";
  std::vector<std::string> words{format, partial};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::string failure = runFigureScript(script_, words, input);
  if (failure.empty() && std::rename(partial.c_str(), path_.c_str()) != 0) failure = "writing failed: is the disk full?";
  if (failure.empty()) return;
  std::remove(partial.c_str());
  throw InvalidInput(option_ + " " + path_, failure);
}

}  // namespace cairn::cli
