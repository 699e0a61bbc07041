// Ray casts: one item a ray, its nearest hit or all of them.
//
// In: the tree of the current poses, rays with unit directions. Out: shape, distance, normal. The walk, and why the answer is deterministic:
// tree_queries.hpp; a ray against a shape: collide_ray.hpp, collide_ray_mesh.hpp. On the CPU rays go in packs: ray_packs_cpu.cpp.
#include "kernels/collide/ray_cast.hpp"

#include "kernels/collide/collide_ray_mesh.hpp"
#include "kernels/collide/ray_packs.hpp"
#include "kernels/collide/tree_queries.hpp"
#include "kernels/runtime/launch.hpp"

CAIRN_CPU_PASSES(castPass)

namespace cairn::v0 {
namespace {

template <class T> struct RayItems;

template <class T> struct RayQuery : RayRecord<T> {
  CAIRN_HD WayOfBox<T> way() const { return {this->origin, this->direction, {T(0), T(0), T(0)}}; }
  CAIRN_HD bool meets(const RayItems<T>& items, int shape, RayHitRecord<T>& hit) const;
};

template <class T> struct RayItems {
  using Wide = T;
  using Hit = RayHitRecord<T>;
  using Query = RayQuery<T>;
  TreeView<T> tree;
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  const RayRecord<T>* rays;
  GeometryView geometry;

  CAIRN_HD Query ask(int i) const { return {rays[i]}; }
};

template <class T> CAIRN_HD bool RayQuery<T>::meets(const RayItems<T>& items, int shape, RayHitRecord<T>& hit) const {
  const ShapeRecord<T>& s = items.shapes[shape];
  const BodyPose<T>& body = items.poses[s.body];
  const Pose<T> pose = Pose<T>{body.x, body.q} * s.localPose;
  RayImpact<T> impact;
  if (isMesh(s.type)) {
    const MeshShape mesh = items.geometry.meshes.of(s.type);
    const Vec3<T> from = inverseTransform(pose, this->origin);
    if (isInside(mesh, items.geometry.meshes.solids, convert<double>(from))) {
      impact = {true, T(0), -this->direction};
    } else {
      impact = rayAgainstMesh(from, inverseRotate(pose.q, this->direction), mesh);
      impact.normal = rotate(pose.q, impact.normal);
    }
  } else {
    impact = rayAgainstShape(this->origin, this->direction, s, pose, items.geometry.hulls);
  }
  hit.distance = impact.distance;
  hit.normal = impact.normal;
  return impact.hit;
}

template <class T> using FindNearestOfRays = FindNearest<RayItems<T>>;

// What packs of rays leave to single ones.
template <class T> void findOneByOne(const void* find, int64_t begin, int64_t end) {
  runItems(*static_cast<const FindNearestOfRays<T>*>(find), begin, end);
}
template <class T> bool meetsByItself(const void* find, int ray, int shape, void* into) {
  const RayItems<T>& items = static_cast<const FindNearestOfRays<T>*>(find)->items;
  return items.ask(ray).meets(items, shape, *static_cast<RayHitRecord<T>*>(into));
}

template <class T> RayItems<T> itemsOf(const CastBodies<T>& bodies, const RayRecord<T>* rays) {
  return {bodies.tree, bodies.shapes, bodies.poses, rays, bodies.geometry};
}

}  // namespace

template <class T> void castRays(Queue& queue, const CastBodies<T>& bodies, const RayRecord<T>* rays, int count, RayHitRecord<T>* hits) {
  const FindNearestOfRays<T> find{itemsOf(bodies, rays), hits};
  if (queue.target == Target::Cpu && count > 0) {
    queue.label = "ray_cast/rays";
    return runOnCpu<CastPasses>(castPassHere, *queue.team, CastInPacks<T>{bodies, rays, count, hits, &find, findOneByOne<T>, meetsByItself<T>});
  }
  forEach(queue, "ray_cast/rays", count, find, kHeavyGrain);
}

template <class T>
void castRaysAll(Queue& queue, const CastBodies<T>& bodies, const RayRecord<T>* rays, int count, const HitRooms<RayHitRecord<T>>& rooms) {
  const FindEach<RayItems<T>> find{itemsOf(bodies, rays), rooms.offsets, rooms.counts, rooms.hits};
  forEach(queue, "ray_cast/all", count, find, kHeavyGrain);
}

#define CAIRN_INSTANTIATE(T)                                                                        \
  template void castRays(Queue&, const CastBodies<T>&, const RayRecord<T>*, int, RayHitRecord<T>*); \
  template void castRaysAll(Queue&, const CastBodies<T>&, const RayRecord<T>*, int, const HitRooms<RayHitRecord<T>>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
