// Candidate pairs: shapes whose bounds, grown by their margins, overlap.
//
// Input: shapes and the poses and velocities of their bodies. Output: margins, bounds, a bounding volume hierarchy, pairs in CSR form by shape A.
//
// The hierarchy is a linear BVH (Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012): leaves are sorted
// along a Morton curve and inner nodes follow from the keys' common prefixes. Nodes are made bottom-up in the same pass that fits the bounds
// (Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC 2014), which gives the same hierarchy with one launch and no searches. Equal keys
// are told apart by their place in the sorted order. Shapes that are much larger than the typical one get a size class in front of the key (after
// Vinkler, Bittner and Havran, "Extended Morton Codes", HPG 2017), so that a ground box hangs beside the tree of the small ones instead of inflating
// a path through it. Half-spaces have no bounds; each moving shape tests them all.
//
// Each leaf looks only for partners behind it in the sorted order, and for fixed ones everywhere, so every pair is met once. It goes to the row of
// the shape whose it is by slot: an atomic counter gives its place, the first kPairRowCapacity are kept. Once the counts are scanned, rows are copied
// out in ascending order; longer ones are found again.
//
// Deterministic: the header is reduced with integer minimum, maximum and sum; which of two children arrives last at a node does not show in it; the
// order of a row is that of its sorted contents, so neither the tree nor the threads show in the pairs.
//
// Memory: 205 bytes a shape in float (32 bounds, 64 node, 64 row, the rest small arrays), 8 bytes a pair.
#include "kernels/collide/broad_phase.hpp"

#include "kernels/runtime/launch.hpp"

#include <cstring>

