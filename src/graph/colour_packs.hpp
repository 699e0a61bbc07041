// Few constraints on a CPU: colours regrouped so that its packs of lanes are full.
//
// A colour of ten takes two packs of eight, the second one all but empty. The constraints that do not fill a pack may as well wait for the next
// colour's, those of which that do not wait for them come along: what shares no body may be solved in any order. At each body the constraints stay in
// the order of their colours, so that a sweep does what it did, to the bit, in fewer packs (docs/performance.md).
#pragma once

#include "src/graph/contact_graph.hpp"

#include <vector>

namespace cairn::v0 {

// More constraints than these have full packs anyway.
constexpr int kMostRegrouped = 256;

class ColourPacks {
 public:
  // The view with groups for colours, valid until the next call; the view itself where they save no pack of so many lanes, where constraints
  // overflow, and where nobody looked what has changed (GraphView::revision). On the host. The lanes are the same in all calls.
  GraphView regroup(Queue& queue, const ConstraintGraph& graph, const GraphView& view, int lanes);

 private:
  bool findGroups(Queue& queue, const ConstraintGraph& graph, const GraphView& view, int lanes);
  void orderByColour(const ConstraintGraph& graph, const GraphView& view);
  void findFollowers(const ConstraintGraph& graph);
  int takeReady(int lanes, int group);

  Buffer<int> groups_;  // by constraint
  Buffer<GraphScalars> scalars_;
  std::vector<int> order_;           // constraints by colour
  std::vector<int> lastAt_;          // by body: place in order_ of the last constraint so far
  std::vector<int> followers_;       // two for each place: the next constraint at each of its bodies; -1: none
  std::vector<int> waitsFor_;        // by place: constraints before it at its bodies that have no group yet
  std::vector<int> ready_, behind_;  // places that wait for none, by falling place; those that do so behind a group
  int groupCount_ = 0;
  int known_ = 0;  // the view's revision that groups_ are of
  bool saves_ = false;
};

}  // namespace cairn::v0
