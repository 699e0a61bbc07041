// In test programs: a test in which the emulated device has found something fails.
#include "tests/device/device.hpp"

#include <gtest/gtest.h>

namespace emulated {
namespace {

class ReportsFailTests : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo&) override {
    for (const Report& each : takeReports()) ADD_FAILURE() << each.text;
  }
};

const bool registered = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new ReportsFailTests);
  return true;
}();

}  // namespace
}  // namespace emulated
