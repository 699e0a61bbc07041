// Bodies of many shapes: which of them have their contacts reduced.
#pragma once

namespace cairn::v0 {

// Bodies of so many shapes, sensors among them, are reduced against each other, and those of so many against all others: two bodies have no more
// contacts than the product of their shapes, but for meshes.
constexpr int kSeveralShapes = 3, kManyShapes = 9;

}  // namespace cairn::v0
