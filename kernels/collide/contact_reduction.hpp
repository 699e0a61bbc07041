// The contacts of two bodies of many shapes, reduced to few. The sequence is in src/collide/contact_reduction.cpp, the algorithm in
// contact_reduction.cu.
#pragma once

#include "kernels/collide/contact_tracking.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/state/compounds.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// Up to so many manifolds two bodies keep all of them.
constexpr int kManifoldsLeftAlone = 16;

// By body: 1 where it has several, and where it has many shapes. Zero before.
struct CompoundBodies {
  int* several;
  int* many;
};
template <class T> void markCompounds(Queue& queue, const ShapeRecord<T>* shapes, int shapeSlots, const CompoundBodies& out);

// Manifolds of the step, as many as `found` says, at most `count`.
template <class T> struct AllManifolds {
  const Manifold<T>* manifolds;
  const int* found;  // on the target; null: count
  int count;
};

// listed[i]: 1 for a manifold of two bodies whose contacts may be reduced. masks[i]: its points that stay, all for now; 0 beyond the last manifold.
template <class T> void listCompoundContacts(Queue& queue, const AllManifolds<T>& all, const CompoundBodies& compounds, int* listed, int* masks);

// Keys by pair of bodies for the manifolds of a list; those behind the list's end come after all others.
struct CompoundList {
  int* items;        // manifolds; -1 behind the list's end
  const int* count;  // on the target
  int capacity;
  uint64_t* keys;
  int bodySlots, bits;
};
template <class T> void pairKeys(Queue& queue, const Manifold<T>* manifolds, const CompoundList& list);

// The list is sorted by its keys. groups: one number for each item of the list, to work with. *reduced, zero before: pairs of which something went.
template <class T> struct ReducedPairs {
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  TrackedView<T> tracked;  // the last step's memory
  int stepsDone;           // before this step
  int* groups;
  int* masks;
  int* reduced;
};
template <class T> void reducePairs(Queue& queue, const Manifold<T>* manifolds, const CompoundList& list, const ReducedPairs<T>& out);

// places[i]: 1 for manifolds that keep a point.
void markKept(Queue& queue, const int* masks, int count, int* places);

// Behind one another, with the points that stay; offsets by shape A. places: how many stay before each.
template <class T> struct KeptManifolds {
  const int* masks;
  const int* places;
  const int* offsets;  // before
  int shapeSlots;
  Manifold<T>* manifolds;
  int room;
  int* offsetsKept;
};
template <class T> void gatherKept(Queue& queue, const AllManifolds<T>& all, const KeptManifolds<T>& out);

}  // namespace cairn::v0
