// Meshes among the shapes of a World: what time_of_impact.hpp asks of them, how far a convex shape is from one, and when one that is cast meets it.
#pragma once

#include "kernels/collide/collide_solids.hpp"
#include "kernels/collide/convex_distance.hpp"
#include "kernels/collide/solid_impact.hpp"
#include "kernels/state/geometry_view.hpp"

namespace cairn::v0 {

// --- distances --------------------------------------------------------------------------------------------------

namespace mesh {

CAIRN_HD inline ConvexShape inFrameOf(const Pose<double>& frame, const ConvexShape& shape) {
  ConvexShape out = shape;
  out.pose = {inverseTransform(frame, shape.pose.p), normalized(conjugate(frame.q) * shape.pose.q)};
  return out;
}

// visit(triangle as a convex shape) for those that the bounds meet, from the side on which the shape's middle is; of solids from outside. The bounds
// may shrink meanwhile. `misses` says of nodes and triangles that they are out of other bounds.
template <class Misses, class Visit>
CAIRN_HD inline void forFacetsIn(const MeshShape& shape, const Box& box, Vec middle, const Misses& misses, const Visit& visit) {
  const auto isOut = [&](const BoxNode& node) { return !meets(node, box) || misses(node); };
  forItems(shape.nodes, shape.nodeCount, isOut, [&](int triangle) {
    Facet facet;
    const bool met = shape.solid == kNoSolid ? facetOf(shape, triangle, middle, facet) : solid::facetFrom(shape, triangle, middle, facet);
    if (!met || !overlaps(facet, box) || misses(facet)) return;
    const FacetHull own(facet, 0);
    const HullView view = own.view();
    visit(ConvexShape{kHull, {1, 1, 1}, identityPose<double>(), &view});
  });
}

// The corner of a mesh that is lowest along n.
CAIRN_HD inline Vec lowestCorner(const MeshShape& shape, Vec n) {
  Vec lowest = shape.corner(0, 0);
  const auto isOut = [&](const BoxNode& node) {
    const auto least = [&](int axis, double along) { return along * (along > 0 ? double(node.low[axis]) : double(node.high[axis])); };
    return least(0, n.x) + least(1, n.y) + least(2, n.z) >= dot(n, lowest);
  };
  forItems(shape.nodes, shape.nodeCount, isOut, [&](int triangle) {
    for (int k = 0; k < 3; ++k) {
      const Vec corner = shape.corner(triangle, k);
      if (dot(n, corner) < dot(n, lowest)) lowest = corner;
    }
  });
  return lowest;
}

}  // namespace mesh

// How far a convex shape is from a mesh, within a limit [m], as gapBetween() says of convex shapes: the gap to the nearest triangle, or one that is
// not positive where it overlaps one. Not known, with a gap of kAnyGap, if none is within the limit. Positions are relative to a point near the
// shape.
CAIRN_HD inline ConvexGap gapToMesh(const ConvexShape& a, const PlacedShape<double>& mesh, const MeshView& meshes, double limit) {
  const ConvexShape local = mesh::inFrameOf(mesh.pose, a);
  const MeshShape& shape = meshes.of(mesh.type);
  ConvexGap best{kAnyGap, false, {0, 0, 0}, {0, 0, 0}};
  solid::FlatSide side;
  if (shape.solid != kNoSolid && solid::WideFace{{a.type, a.size, local.pose}, solid::ballAround(shape.nodes[0])}.find(a.hulls, side)) {
    const Vec3<double> lowest = mesh::lowestCorner(shape, side.normal);
    const double gap = dot(side.normal, lowest) - side.offset;
    if (gap <= limit) best = {gap, true, rotate(mesh.pose.q, side.normal), transform(mesh.pose, lowest)};
    return best;
  }
  const mesh::Box own = mesh::boundsOf(local, 0);
  mesh::Box box{own.low - Vec3<double>{limit, limit, limit}, own.high + Vec3<double>{limit, limit, limit}};
  mesh::OwnBounds along({local.type, local.size, local.pose}, local.hulls, limit);
  mesh::forFacetsIn(
      shape, box, local.pose.p, [&](const auto& part) { return along.misses(part); },
      [&](const ConvexShape& facet) {
        if (best.gap <= 0) return;
        const ConvexGap gap = gapBetween(local, facet, minOf(best.gap, limit));
        if (!(gap.gap < best.gap) || gap.gap > limit) return;
        best = gap;
        const double within = maxOf(best.gap, 0.0);
        along.setMargin(within);
        box = {own.low - Vec3<double>{within, within, within}, own.high + Vec3<double>{within, within, within}};
      });
  if (best.known) {
    best.normal = rotate(mesh.pose.q, best.normal);
    best.onB = transform(mesh.pose, best.onB);
  }
  return best;
}

// --- contacts ---------------------------------------------------------------------------------------------------

// Of two shapes of which one is a mesh the manifold with the deepest point; without points where there is none within the margin. Solids have the
// nearest place alone while they are apart.
CAIRN_HD inline void meetMesh(const PlacedShape<double>& a, const PlacedShape<double>& b, const GeometryView& geometry, double margin,
                              LocalManifold<double>& out) {
  MeshContacts found;
  found.count = 0;
  out.pointCount = 0;
  const bool swapped = isMesh(a.type);
  const PlacedShape<double>& convex = swapped ? b : a;
  const PlacedShape<double>& mesh = swapped ? a : b;
  const bool apart = !isMesh(convex.type) && convex.type != kHalfSpace && geometry.meshes.of(mesh.type).solid != kNoSolid;
  ConvexGap gap{0, false, {0, 0, 0}, {0, 0, 0}};
  if (apart) gap = gapToMesh(convexShape(convex, &geometry.hulls), mesh, geometry.meshes, margin);
  if (gap.gap > margin) return;
  if (!gap.known || gap.gap <= kAbout * mesh.size.x) collideMeshes(a, b, geometry, margin, found, Which::Nearest);
  if (found.count > 0) {
    out = found.manifolds[0];
  } else if (gap.known) {
    out.normal = swapped ? -gap.normal : gap.normal;
    addPoint(out, gap.onB - (0.5 * gap.gap) * gap.normal, gap.gap, 0u);
  }
}

// Likewise that of the nearest normal, which is a unit vector from A to B: of a contact that is found again. Returns the deepest separation of all
// [m]; kAnyGap without any.
CAIRN_HD inline double meetMeshAlong(const PlacedShape<double>& a, const PlacedShape<double>& b, const GeometryView& geometry, double margin,
                                     Vec3<double> normal, LocalManifold<double>& out) {
  MeshContacts found;
  collideMeshes(a, b, geometry, margin, found);
  out.pointCount = 0;
  double most = 0;
  for (int m = 0; m < found.count; ++m) {
    const double along = dot(found.manifolds[m].normal, normal);
    if (along > most) most = along, out = found.manifolds[m];
  }
  return found.count > 0 ? deepestOf(found.manifolds[0]) : kAnyGap;
}

// What time_of_impact.hpp asks of shapes where there are meshes among them.
struct MeshShapes {
  GeometryView geometry;

