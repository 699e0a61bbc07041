// What an inertia must be to be that of a solid.
#pragma once

#include <cairn/math.hpp>

#include <cmath>

namespace cairn::v0 {

// Whether the matrix is positive definite: its leading minors are.
inline bool isPositiveDefinite(const Sym3<double>& m) {
  const double minor = m.xx * m.yy - m.xy * m.xy;
  const double determinant = m.xx * (m.yy * m.zz - m.yz * m.yz) - m.xy * (m.xy * m.zz - m.xz * m.yz) + m.xz * (m.xy * m.yz - m.xz * m.yy);
  return m.xx > 0 && minor > 0 && determinant > 0;
}

// Why no solid has this inertia; null: one has. The three inequalities of its principal moments say that trace / 2 - inertia, the second moments of
// its mass, is positive semidefinite. Files have rounded numbers: a millionth of the trace is let pass.
inline const char* flawOfInertia(const Sym3<double>& inertia) {
  constexpr double kLargest = 1e30, kRounding = 1e-6;
  const double trace = inertia.xx + inertia.yy + inertia.zz;
  for (const double each : {inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.xz, inertia.yz}) {
    if (!(std::abs(each) <= kLargest)) return "must be six finite numbers of at most 1e30 in size";
  }
  const char* const kIndefinite = "must be positive definite";
  if (!(trace > 0)) return kIndefinite;
  // By its trace, so that no unit makes products of three too small or too large.
  const auto part = [trace](double each) { return each / trace; };
  const Sym3<double> unit{part(inertia.xx), part(inertia.yy), part(inertia.zz), part(inertia.xy), part(inertia.xz), part(inertia.yz)};
  if (!isPositiveDefinite(unit)) return kIndefinite;
  const double half = 0.5 + kRounding;
  const Sym3<double> second{half - unit.xx, half - unit.yy, half - unit.zz, -unit.xy, -unit.xz, -unit.yz};
  return isPositiveDefinite(second) ? nullptr : "must have no principal moment larger than the other two together";
}

}  // namespace cairn::v0
