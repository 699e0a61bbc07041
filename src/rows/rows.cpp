#include "src/rows/rows.hpp"

#include "kernels/rows/solid_rows.hpp"

namespace cairn::v0 {

template <class T> RowView<T> Rows<T>::build(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& manifolds,
                                             const ConstraintBodies* constraints, const GraphView& graph, StepCounts* stepCounts, int strip,
                                             const int* asleep) {
  StepCounts own;
  StepCounts& counts = countsOr(stepCounts, own);
  if (strip == 0 && isAsBefore(manifolds, graph)) return rows_;
  graphRevision_ = 0;
  const TileKeys keys = layout_.begin(queue, graph, {nullptr, manifolds.found, manifolds.count}, strip);
  RowView<T> rows{};
  if (manifolds.count > 0) {
    rowKeys(queue, manifolds.manifolds, keys, asleep);
    const TileFill tiles = layout_.sort(queue, scratch, constraints, kContactLayout, counts);
    manifoldOfSlot_.resize(queue, layout_.laneCount());
    tilePoints_.resize(queue, static_cast<size_t>(tiles.tileCount));
    fillTiles(queue, manifolds.manifolds, tiles, manifoldOfSlot_.data(), tilePoints_.data());
    fields_.resize(queue, layout_.endContacts(queue, scratch, counts));
    rows.fields = fields_.data();
    rows.tilePoints = tilePoints_.data();
    rows.manifold = manifoldOfSlot_.data();
  }
  static_cast<TileView&>(rows) = layout_.view();
  if (strip == 0 && graph.revision != 0) rememberLayout(manifolds, graph);
  rows_ = rows;
  return rows;
}

template <class T> bool Rows<T>::isAsBefore(const ManifoldView<T>& manifolds, const GraphView& graph) const {
  if (graph.revision == 0 || graph.revision != graphRevision_ || pointCounts_.size() != static_cast<size_t>(manifolds.count)) return false;
  for (int i = 0; i < manifolds.count; ++i) {
    if (manifolds.manifolds[i].pointCount != int(pointCounts_[static_cast<size_t>(i)])) return false;
  }
  return true;
}

template <class T> void Rows<T>::rememberLayout(const ManifoldView<T>& manifolds, const GraphView& graph) {
  pointCounts_.resize(static_cast<size_t>(manifolds.count));
  for (int i = 0; i < manifolds.count; ++i) pointCounts_[static_cast<size_t>(i)] = static_cast<uint8_t>(int(manifolds.manifolds[i].pointCount));
  graphRevision_ = graph.revision;
}

template <class T> void Rows<T>::fill(StepContext<T>& step) {
  Queue& queue = step.queue;
  RowView<T>& rows = step.rows;
  const Manifold<T>* manifolds = step.manifolds.manifolds;
  if (step.anchors != nullptr) {
    slips_.resize(queue, pointArraySize(rows, kSlipFields));
    rows.slips = {slips_.data(), kSlipFields};
    prepareSlips(queue, rows, manifolds, step.anchors);
  }
  if (step.anyRound && rows.tileCount > 0) {
    rows.roundFields = step.anyEllipsoid ? kRoundFields : kRadiusFields;
    rounds_.resize(queue, static_cast<size_t>(rows.tileCount * rows.roundFields) * kTileLanes);
    rows.rounds = rounds_.data();
    prepareRounds(queue, rows, manifolds, step.shapes, step.poses);
  }
  prepareRows(queue, rows, manifolds, step.warmStart, {step.velocities, step.inertias, step.overflow.partCounts});
}

template <class T> void Rows<T>::follow(StepContext<T>& step, const int* turning) {
  if (!follows(step)) return;
  followSolids(step.queue, step.rows, {step.velocities, step.inertias, step.overflow.partCounts},
               SolidRowsInput<T>{step.manifolds.manifolds, step.shapes, step.motions, turning});
}

template class Rows<float>;
template class Rows<double>;

}  // namespace cairn::v0
