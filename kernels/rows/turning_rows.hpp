// Rows of bodies that turn fast, made anew in each substep. See turning_rows.cu.
#pragma once

#include "kernels/collide/broad_phase_bounds.hpp"
#include "kernels/collide/swept_pairs.hpp"
#include "kernels/rows/rows.hpp"

namespace cairn::v0 {

// turning[body] gets kContactsTurn and kFrameTurns for the bodies of contacts with a fast shape, if their inertia or their contacts turn with them,
// and is 0 before; kMassesTurn if joints hold them.
template <class T>
void findTurning(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, const SweptBodies<T>& bodies, int* turning);

// By body slot, at the beginning of a substep.
template <class T> struct TurningBodies {
  const int* turning;
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  const BodyConstants<T>* constants;
  T envelope, h;
  GravityField<T> gravity;
  // By manifold, the points that each may have; null: as many as its tile has room for, which is the affair of the others in it.
  const int* mostPoints;
  GeometryView geometry;
};

// mostPoints of the manifolds as the narrow phase has left them.
template <class T> void notePointCounts(Queue& queue, const ManifoldView<T>& manifolds, int* mostPoints);

// The angular velocity of the bodies that turn goes on in their frames: to where they have turned within the last substep, with its gyroscopic term.
// kept: orientations at the beginning of the last substep (first: there was none), then of this one.
template <class T>
void turnVelocities(Queue& queue, int bodySlots, const TurningBodies<T>& bodies, bool first, Quat<T>* kept, BodyVelocity<T>* velocities);

// The manifolds of bodies that turn, as they are now and will be within the substep. In the first one they are there, and only roll on. lastImpulses:
// as StepContext has them.
template <class T> void collideTurning(Queue& queue, const RowView<T>& rows, const ShapeRecord<T>* shapes, const TurningBodies<T>& bodies, bool first,
                                       Manifold<T>* manifolds, const PointArray<T>& lastImpulses);

}  // namespace cairn::v0
