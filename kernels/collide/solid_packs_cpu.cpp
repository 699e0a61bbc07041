// Solids on the CPU: looks of their samples into each other's fields, several at once.
#include "kernels/collide/solid_looks_packs.hpp"
#include "kernels/collide/solid_passes.hpp"

#include <type_traits>

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

// Packs of two bring less than they cost.
using Looks = std::conditional_t<(kSeveral > 2), LooksInPacks, LooksOneByOne>;

void MeetPass::onCpu(const TeamLoop&) const { meetSolids<Looks>(a, b, aInB, margin, out); }
void NearestPass::onCpu(const TeamLoop&) const { out = nearestOfSolids<Looks>(a, b, aInB, limit); }
void SearchPass::onCpu(const TeamLoop&) const { solids.search<Looks>(search); }

}  // namespace solid

CpuPass solidPass(int place) { return solid::SolidPasses::at(place); }

}  // namespace cairn::v0
