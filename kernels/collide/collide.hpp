// Any two shapes but hulls (collide_hull.hpp), cylinders and cones (collide_revolved.hpp), and meshes (collide_mesh.hpp): picks the function for
// their types. A half-space can only be B: it is never on a dynamic body.
#pragma once

#include "kernels/collide/collide_box.hpp"
#include "kernels/collide/collide_capsule.hpp"
#include "kernels/collide/collide_ellipsoid.hpp"
#include "kernels/collide/collide_half_space.hpp"
#include "kernels/collide/collide_sphere.hpp"

namespace cairn::v0 {

// A shape where the collide functions see it: positions are relative to a point near both shapes, so that float keeps its digits there.
template <class T> struct PlacedShape {
  int type;
  Vec3<T> size;
  Pose<T> pose;
};

constexpr int kShapeTypes = 9;

// As collide(), for a pair whose first shape is an ellipsoid.
template <class T>
CAIRN_HD inline void collideEllipsoid(const PlacedShape<T>& ellipsoid, const PlacedShape<T>& other, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  switch (other.type) {
    case kSphere:
      collideEllipsoidSphere(ellipsoid.size, ellipsoid.pose, other.size, other.pose, margin, out);
      break;
    case kCapsule:
      collideEllipsoidCapsule(ellipsoid.size, ellipsoid.pose, other.size, other.pose, margin, out);
      break;
    case kBox:
      collideEllipsoidBox(ellipsoid.size, ellipsoid.pose, other.size, other.pose, margin, out);
      break;
    case kHalfSpace:
      collideEllipsoidHalfSpace(ellipsoid.size, ellipsoid.pose, other.pose, margin, out);
      break;
    case kEllipsoid:
      collideEllipsoidEllipsoid(ellipsoid.size, ellipsoid.pose, other.size, other.pose, margin, out);
      break;
    default:
      break;  // a shape that is met elsewhere
  }
}

// Contacts with a gap up to the margin; out.pointCount is 0 if there are none, and for shapes that are not met here. The normal points from a to b.
template <class T> CAIRN_HD inline void collide(const PlacedShape<T>& a, const PlacedShape<T>& b, T margin, LocalManifold<T>& out) {
  // One function a pair of types: the smaller type first, but ellipsoids before all others.
  const bool swapped = a.type != b.type && (b.type == kEllipsoid || (a.type != kEllipsoid && a.type > b.type));
  const PlacedShape<T>& first = swapped ? b : a;
  const PlacedShape<T>& second = swapped ? a : b;
  out.pointCount = 0;
  switch (first.type * kShapeTypes + second.type) {
    case kSphere* kShapeTypes + kSphere:
      collideSphereSphere(first.size, first.pose, second.size, second.pose, margin, out);
      break;
    case kSphere* kShapeTypes + kCapsule:
      collideSphereCapsule(first.size, first.pose, second.size, second.pose, margin, out);
      break;
    case kSphere* kShapeTypes + kBox:
      collideSphereBox(first.size, first.pose, second.size, second.pose, margin, out);
      break;
    case kSphere* kShapeTypes + kHalfSpace:
      collideSphereHalfSpace(first.size, first.pose, second.pose, margin, out);
      break;
    case kCapsule* kShapeTypes + kCapsule:
      collideCapsuleCapsule(first.size, first.pose, second.size, second.pose, margin, out);
      break;
    case kCapsule* kShapeTypes + kBox:
      collideCapsuleBox(first.size, first.pose, second.size, second.pose, margin, out);
      break;
    case kCapsule* kShapeTypes + kHalfSpace:
      collideCapsuleHalfSpace(first.size, first.pose, second.pose, margin, out);
      break;
    case kBox* kShapeTypes + kBox:
      collideBoxBox(first.size, first.pose, second.size, second.pose, margin, out);
      break;
    case kBox* kShapeTypes + kHalfSpace:
      collideBoxHalfSpace(first.size, first.pose, second.pose, margin, out);
      break;
    default:  // an ellipsoid first; two half-spaces, or a shape that is met elsewhere: the type of a hull or mesh holds more than all of these
      if (first.type == kEllipsoid) collideEllipsoid(first, second, margin, out);
      break;
  }
  if (swapped && out.pointCount > 0) out.normal = -out.normal;
}

}  // namespace cairn::v0
