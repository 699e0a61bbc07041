#include "src/cli/python_program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>

namespace cairn::cli {
namespace {

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

}  // namespace

std::string pythonWith(const std::string& module) {
  static std::map<std::string, std::string> known;
  const auto [found, isNew] = known.try_emplace(module);
  if (!isNew) return found->second;
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    if (statusOf({python, "-c", "import " + module}) != 0) continue;
    found->second = python;
    break;
  }
  return found->second;
}

std::string runQuietly(const std::vector<std::string>& words, const std::string& input) {
  const Spool given = spool(), errors = spool();
  if (given == nullptr || errors == nullptr || std::fwrite(input.data(), 1, input.size(), given.get()) != input.size() ||
      std::fflush(given.get()) != 0 || lseek(fileno(given.get()), 0, SEEK_SET) != 0) {
    return "what it works on cannot be handed on: is the disk full?";
  }
  const int status = statusOf(words, given.get(), errors.get());
  if (status == 0) return {};
  const std::string last = lastLine(errors.get());
  return last.empty() ? words.front() + " failed with exit status " + std::to_string(status) : last;
}

}  // namespace cairn::cli
