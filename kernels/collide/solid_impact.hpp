// When two moving solids meet: each sample of one goes its own way through the field of the other.
//
// For times alone no contacts are needed. At a place a sample cannot be deeper than it is there until it has gone that far (Hart, "Sphere tracing",
// 1996), with its own speed: |v + w x r| of its own arm, not that of the body's rim. Between two looks that both find it nowhere deeper than the goal
// it may have been deeper by half the way in between: looks lie so far apart that this is less than `passing`, at which depth nothing comes out on
// the other side yet. Where the later of two looks finds it deeper, halving says when it became so.
//
// All are looked at where they start before any goes: that says whether some are as near from the start, how deep these are, and which of the others
// may come as near at all. The earliest time of all samples counts, which no order of theirs changes. Few samples do: between them the surface bends
// by less than fields are off by.
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

  // Where points of the one are in the frame of the other. Good until the next call.
  CAIRN_HD const hull::Relative& at(double time) {
    const double place = kTimes * time;
    const int k = int(place);
    if (double(k) != place || k < 0 || k > kTimes) return between_ = workOut(time);
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
  // V: double, or several.
  template <class V> CAIRN_HD V speedOf(Vec3<V> p, V radius, Vec3<V> there) const {
    const V own = V(straight_) + length(cross(each<V>(turn_), p - each<V>(centre_))) + V(turns_) * radius;
    return otherTurns_ > 0 ? own + V(otherTurns_) * (length(there - each<V>(otherCentre_)) + radius + own) : own;
  }

 private:
  template <class V> CAIRN_HD static Vec3<V> each(Vec v) { return {V(v.x), V(v.y), V(v.z)}; }
  [[gnu::noinline]] CAIRN_HD hull::Relative workOut(double time) const {
    return hull::relative(other_.path.at(time) * other_.localPose, own_.path.at(time) * own_.localPose);
  }

  const MovingShape<double>& own_;
  const MovingShape<double>& other_;
  Vec centre_, turn_, otherCentre_;
  double straight_, turns_, otherTurns_;
  uint32_t known_;
  hull::Relative times_[kTimes + 1], between_;
};

// What is looked for: samples at that distance, less than 0 inside, and when the first of them is there.
struct SearchOnWay {
  double goal, tolerance;  // met is what is as near as the sum [m]
  double passing;          // > 0
  // Whether the search goes on if some are as near at time 0, for a goal half way between the deepest of them and this depth [m]; it is over
  // otherwise.
  bool limited;
  double limit;

  double time = 1;  // until then
  bool met = false;
  bool any = false;    // some are as near at time 0
  double deepest = 0;  // of these

  CAIRN_HD bool isNear(double distance) const { return distance <= goal + tolerance; }
  // The deepest are there already.
  CAIRN_HD bool isThere() const { return any && deepest <= goal + tolerance; }
  CAIRN_HD void noteStart(double distance) {
    if (!isNear(distance)) return;
    deepest = any ? minOf(deepest, distance) : distance;
    any = true;
  }
  CAIRN_HD void goDeeper() { goal = minOf(goal, 0.5 * (deepest - limit)) - tolerance; }
  // What another one with the same goal has found.
  CAIRN_HD void take(const SearchOnWay& other) {
    met = met || other.met;
    time = minOf(time, other.time);
  }
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

// One sample on its way, look by look.
struct OnItsWay {
  Vec p;  // in its own frame
  double speed, distance, time;
  int looks;

