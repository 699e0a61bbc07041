// Progress of a long command on the terminal.
#pragma once

#include <chrono>
#include <string>

namespace cairn::cli {

// "  label 12/100, 3 min left" on a terminal's standard error, nothing in a pipe. An interrupted command leaves no line behind.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(long done, long total);
  void say(const std::string& text);
  // What a command has yet to do, from what it has done: "", "3 min left".
  static std::string remaining(double seconds, long done, long total);
  // Makes the text only when it is shown: ten times a second at most.
  template <class Text> void sayAtTimes(const Text& text) {
    if (due()) say(text());
  }

 private:
  bool due();
  std::string label_;
  bool terminal_;
  std::chrono::steady_clock::time_point begin_, next_;
};

}  // namespace cairn::cli
