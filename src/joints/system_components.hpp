// The components of the joints' equations, each with its own nodes, bodies and levels: a device solves each of them in a block of its own.
#pragma once

#include "src/joints/symbolic_factor.hpp"

#include <vector>

namespace cairn::v0 {

// Levels of one component after those of another.
struct ComponentLevels {
  std::vector<int> list;        // what lies in them
  std::vector<int> starts;      // in the list: of each component its levels' begins, and the end of its last one
  std::vector<int> firstStart;  // [components + 1] in the starts
};

struct SystemComponents {
  ComponentLevels items, nodes;
  std::vector<int> firstBody;  // [components + 1] in bodies
  std::vector<int> bodies;     // places in SymbolicFactor::bodies
  int widestLevel = 0;         // the most items of a level of a component
  int most = 0;                // the most of those, of the nodes and of the bodies of a component
};

SystemComponents makeSystemComponents(const SymbolicFactor& of);

}  // namespace cairn::v0
