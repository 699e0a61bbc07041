// Solids on the CPU: looks of their samples into each other's fields, several at once.
#include "kernels/collide/solid_looks_packs.hpp"
#include "kernels/collide/solid_passes.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace cairn::v0 {

namespace solid {

using field::SeveralValues;

// Places of some lanes; those that are left over are the first one's.
class Places {
 public:
  void put(int lane, Vec p) { x_[lane] = p.x, y_[lane] = p.y, z_[lane] = p.z; }
  Vec3<Several> several(int count) {
    for (int lane = count; lane < kSeveral; ++lane) x_[lane] = x_[0], y_[lane] = y_[0], z_[lane] = z_[0];
    return {LaneTraits<Several>::load(x_), LaneTraits<Several>::load(y_), LaneTraits<Several>::load(z_)};
  }
  Vec at(int lane) const { return {x_[lane], y_[lane], z_[lane]}; }

 private:
  double x_[kSeveral] = {}, y_[kSeveral] = {}, z_[kSeveral] = {};
};

inline Vec3<Several> pointsIn(const hull::Relative& frame, Vec3<Several> local) {
  const Mat3<Several> axes{inAllLanes<Several>(frame.axes.c0), inAllLanes<Several>(frame.axes.c1), inAllLanes<Several>(frame.axes.c2)};
  return inAllLanes<Several>(frame.origin) + axes * local;
}
inline FieldValue valueOf(const SeveralValues& values, int lane) {
  return {values.distance.v[lane], {values.gradient.x.v[lane], values.gradient.y.v[lane], values.gradient.z.v[lane]}};
}

struct LooksInPacks {
  static constexpr int kAtOnce = kSeveral;

  // Nodes are looked at together with those after them in the tree's order, which mostly come next.
  class Nodes {
   public:
    Nodes(const SampleTree& tree, const FieldShape& field, const hull::Relative& toField) : tree_(tree), field_(field), toField_(toField) {}
    double distanceAt(int node) {
      if (node < begin_ || node >= end_) lookFrom(node);
      return distances_[node - begin_];
    }

   private:
    void lookFrom(int node) {
      begin_ = node;
      end_ = minOf(node + kSeveral, tree_.nodeCount);
      Places places;
      for (int k = 0; k < end_ - begin_; ++k) places.put(k, toField_.point(ballAround(tree_.nodes[begin_ + k]).middle));
      LaneTraits<Several>::store(distances_, lookAt(field_, places.several(end_ - begin_)).distance);
    }

    const SampleTree& tree_;
    const FieldShape& field_;
    const hull::Relative& toField_;
    int begin_ = 0, end_ = 0;
    double distances_[kSeveral];
  };

  template <class Visit>
  static bool visitAll(const SurfaceSample* samples, int count, const FieldShape& field, const hull::Relative& toField, const Visit& visit) {
    for (int begin = 0; begin < count; begin += kSeveral) {
      const int lanes = minOf(kSeveral, count - begin);
      Places places;
      for (int k = 0; k < lanes; ++k) places.put(k, toField.point(samples[begin + k].p));
      const SeveralValues values = lookAt(field, places.several(lanes));
      for (int k = 0; k < lanes; ++k) {
        if (!visit(begin + k, places.at(k), valueOf(values, k))) return false;
      }
    }
    return true;
  }

  // As SamplesInField::addOneByOne. All look first, and those that go down an edge at its other end; what they have found is added in their order.
  template <class Add> static bool addAll(const SamplesInField& of, int first, int end, const Add& add) {
    for (int begin = first; begin < end; begin += kSeveral) {
      if (!addLanes(of, begin, minOf(kSeveral, end - begin), add)) return false;
    }
    return true;
  }

 private:
  template <class Add> static bool addLanes(const SamplesInField& of, int first, int lanes, const Add& add) {
    const SurfaceSample* const samples = of.own.own.samples + first;
    Places places, ends;
    for (int k = 0; k < lanes; ++k) places.put(k, of.toField.point(samples[k].p));
    const SeveralValues values = lookAt(of.field, places.several(lanes));
    Found found[kSeveral];
    bool allowed[kSeveral];
    SamplesInField::Slide slides[kSeveral];
    int endOf[kSeveral], sliding = 0;
    for (int k = 0; k < lanes; ++k) {
      const FieldValue value = valueOf(values, k);
      found[k] = foundAt(value, of.margin);
      slides[k].any = false;
      if (!found[k].any) continue;
      const Vec direction = of.ownDirection(found[k]);
      allowed[k] = allowsAt(of.own.mesh, samples[k], direction);
      if (!allowed[k]) slides[k] = of.slideFrom(samples[k], direction, value.gradient);
      if (!slides[k].any) continue;
      ends.put(sliding, slides[k].otherEnd());
      endOf[k] = sliding++;
    }
    SeveralValues there;
    if (sliding > 0) there = lookAt(of.field, ends.several(sliding));
    for (int k = 0; k < lanes; ++k) {
      if (!found[k].any) continue;
      const Vec gradientThere = slides[k].any ? valueOf(there, endOf[k]).gradient : Vec{0, 0, 0};
      if (!of.addOrSlide(uint32_t(first + k), places.at(k), found[k], allowed[k], slides[k], gradientThere, add)) return false;
    }
    return true;
  }
};

inline Several atLeast(Several distance) { return select(distance > Several(0.0), Several(1 - kOfDistance) * distance, distance); }

// As WaysOneByOne. Those that may come near are kept from the start on.
class WaysInPacks {
 public:
  WaysInPacks(const SolidOnWay& of, SearchOnWay& search) : of_(of), search_(search), goal_(search.goal + search.tolerance), ways_(listOf(of)) {
    ways_.clear();
  }

