// How far shapes and bodies reach.
#pragma once

#include <cairn/scene.hpp>

namespace cairn::v0 {

// Radius of a ball that holds it [m], not the smallest: about the shape's own origin; about the body's. Half-spaces have none, 0.
double ownReachOf(const ShapeDef& shape);
double reachOf(const ShapeDef& shape);
double reachOf(const BodyDef& body);

}  // namespace cairn::v0
