// Ray casts: one item a ray, nearest hit.
//
// In: the tree of the current poses, rays with unit directions. Out: shape, distance, normal.
//
// The nearer child is entered first, and bounds that begin behind the best hit so far are passed over (Ericson, "Real-Time Collision Detection",
// 2005, section 6.3.2).
//
// Deterministic: of shapes hit at the same distance the one in the smallest slot counts, so the answer does not depend on the shape of the tree.
#include "kernels/collide/ray_cast.hpp"

#include "kernels/collide/collide_ray.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn {
namespace {

template <class T> struct CastRay {
  TreeView<T> tree;
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  const RayRecord<T>* rays;
  RayHitRecord<T>* hits;

  // Distance at which the ray enters the bounds; a number beyond `limit` if it misses them or enters later.
  CAIRN_HD static T entry(const RayRecord<T>& ray, Vec3<T> inverse, Vec3<T> low, Vec3<T> high, T limit) {
    T near = T(0), far = limit;
    for (int axis = 0; axis < 3; ++axis) {
      const T o = component(ray.origin, axis), l = component(low, axis), h = component(high, axis);
      if (component(ray.direction, axis) == T(0)) {
        if (o < l || o > h) return T(2e30);
        continue;
      }
      const T a = (l - o) * component(inverse, axis), b = (h - o) * component(inverse, axis);
      near = maxOf(near, minOf(a, b));
      far = minOf(far, maxOf(a, b));
    }
    return near <= far ? near : T(2e30);
  }

  CAIRN_HD void test(const RayRecord<T>& ray, int shape, RayHitRecord<T>& best) const {
    const ShapeRecord<T>& s = shapes[shape];
    const BodyPose<T>& body = poses[s.body];
    const RayImpact<T> impact = rayAgainstShape(ray.origin, ray.direction, s, Pose<T>{body.x, body.q} * s.localPose);
    if (!impact.hit || impact.distance > ray.maxDistance) return;
    if (best.shape < 0 || impact.distance < best.distance || (impact.distance == best.distance && shape < best.shape)) {
      best = {shape, impact.distance, impact.normal};
    }
  }

  CAIRN_HD void operator()(int i) const {
    const RayRecord<T> ray = rays[i];
    RayHitRecord<T> best{-1, T(0), {T(0), T(0), T(0)}};
    const auto reach = [&] { return best.shape < 0 ? ray.maxDistance : best.distance; };
    const Subtree seen = ray.environment < 0 || tree.subtrees == nullptr ? tree.all() : tree.subtrees[ray.environment];
    for (int k = seen.firstHalfSpace; k < seen.endOfHalfSpaces; ++k) test(ray, tree.order[k], best);

    const Vec3<T> inverse{T(1) / ray.direction.x, T(1) / ray.direction.y, T(1) / ray.direction.z};
    int stack[kMaxTreeDepth + kMaxEnvironmentBits];
    int depth = 0;
    int code = seen.root;
    if (code == kNoRoot) {
      hits[i] = best;
      return;
    }
    for (;;) {
      if (code < 0) {
        test(ray, ~code & ~kFixedBit, best);
      } else {
        const TreeNode<T>& node = tree.nodes[code & ~kFixedBit];
        const T left = entry(ray, inverse, node.lowLeft, node.highLeft, reach());
        const T right = entry(ray, inverse, node.lowRight, node.highRight, reach());
        const bool enterLeft = left <= reach(), enterRight = right <= reach();
        if (enterLeft || enterRight) {
          const bool leftFirst = enterLeft && (!enterRight || left <= right);
          if (enterLeft && enterRight) stack[depth++] = leftFirst ? node.right : node.left;
          code = leftFirst ? node.left : node.right;
          continue;
        }
      }
      if (depth == 0) break;
      code = stack[--depth];
    }
    hits[i] = best;
  }
};

}  // namespace

template <class T> void castRays(Queue& queue, const TreeView<T>& tree, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                 const RayRecord<T>* rays, int count, RayHitRecord<T>* hits) {
  forEach(queue, "ray_cast/rays", count, CastRay<T>{tree, shapes, poses, rays, hits}, kHeavyGrain);
}

template void castRays(Queue&, const TreeView<float>&, const ShapeRecord<float>*, const BodyPose<float>*, const RayRecord<float>*, int,
                       RayHitRecord<float>*);
template void castRays(Queue&, const TreeView<double>&, const ShapeRecord<double>*, const BodyPose<double>*, const RayRecord<double>*, int,
                       RayHitRecord<double>*);

}  // namespace cairn
