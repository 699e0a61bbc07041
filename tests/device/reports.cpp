#include "tests/device/reports.hpp"

#include "tests/device/threads.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <tuple>

extern "C" char __executable_start;

namespace emulated {
namespace {

constexpr int kMostReports = 200;
constexpr int kMostFrames = 24;

struct Finds {
  std::vector<Report> untaken;
  std::set<std::tuple<Finding, std::string, const void*>> known;
  ~Finds();
};

Finds& finds() {
  static Finds all;
  return all;
}

// Function and line of addresses in this program, and of what they are inlined into.
std::vector<std::string> symbolsOf(const std::vector<void*>& addresses) {
  std::string command = "addr2line -C -f -i -p -s -e /proc/" + std::to_string(getpid()) + "/exe";
  char text[32];
  for (void* address : addresses) {
    std::snprintf(text, sizeof text, " 0x%zx", static_cast<size_t>(static_cast<char*>(address) - &__executable_start));
    command += text;
  }
  std::vector<std::string> names;
  if (FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r")) {
    char line[4096];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
      line[std::strcspn(line, "\n")] = '\0';
      names.emplace_back(line);
    }
    pclose(pipe);
  }
  if (names.empty()) names.emplace_back("?");
  return names;
}

std::string shortened(const std::string& name) { return name.size() <= 240 ? name : name.substr(0, 160) + " ... " + name.substr(name.size() - 70); }

// The kernel's own frames: below those of the check, and above those of the launch.
std::string stackText() {
  void* frames[kMostFrames];
  const int count = backtrace(frames, kMostFrames);
  std::vector<void*> addresses;
  for (int i = 1; i < count; ++i) addresses.push_back(static_cast<char*>(frames[i]) - 1);
  std::string text;
  bool inKernel = false;
  for (const std::string& name : symbolsOf(addresses)) {
    if (name.find("emulated::callKernel") != std::string::npos || name.find("emulated::callTyped") != std::string::npos) break;
    if (inKernel) text += "\n    " + shortened(name);
    if (name.find("__tsan_") != std::string::npos || name.find("__wrap_") != std::string::npos) inKernel = true;
  }
  return text;
}

}  // namespace

const char* nameOf(Finding finding) {
  switch (finding) {
    case Finding::Race:
      return "race";
    case Finding::UnwrittenRead:
      return "read of what was never written";
    case Finding::OutOfBounds:
      return "access out of bounds";
    case Finding::UseAfterFree:
      return "access to freed memory";
    case Finding::HostMemory:
      return "access to host memory";
    case Finding::Barrier:
      return "barrier that not all threads reach";
    case Finding::LateCopy:
      return "copy whose source has changed";
    default:
      return "function of the host";
  }
}

Place& currentPlace() {
  static thread_local Place place;
  return place;
}

void report(Finding finding, const std::string& text, const void* site, const DeviceThread* thread) {
  const AsHost host;
  const DeviceThread* const running = thread != nullptr ? thread : host.thread;
  Finds& all = finds();
  const Place& place = currentPlace();
  if (all.known.size() < kMostReports && all.known.insert({finding, place.label, site}).second) {
    std::string whole = std::string(nameOf(finding)) + " in '" + place.label + "': " + text;
    if (place.kernel != nullptr) whole += "\n  kernel " + shortened(symbolsOf({reinterpret_cast<void*>(place.kernel)})[0]);
    if (running != nullptr) whole += "\n  " + nameOf(*running) + stackText();
    all.untaken.push_back({finding, whole});
  }
}

void complain(const std::string& text) {
  const std::string line = "emulated device: " + text + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

std::vector<Report> takeReports() {
  Finds& all = finds();
  all.known.clear();
  return std::exchange(all.untaken, {});
}

Finds::~Finds() {
  if (untaken.empty()) return;
  for (const Report& each : untaken) complain(each.text);
  std::fflush(nullptr);
  _exit(kReportedStatus);
}

}  // namespace emulated
