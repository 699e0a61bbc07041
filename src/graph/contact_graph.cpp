#include "src/graph/contact_graph.hpp"

#include "kernels/graph/contact_graph_repair.hpp"
#include "kernels/runtime/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace cairn {
namespace {

template <class Item> std::vector<Item> downloadItems(Queue& queue, const Item* items, size_t count) {
  std::vector<Item> copy(count);
  downloadBytes(queue, copy.data(), items, count * sizeof(Item));
  return copy;
}

// The constraints of each body, behind one another.
struct Incidence {
  std::vector<int> offsets, sides;
};
Incidence incidenceOf(const std::vector<ConstraintBodies>& constraints, size_t bodies) {
  Incidence out;
  out.offsets.assign(bodies + 1, 0);
  const auto forEachSide = [&constraints](const auto& visit) {
    for (size_t i = 0; i < constraints.size(); ++i) {
      for (const int body : {constraints[i].bodyA, constraints[i].bodyB}) {
        if (body >= 0) visit(static_cast<size_t>(body), static_cast<int>(i));
      }
    }
  };
  forEachSide([&out](size_t body, int) { ++out.offsets[body + 1]; });
  for (size_t body = 0; body < bodies; ++body) out.offsets[body + 1] += out.offsets[body];
  out.sides.resize(static_cast<size_t>(out.offsets[bodies]));
  std::vector<int> next(out.offsets.begin(), out.offsets.end() - 1);
  forEachSide([&](size_t body, int i) { out.sides[static_cast<size_t>(next[body]++)] = i; });
  return out;
}

}  // namespace

// The same function on copies: one thread of a GPU takes longer over many constraints than they take to the host and back.
void ContactGraph::repairOnHost(Queue& queue, const ConstraintGraph& graph, const ColouringView& view) {
  const auto size = static_cast<size_t>(graph.count), bodies = static_cast<size_t>(graph.bodySlots);
  const auto constraints = downloadItems(queue, graph.constraints, size);
  const auto priorities = downloadItems(queue, graph.priorities, size);
  auto used = downloadItems(queue, static_cast<const uint64_t*>(view.used), bodies);
  auto colours = downloadItems(queue, static_cast<const int*>(view.colours), size);
  const auto maxDegree = downloadItems(queue, view.maxDegree, 1);
  std::vector<int> list;
  for (int i = 0; i < graph.count; ++i) {
    if (colours[static_cast<size_t>(i)] == kLeftOver) list.push_back(i);
  }
  const auto priorityOf = [&priorities](int i) { return priorities[static_cast<size_t>(i)]; };
  std::stable_sort(list.begin(), list.end(), [&](int i, int j) { return priorityOf(i) > priorityOf(j); });
  const Incidence incidence = incidenceOf(constraints, bodies);
  ColouringView copy{constraints.data(), incidence.offsets.data(), incidence.offsets.data() + 1, incidence.sides.data(), used.data(), colours.data(),
                     maxDegree.data(),   view.maxColours};
  repairAll(copy, list.data(), static_cast<int>(list.size()));
  uploadBytes(queue, view.colours, colours.data(), size * sizeof(int));
}

void ContactGraph::colourOnTarget(Queue& queue, const ConstraintGraph& graph, int maxColours, StepCounts& counts) {
  const auto size = static_cast<size_t>(graph.count), bodies = static_cast<size_t>(graph.bodySlots);
  degrees_.resize(queue, bodies);
  best_.resize(queue, bodies);
  used_.resize(queue, bodies);
  GraphScalars* scalars = scalars_.data();
  const ColouringState state{best_.data(), used_.data(), degrees_.data(), colours_.data()};
  const ColouringView view{graph.constraints, nullptr, nullptr, nullptr, used_.data(), colours_.data(), &scalars->maxDegree, maxColours};
  colourInRounds(queue, graph, view, state, scalars);

  const int leftOver = counts.bound(queue, StepCount::LeftOver, &scalars->leftOver);
  if (leftOver == 0) return;
  if (leftOver > kRepairedOnTarget && !counts.planned()) {
    repairOnHost(queue, graph, view);
    counts.needHost();
    // Colours and overflow are counted anew.
    static_assert(offsetof(GraphScalars, overflowCount) == offsetof(GraphScalars, colourCount) + sizeof(int), "cleared together");
    fillBytes(queue, &scalars->colourCount, 0, 2 * sizeof(int));
    return finishColouring(queue, graph, view, scalars);
  }
  begins_.resize(queue, bodies);
  ends_.resize(queue, bodies);
  incident_.resize(queue, 2 * size);
  list_.resize(queue, static_cast<size_t>(leftOver));
  sorted_.resize(queue, static_cast<size_t>(leftOver));
  repairScalars_.resize(queue, 1);
  RepairArrays arrays{};
  arrays.degrees = degrees_.data();
  arrays.begins = begins_.data();
  arrays.ends = ends_.data();
  arrays.incident = incident_.data();
  arrays.list = list_.data();
  arrays.sorted = sorted_.data();
  arrays.room = leftOver;
  arrays.scalars = repairScalars_.data();
  repairLeftOver(queue, graph, view, arrays, scalars);
}

bool ContactGraph::isAsBefore(const ConstraintGraph& graph, int maxColours) const {
  if (known_.count != graph.count || known_.bodySlots != graph.bodySlots || known_.maxColours != maxColours) return false;
  const auto count = static_cast<size_t>(graph.count);
  return std::memcmp(known_.priorities.data(), graph.priorities, count * sizeof(uint32_t)) == 0 &&
         std::memcmp(known_.constraints.data(), graph.constraints, count * sizeof(ConstraintBodies)) == 0;
}

void ContactGraph::colourOnHostUnlessKnown(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours) {
  if (isAsBefore(graph, maxColours)) return;
  const auto count = static_cast<size_t>(graph.count);
  known_.count = -1;
  known_.constraints.resize(queue, count);
  known_.priorities.resize(queue, count);
  scalars_.write(queue, 0, colourOnHost(queue, scratch, host_, graph, maxColours, colours_.data()));
  std::copy_n(graph.constraints, count, known_.constraints.data());
  std::copy_n(graph.priorities, count, known_.priorities.data());
  known_.count = graph.count;
  known_.bodySlots = graph.bodySlots;
  known_.maxColours = maxColours;
  ++known_.revision;
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
    known_.count = -1;
    return view;
  }
  // Where the target is a device its arrays are not the host's to compare.
  const bool onHost = builder == GraphBuilder::Host || (builder == GraphBuilder::ForTarget && queue.target == Target::Cpu);
  if (onHost) {
    colourOnHostUnlessKnown(queue, scratch, graph, maxColours);
    view.revision = known_.revision;
  } else {
    known_.count = -1;
    colourOnTarget(queue, graph, maxColours, counts);
  }
  view.colourCount = counts.planned() ? std::min(maxColours, kMaxColours) : scalars_.read(queue, 0).colourCount;
  return view;
}

}  // namespace cairn
