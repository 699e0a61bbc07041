// Narrow phase on the CPU. Axes are chosen for a pack of box pairs at once; those that are near are finished one by one, since clipping takes another
// course for each. Other pairs are done as on a device, one by one.
#include "kernels/collide/collide_pair.hpp"
#include "kernels/rows/pack.hpp"
#include "kernels/runtime/tuning.hpp"

namespace cairn::v0 {
namespace {

using namespace collide_detail;

template <class T> Vec3<T> laneOf(const Vec3<Pack<T>>& v, int lane) { return {v.x.v[lane], v.y.v[lane], v.z.v[lane]}; }
template <class T> Mat3<T> laneOf(const Mat3<Pack<T>>& m, int lane) { return {laneOf(m.c0, lane), laneOf(m.c1, lane), laneOf(m.c2, lane)}; }
template <class T> Pose<T> laneOf(const Pose<Pack<T>>& pose, int lane) {
  return {laneOf(pose.p, lane), {pose.q.x.v[lane], pose.q.y.v[lane], pose.q.z.v[lane], pose.q.w.v[lane]}};
}

// Boxes of a pack of pairs, A's or B's, as `placed` has them.
template <class T> struct PlacedBoxes {
  Vec3<Pack<T>> size;
  Pose<Pack<T>> pose;
};

template <class T> class BoxPairLanes {
 public:
  explicit BoxPairLanes(const CollideInPacks<T>& pass) : pass_(pass), of_(*pass.collidePair) {}

  void add(int pair) {
    pair_[count_++] = pair;
    if (count_ == kWidth) collideAll();
  }

  void collideAll() {
    if (count_ == 0) return;
    for (int lane = count_; lane < kWidth; ++lane) pair_[lane] = pair_[0];
    place();
    pairs_ = boxPair(a_.size, a_.pose, b_.size, b_.pose, margin());
    chooseAxes(pairs_, axes_);
    for (int lane = 0; lane < count_; ++lane) finish(lane);
    count_ = 0;
  }

 private:
  using V = Pack<T>;
  using Lanes = RecordLanes<T, V::kWidth>;
  static constexpr int kWidth = V::kWidth;

  const ShapeRecord<T>& shapeA(int lane) const { return of_.shapes[of_.pairs.shapeA[pair_[lane]]]; }
  const ShapeRecord<T>& shapeB(int lane) const { return of_.shapes[of_.pairs.shapeB[pair_[lane]]]; }

  V margin() const {
    return LaneTraits<V>::fromLanes(
        [this](int lane) { return of_.shapeMargins[of_.pairs.shapeA[pair_[lane]]] + of_.shapeMargins[of_.pairs.shapeB[pair_[lane]]]; });
  }

  void place() {
    V poseA[8], poseB[8];
    Lanes::load([this](int lane) { return &of_.poses[shapeA(lane).body].x.x; }, poseA);
    Lanes::load([this](int lane) { return &of_.poses[shapeB(lane).body].x.x; }, poseB);
    const Vec3<V> origin{poseA[0], poseA[1], poseA[2]};
    a_ = placedAt(poseA, origin, [this](int lane) -> const ShapeRecord<T>& { return shapeA(lane); });
    b_ = placedAt(poseB, origin, [this](int lane) -> const ShapeRecord<T>& { return shapeB(lane); });
  }

  template <class Shape> static PlacedBoxes<T> placedAt(const V (&pose)[8], Vec3<V> origin, const Shape& shape) {
    V local[8];  // pose, and the first of the half extents, which lies behind it
    Lanes::load([&](int lane) { return &shape(lane).localPose.p.x; }, local);
    const Vec3<V> x{pose[0], pose[1], pose[2]};
    const Quat<V> q{pose[4], pose[5], pose[6], pose[7]};
    PlacedBoxes<T> out;
    out.size = {local[7], LaneTraits<V>::fromLanes([&](int lane) { return shape(lane).size.y; }),
                LaneTraits<V>::fromLanes([&](int lane) { return shape(lane).size.z; })};
    out.pose = {(x - origin) + rotate(q, Vec3<V>{local[0], local[1], local[2]}), q * Quat<V>{local[3], local[4], local[5], local[6]}};
    return out;
  }

  void finish(int lane) const {
    LocalManifold<T> local;
    local.pointCount = 0;
    if (axes_.near.m[lane] != 0) meetBoxes(pairOf(lane), axesOf(lane), laneOf(a_.pose, lane), laneOf(b_.pose, lane), local);
    of_.write(pair_[lane], local);
  }

  BoxPair<T> pairOf(int lane) const {
    BoxPair<T> pair;
    pair.a = laneOf(pairs_.a, lane);
    pair.b = laneOf(pairs_.b, lane);
    pair.r = laneOf(pairs_.r, lane);
    pair.absR = laneOf(pairs_.absR, lane);
    pair.d = laneOf(pairs_.d, lane);
    pair.across = laneOf(pairs_.across, lane);
    pair.margin = pairs_.margin.v[lane];
    return pair;
  }
  BoxAxes<T> axesOf(int lane) const {
    const ChosenFace<V>& face = axes_.face;
    const ChosenEdges<V>& edges = axes_.edges;
    BoxAxes<T> axes;
    axes.near = true;
    axes.axisSlop = axes_.axisSlop.v[lane];
    axes.face = {face.onA.m[lane] != 0, static_cast<int>(face.axis.v[lane]), face.gap.v[lane]};
    axes.edges = {static_cast<int>(edges.i.v[lane]), static_cast<int>(edges.j.v[lane]), edges.gap.v[lane], edges.side.v[lane]};
    return axes;
  }

  const CollideInPacks<T>& pass_;
  const CollidePair<T>& of_;
  int pair_[kWidth];
  int count_ = 0;
  PlacedBoxes<T> a_, b_;
  BoxPair<V> pairs_;
  BoxAxes<V> axes_;
};

template <class T> bool isOfBoxes(const CollidePair<T>& of, int i) {
  return of.mayTouch(i) && of.shapes[of.pairs.shapeA[i]].type == kBox && of.shapes[of.pairs.shapeB[i]].type == kBox;
}

}  // namespace

template <class T> void CollideInPacks<T>::onCpu(const TeamLoop& team) const {
  const auto run = [this](int64_t begin, int64_t end) {
    BoxPairLanes<T> boxes(*this);
    int64_t others = begin;  // from here on no pair is one of boxes
    for (int64_t i = begin; i < end; ++i) {
      if (!isOfBoxes(*collidePair, static_cast<int>(i))) continue;
      if (others < i) oneByOne(collidePair, others, i);
      others = i + 1;
      boxes.add(static_cast<int>(i));
    }
    if (others < end) oneByOne(collidePair, others, end);
    boxes.collideAll();
  };
  const int count = collidePair->pairs.pairCount;
  if (count < kHeavyGrain) return run(0, count);
  team.run(count, run);
}

CpuPass collidePass(int place) { return CollidePasses::at(place); }

}  // namespace cairn::v0
