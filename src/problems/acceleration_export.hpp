// What the normal of a contact turns with, found from the two shapes: for the acceleration-level problem of a World.
#pragma once

#include <cairn/reference.hpp>
#include <cairn/scene.hpp>

namespace cairn {

struct ExportedShape {
  ShapeType type;
  Vec3<double> size;  // as ShapeRecord's [m]
  Vec3<double> x;     // its centre from the body's centre of mass, world axes [m]
  Quat<double> q;     // shape to world
};

// Sets the owner of the normal, edges and radii; normal and arms are there.
void ownNormal(const ExportedShape& a, const ExportedShape& b, reference::AccelerationContact& contact);

}  // namespace cairn
