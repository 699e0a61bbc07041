// Finds which features of two shapes determine a contact's normal, for the acceleration-level problem of a World.
#pragma once

#include <cairn/reference.hpp>
#include <cairn/scene.hpp>

namespace cairn::v0 {

struct ExportedShape {
  ShapeType type;
  Vec3<double> size;  // as ShapeRecord's [m]
  Vec3<double> x;     // its centre from the body's centre of mass, world axes [m]
  Quat<double> q;     // shape to world
};

// Sets `owner`, edges and radii of a contact that has its normal and arms.
void classifyNormal(const ExportedShape& a, const ExportedShape& b, reference::AccelerationContact& contact);

}  // namespace cairn::v0
