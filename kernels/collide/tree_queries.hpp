// Queries against the broad phase's tree: the walk along a way, and what is done with what it meets. Rays (ray_cast.cu) and shapes (shape_cast.cu)
// are its users.
//
// The nearer child is entered first, and bounds that begin behind the best hit so far are passed over (Ericson, "Real-Time Collision Detection",
// 2005, section 6.3.2).
//
// Deterministic: of shapes met at the same distance the one in the smallest slot is the nearest, and of all hits the order is made afterwards, so
// that no answer depends on the shape of the tree.
#pragma once

#include "kernels/collide/broad_phase_walk.hpp"
#include "kernels/collide/query_records.hpp"

namespace cairn::v0 {

// Whether a query sees a shape.
template <class T> CAIRN_HD inline bool sees(const QueryTag& query, const ShapeRecord<T>& shape) {
  if (shape.body < 0 || shape.body == query.tag.body) return false;
  return query.filtered == 0 || mayCollide(query.tag, {shape.body, shape.category, shape.mask, shape.group});
}

// A box that is moved along a line; the direction is a unit vector or zero.
template <class W> struct WayOfBox { Vec3<W> origin, direction, extent; };

// Distance at which the box meets the bounds; a number beyond `limit` if it misses them or meets them later.
template <class W> CAIRN_HD inline W entryInto(const WayOfBox<W>& way, Vec3<W> inverse, Vec3<W> low, Vec3<W> high, W limit) {
  W near = W(0), far = limit;
  for (int axis = 0; axis < 3; ++axis) {
    const W o = component(way.origin, axis), l = component(low, axis) - component(way.extent, axis),
            h = component(high, axis) + component(way.extent, axis);
    if (component(way.direction, axis) == W(0)) {
      if (o < l || o > h) return W(2e30);
      continue;
    }
    const W a = (l - o) * component(inverse, axis), b = (h - o) * component(inverse, axis);
    near = maxOf(near, minOf(a, b));
    far = minOf(far, maxOf(a, b));
  }
  return near <= far ? near : W(2e30);
}

// visitor.test(slot) for what lies under a leaf that the way enters.
template <class W, class T, class Visitor>
CAIRN_HD inline void testMembers(const TreeView<T>& tree, int slot, const WayOfBox<W>& way, Vec3<W> inverse, Visitor& visitor) {
  const int end = tree.endOf(slot);
  if (end == slot + 1) return visitor.test(slot);
  for (int member = slot; member < end; ++member) {
    const ShapeBounds<T>& bounds = tree.bounds[member];
    const W reach = visitor.reach();
    if (entryInto(way, inverse, convert<W>(bounds.low), convert<W>(bounds.high), reach) <= reach) visitor.test(member);
  }
}

// visitor.test(slot) for all half-spaces of an environment (-1: of all), and for its shapes whose bounds the way meets within visitor.reach().
template <class W, class T, class Visitor>
CAIRN_HD inline void walkAlong(const TreeView<T>& tree, int environment, const WayOfBox<W>& way, Visitor& visitor) {
  const Subtree seen = environment < 0 || tree.subtrees == nullptr ? tree.all() : tree.subtrees[environment];
  for (int k = seen.firstHalfSpace; k < seen.endOfHalfSpaces; ++k) visitor.test(tree.order[k]);

  const Vec3<W> inverse{W(1) / way.direction.x, W(1) / way.direction.y, W(1) / way.direction.z};
  int stack[kMaxTreeDepth + kMaxEnvironmentBits];
  int depth = 0;
  int code = seen.root;
  if (code == kNoRoot) return;
  for (;;) {
    if (code < 0) {
      testMembers(tree, ~code & ~kFixedBit, way, inverse, visitor);
    } else {
      const TreeNode<T>& node = tree.nodes[code & ~kFixedBit];
      const W reach = visitor.reach();
      const W left = entryInto(way, inverse, convert<W>(node.lowLeft), convert<W>(node.highLeft), reach);
      const W right = entryInto(way, inverse, convert<W>(node.lowRight), convert<W>(node.highRight), reach);
      const bool enterLeft = left <= reach, enterRight = right <= reach;
      if (enterLeft || enterRight) {
        const bool leftFirst = enterLeft && (!enterRight || left <= right);
        if (enterLeft && enterRight) stack[depth++] = leftFirst ? node.right : node.left;
        code = leftFirst ? node.left : node.right;
        continue;
      }
    }
    if (depth == 0) return;
    code = stack[--depth];
  }
}

// A kind of query: `Items` has the fields tree and shapes, the types Hit (with shape and distance) and Wide (what its walk computes in), and
// `ask(i)`: item i with way(), maxDistance, tag, and meets(shape, hit), which fills all of the hit but its shape.

template <class Items, class Query> struct NearestHit {
  using Hit = typename Items::Hit;
  const Items& items;
  const Query& query;
  Hit best;

  CAIRN_HD typename Items::Wide reach() const { return best.shape < 0 ? query.maxDistance : best.distance; }
  CAIRN_HD void test(int shape) {
    Hit hit{};
    if (!sees(query.tag, items.shapes[shape]) || !query.meets(items, shape, hit) || hit.distance > query.maxDistance) return;
    if (best.shape >= 0 && !(hit.distance < best.distance || (hit.distance == best.distance && shape < best.shape))) return;
    best = hit;
    best.shape = shape;
  }
};

template <class Items, class Query> struct EachHit {
  using Hit = typename Items::Hit;
  const Items& items;
  const Query& query;
  Hit* into;  // null: they are counted alone
  int count;

  CAIRN_HD typename Items::Wide reach() const { return query.maxDistance; }
  CAIRN_HD void test(int shape) {
    Hit hit{};
    if (!sees(query.tag, items.shapes[shape]) || !query.meets(items, shape, hit) || hit.distance > query.maxDistance) return;
    if (into != nullptr) {
      into[count] = hit;
      into[count].shape = shape;
    }
    ++count;
  }
};

template <class Items> struct FindNearest {
  Items items;
  typename Items::Hit* hits;

  CAIRN_HD void operator()(int i) const {
    const auto query = items.ask(i);
    NearestHit<Items, typename Items::Query> visitor{items, query, {}};
    visitor.best.shape = -1;
    walkAlong(items.tree, query.tag.environment, query.way(), visitor);
    hits[i] = visitor.best;
  }
};

template <class Items> struct FindEach {
  Items items;
  const int* offsets;  // null: counts are written
  int* counts;
  typename Items::Hit* hits;

  CAIRN_HD void operator()(int i) const {
    const auto query = items.ask(i);
    EachHit<Items, typename Items::Query> visitor{items, query, offsets == nullptr ? nullptr : hits + offsets[i], 0};
    walkAlong(items.tree, query.tag.environment, query.way(), visitor);
    if (offsets == nullptr) counts[i] = visitor.count;
  }
};

}  // namespace cairn::v0
