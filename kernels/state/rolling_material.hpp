// The part of a shape's material that few scenes have, beside its record.
#pragma once

#include <cairn/export.hpp>

namespace cairn::v0 {

// The largest moment of a contact per normal force [m]: about its normal, and about its tangents.
template <class T> struct RollingMaterial { T torsional, rolling; };

template <class T> inline bool isRolling(const RollingMaterial<T>& material) { return material.torsional > T(0) || material.rolling > T(0); }

}  // namespace cairn::v0
