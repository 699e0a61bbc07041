// A manifold that neighbouring threads of a warp go through together, a point each: a device's way where its sweeps wait for a lane's chain of
// operations. What belongs to the manifold or to its bodies each of them does by itself; sums over the points are handed round. They are made in the
// points' order, as one lane makes them: the bits are the same.
#pragma once

#include "kernels/solve/contact_sweep.hpp"

namespace cairn::v0 {

constexpr int kSpreadThreads = kMaxManifoldPoints;

// The threads of a manifold.
using Quad = NeighboursInWarp<kSpreadThreads>;

template <class V> struct SpreadSums {
  V own = V(0), sum = V(0);
  Vec3<V> moment{own, own, own};

  CAIRN_HD void add(V impulse, Vec3<V>) { own = impulse; }
  // Each thread adds up one component of the moment.
  template <class Contact> CAIRN_HD void finish(const Contact& contact) {
    V component = V(0);
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      const V impulse = Quad::of(p, own);
      sum += impulse;
      component += impulse * contact.armsOfAll[p];
    }
    moment = {Quad::of(0, component), Quad::of(1, component), Quad::of(2, component)};
  }
};

// The fields `kFields` of this thread's point, as a HeldContact has those of all points.
template <class V, unsigned kFields> struct SpreadContact : LaneContact<V> {
  using T = typename LaneContact<V>::T;
  using Sums = SpreadSums<V>;

  int point = 0;
  V held[kPointNumbers];
  V armsOfAll[kMaxManifoldPoints];  // one component of each point's arm; 0 beyond the last
  V heldBlockStep, heldFrictionStep;
  TangentBlock<V> heldTangents;

  CAIRN_HD void place(const RowView<T>& rows, int slotOfLane) {
    LaneContact<V>::place(rows, slotOfLane);
    point = Quad::rank();
  }
  CAIRN_HD void read() {
    LaneContact<V>::read();
    heldBlockStep = LaneContact<V>::blockStep();
    heldFrictionStep = LaneContact<V>::frictionStep();
    heldTangents = LaneContact<V>::tangents();
    const int component = kPointRA + (point < 3 ? point : 0);
    for (int p = 0; p < kMaxManifoldPoints; ++p) armsOfAll[p] = p < this->points ? this->get(this->base(p) + component) : V(0);
    forPoints([this](int p) {
      for (int f = 0; f < kPointNumbers; ++f) {
        if ((kFields >> f & 1u) != 0) held[f] = this->get(this->placeOf(p, f));
      }
    });
  }
  CAIRN_HD V blockStep() const { return heldBlockStep; }
  CAIRN_HD V frictionStep() const { return heldFrictionStep; }
  CAIRN_HD TangentBlock<V> tangents() const { return heldTangents; }
  template <class Do> CAIRN_HD void forPoints(const Do& act) const {
    if (point < this->points) act(point);
  }
  CAIRN_HD V getPoint(int, int field) const { return held[field]; }
  CAIRN_HD void changePoint(int, int field, V value) { held[field] = value; }
  CAIRN_HD void putPoint(int p, int field, V value) {
    held[field] = value;
    this->put(this->placeOf(p, field), value);
  }
  // One thread has A, another one B.
  CAIRN_HD void putBodies(T* velocities, const LaneBody<V>& a, const LaneBody<V>& b) const {
    const bool ofA = point == 0;
    // A planned step that will be undone may have pairs that are none: then B's is the last word, as with one thread.
    if (point > 1 || (ofA && this->slotsA.body == this->slotsB.body)) return;
    LaneBody<V> own;
    own.v = select(ofA, a.v, b.v);
    own.w = select(ofA, a.w, b.w);
    own.invMass = select(ofA, a.invMass, b.invMass);
    scatterBody(velocities, ofA ? this->slotsA : this->slotsB, own);
  }
};

}  // namespace cairn::v0
