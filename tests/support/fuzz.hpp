// Damaged scene files, and random numbers of all kinds for files that must come back the same.
#pragma once

#include <cairn/error.hpp>
#include <cairn/scene.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

namespace cairn::test {

// 2000 times up to four bytes or pieces of `intact`, from `first` on, are overwritten, cut out or repeated: such a file is refused with one line or
// read as something valid, and nothing else happens. Most are refused.
inline void expectDamagedScenesRefusedOrValid(const std::string& intact, size_t first, unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 engine(seed);
  const auto below = [&](size_t n) { return size_t(engine()) % n; };
  int refused = 0;
  for (int n = 0; n < 2000; ++n) {
    std::string text = intact;
    const auto anywhere = [&] { return first + below(text.size() - first); };
    for (size_t changes = 1 + below(4); changes > 0; --changes) {
      const size_t at = anywhere();
      switch (below(4)) {
        case 0:
          text[at] = char(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(20));
          break;
        case 2:
          text.insert(at, text.substr(anywhere(), below(30)));
          break;
        default:
          text[at] = "0123456789-.e\"{}[],:"[below(20)];
      }
    }
    try {
      validate(parseScene(text, "s.json"));
    } catch (const InvalidInput& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 2000) << "some damage leaves a scene";
}

// Doubles of all sizes that a scene may have, whole numbers and zeros of both signs.
inline double anyDouble(std::mt19937_64& engine) {
  switch (engine() % 5) {
    case 0:
      return 0.0;
    case 1:
      return -0.0;
    case 2:
      return double(int64_t(engine() % 2001) - 1000);
    default: {
      const double mantissa = double(int64_t(engine())) / 3.0;
      return std::ldexp(mantissa, int(engine() % 138) - 150);
    }
  }
}

// With any direction and length that a scene may give a quaternion.
inline Quatd anyQuaternion(std::mt19937_64& engine) {
  Quatd q{};
  q.x = anyDouble(engine);
  q.y = anyDouble(engine);
  q.z = anyDouble(engine);
  q.w = anyDouble(engine);
  const double l2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return std::isfinite(l2) && l2 > 1e-20 ? q : Quatd{0, -0.0, 0, 2};
}

inline Vec3d anyVector(std::mt19937_64& engine) {
  const double x = anyDouble(engine), y = anyDouble(engine), z = anyDouble(engine);
  return {x, y, z};
}

}  // namespace cairn::test
