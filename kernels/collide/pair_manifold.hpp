// A pair of shapes placed for the collide functions, and its contacts as a manifold.
#pragma once

#include "kernels/collide/collide.hpp"

namespace cairn::v0 {

template <class T> CAIRN_HD inline PlacedShape<T> placed(const ShapeRecord<T>& shape, const BodyPose<T>& pose, Vec3<T> origin) {
  return {shape.type, shape.size, {(pose.x - origin) + rotate(pose.q, shape.localPose.p), pose.q * shape.localPose.q}};
}

// Positions of `local` are from A's centre of mass, `between` is where B's lies from there.
template <class T> struct PairOfShapes {
  int a, b;
  const ShapeRecord<T>& recordA;
  const ShapeRecord<T>& recordB;

  CAIRN_HD void write(const LocalManifold<T>& local, Vec3<T> between, Manifold<T>& m) const {
    m.shapeA = a;
    m.shapeB = b;
    m.bodyA = recordA.body;
    m.bodyB = recordB.body;
    m.normal = local.normal;
    m.pointCount = local.pointCount;
    m.friction = squareRoot(recordA.friction * recordB.friction);
    m.restitution = maxOf(recordA.restitution, recordB.restitution);
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      // Points that are not there are zero, so that a manifold's bytes depend on the contact alone.
      const bool there = p < local.pointCount;
      const LocalPoint<T>& point = local.points[there ? p : 0];
      const Vec3<T> zero{T(0), T(0), T(0)};
      m.points[p] = {there ? point.position : zero, there ? point.separation : T(0), there ? point.position - between : zero,
                     there ? point.feature : 0u};
    }
  }
};

}  // namespace cairn::v0
