#include "src/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace cairn::cli {

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

}  // namespace cairn::cli