  bool start() {
    int samples[kSeveral], count = 0;
    forSamplesInReach<LooksInPacks>(of_, goal_, [&](int k) {
      samples[count++] = k;
      if (count < kSeveral) return true;
      count = 0;
      return startAll(samples, kSeveral);
    });
    return isOver() ? false : count == 0 || startAll(samples, count);
  }
  void go() {
    const auto stays = [&](const OnItsWay& sample) { return sample.stays(search_, 1); };
    ways_.erase(std::remove_if(ways_.begin(), ways_.end(), stays), ways_.end());
    const int all = static_cast<int>(ways_.size());
    for (int begin = 0; begin < all; begin += kWaysAtOnce) goAtOnce(ways_.data() + begin, minOf(kWaysAtOnce, all - begin));
  }

 private:
  static std::vector<OnItsWay>& listOf(const SolidOnWay& of) {
    static thread_local std::vector<OnItsWay> lists[2];
    return lists[of.which];
  }
  bool isOver() const { return search_.any && !search_.limited; }

  bool startAll(const int* samples, int lanes) {
    Places places;
    for (int k = 0; k < lanes; ++k) places.put(k, of_.own.own.samples[samples[k]].p);
    const Vec3<Several> p = places.several(lanes), there = pointsIn(of_.start, p);
    const Several distance = lookAt(of_.field, there).distance, speed = of_.way.speedOf(p, Several(0.0), there);
    if (bitsOf(distance <= Several(goal_)) != 0) {
      for (int k = 0; k < lanes; ++k) {
        search_.noteStart(distance.v[k]);
        if (isOver()) return false;
      }
    }
    const unsigned stay = bitsOf(atLeast(distance) - speed > Several(goal_));
    for (int k = 0; k < lanes; ++k) {
      if ((stay >> k & 1u) == 0) ways_.push_back({places.at(k), speed.v[k], distance.v[k], 0, 0});
    }
    return true;
  }
  // All take a look before one of them takes its next.
  void goAtOnce(OnItsWay* ways, int count) {
    const SearchOnWay before = search_;
    int going = 0;
    for (int k = 0; k < count; ++k) {
      SearchOnWay own = before;
      if (ways[k].goesOn(own)) ways[going++] = ways[k];
    }
    while (going > 0) {
      int left = 0;
      for (int begin = 0; begin < going; begin += kSeveral) {
        const int lanes = minOf(kSeveral, going - begin);
        Places places;
        double next[kSeveral];
        for (int k = 0; k < lanes; ++k) {
          const OnItsWay& sample = ways[begin + k];
          next[k] = sample.nextLook(before);
          places.put(k, of_.way.at(next[k]).point(sample.p));
        }
        const Several distance = lookAt(of_.field, places.several(lanes)).distance;
        for (int k = 0; k < lanes; ++k) {
          SearchOnWay own = before;
          OnItsWay sample = ways[begin + k];
          if (sample.arrives(of_.field, of_.way, next[k], distance.v[k], own)) ways[left++] = sample;
          search_.take(own);
        }
      }
      going = left;
    }
  }

  const SolidOnWay of_;
  SearchOnWay& search_;
  const double goal_;
  std::vector<OnItsWay>& ways_;
};

// Packs of two bring less than they cost.
using Looks = std::conditional_t<(kSeveral > 2), LooksInPacks, LooksOneByOne>;

void MeetPass::onCpu(const TeamLoop&) const { meetSolids<Looks>(a, b, aInB, margin, out); }
void NearestPass::onCpu(const TeamLoop&) const { out = nearestOfSolids<Looks>(a, b, aInB, limit); }
using Ways = std::conditional_t<(kSeveral > 2), WaysInPacks, WaysOneByOne>;
void SearchPass::onCpu(const TeamLoop&) const { solids.search<Ways>(search); }

}  // namespace solid

CpuPass solidPass(int place) { return solid::SolidPasses::at(place); }

}  // namespace cairn::v0
