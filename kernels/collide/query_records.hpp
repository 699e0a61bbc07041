// What queries against the broad phase's tree are asked with, and where their hits go. How they are answered: tree_queries.hpp.
#pragma once

#include "kernels/collide/broad_phase_tree.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/state/geometry_view.hpp"

namespace cairn::v0 {

// Which shapes a query sees: the rule of two shapes (mayCollide), with the body that is ignored as its own; or all others of that body.
struct QueryTag {
  ShapeTag tag;     // body: the one that is ignored, -1: none
  int filtered;     // whether the filter counts
  int environment;  // the only one that it sees; -1: all of them
};
template <class T> struct CastBodies {
  TreeView<T> tree;
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  GeometryView geometry{};
};

// Where the hits of all items go: those of item i from offsets[i] on, in no order that anybody may count on.
template <class Hit> struct HitRooms {
  const int* offsets;  // [items + 1]; null: counts[i] is how many there are, and no hit is written
  int* counts;
  Hit* hits;
};

}  // namespace cairn::v0
