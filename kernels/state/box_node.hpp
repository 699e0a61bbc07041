// Trees of boxes over the parts of one shape: its triangles, or places on its surface.
#pragma once

#include <cairn/export.hpp>

namespace cairn::v0 {

// Nodes and items are in the order of a walk that goes down before it goes on: the first child of a node is the next one, and `next` the first that
// is not below it.
struct BoxNode {
  float low[3], high[3];  // bounds of what is below it [m], rounded outward
  int next;
  int items;  // of a leaf: first item << 3 | how many, 1 to 7; 0: not a leaf
};

}  // namespace cairn::v0