  // It cannot be as near before that time.
  CAIRN_HD bool stays(const SearchOnWay& search, double until) const {
    return atLeast(distance) - speed * (until - time) > search.goal + search.tolerance;
  }
  // Whether it has to be looked at again.
  CAIRN_HD bool goesOn(SearchOnWay& search) const {
    if (stays(search, search.time)) return false;
    if (looks < kLooksOnWay) return true;
    search.met = true;
    search.time = time;
    return false;
  }
  CAIRN_HD double nextLook(const SearchOnWay& search) const {
    const double room = maxOf(atLeast(distance) - search.goal, atLeast(distance) + 2 * search.passing + search.goal);
    const double next = time + room / speed;
    return next < 1 ? WayInField::earlierShared(time, next) : 1.0;
  }
  // It is that far at time `next`: whether it goes on from there.
  CAIRN_HD bool arrives(const FieldShape& field, WayInField& way, double next, double there, SearchOnWay& search) {
    if (there <= search.goal + search.tolerance) {
      narrowDown(field, way, p, speed, time, next, search);
      return false;
    }
    if (!(next < search.time)) return false;
    time = next;
    distance = there;
    ++looks;
    return goesOn(search);
  }
};

[[gnu::noinline]] CAIRN_HD inline void goItsWay(const FieldShape& field, WayInField& way, OnItsWay sample, SearchOnWay& search) {
  if (!sample.goesOn(search)) return;
  double next = 0, there = 0;
  do {
    next = sample.nextLook(search);
    there = lookAt(field, way.at(next).point(sample.p)).distance;
  } while (sample.arrives(field, way, next, there, search));
}

// So many samples go at once, each as if the others were not among them: what one meets is known to those that go after these.
constexpr int kWaysAtOnce = 32;
// Trees of fewer nodes are gone through without a look at what they have in them.
constexpr int kNodesWorthALook = 16;

// One solid in the field of another.
struct SolidOnWay {
  const Solid& own;
  const FieldShape& field;
  WayInField& way;
  const hull::Relative& start;  // the way at time 0
  int which;                    // 0 or 1: the first or the second of a search
};

// visit(number) of samples that may come as near as `goal`, until it answers false.
template <class Looks, class Visit> CAIRN_HD inline void forSamplesInReach(const SolidOnWay& of, double goal, const Visit& visit) {
  const SampleTree& tree = of.own.own.few;
  typename Looks::Nodes nodes(tree, of.field, of.start);
  for (int i = 0; i < tree.nodeCount;) {
    const BoxNode& node = tree.nodes[i];
    if (node.next - i >= kNodesWorthALook) {
      const Ball ball = ballAround(node);
      const double reach = of.way.speedOf(ball.middle, ball.radius, of.start.point(ball.middle));
      if (isFurther(of.field, nodes.distanceAt(i), ball.radius + reach + goal)) {
        i = node.next;
        continue;
      }
    }
    for (int k = firstItem(node); k < firstItem(node) + itemCount(node); ++k) {
      if (!visit(k)) return;
    }
    ++i;
  }
}

// The samples of one solid, looked at one after the other. solid_packs_cpu.cpp has several at once.
class WaysOneByOne {
 public:
  CAIRN_HD WaysOneByOne(const SolidOnWay& of, SearchOnWay& search) : of_(of), search_(search), goal_(search.goal + search.tolerance) {}

  // Where they are at time 0. False: the search is over.
  CAIRN_HD bool start() {
    forSamplesInReach<LooksOneByOne>(of_, goal_, [&](int k) {
      search_.noteStart(sampleAt(k).distance);
      return search_.limited || !search_.any;
    });
    return search_.limited || !search_.any;
  }
  CAIRN_HD void go() {
    const SearchOnWay before = search_;
    SearchOnWay found = search_;
    int count = 0;
    forSamplesInReach<LooksOneByOne>(of_, goal_, [&](int k) {
      const OnItsWay sample = sampleAt(k);
      if (sample.stays(before, 1)) return true;
      SearchOnWay own = search_;
      goItsWay(of_.field, of_.way, sample, own);
      found.take(own);
      if (++count % kWaysAtOnce == 0) search_.take(found);
      return true;
    });
    search_.take(found);
  }

 private:
  CAIRN_HD OnItsWay sampleAt(int k) const {
    const Vec p = of_.own.own.samples[k].p, there = of_.start.point(p);
    return {p, of_.way.speedOf(p, 0.0, there), lookAt(of_.field, there).distance, 0, 0};
  }

  const SolidOnWay of_;
  SearchOnWay& search_;
  const double goal_;
};

struct MovingSolids {
  MovingShape<double> a, b;
  Solid solidA, solidB;

  template <class Ways = WaysOneByOne> CAIRN_HD void search(SearchOnWay& search) const {
    WayInField wayOfA(a, b), wayOfB(b, a);
    const hull::Relative aInB = wayOfA.at(0), bInA = wayOfB.at(0);
    Ways ofA({solidA, solidB.own.field, wayOfA, aInB, 0}, search), ofB({solidB, solidA.own.field, wayOfB, bInA, 1}, search);
    if (!ofA.start() || !ofB.start()) return;
    if (search.any) search.goDeeper();
    if (search.isThere()) return;
    ofA.go();
    ofB.go();
  }
};

// Parts of the smaller thickness by which a sample may be deeper between two looks: where only those count that come out on the other side, and else.
constexpr double kPassingUnseen = 0.5, kDipUnseen = 0.2;

}  // namespace solid

}  // namespace cairn::v0
