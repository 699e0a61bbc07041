// The watch over sweeps with a tolerance.
//
// On a device nobody waits to see whether a residual is small enough. As many sweeps are launched as earlier steps have needed and some more; after
// each few of them one thread compares, and takes the tiles away from those that follow. A step that would have needed still more is repeated
// (src/state/step_counts.hpp). In: the maxima that the residual has been reduced to. Out: the watch. Deterministic: one thread, in order.
#include "kernels/solve/sweep_watch.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

struct BeginWatch {
  const TileCounts* contacts;
  const TileCounts* joints;
  SweepWatch* watch;

  CAIRN_HD void operator()(int) const {
    const TileCounts none{};
    watch->contacts = contacts != nullptr ? *contacts : none;
    watch->joints = joints != nullptr ? *joints : none;
    watch->stopped = watch->bounced = watch->polls = 0;
  }
};

CAIRN_HD inline void stop(SweepWatch& watch) {
  watch.contacts = watch.joints = TileCounts{};
  watch.stopped = 1;
}

template <class T> struct JudgeSweeps {
  const MaxAt<T>* maxima;
  SweepPoll poll;
  SweepWatch* watch;

  CAIRN_HD bool within() const {
    const double scale = maxima[1].value > T(0) ? double(maxima[1].value) : 1.0;
    return double(maxima[0].value) / scale <= poll.tolerance;
  }
  CAIRN_HD void operator()(int) const {
    if (watch->stopped != 0) return;
    watch->sweeps += poll.sweeps;
    ++watch->polls;
    const bool over = poll.last || within();
    watch->mostPolls = maxOf(watch->mostPolls, watch->polls + (over ? 0 : 1));
    if (over) stop(*watch);
  }
};

struct StopUnlessBounced {
  SweepWatch* watch;

  CAIRN_HD void operator()(int) const {
    if (watch->bounced == 0) stop(*watch);
    watch->bounced = 0;
  }
};

}  // namespace

void beginWatch(Queue& queue, const TileCounts* contacts, const TileCounts* joints, SweepWatch* watch) {
  forEach(queue, "solve/watch", 1, BeginWatch{contacts, joints, watch});
}

template <class T> void judgeSweeps(Queue& queue, const MaxAt<T>* maxima, const SweepPoll& poll, SweepWatch* watch) {
  forEach(queue, "solve/judge", 1, JudgeSweeps<T>{maxima, poll, watch});
}

void stopUnlessBounced(Queue& queue, SweepWatch* watch) { forEach(queue, "solve/impacts_left", 1, StopUnlessBounced{watch}); }

#define CAIRN_INSTANTIATE(T) template void judgeSweeps(Queue&, const MaxAt<T>*, const SweepPoll&, SweepWatch*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
