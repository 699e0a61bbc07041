// Bodies as the lanes of a sweep have them: gathered from their records, changed, scattered back. Contacts and joints alike.
#pragma once

#include "kernels/rows/lanes.hpp"
#include "kernels/state/views.hpp"

#include <cairn/math.hpp>

namespace cairn::v0 {

// A body as rows see it.
template <class V> struct LaneBody {
  Vec3<V> v, w;
  Vec3<V> invMass;  // per world axis
  Sym3<V> invInertia;
};

template <class T> CAIRN_HD inline LaneBody<T> loadBody(const BodyVelocity<T>& velocity, const BodyInertia<T>& inertia) {
  return {velocity.v, velocity.w, {velocity.invMassX, velocity.invMassY, inertia.invMassZ}, inertia.invInertia};
}
template <class V, class T> CAIRN_HD inline LaneBody<V> gatherBody(const T* velocities, const T* inertias, const int* slots) {
  V a[8], b[8];
  LaneTraits<V>::gather(velocities, slots, a);
  LaneTraits<V>::gather(inertias, slots, b);
  return {{a[0], a[1], a[2]}, {a[4], a[5], a[6]}, {a[3], a[7], b[6]}, {b[0], b[1], b[2], b[3], b[4], b[5]}};
}

template <class V, class T> CAIRN_HD inline void scatterBody(T* velocities, const int* slots, const LaneBody<V>& body) {
  const V record[8] = {body.v.x, body.v.y, body.v.z, body.invMass.x, body.w.x, body.w.y, body.w.z, body.invMass.y};
  LaneTraits<V>::scatter(velocities, slots, record);
}

// One of k equal parts of a body, for mass splitting: its inverse mass is k times the body's.
template <class V> CAIRN_HD inline LaneBody<V> partOf(const LaneBody<V>& whole, V k) {
  const Sym3<V> i = whole.invInertia;
  return {whole.v, whole.w, k * whole.invMass, {k * i.xx, k * i.yy, k * i.zz, k * i.xy, k * i.xz, k * i.yz}};
}

// Mass splitting of overflow constraints (Tonge, Benevolenski and Voroshilov, "Mass Splitting for Jitter-Free Parallel Rigid Body Simulation", 2012):
// a body with k overflow constraints acts in each as a part of mass m/k and afterwards takes the average of its parts' velocities. A lane writes the
// changes of its two parts, divided by k, to its own places; gatherOverflow (overflow.hpp) adds them up in a fixed order.
template <class T> struct OverflowView {
  const T* partCounts = nullptr;  // [bodySlots] k; 1 for a body without any. Null: there are none
  T* changes = nullptr;           // field f of side s of overflow slot i: changes[(6 s + f) slotCount + i]
  int slotCount = 0;
  const int* offsets = nullptr;  // [bodySlots + 1] CSR over sides
  const int* sides = nullptr;    // 2 i + s for overflow slot i, ascending within a body
  const int* stopped = nullptr;  // 1: no sweep is to come, and none has left changes (kernels/solve/sweep_watch.hpp). Null: none stops

  template <class V> CAIRN_HD void write(int place, int side, const LaneBody<V>& before, const LaneBody<V>& after, V k) const {
    const V inverse = V(T(1)) / k;
    const Vec3<V> dv = inverse * (after.v - before.v), dw = inverse * (after.w - before.w);
    const V record[6] = {dv.x, dv.y, dv.z, dw.x, dw.y, dw.z};
    for (int f = 0; f < 6; ++f) LaneTraits<V>::store(changes + static_cast<int64_t>(6 * side + f) * slotCount + place, record[f]);
  }
};

}  // namespace cairn::v0
