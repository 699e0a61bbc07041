#include "src/cli/figure.hpp"

#include "src/cli/output_file.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;
using Spool = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr int kNotThere = 127;

Spool spool() { return {std::tmpfile(), std::fclose}; }

// The last line that says something.
std::string lastLine(std::FILE* file) {
  std::string text;
  std::rewind(file);
  std::array<char, 4096> piece;
  for (size_t count = 0; (count = std::fread(piece.data(), 1, piece.size(), file)) > 0;) text.append(piece.data(), count);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

// Exit status of a program that reads the one file and writes its errors to the other, or reads and says nothing; kNotThere if it is not there.
// Files instead of pipes: neither side can wait for the other.
int statusOf(const std::vector<std::string>& words, std::FILE* input = nullptr, std::FILE* errors = nullptr) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return kNotThere;
  if (child == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(input != nullptr ? fileno(input) : nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(errors != nullptr ? fileno(errors) : nowhere, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(kNotThere);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kNotThere;
}

// A Python that has Matplotlib: the first on the path need not be the one that the system's packages are for. Empty: none.
const std::string& plottingPython() {
  static const std::string found = [] {
    for (const char* python : {"python3", "/usr/bin/python3"}) {
      if (statusOf({python, "-c", "import matplotlib"}) == 0) return std::string(python);
    }
    return std::string();
  }();
  return found;
}

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
  if (plottingPython().empty()) return "a plot needs Python 3 with Matplotlib (Debian: python3-matplotlib), which neither python3 nor /usr/bin/python3 has";
  return {};
}

std::string runFigureScript(const std::string& script, const std::vector<std::string>& arguments, const std::string& input) {
  if (std::string obstacle = figureObstacle(script); !obstacle.empty()) return obstacle;
  const Spool given = spool(), errors = spool();
  if (given == nullptr || errors == nullptr || std::fwrite(input.data(), 1, input.size(), given.get()) != input.size() ||
      std::fflush(given.get()) != 0 || lseek(fileno(given.get()), 0, SEEK_SET) != 0) {
    return "its numbers cannot be handed on: is the disk full?";
  }
  std::vector<std::string> words{plottingPython(), pathOf(script)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int status = statusOf(words, given.get(), errors.get());
  if (status == 0) return {};
  const std::string last = lastLine(errors.get());
  return last.empty() ? "scripts/" + script + " failed with exit status " + std::to_string(status) : last;
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
