// What bodies are asked for before anything of them changes.
#pragma once

#include "kernels/state/rolling_material.hpp"

#include <cairn/scene.hpp>

#include <cmath>

namespace cairn::v0 {

constexpr char kTooLarge[] = "too large for the World's precision";

template <class T> bool fitsInto(Vec3d v) { return std::isfinite(T(v.x)) && std::isfinite(T(v.y)) && std::isfinite(T(v.z)); }

// Whether there may be shapes that one with this filter collides with.
inline bool collidesAtAll(const CollisionFilter& filter) { return filter.group > 0 || (filter.category != 0 && filter.mask != 0); }

template <class T> RollingMaterial<T> rollingOf(const Material& material) { return {T(material.torsionalFriction), T(material.rollingFriction)}; }

}  // namespace cairn::v0
