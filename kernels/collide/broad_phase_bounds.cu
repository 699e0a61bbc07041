// Broad phase, first part: bounds of shapes, and where each lies along a Morton curve.
//
// In: shapes, the poses and velocities of their bodies. Out: a margin, bounds and a sort key for each shape; a header with the extent of the scene.
//
// A margin is half the envelope and what the shape can move within the step, the latter at most half the shape's smallest extent: a ball that crosses
// the scene in a step would otherwise be in contact with everything on its way. A shape that moves further than that is fast: its bounds cover its
// whole way, and its contacts are found along it (swept_pairs.cu).
//
// Keys are the centres' positions along the curve. Shapes that are much larger than the typical one get a size class in front of the key (after
// Vinkler, Bittner and Havran, "Extended Morton Codes", HPG 2017), so that a ground box hangs beside the tree of the small ones instead of inflating
// a path through it. Half-spaces have no bounds; each moving shape tests them all.
//
// Deterministic: the header is reduced with integer minimum, maximum and sum, for which floats become integers that sort alike.
//
// Memory: 32 bytes of bounds a shape in float, 16 of tags, 4 of margin, 12 of key and place.
#include "kernels/collide/broad_phase_bounds.hpp"

#include "kernels/collide/broad_phase_header.hpp"
#include "kernels/runtime/launch.hpp"
#include "kernels/state/finite.hpp"

