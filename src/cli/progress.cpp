#include "src/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace cairn::cli {

namespace {

constexpr char kClearLine[] = "\r\033[K";

// The line is cleared, and the signal does what it does otherwise.
extern "C" void clearLineAndEnd(int signal) {
  if (write(STDERR_FILENO, kClearLine, sizeof kClearLine - 1) < 0) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

Progress::Progress(std::string label) : label_(std::move(label)), terminal_(isatty(STDERR_FILENO) != 0), begin_(std::chrono::steady_clock::now()) {
  next_ = begin_;
  if (terminal_ && std::signal(SIGINT, clearLineAndEnd) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

Progress::~Progress() {
  if (!terminal_) return;
  fmt::print(stderr, "{}", kClearLine);
  if (std::signal(SIGINT, SIG_DFL) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

std::string Progress::remaining(double seconds, long done, long total) {
  constexpr double kSettled = 2;  // before, the first steps say little
  if (seconds < kSettled || done <= 0 || done >= total) return "";
  const double left = seconds * static_cast<double>(total - done) / static_cast<double>(done);
  if (left < 90) return fmt::format(", {:.0f} s left", left);
  if (left < 5400) return fmt::format(", {:.0f} min left", left / 60);
  return fmt::format(", {:.1f} h left", left / 3600);
}

bool Progress::due() {
  if (!terminal_ || std::chrono::steady_clock::now() < next_) return false;
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  return true;
}

void Progress::show(long done, long total) {
  if (!due()) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  say(fmt::format("{} {}/{}{}", label_, done, total, remaining(seconds, done, total)));
}

void Progress::say(const std::string& text) {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K  {}", text);
  std::fflush(stderr);
}

}  // namespace cairn::cli
