// What kernels read of meshes that are bodies with an inside: a signed distance field, and places on the surface that are looked at in the fields of
// others. Flat arrays on the queue's target, shared by all shapes that are the same mesh with the same cells.
#pragma once

#include "kernels/state/box_node.hpp"
#include "kernels/state/field_view.hpp"

namespace cairn::v0 {

// A place where the surface sticks out: a vertex, or on an edge. What lies around says in which directions it can be touched there: the edges from
// the vertex, or the two vertices beyond the edge.
struct SurfaceSample {
  Vec3<double> p;  // in the shape's frame [m]
  int a;           // the vertex, or one beyond the edge
  int b;           // the other one beyond the edge; kNoVertex: the sample is a vertex
};
constexpr int kNoVertex = -1;

struct SolidRecord {
  FieldRecord field;
  double inner;    // [m] how thick it is: the radius of balls that fit in it where it is thin
  double spacing;  // [m] of samples along an edge, at most
  // In the order of the leaves of two trees: all samples first, then once more those that are looked at in threads.
  int firstSample, sampleCount;
  int firstNode, nodeCount;        // of the tree over all
  int firstFewNode, fewNodeCount;  // of the one over few
};

// A walk goes over one of the trees.
struct SampleTree {
  const BoxNode* nodes;
  int nodeCount;
};

// One of a table, with its own.
struct SolidShape {
  FieldShape field;
  const SurfaceSample* samples;
  SampleTree all;
  SampleTree few;  // without vertices between which the surface bends less than the field resolves
};

struct SolidView {
  const SolidRecord* solids = nullptr;
  const int* places = nullptr;
  const float* units = nullptr;
  const int16_t* values = nullptr;
  const SurfaceSample* samples = nullptr;
  const BoxNode* nodes = nullptr;
  int count = 0;

  CAIRN_HD bool any() const { return count > 0; }
  CAIRN_HD SolidShape at(int solid) const {
    const SolidRecord& r = solids[solid];
    const FieldRecord& f = r.field;
    return {{f, places + f.firstPlace, units + f.firstBlock, values + int64_t(f.firstBlock) * kFieldSamples},
            samples + r.firstSample,
            {nodes + r.firstNode, r.nodeCount},
            {nodes + r.firstFewNode, r.fewNodeCount}};
  }
};

}  // namespace cairn::v0