namespace cairn::v0 {
namespace {

// Sizes from 2^4 and 2^7 times the typical one on are classes of their own.
constexpr int kLargeOctaves = 4, kHugeOctaves = 7;

// --- bounds ----------------------------------------------------------------------------------------------------

template <class T> struct RoundingOf;
template <> struct RoundingOf<float> { static constexpr float value = 1.2e-7f; };
template <> struct RoundingOf<double> { static constexpr double value = 2.3e-16; };

// What a shape may move within the step before it counts as fast: ordinary contacts are found that far ahead.
template <class T> struct ShapeMargin {
  T size;
  bool fast;
};

template <class T>
CAIRN_HD inline ShapeMargin<T> marginOf(const ShapeRecord<T>& shape, const BodyVelocity<T>& velocity, int flags, T dt, T envelope) {
  const T half = T(0.5) * envelope;
  if ((flags & (kBodyDynamic | kBodyKinematic)) == 0) return {half, false};
  const T travel = dt * (length(velocity.v) + length(velocity.w) * shape.boundingRadius);
  // Of a surface nothing says how far it may move.
  if (isSurface(shape)) return {half + travel, false};
  const T halfExtent = shape.type == kBox || shape.type == kEllipsoid || isRevolved(shape.type)
                           ? minOf(shape.size.x, minOf(shape.size.y, shape.size.z))
                           : shape.size.x;
  return {half + minOf(travel, halfExtent), travel > halfExtent};
}

// The box around a hull's corners: its middle, which is where the hull's centre of mass lies at first, and half its size.
template <class T> CAIRN_HD inline void boxAround(const HullShape& hull, const Mat3<T>& axes, Vec3<T>& middle, Vec3<T>& extent) {
  Vec3<T> low = axes * convert<T>(hull.vertices[0]), high = low;
  for (int k = 1; k < hull.vertexCount; ++k) {
    const Vec3<T> corner = axes * convert<T>(hull.vertices[k]);
    low = minOf(low, corner);
    high = maxOf(high, corner);
  }
  // Corners are rounded by parts of the hull's size, not of the box's.
  const T rounding = T(4) * RoundingOf<T>::value * T(hull.outer);
  middle += T(0.5) * (low + high);
  extent = T(0.5) * (high - low) + Vec3<T>{rounding, rounding, rounding};
}

// The box around a mesh's own box as it is turned.
template <class T> CAIRN_HD inline void boxAround(const MeshShape& mesh, const Mat3<T>& axes, Vec3<T>& middle, Vec3<T>& extent) {
  const BoxNode& root = mesh.nodes[0];
  const Vec3<T> low{T(root.low[0]), T(root.low[1]), T(root.low[2])}, high{T(root.high[0]), T(root.high[1]), T(root.high[2])};
  const Vec3<T> own = T(0.5) * (high - low), centre = T(0.5) * (low + high);
  extent = own.x * absOf(axes.c0) + own.y * absOf(axes.c1) + own.z * absOf(axes.c2);
  // The middle's digits are those of where it lies.
  const T rounding = T(8) * RoundingOf<T>::value * (length(centre) + length(own));
  extent += Vec3<T>{rounding, rounding, rounding};
  middle += axes * centre;
}

// The box around the two rims, or the rim and the apex.
template <class T> CAIRN_HD inline void boxAroundRims(const ShapeRecord<T>& shape, const Mat3<T>& axes, Vec3<T>& middle, Vec3<T>& extent) {
  const Vec3<T> squares = scale(axes.c0, axes.c0) + scale(axes.c2, axes.c2), along = shape.size.y * axes.c1;
  const Vec3<T> rim = shape.size.x * Vec3<T>{squareRoot(squares.x), squareRoot(squares.y), squareRoot(squares.z)};
  if (shape.type == kCylinder) {
    extent = rim + absOf(along);
    return;
  }
  const Vec3<T> low = minOf(along, -along - rim), high = maxOf(along, rim - along);
  middle += T(0.5) * (low + high);
  extent = T(0.5) * (high - low);
}

template <class T>
CAIRN_HD inline ShapeBounds<T> boundsOf(const ShapeRecord<T>& shape, const BodyPose<T>& bodyPose, int flags, T margin, const GeometryView& geometry) {
  const Pose<T> body{bodyPose.x, bodyPose.q};
  const Vec3<T> centre = transform(body, shape.localPose.p);
  ShapeBounds<T> out{};
  out.kind = (flags & kBodyDynamic) != 0 ? kMoving : kFixed;
  // Coordinates carry rounding errors of their own size; a pair must not be lost to them.
  const T slack = T(4) * RoundingOf<T>::value;
  Vec3<T> extent{shape.size.x, shape.size.x, shape.size.x}, middle = centre;
  if (isHull(shape.type)) {
    boxAround(geometry.hulls.of(shape.type), rotationMatrix(body.q * shape.localPose.q), middle, extent);
  } else if (isMesh(shape.type)) {
    boxAround(geometry.meshes.of(shape.type), rotationMatrix(body.q * shape.localPose.q), middle, extent);
  } else if (shape.type != kSphere) {
    const Mat3<T> axes = rotationMatrix(body.q * shape.localPose.q);
    if (shape.type == kBox) {
      extent = shape.size.x * absOf(axes.c0) + shape.size.y * absOf(axes.c1) + shape.size.z * absOf(axes.c2);
    } else if (shape.type == kCapsule) {
      extent += shape.size.y * absOf(axes.c1);
    } else if (shape.type == kEllipsoid) {
      const Vec3<T> x = shape.size.x * axes.c0, y = shape.size.y * axes.c1, z = shape.size.z * axes.c2;
      const Vec3<T> squares = scale(x, x) + scale(y, y) + scale(z, z);
      extent = {squareRoot(squares.x), squareRoot(squares.y), squareRoot(squares.z)};
    } else if (isRevolved(shape.type)) {
      boxAroundRims(shape, axes, middle, extent);
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
  const Vec3<T> reach = grown + slack * (absOf(middle) + grown);
  out.low = middle - reach;
  out.high = middle + reach;
  if (!finite(out.low) || !finite(out.high)) out.kind = kAbsent;
  return out;
}

// All the way that a fast shape goes, and the ball that it turns in.
template <class T> CAIRN_HD inline void coverPath(const ShapeRecord<T>& shape, Vec3<T> centreOfMass, const BodyVelocity<T>& velocity, T dt, T margin,
                                                  ShapeBounds<T>& bounds) {
  const Vec3<T> zero{T(0), T(0), T(0)}, motion = dt * velocity.v;
  if (dt * length(velocity.w) * shape.boundingRadius > margin) {
    const T radius = shape.boundingRadius + margin;
    bounds.low = minOf(bounds.low, centreOfMass - Vec3<T>{radius, radius, radius});
    bounds.high = maxOf(bounds.high, centreOfMass + Vec3<T>{radius, radius, radius});
  }
  // Zero comes first: docs/determinism.md.
  bounds.low += minOf(zero, motion);
  bounds.high += maxOf(motion, zero);
  bounds.fast = 1;
  if (!finite(bounds.low) || !finite(bounds.high)) bounds.kind = kAbsent;
}

template <class T> struct BoundShapes {
  using ForAvx2 = void;

  BroadPhaseInput<T> in;
  BoundsOutput<T> out;
  HeaderCopies headers;

  CAIRN_HD void operator()(int item) const {
    TreeHeader seen = headerOfNothing();
    for (int slot = item * headers.run; slot < (item + 1) * headers.run && slot < in.shapeSlots; ++slot) boundOne(slot, seen);
    headers.add(item, seen);
  }

  CAIRN_HD void boundOne(int slot, TreeHeader& seen) const {
    const ShapeRecord<T>& shape = in.shapes[slot];
    out.pairCounts[slot] = 0;
    ShapeBounds<T> own{};
    T margin = T(0);
    if (shape.body >= 0 && !isSensor(shape)) {
      const int flags = in.constants[shape.body].flags;
      const ShapeMargin<T> grown = marginOf(shape, in.velocities[shape.body], flags, in.dt, in.envelope);
      margin = grown.size;
      own = boundsOf(shape, in.poses[shape.body], flags, margin, in.geometry);
      if (grown.fast && own.kind != kAbsent) {
        coverPath(shape, in.poses[shape.body].x, in.velocities[shape.body], in.dt, margin, own);
        atomicAddInt(out.fastCount, 1);
      }
    }
    if (own.kind == kAbsent) {
      own.low = {T(1), T(1), T(1)};
      own.high = {T(-1), T(-1), T(-1)};
    }
    noteInHeader(own, seen);
    out.bounds[slot] = own;
    out.tags[slot] = {shape.body, shape.category, shape.mask, shape.group};
    out.margins[slot] = margin;
  }
};

struct ReduceHeader {
  TreeHeader* partialHeaders;
  TreeHeader* header;
  int headerCopies;

  // Three fields that are minima, three maxima, four sums.
  CAIRN_HD void operator()(int field) const {
    const int nothing = field < 3 ? 0x7fffffff : (field < 6 ? -0x7fffffff : 0);
    int result = nothing;
    for (int copy = 0; copy < headerCopies; ++copy) {
      const int value = fieldOf(partialHeaders[copy], field);
      result = field < 3 ? minOf(result, value) : (field < 6 ? maxOf(result, value) : result + value);
    }
    // In a loop of its own: beside it each read would wait for the write before it.
    for (int copy = 0; copy < headerCopies; ++copy) fieldOf(partialHeaders[copy], field) = nothing;
    fieldOf(*header, field) = result;
    if (field == 0) header->root = kNoRoot;
  }

  CAIRN_HD static int& fieldOf(TreeHeader& of, int field) {
    if (field < 3) return of.low[field];
    if (field < 6) return of.high[field - 3];
    if (field < 8) return field == 6 ? of.leafCount : of.unboundedCount;
    return field == 8 ? of.lowExponentSum : of.highExponentSum;
  }
};

// --- keys ------------------------------------------------------------------------------------------------------

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
  int axisBits;
  ShapeEnvironments environments;

  CAIRN_HD void operator()(int slot) const {
    order[slot] = slot;
    const uint64_t key = keyOf(bounds[slot]);
    keys[slot] = environments.any() ? keyAmongOthers(slot, bounds[slot].kind, key) : key;
  }

  CAIRN_HD uint64_t keyAmongOthers(int slot, int kind, uint64_t key) const {
    const int shift = 3 * axisBits + 2;
    const auto own = static_cast<uint64_t>(environments.of(slot)), behindAll = static_cast<uint64_t>(environments.count);
    if (kind == kAbsent || kind == kMember) return (behindAll + 1) << shift | static_cast<uint64_t>(kind == kAbsent);
    return kind == kUnbounded ? behindAll << shift | own : own << shift | key;
  }

  CAIRN_HD uint64_t keyOf(const ShapeBounds<T>& own) const {
    const uint64_t behindAll = uint64_t(3) << (3 * axisBits);
    if (own.kind == kAbsent) return behindAll + 2;
    if (own.kind == kMember) return behindAll + 1;
    if (own.kind == kUnbounded) return behindAll;
    const Vec3<float> low{fromOrderedBits(header->low[0]), fromOrderedBits(header->low[1]), fromOrderedBits(header->low[2])};
    const Vec3<float> high{fromOrderedBits(header->high[0]), fromOrderedBits(header->high[1]), fromOrderedBits(header->high[2])};
    const Vec3<float> size = high - low;
    // One scale for all axes: cells are cubes, so a flat scene is split along its length and width first.
    const float largest = maxOf(size.x, maxOf(size.y, size.z));
    const float cells = float(1 << axisBits);
    const float perMetre = largest > 0.0f ? cells / largest : 0.0f;
    const Vec3<float> at = perMetre * (curvePoint(own) - low);
    const int64_t exponentSum = int64_t(header->highExponentSum) * 16 + header->lowExponentSum;
    const int octaves = sizeExponent(own) - int(exponentSum / header->leafCount);
    const uint64_t sizeClass = octaves >= kHugeOctaves ? 2 : (octaves >= kLargeOctaves ? 1 : 0);
    return sizeClass << (3 * axisBits) | spreadBits(cellOf(at.x, cells)) << 2 | spreadBits(cellOf(at.y, cells)) << 1 |
           spreadBits(cellOf(at.z, cells));
  }

  CAIRN_HD static uint64_t cellOf(float at, float cells) { return static_cast<uint64_t>(maxOf(minOf(at, cells - 1.0f), 0.0f)); }
};

}  // namespace

int partialHeaderCount(Target target) { return headerCopies(target, nullptr).count; }
TreeHeader emptyHeader() { return headerOfNothing(); }

template <class T> void boundShapes(Queue& queue, const BroadPhaseInput<T>& in, const BoundsOutput<T>& out) {
  const HeaderCopies headers = headerCopies(queue.target, out.partialHeaders);
  forEach(queue, "broad_phase/bounds", headers.items(in.shapeSlots), BoundShapes<T>{in, out, headers}, kLightGrain / kBoundsRunOnCpu);
}

void reduceHeader(Queue& queue, TreeHeader* partialHeaders, TreeHeader* header) {
  forEach(queue, "broad_phase/header", kHeaderFields, ReduceHeader{partialHeaders, header, partialHeaderCount(queue.target)});
}

template <class T> void makeTreeKeys(Queue& queue, const ShapeBounds<T>* bounds, int shapeSlots, const TreeHeader* header, uint64_t* keys, int* order,
                                     const ShapeEnvironments& environments) {
  forEach(queue, "broad_phase/keys", shapeSlots, MakeTreeKeys<T>{bounds, header, keys, order, environments.axisBits(shapeSlots), environments});
}

#define CAIRN_INSTANTIATE(T)                                                            \
  template void boundShapes(Queue&, const BroadPhaseInput<T>&, const BoundsOutput<T>&); \
  template void makeTreeKeys(Queue&, const ShapeBounds<T>*, int, const TreeHeader*, uint64_t*, int*, const ShapeEnvironments&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
