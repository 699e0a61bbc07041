// When two moving solids meet: each sample of one goes its own way through the field of the other.
//
// For times alone no contacts are needed. At a place a sample cannot be deeper than it is there until it has gone that far (Hart, "Sphere tracing",
// 1996), with its own speed: |v + w x r| of its own arm, not that of the body's rim. Between two looks that both find it nowhere deeper than the goal
// it may have been deeper by half the way in between: looks lie so far apart that this is less than `passing`, at which depth nothing comes out on
// the other side yet. Where the later of two looks finds it deeper, halving says when it became so.
//
// The earliest time of all samples counts, which no order of theirs changes. Few samples do: between them the surface bends by less than fields are
// off by.
#pragma once

#include "kernels/collide/solid_samples.hpp"
#include "kernels/collide/time_of_impact.hpp"

namespace cairn::v0 {

namespace solid {

// Looks of one sample on its way, after which it counts as met where it is: too early, never too late.
constexpr int kLooksOnWay = 128;
// Times at which the way of one in the frame of the other is worked out once for all samples: sixteenths.
constexpr int kTimes = 16;

// How one solid moves as the other sees it, from time 0 to 1.
class WayInField {
 public:
  CAIRN_HD WayInField(const MovingShape<double>& own, const MovingShape<double>& other) : own_(own), other_(other), known_(0) {
    centre_ = inverseTransform(own.localPose, Vec{0, 0, 0});
    turn_ = inverseRotate(own.path.q * own.localPose.q, own.path.turn);
    otherCentre_ = inverseTransform(other.localPose, Vec{0, 0, 0});
    straight_ = length(own.path.motion - other.path.motion);
    turns_ = length(own.path.turn);
    otherTurns_ = length(other.path.turn);
  }

  // Where points of the one are in the frame of the other.
  CAIRN_HD hull::Relative at(double time) {
    const double place = kTimes * time;
    const int k = int(place);
    if (double(k) != place || k < 0 || k > kTimes) return workOut(time);
    if ((known_ >> k & 1u) == 0) {
      times_[k] = workOut(time);
      known_ |= 1u << k;
    }
    return times_[k];
  }
  // A time as late, if that is later than `from`, at which the way is worked out already or will be for others.
  CAIRN_HD static double earlierShared(double from, double time) {
    const double shared = double(int(kTimes * time)) * (1.0 / kTimes);
    return shared > from ? shared : time;
  }

  // At most, of all within a ball around a point of the one [m in a time of 1]; `there` is where its middle is in the frame of the other at first.
  CAIRN_HD double speedOf(Vec p, double radius, Vec there) const {
    const double own = straight_ + length(cross(turn_, p - centre_)) + turns_ * radius;
    return otherTurns_ > 0 ? own + otherTurns_ * (length(there - otherCentre_) + radius + own) : own;
  }

 private:
  [[gnu::noinline]] CAIRN_HD hull::Relative workOut(double time) const {
    return hull::relative(other_.path.at(time) * other_.localPose, own_.path.at(time) * own_.localPose);
  }

