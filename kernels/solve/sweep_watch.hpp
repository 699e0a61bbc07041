// Sweeps that go on until the residual is below a tolerance, or until nothing bounces, without the host's seeing it. See sweep_watch.cu.
#pragma once

#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/primitives.hpp"

namespace cairn::v0 {

// On the target. The sweeps read their tiles' counts here: once the watch has stopped them there are no tiles any more, and what has been launched
// finds nothing to do.
struct SweepWatch {
  TileCounts contacts, joints;
  int stopped;            // 1: the residual is below the tolerance, or there have been enough sweeps
  int bounced;            // 1: something has, since beginWatch or since somebody asked
  int polls;              // looks at the residual since beginWatch
  int mostPolls, sweeps;  // over the step: looks that a run has needed at most, one more if it is not over; sweeps that were done
};
// After so many sweeps more. `last`: there will be none after these, whatever the residual.
struct SweepPoll {
  int sweeps;
  bool last;
  double tolerance;
};

// A run of sweeps over these tiles begins. Either may be null: there are no such constraints.
void beginWatch(Queue& queue, const TileCounts* contacts, const TileCounts* joints, SweepWatch* watch);
// Stops the sweeps if the larger residual over the largest velocity is within the tolerance. maxima: residual, velocity; not read after the last.
template <class T> void judgeSweeps(Queue& queue, const MaxAt<T>* maxima, const SweepPoll& poll, SweepWatch* watch);
// Stops the sweeps if nothing has bounced in those since the last time.
void stopUnlessBounced(Queue& queue, SweepWatch* watch);

}  // namespace cairn::v0
