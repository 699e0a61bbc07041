#include "src/graph/contact_graph_host.hpp"

#include "kernels/graph/contact_graph_repair.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

uint64_t usedAt(const uint64_t* used, int body) { return body < 0 ? 0 : used[body]; }

// Left-over constraints that no repair can place overflow; the others move up in the list. How many those are.
int withoutHopeless(const ColouringView& view, int* list, int count) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    if (mayBeRepaired(view.around(list[k]), list[k])) {
      list[kept++] = list[k];
    } else {
      view.colours[list[k]] = kOverflowColour;
    }
  }
  return kept;
}

}  // namespace

GraphScalars colourOnHost(Queue& queue, PrimitiveScratch& primitives, HostColouring& scratch, const ConstraintGraph& graph, int maxColours,
                          int* colours) {
  const ConstraintBodies* constraints = graph.constraints;
  const int count = graph.count;
  const auto size = static_cast<size_t>(count), bodies = static_cast<size_t>(graph.bodySlots);
  scratch.keys.resize(queue, 2 * size);
  scratch.order.resize(queue, size);
  scratch.degrees.resize(queue, bodies);
  scratch.used.resize(queue, bodies);
  scratch.degrees.fillZero(queue);
  scratch.used.fillZero(queue);
  uint32_t* keys = scratch.keys.data();
  int* order = scratch.order.data();
  int* degrees = scratch.degrees.data();
  uint64_t* used = scratch.used.data();
  scratch.maxDegrees.resize(queue, static_cast<size_t>(graph.parts()));
  scratch.maxDegrees.fillZero(queue);
  int* maxDegrees = scratch.maxDegrees.data();

  GraphScalars scalars{};
  for (int i = 0; i < count; ++i) {
    for (const int body : {constraints[i].bodyA, constraints[i].bodyB}) {
      if (body < 0) continue;
      int& largest = maxDegrees[graph.partOf(body)];
      largest = std::max(largest, ++degrees[body]);
      scalars.maxDegree = std::max(scalars.maxDegree, largest);
    }
    keys[i] = ~graph.priorities[i];
    order[i] = i;
  }
  if (maxColours == 0) {
    std::fill_n(colours, count, kOverflowColour);
    scalars.overflowCount = count;
    return scalars;
  }
  sortByKey(queue, primitives, keys, order, count);  // by falling priority, then by index

  int leftOver = 0;
  for (int k = 0; k < count; ++k) {
    const int i = order[k];
    const int a = constraints[i].bodyA, b = constraints[i].bodyB;
    const uint64_t all = coloursBelow(graph.greedyColours(maxDegrees[graph.partOf(constraints[i])], maxColours));
    const uint64_t available = all & ~(usedAt(used, a) | usedAt(used, b));
    if (available == 0) {
      colours[i] = kLeftOver;
      order[leftOver++] = i;  // the front of the list has been read: it takes the constraints left over, in order
      continue;
    }
    const int colour = lowestSetBit(available);
    if (a >= 0) used[a] |= uint64_t(1) << colour;
    if (b >= 0) used[b] |= uint64_t(1) << colour;
    colours[i] = colour;
  }

  ColouringView view{};
  view.constraints = constraints;
  view.used = used;
  view.colours = colours;
  view.maxDegree = maxDegrees;
  view.maxColours = maxColours;
  view.bodySlots = graph.bodySlots;
  view.bodiesEach = graph.bodiesEach;
  view.cold = graph.cold;
  leftOver = withoutHopeless(view, order, leftOver);
  if (leftOver > 0) {
    scratch.offsets.resize(queue, bodies + 1);
    scratch.incident.resize(queue, 2 * size);
    incidentConstraints(queue, primitives, graph, keys, scratch.incident.data(), scratch.offsets.data());
    view.begins = scratch.offsets.data();
    view.ends = scratch.offsets.data() + 1;
    view.incident = scratch.incident.data();
    repairAll(view, order, leftOver);
  }
  for (int i = 0; i < count; ++i) {
    if (colours[i] == kOverflowColour) {
      ++scalars.overflowCount;
    } else {
      scalars.colourCount = std::max(scalars.colourCount, colours[i] + 1);
    }
  }
  return scalars;
}

}  // namespace cairn::v0
