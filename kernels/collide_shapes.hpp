// Any pair of shapes.
#pragma once

#include "collide_boxes.hpp"
#include "collide_round.hpp"

namespace cairn {

// Contacts of A and B with a separation up to the margin; count 0 if there are none. Two half-spaces never touch.
template <class T> CAIRN_HD inline LocalManifold<T> collideShapes(const Geometry<T>& a, const Geometry<T>& b, T margin) {
  LocalManifold<T> m;
  m.normal = {T(0), T(1), T(0)};
  m.count = 0;
  const bool swapped = a.type > b.type;
  const Geometry<T>& first = swapped ? b : a;
  const Geometry<T>& second = swapped ? a : b;
  switch (first.type * 4 + second.type) {
    case kSphere * 4 + kSphere:
      collideSphereSphere(first, second, margin, m);
      break;
    case kSphere * 4 + kCapsule:
      collideSphereCapsule(first, second, margin, m);
      break;
    case kSphere * 4 + kBox:
      collideSphereBox(first, second, margin, m);
      break;
    case kSphere * 4 + kHalfSpace:
      collideSphereHalfSpace(first, second, margin, m);
      break;
    case kCapsule * 4 + kCapsule:
      collideCapsuleCapsule(first, second, margin, m);
      break;
    case kCapsule * 4 + kBox:
      collideCapsuleBox(first, second, margin, m);
      break;
    case kCapsule * 4 + kHalfSpace:
      collideCapsuleHalfSpace(first, second, margin, m);
      break;
    case kBox * 4 + kBox:
      collideBoxBox(first, second, margin, m);
      break;
    case kBox * 4 + kHalfSpace:
      collideBoxHalfSpace(first, second, margin, m);
      break;
    default:
      break;
  }
  if (swapped) m.normal = -m.normal;
  return m;
}

}  // namespace cairn
