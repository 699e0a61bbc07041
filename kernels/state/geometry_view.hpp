// The geometry of a World's shapes that a shape's own record has no room for, and which kinds of shapes there are beside the plain ones.
#pragma once

#include "kernels/state/hull_view.hpp"
#include "kernels/state/mesh_view.hpp"

namespace cairn::v0 {

struct GeometryView {
  HullView hulls;
  MeshView meshes;
  bool revolved = false;  // whether cylinders or cones are among the shapes: kernels that know them are launched then
};

}  // namespace cairn::v0
