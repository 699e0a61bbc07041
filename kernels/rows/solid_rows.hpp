// Rows of solid meshes follow their bodies from substep to substep. See solid_rows.cu.
#pragma once

#include "kernels/rows/rows.hpp"

namespace cairn::v0 {

template <class T> struct SolidRowsInput {
  const Manifold<T>* manifolds;  // of the collision pass
  const ShapeRecord<T>* shapes;
  const BodyMotion<T>* motions;  // since then
  const int* turning;            // by body slot: not 0 if its rows are made anew (turning_rows.cu); null: none are
};
template <class T> void followSolids(Queue& queue, const RowView<T>& rows, const RowBodies<T>& bodies, const SolidRowsInput<T>& in);

}  // namespace cairn::v0
