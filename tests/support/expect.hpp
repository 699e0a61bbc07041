// Messages of what is refused, and values that are to be alike.
#pragma once

#include <cairn/error.hpp>
#include <cairn/math.hpp>
#include <cairn/scene.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>

namespace cairn::test {

// A number that a test measured goes into its report (--gtest_output), where the next author finds how far it is from what is asserted.
inline void record(const std::string& what, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  ::testing::Test::RecordProperty(what, text);
}

// The message that `call` is refused with, which must be one line; "accepted" if it is not refused.
inline std::string messageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "accepted";
}

// `scene` is valid; after the change it is refused with this message, or still "accepted".
inline void expectRefused(Scene scene, const std::string& message, const std::function<void(Scene&)>& change) {
  EXPECT_EQ(messageOf([&] { validate(scene); }), "accepted");
  change(scene);
  EXPECT_EQ(messageOf([&] { validate(scene); }), message);
}

// Tells -0.0 from 0.0, and a NaN is the same as itself.
template <class T> bool sameBits(const T& a, const T& b) {
  static_assert(std::is_trivially_copyable<T>::value, "bytes stand for the value");
  return std::memcmp(&a, &b, sizeof a) == 0;
}

inline void expectNear(Vec3d a, Vec3d b) { EXPECT_NEAR(length(a - b), 0, 1e-14) << a.x << " " << a.y << " " << a.z; }
// The same rotation, and unit length.
inline void expectNear(Quatd a, Quatd b) {
  EXPECT_NEAR(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w, 1, 1e-15);
  EXPECT_NEAR(std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w), 1, 1e-14) << a.x << " " << a.y << " " << a.z << " " << a.w;
}

}  // namespace cairn::test
