#include "src/graph/contact_graph.hpp"

#include <algorithm>
#include <cstring>

namespace cairn::v0 {

void ContactGraph::colourOnTarget(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours, StepCounts& counts) {
  const auto size = static_cast<size_t>(graph.count), bodies = static_cast<size_t>(graph.bodySlots);
  degrees_.resize(queue, bodies);
  best_.resize(queue, kBidArrays * bodies);
  used_.resize(queue, bodies);
  GraphScalars* scalars = scalars_.data();
  if (graph.bodiesEach != 0) maxDegrees_.resize(queue, static_cast<size_t>(graph.parts()));
  int* const maxDegrees = graph.bodiesEach != 0 ? maxDegrees_.data() : &scalars->maxDegree;
  const ColouringState state{best_.data(), used_.data(), degrees_.data(), colours_.data(), maxDegrees};
  ColouringView view{};
  view.constraints = graph.constraints;
  view.used = used_.data();
  view.colours = colours_.data();
  view.maxDegree = maxDegrees;
  view.maxColours = maxColours;
  view.bodySlots = graph.bodySlots;
  view.bodiesEach = graph.bodiesEach;
  view.cold = graph.cold;
  colourInRounds(queue, graph, view, state, scalars);

  const int leftOver = counts.bound(queue, StepCount::LeftOver, &scalars->leftOver);
  if (leftOver == 0) return;
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
  logs_.resize(queue, kRepairWindow);
  claims_.resize(queue, bodies);
  window_.resize(queue, 1);
  arrays.logs = logs_.data();
  arrays.claims = claims_.data();
  arrays.window = window_.data();
  arrays.scalars = repairScalars_.data();
  if (leftOver > kOrderedByCounting) {
    keys_.resize(queue, static_cast<size_t>(leftOver));
    arrays.keys = keys_.data();
  }
  repairLeftOver(queue, scratch, graph, view, arrays, scalars);
}

bool ContactGraph::isAsBefore(const ConstraintGraph& graph, int maxColours) const {
  if (known_.count != graph.count || known_.bodySlots != graph.bodySlots || known_.maxColours != maxColours || known_.cold != graph.cold)
    return false;
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
  known_.cold = graph.cold;
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
  const bool onHost = builder == GraphBuilder::Host || (builder == GraphBuilder::ForTarget && queue.target == Target::Cpu);
  if (onHost) {
    colourOnHostUnlessKnown(queue, scratch, graph, maxColours);
    view.revision = known_.revision;
  } else {
    known_.count = -1;
    colourOnTarget(queue, scratch, graph, maxColours, counts);
  }
  view.colourCount = counts.planned() ? std::min(maxColours, kMaxColours) : scalars_.read(queue, 0).colourCount;
  return view;
}

}  // namespace cairn::v0
