// Messages' numbers against {fmt}, which io and the program write theirs with: one number must not have two texts.
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

namespace cairn {
namespace {

TEST(Text, NumbersReadAsThoseOfFmt) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0,
                             1.0,
                             0.1,
                             100000.0,
                             1e15,
                             9999999999999998.0,
                             1e16,
                             1e17,
                             1e22,
                             0.0001,
                             0.00011,
                             0.00001,
                             123456.789,
                             1.0 / 3.0,
                             5e-324,
                             Limits::max(),
                             Limits::min(),
                             Limits::infinity(),
                             Limits::quiet_NaN(),
                             9007199254740993.0})
    for (const double signedValue : {value, -value}) EXPECT_EQ(textOf(signedValue), fmt::format("{}", signedValue));
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t bits = random();
    double any = 0;
    std::memcpy(&any, &bits, sizeof(any));
    const double usual = std::ldexp(1.0 + double(bits >> 12) / double(uint64_t(1) << 52), int(bits % 120) - 60);
    const double whole = double(int64_t(bits) >> (bits % 64)), decimal = double(int64_t(bits) % 100000) * std::pow(10.0, double(i % 40 - 20));
    for (const double value : {any, usual, whole, decimal}) ASSERT_EQ(textOf(value), fmt::format("{}", value));
    ASSERT_EQ(textOf(usual, 2), fmt::format("{:.2g}", usual));
  }
}

TEST(Text, HolesAreFilledFromTheLeft) {
  EXPECT_EQ(text("none"), "none");
  EXPECT_EQ(text("{}{}", "a", std::string("b")), "ab");
  EXPECT_EQ(text("[{}, {}] of {}; {}", -0.0, size_t(7), std::string_view("view"), int64_t(-9)), "[-0, 7] of view; -9");
  EXPECT_EQ(text("{}", "{}"), "{}");  // a value's braces are no hole
  EXPECT_THROW(text("{} {}", 1), std::logic_error);
  EXPECT_THROW(text("{}", 1, 2), std::logic_error);
}

TEST(Text, NamesAreUtf8WithoutControlCharacters) {
  for (const char* name : {"", "ball 7", "K\xc3\xb6rper", "\xe2\x82\xac", "\xf0\x9f\xaa\xa8", "\xc2\xa0"})
    EXPECT_EQ(flawOfName(name), nullptr) << name;
  for (const char* name : {"a\nb", "\x7f", "\xc2\x85", "\x1b[0m"}) EXPECT_STREQ(flawOfName(name), "must not contain control characters") << name;
  EXPECT_STREQ(flawOfName(std::string_view("a\0b", 3)), "must not contain control characters");
  for (const char* name : {"\x80", "\xc3(", "\xc0\xaf", "\xe2\x82", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_STREQ(flawOfName(name), "must be UTF-8") << printable(name);
  }
}

TEST(Text, MessagesQuoteWhatTheyGetInOneLineOfText) {
  EXPECT_EQ(printable("K\xc3\xb6rper"), "K\xc3\xb6rper");
  EXPECT_EQ(printable("a\nb\x1b[0m"), "a\\x0ab\\x1b[0m");
  EXPECT_EQ(printable("\xc3(\xff\xc2\x85"), "\\xc3(\\xff\\xc2\\x85");
  const InvalidInput error("scene \xff", "is \n");
  EXPECT_STREQ(error.what(), "scene \\xff: is \\x0a");
  EXPECT_EQ(error.place, "scene \\xff");
}

}  // namespace
}  // namespace cairn