namespace cairn {
namespace {

constexpr int kMaxTreeDepth = kTreeKeyBits + 32;  // each level consumes one bit of key and place at least
constexpr uint64_t kUnboundedKey = uint64_t(3) << (3 * kTreeAxisBits);
constexpr uint64_t kAbsentKey = kUnboundedKey + 1;
// Sizes from 2^4 and 2^7 times the typical one on are classes of their own.
constexpr int kLargeOctaves = 4, kHugeOctaves = 7;

// --- numbers as integers that sort alike -----------------------------------------------------------------------

CAIRN_HD inline int bitsOf(float value) {
  int bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
CAIRN_HD inline int orderedBits(float value) {
  const int bits = bitsOf(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
CAIRN_HD inline float fromOrderedBits(int ordered) {
  const int bits = ordered >= 0 ? ordered : ordered ^ 0x7fffffff;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T> CAIRN_HD inline bool finite(Vec3<T> a) {
  const T sum = a.x + a.y + a.z;
  return sum - sum == T(0);
}

// For the curve and the size classes float will do; far-off doubles must not become infinite.
template <class T> CAIRN_HD inline Vec3<float> curvePoint(const ShapeBounds<T>& bounds) {
  const Vec3<T> far{T(1e30), T(1e30), T(1e30)};
  return convert<float>(maxOf(-far, minOf(far, T(0.5) * bounds.low + T(0.5) * bounds.high)));
}
template <class T> CAIRN_HD inline int sizeExponent(const ShapeBounds<T>& bounds) {
  const Vec3<T> size = bounds.high - bounds.low;
  return bitsOf(float(minOf(maxOf(size.x, maxOf(size.y, size.z)), T(1e30)))) >> 23;
}

// --- bounds ----------------------------------------------------------------------------------------------------

template <class T> struct RoundingOf;
template <> struct RoundingOf<float> { static constexpr float value = 1.2e-7f; };
template <> struct RoundingOf<double> { static constexpr double value = 2.3e-16; };

template <class T> CAIRN_HD inline T marginOf(const ShapeRecord<T>& shape, const BodyVelocity<T>& velocity, int flags, T dt, T envelope) {
  const T half = T(0.5) * envelope;
  if ((flags & (kBodyDynamic | kBodyKinematic)) == 0) return half;
  const T travel = dt * (length(velocity.v) + length(velocity.w) * shape.boundingRadius);
  if (shape.type == kHalfSpace) return half + travel;
  const T smallest = shape.type == kBox || shape.type == kEllipsoid ? minOf(shape.size.x, minOf(shape.size.y, shape.size.z)) : shape.size.x;
  return half + minOf(travel, smallest);
}

template <class T> CAIRN_HD inline ShapeBounds<T> boundsOf(const ShapeRecord<T>& shape, const BodyPose<T>& bodyPose, int flags, T margin) {
  const Pose<T> body{bodyPose.x, bodyPose.q};
  const Vec3<T> centre = transform(body, shape.localPose.p);
  ShapeBounds<T> out{};
  out.kind = (flags & kBodyDynamic) != 0 ? kMoving : kFixed;
  // Coordinates carry rounding errors of their own size; a pair must not be lost to them.
  const T slack = T(4) * RoundingOf<T>::value;
  Vec3<T> extent{shape.size.x, shape.size.x, shape.size.x};
  if (shape.type != kSphere) {
    const Mat3<T> axes = rotationMatrix(body.q * shape.localPose.q);
    if (shape.type == kBox) {
      extent = shape.size.x * absOf(axes.c0) + shape.size.y * absOf(axes.c1) + shape.size.z * absOf(axes.c2);
    } else if (shape.type == kCapsule) {
      extent += shape.size.y * absOf(axes.c1);
    } else if (shape.type == kEllipsoid) {
      const Vec3<T> x = shape.size.x * axes.c0, y = shape.size.y * axes.c1, z = shape.size.z * axes.c2;
      const Vec3<T> squares = scale(x, x) + scale(y, y) + scale(z, z);
      extent = {squareRoot(squares.x), squareRoot(squares.y), squareRoot(squares.z)};
    } else {
      const T offset = dot(axes.c1, centre);
      out.kind = kUnbounded;
      out.low = axes.c1;
      out.high = {offset + margin + slack * length(centre), T(0), T(0)};
      if (!finite(out.low) || !finite(out.high)) out.kind = kAbsent;
      return out;
    }
  }
  const Vec3<T> grown = extent + Vec3<T>{margin, margin, margin};
  const Vec3<T> reach = grown + slack * (absOf(centre) + grown);
  out.low = centre - reach;
  out.high = centre + reach;
  if (!finite(out.low) || !finite(out.high)) out.kind = kAbsent;
  return out;
}

CAIRN_HD inline TreeHeader headerOfNothing() {
  return {{0x7fffffff, 0x7fffffff, 0x7fffffff}, {-0x7fffffff, -0x7fffffff, -0x7fffffff}, 0, 0, 0, kNoRoot};
}

template <class T> struct BoundShapes {
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  const BodyConstants<T>* constants;
  ShapeBounds<T>* bounds;
  ShapeTag* tags;
  T* margins;
  int* pairCounts;
  TreeHeader* partialHeaders;
  int shapeSlots, lanes, run, headerCopies;
  T dt, envelope;

  // An item is a run of shapes, `lanes` apart, so that neighbouring GPU threads read neighbouring records and few atomics are needed.
  CAIRN_HD void operator()(int item) const {
    TreeHeader seen = headerOfNothing();
    const int first = item / lanes * lanes * run + item % lanes;
    for (int k = 0; k < run && first + k * lanes < shapeSlots; ++k) boundOne(first + k * lanes, seen);
    if (partialHeaders == nullptr) return;
    TreeHeader* header = partialHeaders + item % headerCopies;
    if (seen.leafCount > 0) {
      for (int axis = 0; axis < 3; ++axis) {
        atomicMinInt(&header->low[axis], seen.low[axis]);
        atomicMaxInt(&header->high[axis], seen.high[axis]);
      }
      atomicAddInt(&header->leafCount, seen.leafCount);
      atomicAddInt(&header->exponentSum, seen.exponentSum);
    }
    if (seen.unboundedCount > 0) atomicAddInt(&header->unboundedCount, seen.unboundedCount);
  }

  CAIRN_HD void boundOne(int slot, TreeHeader& seen) const {
    const ShapeRecord<T>& shape = shapes[slot];
    pairCounts[slot] = 0;
    ShapeBounds<T> own{};
    T margin = T(0);
    if (shape.body >= 0) {
      const int flags = constants[shape.body].flags;
      margin = marginOf(shape, velocities[shape.body], flags, dt, envelope);
      own = boundsOf(shape, poses[shape.body], flags, margin);
    }
    if (own.kind == kAbsent) {
      own.low = {T(1), T(1), T(1)};
      own.high = {T(-1), T(-1), T(-1)};
    } else if (own.kind == kUnbounded) {
      ++seen.unboundedCount;
    } else {
      const Vec3<float> centre = curvePoint(own);
      for (int axis = 0; axis < 3; ++axis) {
        const int ordered = orderedBits(component(centre, axis));
        seen.low[axis] = minOf(seen.low[axis], ordered);
        seen.high[axis] = maxOf(seen.high[axis], ordered);
      }
      ++seen.leafCount;
      seen.exponentSum += sizeExponent(own);
    }
    bounds[slot] = own;
    tags[slot] = {shape.body, shape.category, shape.mask, shape.group};
    margins[slot] = margin;
  }
};

struct ReduceHeader {
  TreeHeader* partialHeaders;
  TreeHeader* header;
  int headerCopies;

  // Three fields that are minima, three maxima, three sums.
  CAIRN_HD void operator()(int field) const {
    const int nothing = field < 3 ? 0x7fffffff : (field < 6 ? -0x7fffffff : 0);
    int result = nothing;
    for (int copy = 0; copy < headerCopies; ++copy) {
      int& value = fieldOf(partialHeaders[copy], field);
      result = field < 3 ? minOf(result, value) : (field < 6 ? maxOf(result, value) : result + value);
      value = nothing;
    }
    fieldOf(*header, field) = result;
    if (field == 0) header->root = kNoRoot;
  }

  CAIRN_HD static int& fieldOf(TreeHeader& of, int field) {
    if (field < 3) return of.low[field];
    if (field < 6) return of.high[field - 3];
    return field == 6 ? of.leafCount : (field == 7 ? of.unboundedCount : of.exponentSum);
  }
};

// --- tree ------------------------------------------------------------------------------------------------------

// The low 21 bits, three apart.
CAIRN_HD inline uint64_t spreadBits(uint64_t v) {
  v = (v | v << 32) & 0x001f00000000ffffull;
  v = (v | v << 16) & 0x001f0000ff0000ffull;
  v = (v | v << 8) & 0x100f00f00f00f00full;
  v = (v | v << 4) & 0x10c30c30c30c30c3ull;
  return (v | v << 2) & 0x1249249249249249ull;
}

template <class T> struct MakeTreeKeys {
  const ShapeBounds<T>* bounds;
  const TreeHeader* header;
  uint64_t* keys;
  int* order;

  CAIRN_HD void operator()(int slot) const {
    order[slot] = slot;
    keys[slot] = keyOf(bounds[slot]);
  }

  CAIRN_HD uint64_t keyOf(const ShapeBounds<T>& own) const {
    if (own.kind == kAbsent) return kAbsentKey;
    if (own.kind == kUnbounded) return kUnboundedKey;
    const Vec3<float> low{fromOrderedBits(header->low[0]), fromOrderedBits(header->low[1]), fromOrderedBits(header->low[2])};
    const Vec3<float> high{fromOrderedBits(header->high[0]), fromOrderedBits(header->high[1]), fromOrderedBits(header->high[2])};
    const Vec3<float> size = high - low;
    // One scale for all axes: cells are cubes, so a flat scene is split along its length and width first.
    const float largest = maxOf(size.x, maxOf(size.y, size.z));
    const float cells = float(1 << kTreeAxisBits);
    const float perMetre = largest > 0.0f ? cells / largest : 0.0f;
    const Vec3<float> at = perMetre * (curvePoint(own) - low);
    const int octaves = sizeExponent(own) - header->exponentSum / header->leafCount;
    const uint64_t sizeClass = octaves >= kHugeOctaves ? 2 : (octaves >= kLargeOctaves ? 1 : 0);
    return sizeClass << (3 * kTreeAxisBits) | spreadBits(cellOf(at.x, cells)) << 2 | spreadBits(cellOf(at.y, cells)) << 1 |
           spreadBits(cellOf(at.z, cells));
  }

  CAIRN_HD static uint64_t cellOf(float at, float cells) { return static_cast<uint64_t>(maxOf(minOf(at, cells - 1.0f), 0.0f)); }
};

template <class T> CAIRN_HD inline int leafCode(int slot, const ShapeBounds<T>& bounds) { return ~(bounds.kind == kFixed ? slot | kFixedBit : slot); }
CAIRN_HD inline bool isLeaf(int code) { return code < 0; }
CAIRN_HD inline int withoutComplement(int code) { return code < 0 ? ~code : code; }
CAIRN_HD inline bool holdsFixed(int code) { return (withoutComplement(code) & kFixedBit) != 0; }

template <class T> struct BuildTree {
  const uint64_t* keys;
  const int* order;
  const ShapeBounds<T>* bounds;
  int* arrivals;  // of the first child: one more than the far end of its range; 0 before
  TreeNode<T>* nodes;
  TreeHeader* header;

  // How far apart sorted neighbours i and i + 1 are: larger means that they part higher in the tree.
  CAIRN_HD uint64_t gapAfter(int i) const {
    const uint64_t difference = keys[i] ^ keys[i + 1];
    return difference != 0 ? difference + (uint64_t(1) << 32) : static_cast<uint64_t>(static_cast<uint32_t>(i) ^ static_cast<uint32_t>(i + 1));
  }

  CAIRN_HD void operator()(int leaf) const {
    const int last = header->leafCount - 1;
    const int slot = order[leaf];
    Vec3<T> low = bounds[slot].low, high = bounds[slot].high;
    int code = leafCode(slot, bounds[slot]);
    int begin = leaf, end = leaf;  // leaves under this node, both included
    while (begin > 0 || end < last) {
      const bool goesLeft = begin == 0 || (end < last && gapAfter(end) < gapAfter(begin - 1));
      const int parent = goesLeft ? end : begin - 1;
      TreeNode<T>& node = nodes[parent];
      if (goesLeft) {
        node.lowLeft = low;
        node.highLeft = high;
        node.left = code;
      } else {
        node.lowRight = low;
        node.highRight = high;
        node.right = code;
      }
      memoryFence();
      const int other = atomicAddInt(&arrivals[parent], (goesLeft ? begin : end) + 1);
      if (other == 0) return;  // the sibling, when it comes, goes on
      memoryFence();
      arrivals[parent] = 0;
      const int siblingCode = goesLeft ? node.right : node.left;
      if (goesLeft) {
        low = minOf(low, node.lowRight);
        high = maxOf(high, node.highRight);
        end = other - 1;
      } else {
        low = minOf(low, node.lowLeft);
        high = maxOf(high, node.highLeft);
        begin = other - 1;
      }
      code = holdsFixed(code) || holdsFixed(siblingCode) ? parent | kFixedBit : parent;
    }
    header->root = code;
  }
};

// --- pairs -----------------------------------------------------------------------------------------------------

template <class T> CAIRN_HD inline bool overlap(Vec3<T> lowA, Vec3<T> highA, Vec3<T> lowB, Vec3<T> highB) {
  return (int(lowA.x <= highB.x) & int(lowB.x <= highA.x) & int(lowA.y <= highB.y) & int(lowB.y <= highA.y) & int(lowA.z <= highB.z) &
          int(lowB.z <= highA.z)) != 0;
}

// Whether the bounds' deepest corner is below the half-space's plane.
template <class T> CAIRN_HD inline bool reaches(const ShapeBounds<T>& own, const ShapeBounds<T>& halfSpace) {
  const Vec3<T> n = halfSpace.low;
  const Vec3<T> deepest{n.x > T(0) ? own.low.x : own.high.x, n.y > T(0) ? own.low.y : own.high.y, n.z > T(0) ? own.low.z : own.high.z};
  return dot(n, deepest) <= halfSpace.high.x;
}

// The rule of CollisionFilter.
CAIRN_HD inline bool mayCollide(const ShapeTag& a, const ShapeTag& b) {
  if (a.body == b.body) return false;
  if (a.group != 0 && a.group == b.group) return a.group > 0;
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

// Calls visitor(slot, with kFixedBit if so) for leaves whose bounds overlap `own`: fixed ones, and moving ones behind the leaf `after` in the
// sorted order.
template <class T, class Visitor>
CAIRN_HD inline void visitOverlaps(const TreeView<T>& tree, const ShapeBounds<T>& own, int after, Visitor& visitor) {
  int stack[kMaxTreeDepth];
  int depth = 0;
  int entry = tree.header->root;  // kFixedBit in an entry: only fixed shapes are wanted below
  if (isLeaf(entry)) return;      // a single leaf has no partner
  entry &= ~kFixedBit;
  for (;;) {
    const int index = entry & ~kFixedBit;
    const bool onlyFixed = (entry & kFixedBit) != 0;
    const TreeNode<T>& node = tree.nodes[index];
    const int left = node.left, right = node.right;
    // All leaves of the left child come before or at `after` if its last one, which has the node's index, does.
    const bool leftOnlyFixed = onlyFixed || index <= after;
    const bool rightOnlyFixed = onlyFixed || (isLeaf(right) && index + 1 <= after);
    bool enterLeft = overlap(own.low, own.high, node.lowLeft, node.highLeft) && (!leftOnlyFixed || holdsFixed(left));
    bool enterRight = overlap(own.low, own.high, node.lowRight, node.highRight) && (!rightOnlyFixed || holdsFixed(right));
    if (enterLeft && isLeaf(left)) {
      visitor(~left);
      enterLeft = false;
    }
    if (enterRight && isLeaf(right)) {
      visitor(~right);
      enterRight = false;
    }
    const int leftEntry = (left & ~kFixedBit) | (leftOnlyFixed ? kFixedBit : 0);
    const int rightEntry = (right & ~kFixedBit) | (rightOnlyFixed ? kFixedBit : 0);
    if (enterLeft) {
      if (enterRight) stack[depth++] = rightEntry;
      entry = leftEntry;
    } else if (enterRight) {
      entry = rightEntry;
    } else {
      if (depth == 0) return;
      entry = stack[--depth];
    }
  }
}

template <class T> struct FindPairs {
  TreeView<T> tree;
  const ShapeTag* tags;
  int* pairCounts;
  int* pairRows;

  struct Collect {
    const FindPairs& to;
    ShapeTag tag;
    int slot;

    CAIRN_HD void operator()(int code) {
      const int partner = code & ~kFixedBit;
      if (!mayCollide(tag, to.tags[partner])) return;
      const bool swapped = code < slot;  // never for fixed ones: slots are below the bit
      const int row = swapped ? partner : slot;
      const int place = atomicAddInt(&to.pairCounts[row], 1);
      if (place < kPairRowCapacity) to.pairRows[int64_t(row) * kPairRowCapacity + place] = swapped ? slot : code;
    }
  };

  CAIRN_HD void operator()(int leaf) const {
    const int slot = tree.order[leaf];
    const ShapeBounds<T> own = tree.bounds[slot];
    if (own.kind != kMoving) return;
    Collect collect{*this, tags[slot], slot};
    const int leafCount = tree.header->leafCount, listed = leafCount + tree.header->unboundedCount;
    for (int i = leafCount; i < listed; ++i) {
      if (reaches(own, tree.bounds[tree.order[i]])) collect(tree.order[i] | kFixedBit);
    }
    visitOverlaps(tree, own, leaf, collect);
  }
};

template <class T> struct FindPairsDirectly {
  const ShapeBounds<T>* bounds;
  const ShapeTag* tags;
  int* pairCounts;
  int* pairRows;
  int shapeSlots, rowCapacity;

  CAIRN_HD void operator()(int slot) const {
    const ShapeBounds<T> own = bounds[slot];
    if (own.kind != kMoving) return;
    const ShapeTag tag = tags[slot];
    int count = 0;
    for (int partner = 0; partner < shapeSlots; ++partner) {
      const ShapeBounds<T>& other = bounds[partner];
      if (other.kind == kAbsent || (other.kind == kMoving && partner <= slot)) continue;
      if (!(other.kind == kUnbounded ? reaches(own, other) : overlap(own.low, own.high, other.low, other.high))) continue;
      if (!mayCollide(tag, tags[partner])) continue;
      pairRows[int64_t(slot) * rowCapacity + count++] = other.kind == kMoving ? partner : partner | kFixedBit;
    }
    pairCounts[slot] = count;
  }
};

// Ascending, in place.
CAIRN_HD inline void heapSort(int* values, int count) {
  for (int pass = count / 2 + count - 1; pass > 0; --pass) {
    // The first count / 2 passes build the heap, the others take its largest out.
    const int heapSize = pass >= count ? count : pass;
    int hole = pass >= count ? pass - count : 0;
    if (pass < count) {
      const int largest = values[0];
      values[0] = values[pass];
      values[pass] = largest;
    }
    const int sinking = values[hole];
    for (int child = 2 * hole + 1; child < heapSize; child = 2 * hole + 1) {
      if (child + 1 < heapSize && values[child + 1] > values[child]) ++child;
      if (values[child] <= sinking) break;
      values[hole] = values[child];
      hole = child;
    }
    values[hole] = sinking;
  }
}

template <class T> struct WritePairs {
  TreeView<T> tree;
  const ShapeTag* tags;
  const int* offsets;
  const int* pairRows;
  int* shapeA;
  int* shapeB;
  int rowCapacity;

  struct Collect {
    const ShapeTag* tags;
    ShapeTag tag;
    int slot;
    int* next;

    // Codes of fixed shapes are above all slots, so they pass the comparison and sort behind the moving ones.
    CAIRN_HD void operator()(int code) {
      if (code > slot && mayCollide(tag, tags[code & ~kFixedBit])) *next++ = code;
    }
  };

  CAIRN_HD void operator()(int slot) const {
    const int begin = offsets[slot], count = offsets[slot + 1] - begin;
    int* out = shapeB + begin;
    if (count <= rowCapacity) {
      // Codes are all different: each one's place is the number of smaller ones.
      const int* row = pairRows + int64_t(slot) * rowCapacity;
      for (int k = 0; k < count; ++k) {
        const int code = row[k];
        int place = 0;
        for (int other = 0; other < count; ++other) place += int(row[other] < code);
        out[place] = code & ~kFixedBit;
      }
    } else {
      const ShapeBounds<T> own = tree.bounds[slot];
      Collect collect{tags, tags[slot], slot, out};
      const int leafCount = tree.header->leafCount, listed = leafCount + tree.header->unboundedCount;
      for (int i = leafCount; i < listed; ++i) {
        if (reaches(own, tree.bounds[tree.order[i]])) collect(tree.order[i] | kFixedBit);
      }
      visitOverlaps(tree, own, -1, collect);
      heapSort(out, count);
      for (int k = 0; k < count; ++k) out[k] &= ~kFixedBit;
    }
    for (int k = 0; k < count; ++k) shapeA[begin + k] = slot;
  }
};

}  // namespace

// --- launches --------------------------------------------------------------------------------------------------

int partialHeaderCount(Target target) { return target == Target::Cuda ? kHeaderCopiesOnGpu : 1; }
TreeHeader emptyHeader() { return headerOfNothing(); }

template <class T> void boundShapes(Queue& queue, const ShapeRecord<T>* shapes, int shapeSlots, const BodyPose<T>* poses,
                                    const BodyVelocity<T>* velocities, const BodyConstants<T>* constants, T dt, T envelope, ShapeBounds<T>* bounds,
                                    ShapeTag* tags, T* margins, int* pairCounts, TreeHeader* partialHeaders) {
  const bool gpu = queue.target == Target::Cuda;
  const int lanes = gpu ? kBoundsLanesOnGpu : 1, run = gpu ? kBoundsRunOnGpu : kBoundsRunOnCpu;
  const int blocks = (shapeSlots + lanes * run - 1) / (lanes * run);
  forEach(queue, "broad_phase/bounds", int64_t(blocks) * lanes,
          BoundShapes<T>{shapes, poses, velocities, constants, bounds, tags, margins, pairCounts, partialHeaders, shapeSlots, lanes, run,
                         partialHeaderCount(queue.target), dt, envelope},
          kLightGrain / kBoundsRunOnCpu);
}

void reduceHeader(Queue& queue, TreeHeader* partialHeaders, TreeHeader* header) {
  forEach(queue, "broad_phase/header", kHeaderFields, ReduceHeader{partialHeaders, header, partialHeaderCount(queue.target)});
}

template <class T>
void makeTreeKeys(Queue& queue, const ShapeBounds<T>* bounds, int shapeSlots, const TreeHeader* header, uint64_t* keys, int* order) {
  forEach(queue, "broad_phase/keys", shapeSlots, MakeTreeKeys<T>{bounds, header, keys, order});
}

template <class T> void buildTree(Queue& queue, const uint64_t* keys, const int* order, const ShapeBounds<T>* bounds, int shapeSlots, int* arrivals,
                                  TreeNode<T>* nodes, TreeHeader* header) {
  forEach(queue, "broad_phase/tree", &header->leafCount, shapeSlots, BuildTree<T>{keys, order, bounds, arrivals, nodes, header});
}

template <class T> void findPairs(Queue& queue, const TreeView<T>& tree, const ShapeTag* tags, int shapeSlots, int* pairCounts, int* pairRows) {
  forEach(queue, "broad_phase/pairs", &tree.header->leafCount, shapeSlots, FindPairs<T>{tree, tags, pairCounts, pairRows}, kHeavyGrain);
}

template <class T> void findPairsDirectly(Queue& queue, const ShapeBounds<T>* bounds, const ShapeTag* tags, int shapeSlots, int rowCapacity,
                                          int* pairCounts, int* pairRows) {
  forEach(queue, "broad_phase/few_pairs", shapeSlots, FindPairsDirectly<T>{bounds, tags, pairCounts, pairRows, shapeSlots, rowCapacity});
}

template <class T> void writePairs(Queue& queue, const TreeView<T>& tree, const ShapeTag* tags, int shapeSlots, const int* offsets,
                                   const int* pairRows, int rowCapacity, int* shapeA, int* shapeB) {
  forEach(queue, "broad_phase/rows", shapeSlots, WritePairs<T>{tree, tags, offsets, pairRows, shapeA, shapeB, rowCapacity});
}

#define CAIRN_INSTANTIATE_BROAD_PHASE(T)                                                                                                   \
  template void boundShapes(Queue&, const ShapeRecord<T>*, int, const BodyPose<T>*, const BodyVelocity<T>*, const BodyConstants<T>*, T, T, \
                            ShapeBounds<T>*, ShapeTag*, T*, int*, TreeHeader*);                                                            \
  template void makeTreeKeys(Queue&, const ShapeBounds<T>*, int, const TreeHeader*, uint64_t*, int*);                                      \
  template void buildTree(Queue&, const uint64_t*, const int*, const ShapeBounds<T>*, int, int*, TreeNode<T>*, TreeHeader*);               \
  template void findPairs(Queue&, const TreeView<T>&, const ShapeTag*, int, int*, int*);                                                   \
  template void findPairsDirectly(Queue&, const ShapeBounds<T>*, const ShapeTag*, int, int, int*, int*);                                   \
  template void writePairs(Queue&, const TreeView<T>&, const ShapeTag*, int, const int*, const int*, int, int*, int*);
CAIRN_INSTANTIATE_BROAD_PHASE(float)
CAIRN_INSTANTIATE_BROAD_PHASE(double)

}  // namespace cairn
