// Rows: this step's manifolds as tiles of rows by colour. The algorithm is described in kernels/rows/rows.cu.
#pragma once

#include "kernels/rows/rows.hpp"
#include "src/graph/contact_graph.hpp"
#include "src/rows/tile_layout.hpp"
#include "src/state/step_context.hpp"

#include <cstdint>
#include <vector>

namespace cairn::v0 {

constexpr int tilesFor(int lanes) { return (lanes + kTileLanes - 1) / kTileLanes; }
// Fields a lane, summed over the tiles of so many manifolds, at most. A tile has as many as its first manifold, the one with most points, needs, and
// no more than any lane of the colour's tile before it: but for the first tile of each colour they are at most what the manifolds, of so many points,
// need by themselves.
constexpr int64_t mostContactFields(int manifolds, int points) {
  constexpr int kColours = kMaxColours + 1, kWidest = tileFields(kMaxManifoldPoints);
  return int64_t{manifolds < kColours ? manifolds : kColours} * kWidest + int64_t{tilesFor(manifolds)} * tileFields(points);
}

template <class T> class Rows {
 public:
  // Layout only; fill() makes the rows. Waits for the numbers of tiles and fields unless they are planned. The strip is the target's, or the one
  // given. `asleep`: see rowKeys.
  RowView<T> build(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& manifolds, const ConstraintBodies* constraints,
                   const GraphView& graph, StepCounts* counts = nullptr, int strip = 0, const int* asleep = nullptr);

  // The rows themselves: geometry, effective masses, impulses to start from, and what only some shapes and settings ask for. step.rows is the
  // layout, step.overflow has been published.
  void fill(StepContext<T>& step);

  // At the beginning of each substep but the first, where rows follow their bodies: those of solid meshes to where the bodies are now. `turning`: see
  // TurningRows.
  static bool follows(const StepContext<T>& step) { return step.rows.tileCount > 0 && step.geometry.meshes.solids.any(); }
  void follow(StepContext<T>& step, const int* turning);

 private:
  bool isAsBefore(const ManifoldView<T>& manifolds, const GraphView& graph) const;
  void rememberLayout(const ManifoldView<T>& manifolds, const GraphView& graph);

  TileLayout layout_;
  // Of the layout: the constraints' (GraphView::revision) and each manifold's points. On the CPU a layout is kept while they are the same.
  int graphRevision_ = 0;
  std::vector<uint8_t> pointCounts_;
  RowView<T> rows_{};
  Buffer<int> manifoldOfSlot_, tilePoints_;
  Buffer<T> fields_, slips_, rounds_;
};

}  // namespace cairn::v0
