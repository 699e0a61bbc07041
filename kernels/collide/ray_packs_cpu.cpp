// Rays on the CPU, a pack of neighbours at a time: those of a picture or of a depth sensor meet the same nodes and shapes, each of which is then read
// once and worked out for all of them (Wald and others, "Interactive Rendering with Coherent Ray Tracing", 2001).
//
// A ray is tested against what it would be tested against by itself, or against more: that a neighbour enters a node says nothing about its own hits,
// and the nearest hit does not depend on the order in which shapes come (tree_queries.hpp). So the bits are those of rays that go alone.
#include "kernels/collide/ray_packs.hpp"

#include "kernels/collide/collide_ray.hpp"
#include "kernels/rows/pack.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

constexpr int kFewPacks = 8;        // fewer stay on one thread
constexpr float kSlowest = 1e-18F;  // component of a direction: the inverse of a smaller one might be infinite
constexpr int kDeepest = kMaxTreeDepth + kMaxEnvironmentBits;

template <class T> class RayPack {
 public:
  explicit RayPack(const CastInPacks<T>& pass) : pass_(pass) {}

  void cast(int first) {
    first_ = first;
    const int lanes = std::min(kWidth, pass_.count - first);
    if (!load(lanes)) return pass_.oneByOne(pass_.find, first, first + lanes);
    best_.v = reach_.v;
    shape_ = Ints{} - 1;
    normal_ = {V(T(0)), V(T(0)), V(T(0))};
    const Bits all = (Bits(1) << lanes) - 1;
    const TreeView<T>& tree = pass_.bodies.tree;
    const int environment = pass_.rays[first].tag.environment;
    const Subtree seen = environment < 0 || tree.subtrees == nullptr ? tree.all() : tree.subtrees[environment];
    for (int k = seen.firstHalfSpace; k < seen.endOfHalfSpaces; ++k) test(tree.order[k], all);
    if (seen.root != kNoRoot) walk(seen.root, all);
    store(lanes);
  }

  static constexpr int kWidth = Pack<T>::kWidth;

 private:
  using V = Pack<T>;
  using Ints = typename PackTypes<T, V::kWidth>::Mask;
  using Bits = uint32_t;  // a bit a lane

  // False where the rays cannot go together.
  bool load(int lanes) {
    const RayRecord<T>* const rays = pass_.rays + first_;
    V fields[8];  // the last is none of a ray's
    RecordLanes<T, kWidth>::load([=](int lane) { return &rays[std::min(lane, lanes - 1)].origin.x; }, fields);
    origin_ = {fields[0], fields[1], fields[2]};
    direction_ = {fields[3], fields[4], fields[5]};
    reach_ = fields[6];
    for (int lane = 0; lane < lanes; ++lane) {
      const QueryTag& tag = rays[lane].tag;
      if (tag.filtered != 0 || tag.tag.body >= 0 || tag.environment != rays[0].tag.environment) return false;
    }
    const V slowest(T{kSlowest});
    const Vec3<V> size = absOf(direction_);
    if (!allOf((size.x > slowest) & (size.y > slowest) & (size.z > slowest))) return false;
    const V one(T(1));
    inverse_ = {one / direction_.x, one / direction_.y, one / direction_.z};
    return true;
  }

  // Where one bound of a node is met, along one axis.
  V at(T bound, V origin, V inverse) const { return (V(bound) - origin) * inverse; }

  // As entryInto has it; nothing is in a direction of zero.
  typename V::Mask enters(const Vec3<T>& low, const Vec3<T>& high, V& near) const {
    const V x0 = at(low.x, origin_.x, inverse_.x), x1 = at(high.x, origin_.x, inverse_.x);
    const V y0 = at(low.y, origin_.y, inverse_.y), y1 = at(high.y, origin_.y, inverse_.y);
    const V z0 = at(low.z, origin_.z, inverse_.z), z1 = at(high.z, origin_.z, inverse_.z);
    near = maxOf(maxOf(minOf(x0, x1), minOf(y0, y1)), maxOf(minOf(z0, z1), V(T(0))));
    const V far = minOf(minOf(maxOf(x0, x1), maxOf(y0, y1)), minOf(maxOf(z0, z1), best_));
    return near <= far;
  }

  // Which lanes are set in a, and sixteen bits further in b.
  static Bits bitsOf(Ints a, Ints b) {
    const Ints both = (a & laneBits()) | (b & (laneBits() << 16));
    uint64_t words[sizeof both / sizeof(uint64_t)], any = 0;
    std::memcpy(words, &both, sizeof words);
    for (const uint64_t word : words) any |= word;
    return static_cast<Bits>(any | any >> 32);
  }
  static Ints laneBits() {
    Ints bits{};
    for (int lane = 0; lane < kWidth; ++lane) bits[lane] = 1 << lane;
    return bits;
  }
  static constexpr Bits kLanes = 0xffff;

  void walk(int code, Bits lanes) {
    struct Entry {
      V near;
      int code;
      Bits lanes;
    };
    Entry stack[kDeepest];
    int depth = 0;
    const TreeNode<T>* const nodes = pass_.bodies.tree.nodes;
    for (;;) {
      if (code < 0) {
        testMembers(~code & ~kFixedBit, lanes);
      } else {
        const TreeNode<T>& node = nodes[code & ~kFixedBit];
        V left, right;
        const typename V::Mask entersLeft = enters(node.lowLeft, node.highLeft, left), entersRight = enters(node.lowRight, node.highRight, right);
        const Bits both = bitsOf(entersLeft.m, entersRight.m), ofLeft = both & lanes, ofRight = both >> 16 & lanes;
        if (ofLeft != 0 && ofRight != 0) {
          // What is nearer for one ray mostly is for its neighbours.
          const Bits common = ofLeft & ofRight;
          const int lane = __builtin_ctz(common != 0 ? common : ofLeft);
          const bool leftFirst = left.v[lane] <= right.v[lane];
          stack[depth++] = leftFirst ? Entry{right, node.right, ofRight} : Entry{left, node.left, ofLeft};
          code = leftFirst ? node.left : node.right;
          lanes = leftFirst ? ofLeft : ofRight;
          continue;
        }
        if ((ofLeft | ofRight) != 0) {
          code = ofLeft != 0 ? node.left : node.right;
          lanes = ofLeft | ofRight;
          continue;
        }
      }
      do {
        if (depth == 0) return;
        const Entry& entry = stack[--depth];
        code = entry.code;
        lanes = entry.lanes & bitsOf((entry.near <= best_).m, Ints{});
      } while (lanes == 0);
    }
  }

  // As testMembers of tree_queries.hpp.
  void testMembers(int slot, Bits lanes) {
    const TreeView<T>& tree = pass_.bodies.tree;
    const int end = tree.endOf(slot);
    if (end == slot + 1) return test(slot, lanes);
    for (int member = slot; member < end; ++member) {
      V near;
      const Bits met = lanes & bitsOf(enters(tree.bounds[member].low, tree.bounds[member].high, near).m, Ints{});
      if (met != 0) test(member, met);
    }
  }

  void test(int slot, Bits lanes) {
    const ShapeRecord<T>& shape = pass_.bodies.shapes[slot];
    if (shape.body < 0) return;
    if (!isPlain(shape.type)) return testOneByOne(slot, lanes);
    const BodyPose<T>& body = pass_.bodies.poses[shape.body];
    const Pose<T> own = Pose<T>{body.x, body.q} * shape.localPose;
    const Pose<V> pose{inAllLanes<V>(own.p), {V(own.q.x), V(own.q.y), V(own.q.z), V(own.q.w)}};
    const Vec3<V> p = inverseTransform(pose, origin_), d = inverseRotate(pose.q, direction_);
    const RayImpact<V> impact = rayAgainstPlain(p, d, shape.type, inAllLanes<V>(shape.size));
    // Of shapes at the same distance the one in the smallest slot; shapes beyond a ray's reach are none.
    const Ints own_ = Ints{} + slot;
    const Ints same = ray::areSame(impact.distance, best_).m, none = shape_ < 0, before = own_ < shape_;
    const Ints better = impact.hit.m & ((impact.distance < best_).m | (same & (none | before)));
    const Ints taken = better & lanesOf(lanes);
    const typename V::Mask taken_{taken};
    if (allOf(!taken_)) return;
    best_ = select(taken_, impact.distance, best_);
    shape_ = taken ? own_ : shape_;
    normal_ = select(taken_, normalInWorld(impact, d, direction_, pose.q), normal_);
  }
  static Ints lanesOf(Bits lanes) { return ((Ints{} + static_cast<int>(lanes)) & laneBits()) != 0; }

  void testOneByOne(int slot, Bits lanes) {
    for (int lane = 0; lane < kWidth; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      RayHitRecord<T> hit;
      if (!pass_.meets(pass_.find, first_ + lane, slot, &hit) || hit.distance > best_.v[lane]) continue;
      if (hit.distance == best_.v[lane] && shape_[lane] >= 0 && slot > shape_[lane]) continue;
      best_.v[lane] = hit.distance;
      shape_[lane] = slot;
      normal_.x.v[lane] = hit.normal.x;
      normal_.y.v[lane] = hit.normal.y;
      normal_.z.v[lane] = hit.normal.z;
    }
  }

  void store(int lanes) const {
    for (int lane = 0; lane < lanes; ++lane) {
      RayHitRecord<T>& into = pass_.hits[first_ + lane];
      into = {};
      into.shape = static_cast<int>(shape_[lane]);
      if (into.shape < 0) continue;
      into.distance = best_.v[lane];
      into.normal = {normal_.x.v[lane], normal_.y.v[lane], normal_.z.v[lane]};
    }
  }

  const CastInPacks<T>& pass_;
  int first_ = 0;
  Vec3<V> origin_, direction_, inverse_, normal_;
  V reach_, best_;
  Ints shape_;  // slots; -1: none yet
};

}  // namespace

template <class T> void CastInPacks<T>::onCpu(const TeamLoop& team) const {
  constexpr int kWidth = RayPack<T>::kWidth;
  const auto run = [this](int64_t begin, int64_t end) {
    RayPack<T> pack(*this);
    for (int64_t i = begin; i < end; ++i) pack.cast(static_cast<int>(i) * kWidth);
  };
  const int packs = (count + kWidth - 1) / kWidth;
  if (packs < kFewPacks) return run(0, packs);
  team.run(packs, run);
}

CpuPass castPass(int place) { return CastPasses::at(place); }

}  // namespace cairn::v0
