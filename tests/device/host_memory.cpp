// The host's memory as the device sees it, and the device's as the host does: pinned memory, constants, and the signal that a touch of closed device
// memory raises.
#include "tests/device/arena.hpp"
#include "tests/device/reports.hpp"
#include "tests/device/streams.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace emulated {
namespace {

std::map<uintptr_t, size_t>& pinned() {
  static std::map<uintptr_t, size_t> all;
  return all;
}

struct Range {
  uintptr_t begin, end;
};

// The parts of the program file that nobody can write.
const std::vector<Range>& constants() {
  static const std::vector<Range> ranges = [] {
    std::vector<Range> found;
    char program[4096] = "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return found;
    FILE* const maps = std::fopen("/proc/self/maps", "r");
    if (maps == nullptr) return found;
    char line[8192];
    while (std::fgets(line, sizeof line, maps) != nullptr) {
      size_t begin = 0, end = 0;
      char access[8] = "";
      if (std::sscanf(line, "%zx-%zx %7s", &begin, &end, access) == 3 && access[1] == '-' && std::strstr(line, program) != nullptr) {
        found.push_back({begin, end});
      }
    }
    std::fclose(maps);
    return found;
  }();
  return ranges;
}

struct CopyInProgress {
  const char* what;
  const void* address;
};
thread_local CopyInProgress copyInProgress{nullptr, nullptr};

struct sigaction earlierAction;

void say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void onFault(int signal, siginfo_t* info, void* context) {
  const bool deviceMemory = inArena(info->si_addr);
  if (deviceMemory || copyInProgress.what != nullptr) {
    char text[512];
    if (deviceMemory) {
      std::snprintf(text, sizeof text, "emulated device: the host accessed device memory at %p after '%s'\n", info->si_addr,
                    labelOfLastLaunch().c_str());
    } else {
      std::snprintf(text, sizeof text, "emulated device: %s of host memory at %p, which is not mapped any more\n", copyInProgress.what,
                    copyInProgress.address);
    }
    say(text);
    _exit(kReportedStatus);
  }
  if ((earlierAction.sa_flags & SA_SIGINFO) != 0 && earlierAction.sa_sigaction != nullptr) return earlierAction.sa_sigaction(signal, info, context);
  sigaction(signal, &earlierAction, nullptr);  // the access is made again, and does what it would have done without us
}

}  // namespace

void watchTheHost() {
  // The handler needs a stack of its own where the fault is that of a stack. It never returns to what it interrupted.
  constexpr size_t kStack = 1 << 16;
  static char stack[kStack];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &earlierAction);
}

void* allocatePinned(size_t bytes) {
  void* address = nullptr;
  if (posix_memalign(&address, 4096, bytes > 0 ? bytes : 1) != 0) return nullptr;
  pinned()[reinterpret_cast<uintptr_t>(address)] = bytes;
  return address;
}

size_t pinnedInUse() {
  size_t sum = 0;
  for (const auto& [address, bytes] : pinned()) sum += bytes;
  return sum;
}

bool freePinned(void* address) {
  if (pinned().erase(reinterpret_cast<uintptr_t>(address)) == 0) return false;
  std::free(address);
  return true;
}

bool isPinned(const void* address, size_t bytes) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  const auto after = pinned().upper_bound(at);
  if (after == pinned().begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return at - begin <= size && bytes <= size - (at - begin);
}

bool isConstant(const void* address, size_t bytes) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  for (const Range& range : constants()) {
    if (at >= range.begin && at < range.end && bytes <= range.end - at) return true;
  }
  return false;
}

CopyOfHostMemory::CopyOfHostMemory(const char* what, const void* address) { copyInProgress = {what, address}; }
CopyOfHostMemory::~CopyOfHostMemory() { copyInProgress = {nullptr, nullptr}; }

}  // namespace emulated
