#include "src/graph/colour_packs.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace cairn::v0 {
namespace {

int packsOf(int constraints, int lanes) { return (constraints + lanes - 1) / lanes; }

int packsOfColours(const GraphView& view, int count, int lanes) {
  std::array<int, kMaxColours> sizes{};
  for (int i = 0; i < count; ++i) ++sizes[static_cast<size_t>(view.colours[i])];
  int packs = 0;
  for (const int size : sizes) packs += packsOf(size, lanes);
  return packs;
}

}  // namespace

void ColourPacks::orderByColour(const ConstraintGraph& graph, const GraphView& view) {
  order_.resize(static_cast<size_t>(graph.count));
  for (int i = 0; i < graph.count; ++i) order_[static_cast<size_t>(i)] = i;
  std::sort(order_.begin(), order_.end(),
            [&view](int a, int b) { return view.colours[a] != view.colours[b] ? view.colours[a] < view.colours[b] : a < b; });
}

void ColourPacks::findFollowers(const ConstraintGraph& graph) {
  lastAt_.assign(static_cast<size_t>(graph.bodySlots), -1);
  followers_.assign(2 * order_.size(), -1);
  waitsFor_.assign(order_.size(), 0);
  for (size_t place = 0; place < order_.size(); ++place) {
    const ConstraintBodies& bodies = graph.constraints[order_[place]];
    for (const int body : {bodies.bodyA, bodies.bodyB}) {
      if (body < 0) continue;
      int& last = lastAt_[static_cast<size_t>(body)];
      if (last >= 0) {
        int* const followers = &followers_[2 * static_cast<size_t>(last)];
        followers[followers[0] < 0 ? 0 : 1] = static_cast<int>(place);
        ++waitsFor_[place];
      }
      last = static_cast<int>(place);
    }
  }
}

// Those that come first and fill packs, or all where they fill none, become a group. How many these are.
int ColourPacks::takeReady(int lanes, int group) {
  const int ready = static_cast<int>(ready_.size()), taken = ready < lanes ? ready : ready - ready % lanes;
  behind_.clear();
  for (int k = 0; k < taken; ++k) {
    const auto place = static_cast<size_t>(ready_.back());
    ready_.pop_back();
    groups_.data()[order_[place]] = group;
    for (const int follower : {followers_[2 * place], followers_[2 * place + 1]}) {
      if (follower >= 0 && --waitsFor_[static_cast<size_t>(follower)] == 0) behind_.push_back(follower);
    }
  }
  ready_.insert(ready_.end(), behind_.begin(), behind_.end());
  std::sort(ready_.begin(), ready_.end(), std::greater<int>());
  return taken;
}

// Whether there are groups that take fewer packs than the colours.
bool ColourPacks::findGroups(Queue& queue, const ConstraintGraph& graph, const GraphView& view, int lanes) {
  groups_.resize(queue, static_cast<size_t>(graph.count));
  orderByColour(graph, view);
  findFollowers(graph);
  ready_.clear();
  for (int place = graph.count - 1; place >= 0; --place) {
    if (waitsFor_[static_cast<size_t>(place)] == 0) ready_.push_back(place);
  }
  const int most = packsOfColours(view, graph.count, lanes) - 1;
  int packs = 0;
  for (groupCount_ = 0; !ready_.empty(); ++groupCount_) {
    if (packs >= most || groupCount_ >= kMaxColours) return false;
    packs += packsOf(takeReady(lanes, groupCount_), lanes);
  }
  return packs <= most;
}

GraphView ColourPacks::regroup(Queue& queue, const ConstraintGraph& graph, const GraphView& view, int lanes) {
  if (view.revision == 0 || view.colourCount < 2 || graph.count > kMostRegrouped || view.scalars->overflowCount > 0) return view;
  if (view.revision != known_) {
    known_ = 0;
    saves_ = findGroups(queue, graph, view, lanes);
    known_ = view.revision;
    scalars_.resize(queue, 1);
    *scalars_.data() = *view.scalars;
    scalars_.data()->colourCount = groupCount_;
  }
  if (!saves_) return view;
  GraphView grouped = view;
  grouped.colours = groups_.data();
  grouped.scalars = scalars_.data();
  grouped.colourCount = groupCount_;
  grouped.revision = -view.revision;  // of another layout than the colours'
  return grouped;
}

}  // namespace cairn::v0
