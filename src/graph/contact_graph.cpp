#include "src/graph/contact_graph.hpp"

#include "kernels/graph/contact_graph_repair.hpp"
#include "kernels/runtime/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cairn {
namespace {

template <class Item> std::vector<Item> downloadItems(Queue& queue, const Item* items, size_t count) {
  std::vector<Item> copy(count);
  downloadBytes(queue, copy.data(), items, count * sizeof(Item));
  return copy;
}

}  // namespace

// The same function on copies: one thread of a GPU takes longer over many constraints than they take to the host and back.
void ContactGraph::repairOnHost(Queue& queue, const ConstraintGraph& graph, const ColouringView& view, int leftOver) {
  const auto size = static_cast<size_t>(graph.count), bodies = static_cast<size_t>(graph.bodySlots);
  const auto constraints = downloadItems(queue, graph.constraints, size);
  const auto offsets = downloadItems(queue, view.offsets, bodies + 1);
  const auto incident = downloadItems(queue, view.incident, static_cast<size_t>(offsets[bodies]));
  const auto list = downloadItems(queue, static_cast<const int*>(list_.data()), static_cast<size_t>(leftOver));
  auto used = downloadItems(queue, static_cast<const uint64_t*>(view.used), bodies);
  auto colours = downloadItems(queue, static_cast<const int*>(view.colours), size);
  const auto maxDegree = downloadItems(queue, view.maxDegree, 1);
  repairAll({constraints.data(), offsets.data(), incident.data(), used.data(), colours.data(), maxDegree.data(), view.maxColours}, list.data(),
            leftOver);
  uploadBytes(queue, view.colours, colours.data(), size * sizeof(int));
  synchronize(queue);  // the copy is read before it goes
}

void ContactGraph::colourOnTarget(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours, StepCounts& counts) {
  const auto size = static_cast<size_t>(graph.count), bodies = static_cast<size_t>(graph.bodySlots);
  degrees_.resize(queue, bodies);
  best_.resize(queue, bodies);
  used_.resize(queue, bodies);
  GraphScalars* scalars = scalars_.data();
  const ColouringState state{best_.data(), used_.data(), degrees_.data(), colours_.data()};
  listed_.resize(queue, 1);
  ColouringView view{graph.constraints, nullptr, nullptr, used_.data(), colours_.data(), &scalars->maxDegree, maxColours};
  colourInRounds(queue, graph, view, state, scalars);

  const int leftOver = counts.bound(queue, StepCount::LeftOver, &scalars->leftOver);
  if (leftOver == 0) return;
  flags_.resize(queue, size);
  list_.resize(queue, size);
  keys_.resize(queue, 2 * size);
  offsets_.resize(queue, bodies + 1);
  incident_.resize(queue, 2 * size);
  flagLeftOver(queue, graph, colours_.data(), flags_.data());
  compactIndices(queue, scratch, flags_.data(), list_.data(), listed_.data(), graph.count);
  priorityKeys(queue, graph.priorities, list_.data(), listed_.data(), leftOver, keys_.data());
  sortByKey(queue, scratch, keys_.data(), list_.data(), leftOver);
  incidentConstraints(queue, scratch, graph, keys_.data(), incident_.data(), offsets_.data());
  view.offsets = offsets_.data();
  view.incident = incident_.data();
  if (leftOver <= kRepairedOnTarget || counts.planned()) {
    repairLeftOver(queue, view, list_.data(), listed_.data());
  } else {
    repairOnHost(queue, graph, view, leftOver);
    counts.needHost();
  }
  // Colours and overflow are counted anew; what had been left over stays for the plan to be held against.
  static_assert(offsetof(GraphScalars, overflowCount) == offsetof(GraphScalars, colourCount) + sizeof(int), "cleared together");
  fillBytes(queue, &scalars->colourCount, 0, 2 * sizeof(int));
  finishColouring(queue, graph, view, scalars);
}

GraphView ContactGraph::update(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours, StepCounts* stepCounts,
                               GraphBuilder builder) {
  StepCounts own;
  StepCounts& counts = countsOr(stepCounts, own);
  colours_.resize(queue, static_cast<size_t>(graph.count));
  scalars_.resize(queue, 1);
  GraphView view{};
  view.colours = colours_.data();
  view.scalars = scalars_.data();
  if (graph.count == 0) {
    scalars_.fillZero(queue);
    return view;
  }
  const bool onHost = builder == GraphBuilder::Host || (builder == GraphBuilder::ForTarget && queue.target == Target::Cpu);
  if (onHost) {
    const GraphScalars scalars = colourOnHost(queue, scratch, host_, graph, maxColours, colours_.data());
    scalars_.write(queue, 0, scalars);
  } else {
    colourOnTarget(queue, scratch, graph, maxColours, counts);
  }
  view.colourCount = counts.planned() ? std::min(maxColours, kMaxColours) : scalars_.read(queue, 0).colourCount;
  return view;
}

}  // namespace cairn
