#include "src/graph/contact_graph.hpp"

#include "kernels/graph/contact_graph_repair.hpp"
#include "kernels/runtime/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cairn {
namespace {

int readInt(Queue& queue, const GraphScalars* scalars, size_t offset) {
  int value = 0;
  downloadBytes(queue, &value, reinterpret_cast<const char*>(scalars) + offset, sizeof value);
  return value;
}

// Without colours there is nothing to choose.
GraphScalars allOverflow(Queue& queue, GraphScalars scalars, int count, int* colours) {
  static_assert(kOverflowColour == -1, "all bits of it are set");
  fillBytes(queue, colours, 0xff, static_cast<size_t>(count) * sizeof(int));
  scalars.colourCount = 0;
  scalars.overflowCount = count;
  return scalars;
}

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
  const auto list = downloadItems(queue, static_cast<const int*>(active_.data()), static_cast<size_t>(leftOver));
  auto used = downloadItems(queue, static_cast<const uint64_t*>(view.used), bodies);
  auto colours = downloadItems(queue, static_cast<const int*>(view.colours), size);
  repairAll({constraints.data(), offsets.data(), incident.data(), used.data(), colours.data(), view.cap}, list.data(), leftOver);
  uploadBytes(queue, view.colours, colours.data(), size * sizeof(int));
  synchronize(queue);  // the copy is read before it goes
}

GraphScalars ContactGraph::colourOnTarget(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours) {
  const auto size = static_cast<size_t>(graph.count), bodies = static_cast<size_t>(graph.bodySlots);
  active_.resize(queue, size);
  flags_.resize(queue, size);
  degrees_.resize(queue, bodies);
  best_.resize(queue, bodies);
  used_.resize(queue, bodies);
  best_.fillZero(queue);
  used_.fillZero(queue);
  GraphScalars* scalars = scalars_.data();
  countDegrees(queue, graph, degrees_.data(), scalars);
  const int cap = std::min(maxColours, readInt(queue, scalars, offsetof(GraphScalars, maxDegree)) + 1);
  if (cap == 0) return allOverflow(queue, scalars_.read(queue, 0), graph.count, colours_.data());

  startColouring(queue, graph.count, colours_.data(), active_.data());
  const auto list = [&](int colour, int* found) {
    flagColour(queue, colours_.data(), graph.count, colour, flags_.data());
    compactIndices(queue, scratch, flags_.data(), active_.data(), found, graph.count);
  };
  int active = graph.count;
  while (active > 0) {
    for (int round = 0; round < kColouringPollInterval; ++round) {
      colourRound(queue, graph, active_.data(), active, cap, {best_.data(), used_.data(), colours_.data()});
    }
    list(kUncoloured, &scalars->active);
    active = readInt(queue, scalars, offsetof(GraphScalars, active));
  }

  ColouringView view{graph.constraints, nullptr, nullptr, used_.data(), colours_.data(), cap};
  ruleOut(queue, view, graph.count);
  list(kLeftOver, &scalars->leftOver);
  const int leftOver = readInt(queue, scalars, offsetof(GraphScalars, leftOver));
  if (leftOver > 0) {
    keys_.resize(queue, 2 * size);
    offsets_.resize(queue, bodies + 1);
    incident_.resize(queue, 2 * size);
    priorityKeys(queue, graph.priorities, active_.data(), leftOver, keys_.data());
    sortByKey(queue, scratch, keys_.data(), active_.data(), leftOver);
    incidentConstraints(queue, scratch, graph, keys_.data(), incident_.data(), offsets_.data());
    view.offsets = offsets_.data();
    view.incident = incident_.data();
    if (leftOver <= kRepairedOnTarget) {
      repairLeftOver(queue, view, active_.data(), leftOver);
    } else {
      repairOnHost(queue, graph, view, leftOver);
    }
  }
  countColours(queue, colours_.data(), graph.count, scalars);
  return scalars_.read(queue, 0);
}

GraphView ContactGraph::update(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours, GraphBuilder builder) {
  colours_.resize(queue, static_cast<size_t>(graph.count));
  scalars_.resize(queue, 1);
  if (graph.count == 0) return {colours_.data(), 0, 0, 0};
  const bool onHost = builder == GraphBuilder::Host || (builder == GraphBuilder::ForTarget && queue.target == Target::Cpu);
  const GraphScalars scalars =
      onHost ? colourOnHost(queue, scratch, host_, graph, maxColours, colours_.data()) : colourOnTarget(queue, scratch, graph, maxColours);
  return {colours_.data(), scalars.colourCount, scalars.maxDegree, scalars.overflowCount};
}

void computeLevels(Queue& queue, const ConstraintBodies* constraints, int count, int bodySlots, int* levels) {
  firstLevels(queue, constraints, count, bodySlots, levels);
  Buffer<int> changed;
  changed.resize(queue, 1);
  for (int level = 0; count > 0; ++level) {
    changed.fillZero(queue);
    nextLevels(queue, constraints, count, level, levels, changed.data());
    if (changed.read(queue, 0) == 0) return;
  }
}

}  // namespace cairn
