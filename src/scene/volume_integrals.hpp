// What a closed surface of triangles encloses: volume, first and second moments.
//
// The sum of the tetrahedra of a point with the triangles, with the signs of their volumes (Mirtich, "Fast and Accurate Computation of Polyhedral
// Mass Properties", 1996; the moments of one by Tonon, "Explicit Exact Formulas for the 3-D Tetrahedron Inertia Tensor", 2004).
#pragma once

#include <cairn/math.hpp>
#include <cairn/scene.hpp>

#include <algorithm>
#include <cmath>

namespace cairn::v0 {

// The more central the origin, the less the sums cancel.
class VolumeIntegrals {
 public:
  explicit VolumeIntegrals(Vec3d origin) : origin_(origin) {}

  // A triangle, anticlockwise seen from outside.
  void add(Vec3d cornerA, Vec3d cornerB, Vec3d cornerC) {
    const Vec3d a = cornerA - origin_, b = cornerB - origin_, c = cornerC - origin_, sum = a + b + c;
    const double determinant = dot(a, cross(b, c));
    volume_ += determinant / 6;
    moment_ += (determinant / 24) * sum;
    for (const Vec3d& v : {a, b, c, sum}) addSecond(determinant / 120, v);
  }

  double volume() const { return volume_; }
  Vec3d centre() const { return origin_ + offset(); }
  // About the centre, for a density of one.
  Sym3<double> inertia() const {
    VolumeIntegrals central = *this;
    central.addSecond(-volume_, offset());
    const Sym3<double>& s = central.second_;
    return {s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
  }

 private:
  Vec3d offset() const { return volume_ != 0 ? (1 / volume_) * moment_ : Vec3d{0, 0, 0}; }
  void addSecond(double weight, Vec3d v) {
    second_ = second_ + weight * Sym3<double>{v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z};
  }

  Vec3d origin_;
  double volume_ = 0;
  Vec3d moment_{0, 0, 0};
  Sym3<double> second_{0, 0, 0, 0, 0, 0};  // of x x^T
};

}  // namespace cairn::v0
