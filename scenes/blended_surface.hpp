// Closed meshes of what is made of spheres, capsules and boxes that run into each other.
#pragma once

#include "scenes/scene_library.hpp"

#include <cairn/mesh.hpp>

#include <vector>

namespace cairn::v0::scenes {

// The surface of spheres, capsules and boxes, which are rounded by up to `blend` [m], and whose seams are filled likewise. `cell` [m] is the size of
// its triangles, roughly; pieces that are thinner than a few have holes. Closed, manifold and oriented whatever the shapes are: it is cut out of
// tetrahedra (Doi and Koide 1991), and its vertices are moved onto the surface.
TriangleMesh blendedSurface(const std::vector<ShapeDef>& shapes, double cell, double blend);

}  // namespace cairn::v0::scenes