  CAIRN_HD AllShapes convex() const { return AllShapes{geometry.hulls}; }

  // One body a kernel, or compilers take minutes.
  template <class T> [[gnu::noinline]] CAIRN_HD void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, T margin, LocalManifold<T>& out) const {
    if (!isMesh(a.type) && !isMesh(b.type)) return convex().meet(a, b, margin, out);
    LocalManifold<double> found;
    meetMesh(inDouble(a), inDouble(b), geometry, double(margin), found);
    fromDouble(found, out);
  }
  // Not of meshes, which gapAlong() below knows.
  template <class T> CAIRN_HD T reach(const PlacedShape<T>& shape, Vec3<T> n) const { return convex().reach(shape, n); }
  template <class T> CAIRN_HD T radius(const ShapeRecord<T>& shape, Quat<T> body, Vec3<T> normal, Vec3<T> arm) const {
    return isMesh(shape.type) ? T(0) : convex().radius(shape, body, normal, arm);
  }
};

namespace mesh {

// How far triangles reach along n, in the mesh's frame, of those that meet the bounds.
CAIRN_HD inline double reachWithin(const MeshShape& shape, const Box& box, Vec n) {
  double most = -kAnyGap;
  const auto isOut = [&](const BoxNode& node) {
    const auto furthest = [&](int axis, double along) { return along * (along > 0 ? double(node.high[axis]) : double(node.low[axis])); };
    return !meets(node, box) || furthest(0, n.x) + furthest(1, n.y) + furthest(2, n.z) <= most;
  };
  forItems(shape.nodes, shape.nodeCount, isOut, [&](int triangle) {
    for (int k = 0; k < 3; ++k) most = maxOf(most, dot(n, shape.corner(triangle, k)));
  });
  return most;
}

}  // namespace mesh

