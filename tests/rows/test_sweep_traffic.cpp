// The bytes of a sweep, against the figures that docs/report.md states for them.
#include "src/rows/sweep_traffic.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(SweepTraffic, IsThatOfTheRowsLayout) {
  EXPECT_EQ(sweepTraffic<float>(1, 0), 252);
  EXPECT_EQ(sweepTraffic<float>(0, 1), 44);
  EXPECT_EQ(sweepTraffic<float>(10, 40), 4280);
  EXPECT_EQ(sweepTraffic<double>(10, 40), 2 * (4280 - 80) + 80) << "indices stay as they are";
}

}  // namespace
}  // namespace cairn
