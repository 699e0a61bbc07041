// How far bodies reach.
#pragma once

#include <cairn/scene.hpp>

namespace cairn::v0 {

// Radius of a ball about the body's origin that holds its shapes [m]: not the smallest. Half-spaces do not count.
double reachOf(const BodyDef& body);

}  // namespace cairn::v0
