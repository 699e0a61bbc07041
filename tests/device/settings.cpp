#include "tests/device/settings.hpp"

#include <algorithm>
#include <cstdlib>

namespace emulated {
namespace {

long fromEnvironment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtol(text, nullptr, 0);
}
int countFromEnvironment(const char* name, int otherwise, int least, int most) {
  return static_cast<int>(std::clamp<long>(fromEnvironment(name, otherwise), least, most));
}

}  // namespace

Settings settingsOfEnvironment() {
  Settings s;
  s.devices = countFromEnvironment("EMULATED_DEVICES", 1, 0, kMaxDevices);
  s.multiprocessors = countFromEnvironment("EMULATED_MULTIPROCESSORS", 3, 1, 1024);
  s.residentBlocks = countFromEnvironment("EMULATED_RESIDENT_BLOCKS", 2, 1, 32);
  s.cooperative = fromEnvironment("EMULATED_COOPERATIVE", 1) != 0;
  s.order = static_cast<unsigned>(fromEnvironment("EMULATED_ORDER", 0));
  s.memory = static_cast<size_t>(countFromEnvironment("EMULATED_MEMORY_MIB", 4096, 1, 1 << 20)) << 20;
  s.fill =
      static_cast<uint32_t>(fromEnvironment("EMULATED_FILL", 0x7fb5b5b5));  // a signalling NaN in float, a huge number in double and as an integer
  s.failAllocation = fromEnvironment("EMULATED_FAIL_ALLOCATION", 0);
  s.failRequest = fromEnvironment("EMULATED_FAIL_REQUEST", 0);
  s.capability = countFromEnvironment("EMULATED_CAPABILITY", 90, 50, 130);
  s.checkRaces = fromEnvironment("EMULATED_RACES", 1) != 0;
  s.checkUnwritten = fromEnvironment("EMULATED_UNWRITTEN", 1) != 0;
  return s;
}

bool isFailingRequest() {
  long& countdown = settings().failRequest;
  return countdown > 0 && --countdown == 0;
}

Settings& settings() {
  static Settings current = settingsOfEnvironment();
  return current;
}

}  // namespace emulated