// Of two meshes, likewise, each as far as it lies near the other. n is a unit vector from A to B.
CAIRN_HD inline double gapOfMeshes(const PlacedShape<double>& a, const PlacedShape<double>& b, const MeshView& meshes, Vec3<double> n, double way) {
  const MeshShape shapes[2] = {meshes.of(a.type), meshes.of(b.type)};
  const PlacedShape<double>* const placed[2] = {&a, &b};
  double gap = dot(n, b.pose.p - a.pose.p);
  for (int k = 0; k < 2; ++k) {
    const solid::Ball around = solid::ballAround(shapes[1 - k].nodes[0]);
    const Pose<double>& own = placed[k]->pose;
    const Vec3<double> middle = inverseTransform(own, transform(placed[1 - k]->pose, around.middle));
    gap -= mesh::reachWithin(shapes[k], solid::boxAround(middle, around.radius + way), inverseRotate(own.q, k == 0 ? n : -n));
  }
  return gap;
}

// As the function of all shapes. A mesh is not convex: along n it counts as far as it lies within the way that the other shape may still go.
template <class T>
[[gnu::noinline]] CAIRN_HD inline T gapAlong(const MeshShapes& shapes, const PlacedShape<T>& a, const PlacedShape<T>& b, Vec3<T> n, T way) {
  if (!isMesh(a.type) && !isMesh(b.type)) return gapAlong(shapes.convex(), a, b, n, way);
  if (isMesh(a.type) && isMesh(b.type)) return T(gapOfMeshes(inDouble(a), inDouble(b), shapes.geometry.meshes, convert<double>(n), double(way)));
  const bool swapped = isMesh(a.type);
  const PlacedShape<double> convex = inDouble(swapped ? b : a), mesh = inDouble(swapped ? a : b);
  const Vec3<double> towards = swapped ? -convert<double>(n) : convert<double>(n);
  const PlacedShape<double> local = mesh::inFrameOf(mesh.pose, convex);
  const double around = mesh::sizesOf(local, shapes.geometry.hulls).outer + double(way);
  const mesh::Box box{local.pose.p - Vec3<double>{around, around, around}, local.pose.p + Vec3<double>{around, around, around}};
  const Vec3<double> out = -inverseRotate(mesh.pose.q, towards);
  const double own = double(shapes.convex().reach(convex, towards));
  return T(dot(out, local.pose.p) - own - mesh::reachWithin(shapes.geometry.meshes.of(mesh.type), box, out));
}

// Over a part of the way only that much of the mesh counts: past a floor that a wall stands on further on.
template <class T>
CAIRN_HD inline T timeNearby(const MeshShapes& shapes, const PlacedShape<T>& a, const PlacedShape<T>& b, const Approach<T>& approach) {
  T best = T(0), way = approach.way;
  for (int k = 0; k < 3; ++k) {
    way *= T(0.25);
    const T room = gapAlong(shapes, a, b, approach.n, way) - approach.goal;
    if (!(room > T(0))) continue;
    const T time = way / approach.speed;
    best = maxOf(best, approach.closing * time > room ? room / approach.closing : time);
  }
  return best;
}

// What two come towards each other at most [m].
template <class T> CAIRN_HD inline T speedOf(const MovingShape<T>& a, const MovingShape<T>& b) {
  return length(a.path.motion - b.path.motion) + a.arm * length(a.path.turn) + b.arm * length(b.path.turn);
}
template <class T> CAIRN_HD inline MovingShape<double> inDouble(const MovingShape<T>& shape) {
  const BodyPath<T>& path = shape.path;
  return {shape.type,
          convert<double>(shape.size),
          convert<double>(shape.localPose),
          double(shape.arm),
          {convert<double>(path.start), convert<double>(path.motion), convert<double>(path.q), convert<double>(path.turn)}};
}

// Solids at the depth at which they are held: whether they end less deep, on the same side. They would be held in every step otherwise.
template <class T> CAIRN_HD inline bool comesOut(const MovingShape<T>& a, const MovingShape<T>& b, T speed, const LocalManifold<T>& start, T depth,
                                                 const MeshShapes& shapes) {
  LocalManifold<T> end;
  shapes.meet(a.at(T(1)), b.at(T(1)), T(2) * speed, end);
  return start.pointCount > 0 && end.pointCount > 0 && dot(end.normal, start.normal) > T(0) && deepestOf(end) > depth;
}

