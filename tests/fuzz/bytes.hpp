// Decisions out of a fuzzer's bytes; zeros when they are used up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace cairn::fuzz {

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  bool empty() const { return left_ == 0; }
  uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  // In 0..n-1, n up to 256.
  int below(int n) { return byte() % n; }
  bool flag() { return (byte() & 1) != 0; }
  uint64_t bits() {
    uint64_t all = 0;
    for (int k = 0; k < 8; ++k) all = all << 8 | byte();
    return all;
  }

  // Mostly a number of everyday size; now and then an extreme one, or any bits at all.
  double number() {
    static const double kExtremes[] = {0.0,
                                       -0.0,
                                       1e-300,
                                       -1e-12,
                                       1e-6,
                                       1e6,
                                       -1e9,
                                       1e18,
                                       1e38,
                                       3e38,
                                       1e300,
                                       std::numeric_limits<double>::infinity(),
                                       -1e38,
                                       1e-38,
                                       std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::denorm_min()};
    const int kind = below(32);
    if (kind == 0) return kExtremes[below(16)];
    if (kind == 1) {
      const uint64_t all = bits();
      double value;
      std::memcpy(&value, &all, sizeof value);
      return value;
    }
    return double(int8_t(byte())) / 16;
  }
  // The same, but as a rule above zero.
  double size() {
    const double value = number();
    return value >= -8 && value <= 8 ? (value < 0 ? -value : value) + 0.0625 : value;
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

}  // namespace cairn::fuzz
