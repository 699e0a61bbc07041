// Solids on a device, where the 32 threads of a warp go through a pair together: a look of a sample each, what they have found is told to all and
// added in the samples' order. As one after the other does it, and with its results (solid_samples.hpp, solid_impact.hpp).
//
// All threads come to each of these calls with the same arguments, and leave it with the same state.
#pragma once

#include "kernels/collide/solid_impact.hpp"
#include "kernels/collide/solid_samples.hpp"
#include "kernels/runtime/tuning.hpp"

namespace cairn::v0 {

namespace solid {

CAIRN_HD inline Vec ofLane(int lane, Vec v) { return {Warp::of(lane, v.x), Warp::of(lane, v.y), Warp::of(lane, v.z)}; }

// visit(lane) of those in which it holds, until it answers false.
template <class Visit> CAIRN_HD inline bool forLanes(bool holds, const Visit& visit) {
  for (unsigned left = Warp::where(holds); left != 0; left &= left - 1) {
    if (!visit(lowestSetBit(left))) return false;
  }
  return true;
}

struct LooksByWarp {
  static constexpr int kAtOnce = kWarp;

  // Nodes are looked at together with those after them in the tree's order, which mostly come next.
  class Nodes {
   public:
    CAIRN_HD Nodes(const SampleTree& tree, const FieldShape& field, const hull::Relative& toField) : tree_(tree), field_(field), toField_(toField) {}
    CAIRN_HD double distanceAt(int node) {
      if (node < begin_ || node >= begin_ + kWarp) {
        begin_ = node;
        const int own = minOf(node + Warp::lane(), tree_.nodeCount - 1);
        distance_ = lookAt(field_, toField_.point(ballAround(tree_.nodes[own]).middle)).distance;
      }
      return Warp::of(node - begin_, distance_);
    }

   private:
    const SampleTree& tree_;
    const FieldShape& field_;
    const hull::Relative& toField_;
    int begin_ = -kWarp;
    double distance_ = 0;
  };

  template <class Visit>
  CAIRN_HD static bool visitAll(const SurfaceSample* samples, int count, const FieldShape& field, const hull::Relative& toField, const Visit& visit) {
    for (int begin = 0; begin < count; begin += kWarp) {
      const int own = begin + Warp::lane();
      Vec p{0, 0, 0};
      FieldValue value{0, {0, 0, 0}};
      if (own < count) {
        p = toField.point(samples[own].p);
        value = lookAt(field, p);
      }
      const auto tell = [&](int lane) {
        return visit(begin + lane, ofLane(lane, p), FieldValue{Warp::of(lane, value.distance), ofLane(lane, value.gradient)});
      };
      if (!forLanes(own < count, tell)) return false;
    }
    return true;
  }

  // As SamplesInField::addOneByOne.
  template <class Add> CAIRN_HD static bool addAll(const SamplesInField& of, int first, int end, const Add& add) {
    for (int begin = first; begin < end; begin += kWarp) {
      const Added own = foundBy(of, begin + Warp::lane(), end);
      const auto tell = [&](int lane) {
        const Found found{true, Warp::of(lane, own.found.distance), ofLane(lane, own.found.normal)};
        return add(static_cast<uint32_t>(Warp::of(lane, static_cast<int>(own.number))), ofLane(lane, own.p), found,
                   Warp::of(lane, own.allowed ? 1 : 0) != 0);
      };
      if (!forLanes(own.found.any, tell)) return false;
    }
    return true;
  }

 private:
  // What one sample adds.
  struct Added {
    uint32_t number;
    Vec p;
    Found found;
    bool allowed;
  };
  [[gnu::noinline]] CAIRN_HD static Added foundBy(const SamplesInField& of, int sample, int end) {
    Added out{0, {0, 0, 0}, {false, 0, {0, 0, 0}}, false};
    if (sample >= end) return out;
    of.addOneByOne(sample, sample + 1, [&](uint32_t number, Vec p, const Found& found, bool allowed) {
      out = {number, p, found, allowed};
      return true;
    });
    return out;
  }
};

// As WaysOneByOne. So many samples go at once as there are lanes; the earliest time is that of any order.
class WaysByWarp {
 public:
  CAIRN_HD WaysByWarp(const SolidOnWay& of, SearchOnWay& search) : of_(of), search_(search), goal_(search.goal + search.tolerance) {}

  CAIRN_HD bool start() {
    inWarps([&](int sample) {
      const double distance = sample < 0 ? 0 : sampleAt(sample).distance;
      return forLanes(sample >= 0 && search_.isNear(distance), [&](int lane) {
        search_.noteStart(Warp::of(lane, distance));
        return goesOn();
      });
    });
    return goesOn();
  }
  CAIRN_HD void go() {
    inWarps([&](int sample) {
      SearchOnWay own = search_;
      if (sample >= 0) goItsWay(of_.field, of_.way, sampleAt(sample), own);
      forLanes(own.time < search_.time || own.met != search_.met, [&](int lane) {
        SearchOnWay found = search_;
        found.met = true;
        found.time = Warp::of(lane, own.time);
        search_.take(found);
        return true;
      });
      return true;
    });
  }

 private:
  CAIRN_HD bool goesOn() const { return search_.limited || !search_.any; }
  CAIRN_HD OnItsWay sampleAt(int k) const {
    const Vec p = of_.own.own.samples[k].p, there = of_.start.point(p);
    return {p, of_.way.speedOf(p, 0.0, there), lookAt(of_.field, there).distance, 0, 0};
  }
  // visit(this lane's sample; -1: it has none) for those in reach, so many at a time, until it answers false.
  template <class Visit> CAIRN_HD void inWarps(const Visit& visit) const {
    int own = -1, count = 0;
    bool on = true;
    forSamplesInReach<LooksByWarp>(of_, goal_, [&](int k) {
      if (Warp::lane() == count) own = k;
      if (++count < kWarp) return true;
      on = visit(own);
      own = -1;
      count = 0;
      return on;
    });
    if (on && count > 0) visit(own);
  }

  const SolidOnWay of_;
  SearchOnWay& search_;
  const double goal_;
};

}  // namespace solid

}  // namespace cairn::v0
