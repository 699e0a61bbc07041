// Of the candidate pairs with a triangle mesh those in which a convex shape meets it, triangle by triangle. The algorithm is in mesh_triangles.cu.
#pragma once

#include "kernels/collide/collide_mesh_touches.hpp"
#include "kernels/collide/narrow_phase.hpp"
#include "kernels/collide/swept_pairs.hpp"
#include "kernels/runtime/tuning.hpp"

namespace cairn::v0 {

// Triangles of one pair that lie beside each other in the list, so that the threads of a warp do the same.
constexpr int kTrianglesOfRun = kWarp;
// Instead of a pair's first run: there are no triangles in reach; or no convex shape, or no room for its runs.
constexpr int kNoRun = -1, kMetAsAWhole = -2;

struct TriangleRun {
  int item;   // of the list of pairs
  int count;  // of triangles
  int next;   // the pair's next run; kNoRun: there is none
};
// Where what a triangle has to say is.
struct TouchSpan {
  int first, count;
};
// As the triangles' threads take it.
struct ConvexOnMesh {
  Vec3<double> size;
  Pose<double> pose;  // in the mesh's frame
  double margin;
  int type, mesh;  // those of the shapes

  CAIRN_HD PlacedShape<double> convex() const { return {type, size, pose}; }
};

// Nothing here is kept beyond a step. Where there is no room for all that a pair has, it is met as a whole.
struct MeshTriangles {
  ConvexOnMesh* pairs;   // [pairs]
  int* firstRun;         // [pairs]
  int* spilled;          // [pairs] 1: there is no room for its touches
  int* counts;           // places of `triangles` that are taken, and touches; 0 before
  TriangleRun* runs;     // [runRoom]
  int* triangles;        // [runRoom * kTrianglesOfRun]
  TouchSpan* spans;      // likewise
  mesh::Touch* touches;  // [touchRoom]
  int runRoom, touchRoom;

  CAIRN_HD bool any() const { return pairs != nullptr; }
  CAIRN_HD bool holds(int item) const { return any() && firstRun[item] != kMetAsAWhole && spilled[item] == 0; }
  // Into the reduction, in the order in which one thread would find it.
  CAIRN_HD void take(int item, mesh::Reduction& reduction) const {
    for (int run = firstRun[item]; run != kNoRun; run = runs[run].next) {
      for (int k = 0; k < runs[run].count; ++k) {
        const TouchSpan span = spans[run * kTrianglesOfRun + k];
        for (int t = span.first; t < span.first + span.count; ++t) touches[t].goTo(reduction);
      }
    }
  }
};

// The triangles in reach, and what each has to say.
template <class T> void meetTriangles(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined,
                                      const FastList& meshPairs, const MeshTriangles& out);

}  // namespace cairn::v0
