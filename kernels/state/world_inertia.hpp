// The inverse inertia of a body in world axes, as it is turned.
#pragma once

#include "kernels/state/integrate_body.hpp"

namespace cairn::v0 {

// Inverse of the world inertia restricted to the axes that are free to turn.
template <class T> CAIRN_HD inline Sym3<T> inverseOnFreeAxes(Sym3<T> m, int flags) {
  const bool x = (flags & kLockRotationX) == 0, y = (flags & kLockRotationY) == 0, z = (flags & kLockRotationZ) == 0;
  const T zero = T(0), one = T(1);
  // Locked rows and columns become the unit matrix's for the inversion, and zero in its result.
  const Sym3<T> restricted{x ? m.xx : one, y ? m.yy : one, z ? m.zz : one, x && y ? m.xy : zero, x && z ? m.xz : zero, y && z ? m.yz : zero};
  const Sym3<T> inv = inverse(restricted);
  return {x ? inv.xx : zero, y ? inv.yy : zero, z ? inv.zz : zero, x && y ? inv.xy : zero, x && z ? inv.xz : zero, y && z ? inv.yz : zero};
}

// Of a body that is turned by q; none about axes that it has locked.
template <class T> CAIRN_HD inline Sym3<T> worldInvInertia(const Quat<T>& q, const BodyConstants<T>& body) {
  if ((body.flags & kBodyDynamic) == 0) return {T(0), T(0), T(0), T(0), T(0), T(0)};
  const bool free = (body.flags & kLockRotation) == 0;
  if (free && (body.flags & kBodyIsotropic) != 0) return body.invInertia;
  const Mat3<T> r = rotationMatrix(q);
  return free ? rotated(r, body.invInertia) : inverseOnFreeAxes(rotated(r, body.inertia), body.flags);
}

}  // namespace cairn::v0
