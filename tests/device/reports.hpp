// What the emulated device has found: collected, each once, with kernel, label, thread and stack.
#pragma once

#include <string>
#include <vector>

namespace emulated {

struct DeviceThread;

enum class Finding {
  Race,
  UnwrittenRead,
  OutOfBounds,
  UseAfterFree,
  HostMemory,
  Barrier,
  LateCopy,
  HostFunction,
};
const char* nameOf(Finding finding);

struct Report {
  Finding finding;
  std::string text;  // everything, in several lines
};

// Where a finding is: set by what runs on the device, empty while the host runs.
struct Place {
  std::string label;           // of the launch, or what the operation is called
  void (*kernel)() = nullptr;  // null for operations that are no launches
};
Place& currentPlace();

// Adds a finding of the code that is running now; `site` and the label tell it from others, so that each comes once. `thread`: whose it is, if that
// is not the one that runs.
void report(Finding finding, const std::string& text, const void* site, const DeviceThread* thread = nullptr);
void complain(const std::string& text);  // one line on stderr at once

// All findings since the last call. Those that nobody takes are printed at exit, and the process ends with kReportedStatus.
std::vector<Report> takeReports();
constexpr int kReportedStatus = 86;

}  // namespace emulated
