// Shapes as FCL has them.
#pragma once

#include "tests/collide/collide_oracle.hpp"

#include <fcl/fcl.h>

#include <memory>

namespace cairn::test {

inline std::shared_ptr<fcl::CollisionGeometryd> fclGeometry(const Shape& shape) {
  switch (shape.type) {
    case kSphere:
      return std::make_shared<fcl::Sphered>(shape.size.x);
    case kCapsule:
      return std::make_shared<fcl::Capsuled>(shape.size.x, 2 * shape.size.y);
    case kBox:
      return std::make_shared<fcl::Boxd>(2 * shape.size.x, 2 * shape.size.y, 2 * shape.size.z);
    case kCylinder:
      return std::make_shared<fcl::Cylinderd>(shape.size.x, 2 * shape.size.y);
    case kCone:
      return std::make_shared<fcl::Coned>(shape.size.x, 2 * shape.size.y);
    case kEllipsoid:
      return std::make_shared<fcl::Ellipsoidd>(shape.size.x, shape.size.y, shape.size.z);
    default:
      return std::make_shared<fcl::Halfspaced>(fcl::Vector3d(0, 1, 0), 0.0);
  }
}

inline fcl::CollisionObjectd fclObject(const Shape& shape) {
  const Mat3<double> r = rotationMatrix(shape.pose.q);
  fcl::Matrix3d rotation;
  rotation << r.c0.x, r.c1.x, r.c2.x, r.c0.y, r.c1.y, r.c2.y, r.c0.z, r.c1.z, r.c2.z;
  fcl::Matrix3d ours = fcl::Matrix3d::Identity();
  if (shape.type == kCapsule || isRevolved(shape.type)) ours << 1, 0, 0, 0, 0, 1, 0, -1, 0;  // FCL's lie along z
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.linear() = rotation * ours;
  pose.translation() = fcl::Vector3d(shape.pose.p.x, shape.pose.p.y, shape.pose.p.z);
  return fcl::CollisionObjectd(fclGeometry(shape), pose);
}

}  // namespace cairn::test
