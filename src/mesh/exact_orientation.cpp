#include "src/mesh/exact_orientation.hpp"

#include <cmath>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon() / 2;

struct Pair {
  double high, low;
};

Pair exactSum(double a, double b) {
  const double sum = a + b, ofB = sum - a, ofA = sum - ofB;
  return {sum, (a - ofA) + (b - ofB)};
}

// Halves of 26 digits, whose products are exact (Dekker; Veltkamp's splitting).
Pair split(double a) {
  const double c = 134217729.0 * a, high = c - (c - a);
  return {high, a - high};
}
Pair exactProduct(double a, double b) {
  const double product = a * b;
  const Pair x = split(a), y = split(b);
  return {product, x.low * y.low - (((product - x.high * y.high) - x.low * y.high) - x.high * y.low)};
}

// A sum without rounding: parts that do not overlap, the smallest first.
class ExactSum {
 public:
  void add(double value) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const Pair s = exactSum(value, parts_[i]);
      if (s.low != 0) parts_[kept++] = s.low;
      value = s.high;
    }
    if (value != 0) parts_[kept++] = value;
    count_ = kept;
  }
  void addProduct(double sign, double a, double b) {
    const Pair p = exactProduct(a, b);
    add(sign * p.high);
    add(sign * p.low);
  }
  void addProduct(double sign, double a, double b, double c) {
    const Pair p = exactProduct(a, b);
    addProduct(sign, p.high, c);
    addProduct(sign, p.low, c);
  }
  int sign() const { return count_ == 0 ? 0 : parts_[count_ - 1] > 0 ? 1 : -1; }

 private:
  // Each part has at least one digit of its own out of 2,100 binary ones; 24 products of four parts each never leave more than these.
  double parts_[100];
  int count_ = 0;
};

void addDeterminant(ExactSum& sum, double sign, Vec3d u, Vec3d v, Vec3d w) {
  sum.addProduct(sign, u.x, v.y, w.z);
  sum.addProduct(-sign, u.x, v.z, w.y);
  sum.addProduct(sign, u.y, v.z, w.x);
  sum.addProduct(-sign, u.y, v.x, w.z);
  sum.addProduct(sign, u.z, v.x, w.y);
  sum.addProduct(-sign, u.z, v.y, w.x);
}

int signOf(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

}  // namespace

int orientation(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  const Vec3d u = b - a, v = c - a, w = d - a;
  const double xy = v.y * w.z, yx = v.z * w.y, yz = v.z * w.x, zy = v.x * w.z, zx = v.x * w.y, xz = v.y * w.x;
  const double value = u.x * (xy - yx) + u.y * (yz - zy) + u.z * (zx - xz);
  const double size =
      std::abs(u.x) * (std::abs(xy) + std::abs(yx)) + std::abs(u.y) * (std::abs(yz) + std::abs(zy)) + std::abs(u.z) * (std::abs(zx) + std::abs(xz));
  if (std::abs(value) > (7 + 56 * kRounding) * kRounding * size) return signOf(value);
  ExactSum sum;
  addDeterminant(sum, 1, b, c, d);
  addDeterminant(sum, -1, a, c, d);
  addDeterminant(sum, 1, a, b, d);
  addDeterminant(sum, -1, a, b, c);
  return sum.sign();
}

int orientation(Vec2d a, Vec2d b, Vec2d c) {
  const double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x), value = left - right;
  if (std::abs(value) > (3 + 16 * kRounding) * kRounding * (std::abs(left) + std::abs(right))) return signOf(value);
  ExactSum sum;
  sum.addProduct(1, a.x, b.y);
  sum.addProduct(-1, a.y, b.x);
  sum.addProduct(1, b.x, c.y);
  sum.addProduct(-1, b.y, c.x);
  sum.addProduct(1, c.x, a.y);
  sum.addProduct(-1, c.y, a.x);
  return sum.sign();
}

}  // namespace cairn::v0
