// The numbers of a caller's fields, by item and component, and how a call is refused.
#pragma once

#include "kernels/runtime/platform.hpp"
#include "kernels/solve/caller_contacts.hpp"
#include "kernels/state/finite.hpp"

#include <type_traits>

namespace cairn::v0::caller {

constexpr int kNone = 0x7fffffff;
constexpr double kUnitTolerance = 1e-3;  // of a squared length

template <class T, int N> CAIRN_HD inline T& at(const Field<T, N>& field, int i, int k = 0) {
  using Byte = std::conditional_t<std::is_const<T>::value, const char, char>;
  return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(field.data) + k * field.componentStride + i * field.stride);
}
template <class T> CAIRN_HD inline T valueOr(const Field<const T>& field, int i, T absent) { return field.data != nullptr ? at(field, i) : absent; }
template <class T> CAIRN_HD inline auto vectorAt(const Field<T, 3>& field, int i) {
  return Vec3<std::remove_const_t<T>>{at(field, i, 0), at(field, i, 1), at(field, i, 2)};
}
template <class T> CAIRN_HD inline Quat<T> quaternionAt(const Field<const T, 4>& field, int i) {
  return field.data != nullptr ? Quat<T>{at(field, i, 0), at(field, i, 1), at(field, i, 2), at(field, i, 3)} : identityQuat<T>();
}
template <class T> CAIRN_HD inline void putVector(const Field<T, 3>& field, int i, Vec3<T> value) {
  at(field, i, 0) = value.x;
  at(field, i, 1) = value.y;
  at(field, i, 2) = value.z;
}

template <class T> CAIRN_HD inline bool isFinite(T a) { return a - a == T(0); }
template <class T> CAIRN_HD inline bool isFinite(Quat<T> q) { return isFinite(q.x + q.y + q.z + q.w); }
template <class T> CAIRN_HD inline bool isUnit(Vec3<T> a) { return absOf(dot(a, a) - T(1)) < T(kUnitTolerance); }
template <class T> CAIRN_HD inline bool isUnit(Quat<T> q) { return absOf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - T(1)) < T(kUnitTolerance); }
// Bodies of a contact or joint, among so many.
CAIRN_HD inline bool areBodies(int a, int b, int count) { return a >= -1 && b >= -1 && a < count && b < count && (a != b || a < 0); }

CAIRN_HD inline void refuse(CallState* state, int flags, int* first, int item) {
  atomicOrInt(&state->status.flags, flags);
  atomicMinInt(first, item);
}

}  // namespace cairn::v0::caller