  const MovingShape<double>& own_;
  const MovingShape<double>& other_;
  Vec centre_, turn_, otherCentre_;
  double straight_, turns_, otherTurns_;
  uint32_t known_;
  hull::Relative times_[kTimes + 1];
};

// What is looked for: samples at that distance, less than 0 inside, and when the first of them is there.
struct SearchOnWay {
  double goal, tolerance;  // met is what is as near as the sum [m]
  double passing;          // > 0
  double time;             // until then; 1 at first
  bool met;
  bool any;         // some were as near at time 0
  double deepest;   // of these
  bool startAlone;  // only these are looked for
};

// What a field's distance is at least further out.
CAIRN_HD inline double atLeast(double distance) { return distance > 0 ? (1 - kOfDistance) * distance : distance; }

// From a look at time `from`, where the sample was nowhere near the goal, to when it came there, found at time `to`.
[[gnu::noinline]] CAIRN_HD inline void narrowDown(const FieldShape& field, WayInField& way, Vec p, double speed, double from, double to,
                                                  SearchOnWay& search) {
  for (int k = 0; k < 40 && from < search.time && speed * (to - from) > 0.5 * search.tolerance; ++k) {
    const double middle = 0.5 * (from + to);
    const bool near = lookAt(field, way.at(middle).point(p)).distance <= search.goal + search.tolerance;
    (near ? to : from) = middle;
  }
  if (!(from < search.time)) return;
  search.met = true;
  search.time = minOf(search.time, to);
}

[[gnu::noinline]] CAIRN_HD inline void goItsWay(const FieldShape& field, WayInField& way, Vec p, double speed, double distance, SearchOnWay& search) {
  double time = 0;
  for (int look = 0;; ++look) {
    if (atLeast(distance) - speed * (search.time - time) > search.goal + search.tolerance) return;
    if (look == kLooksOnWay) {
      search.met = true;
      search.time = time;
      return;
    }
    const double room = maxOf(atLeast(distance) - search.goal, atLeast(distance) + 2 * search.passing + search.goal);
    double next = time + room / speed;
    next = next < 1 ? WayInField::earlierShared(time, next) : 1.0;
    const double there = lookAt(field, way.at(next).point(p)).distance;
    if (there <= search.goal + search.tolerance) return narrowDown(field, way, p, speed, time, next, search);
    if (!(next < search.time)) return;
    time = next;
    distance = there;
  }
}

// Of one solid's samples. Ends early where some were as near at time 0: the search is then for another goal.
template <class Looks> [[gnu::noinline]] CAIRN_HD inline void searchOnWay(const Solid& own, const FieldShape& field,
                                                                          const MovingShape<double>& moving, const MovingShape<double>& other,
                                                                          SearchOnWay& search) {
  WayInField way(moving, other);
  const hull::Relative start = way.at(0);
  const SampleTree& tree = own.own.few;
  typename Looks::Nodes nodes(tree, field, start);
  for (int i = 0; i < tree.nodeCount;) {
    const BoxNode& node = tree.nodes[i];
    const Ball ball = ballAround(node);
    const double reach = search.startAlone ? 0 : way.speedOf(ball.middle, ball.radius, start.point(ball.middle)) * search.time;
    if (isFurther(field, nodes.distanceAt(i), ball.radius + reach + search.goal + search.tolerance)) {
      i = node.next;
      continue;
    }
    const SurfaceSample* const samples = own.own.samples + firstItem(node);
    const bool goesOn = Looks::visitAll(samples, itemCount(node), field, start, [&](int k, Vec there, const FieldValue& value) {
      if (value.distance <= search.goal + search.tolerance) {
        search.deepest = search.any ? minOf(search.deepest, value.distance) : value.distance;
        search.any = true;
        return search.startAlone;
      }
      if (!search.startAlone) goItsWay(field, way, samples[k].p, way.speedOf(samples[k].p, 0, there), value.distance, search);
      return true;
    });
    if (!goesOn) return;
    ++i;
  }
}

struct MovingSolids {
  MovingShape<double> a, b;
  Solid solidA, solidB;
  // All that is looked for in both, or what was as near at the start, where that is enough.
  template <class Looks = LooksOneByOne> CAIRN_HD void search(SearchOnWay& search) const {
    searchOnWay<Looks>(solidA, solidB.own.field, a, b, search);
    if (!search.any || search.startAlone) searchOnWay<Looks>(solidB, solidA.own.field, b, a, search);
  }
};

// Parts of the smaller thickness by which a sample may be deeper between two looks: where only those count that come out on the other side, and else.
constexpr double kPassingUnseen = 0.5, kDipUnseen = 0.2;

}  // namespace solid

}  // namespace cairn::v0
