// The version has one owner, include/cairn/version.hpp; its text must agree with its numbers.
#include <cairn/version.hpp>

#include <gtest/gtest.h>

#include <string>

namespace cairn {
namespace {

TEST(Version, TextAndNumbersAgree) {
  const std::string numbers =
      std::to_string(CAIRN_VERSION_MAJOR) + "." + std::to_string(CAIRN_VERSION_MINOR) + "." + std::to_string(CAIRN_VERSION_PATCH);
  EXPECT_EQ(numbers, CAIRN_VERSION_STRING);
  EXPECT_EQ(numbers, version());
}

}  // namespace
}  // namespace cairn