// Of two solids (solid_impact.hpp), with the meaning of timeOfImpact().
template <class T> [[gnu::noinline]] CAIRN_HD inline bool knowsImpact(const MeshShapes& shapes, const MovingShape<T>& a, const MovingShape<T>& b,
                                                                      const ImpactRule<T>& rule, Impact<T>& impact) {
  const MeshView& meshes = shapes.geometry.meshes;
  if (isSurface(a.type, a.size) || isSurface(b.type, b.size)) return false;
  const solid::MovingSolids pair{inDouble(a), inDouble(b), solid::solidOf(a.type, meshes), solid::solidOf(b.type, meshes)};
  const bool limited = rule.limit > rule.depth;
  const double passing = (limited ? solid::kPassingUnseen : solid::kDipUnseen) * minOf(pair.a.size.x, pair.b.size.x);
  solid::SearchOnWay search{-double(rule.depth), double(rule.tolerance), passing, limited, double(rule.limit)};
  solid::runHere(solid::SearchPass{pair, search}, meshes.byWarp);
  impact.atStart = search.any;
  if (search.any && !limited) {
    impact.time = T(1);
    return true;
  }
  if (search.isThere()) {
    const T speed = speedOf(a, b);
    shapes.meet(a.at(T(0)), b.at(T(0)), maxOf(speed, rule.tolerance), impact.manifold);
    impact.met = search.deepest <= search.goal ? impact.manifold.pointCount > 0 && changesSides(a, b, speed, impact.manifold, shapes)
                                               : !comesOut(a, b, speed, impact.manifold, T(search.deepest), shapes);
    impact.time = impact.met ? T(0) : T(1);
    return true;
  }
  impact.met = search.met;
  impact.time = T(search.time);
  if (!search.met || rule.timeAlone) return true;
  shapes.meet(a.at(impact.time), b.at(impact.time), speedOf(a, b) + rule.tolerance, impact.manifold);
  impact.met = impact.manifold.pointCount > 0;
  return true;
}

// For kernels in which all threads of a warp may go through a pair of solids together.
CAIRN_HD inline bool hasSolids(const MeshShapes& shapes) { return shapes.geometry.meshes.solids.any(); }
CAIRN_HD inline MeshShapes byWarp(MeshShapes shapes) {
  shapes.geometry.meshes.byWarp = true;
  return shapes;
}

// Calls act with what stands for the shapes of a World: those with plain shapes alone have kernels of their own. A device's compiler goes through all
// functions anew for each kernel that calls them, so all others share one.
template <class Act> void withShapes(const GeometryView& geometry, const Act& act) {
  if (geometry.meshes.any() || geometry.hulls.any() || geometry.revolved) {
    act(MeshShapes{geometry});
  } else {
    act(PlainShapes{});
  }
}

// --- casts ----------------------------------------------------------------------------------------------------

// As castConvex() (convex_distance.hpp), against a mesh: the first triangle that the shape meets. One-sided meshes are met by shapes whose middle
// begins outside of the triangle. Solids are met at the start by what begins with its middle in them.
CAIRN_HD inline ConvexHit castOnMesh(const ConvexShape& a, Vec3<double> direction, double maxDistance, double touch, const PlacedShape<double>& mesh,
                                     const MeshView& meshes) {
  const ConvexShape local = mesh::inFrameOf(mesh.pose, a);
  const Vec3<double> along = inverseRotate(mesh.pose.q, direction);
  const mesh::Box own = mesh::boundsOf(local, 2 * touch);
  ConvexHit best{false, maxDistance, a.pose.p, -direction};
  const MeshShape shape = meshes.of(mesh.type);
  if (isInside(shape, meshes.solids, local.pose.p)) return {true, 0, a.pose.p, -direction};
  const auto wayTo = [&](double distance) {
    return mesh::Box{minOf(own.low, own.low + distance * along), maxOf(own.high, own.high + distance * along)};
  };
  mesh::Box box = wayTo(minOf(maxDistance, kAnyGap));
  mesh::forFacetsIn(
      shape, box, local.pose.p, [](const auto&) { return false; },
      [&](const ConvexShape& facet) {
        const ConvexHit hit = castConvex(local, along, best.distance, touch, facet);
        if (!hit.hit || hit.distance > best.distance || (best.hit && hit.distance == best.distance)) return;
        best = {true, hit.distance, transform(mesh.pose, hit.point), rotate(mesh.pose.q, hit.normal)};
        box = wayTo(best.distance);
      });
  return best;
}

}  // namespace cairn::v0
