// Meshes with an inside (solid_view.hpp) against each other, against meshes without one, and against half-spaces: up to kMaxMeshManifolds manifolds
// of four points.
//
// Vertices and edges that stick out are looked at where they may touch, as samples: those of each solid in the field of the other. A mesh without an
// inside has no field; a solid's samples are looked at in their distance from its triangles, and its own vertices in the solid's field. A tree over
// the samples leaves out what is too far away. A sample counts in directions in which its surroundings let it be touched; one that they do not lies
// on a face, whose contact is that of other samples. Points go into a few manifolds at once (collide_mesh_reduce).
//
// All of it is in double whatever the World's precision, + - * / and sqrt in one order.
#pragma once

#include "kernels/collide/solid_passes.hpp"

namespace cairn::v0 {

namespace solid {

// --- half-spaces ---------------------------------------------------------------------------------------------------

// n is the plane's normal in the solid's frame. Into the reduction there.
CAIRN_HD inline void meetHalfSpace(const Solid& solid, Vec n, double offset, double margin, Reduction& out) {
  const auto heightOf = [&](Vec p) { return dot(n, p) - offset; };
  forSamples(
      solid.own.all, [&](Vec middle, double radius) { return heightOf(middle) - radius > margin; },
      [&](int k) {
        const Vec p = solid.own.samples[k].p;
        const double height = heightOf(p);
        if (height <= margin) out.add(n, p - (0.5 * height) * n, height, uint32_t(k));
      });
}

// --- boxes and hulls -----------------------------------------------------------------------------------------------

struct FlatSide {
  Vec normal;  // unit
  double offset;
};

// The face of a box or a hull that stands for all of it where a ball lies over its inside and none of the ball is nearer to another face: floors and
// walls, for what is small beside them. All in the solid's frame. False: there is none.
struct WideFace {
  const PlacedShape<double>& convex;  // in the solid's frame
  Ball ball;

  // `hulls`: of a hull, where it is.
  CAIRN_HD bool find(const HullView* hulls, FlatSide& out) const {
    const Vec from = inverseTransform(convex.pose, ball.middle);
    if (convex.type == kBox) return findOfBox(from, out);
    return isHull(convex.type) && findOfHull(hulls->of(convex.type), from, out);
  }

 private:
  CAIRN_HD bool findOfBox(Vec from, FlatSide& out) const {
    for (int axis = 0; axis < 3; ++axis) {
      const double along = component(from, axis);
      Vec beside = absOf(from) - convex.size;
      if (axis == 0) beside.x = -1e300;
      if (axis == 1) beside.y = -1e300;
      if (axis == 2) beside.z = -1e300;
      // The sides are further than that face for all of the ball, as the one beyond the middle is.
      const double next = maxOf(beside.x, maxOf(beside.y, beside.z)), height = absOf(along) - component(convex.size, axis);
      if (next + ball.radius <= 0 && next - height + 2 * ball.radius <= 0 && absOf(along) >= ball.radius) {
        take(fromFace(Vec{0, 0, 1}, axis, along < 0 ? -1.0 : 1.0), component(convex.size, axis), out);
        return true;
      }
    }
    return false;
  }
  CAIRN_HD bool findOfHull(const HullShape& hull, Vec from, FlatSide& out) const {
    int best = 0, second = -1;
    const auto height = [&](int f) { return dot(hull.faces[f].normal, from) - hull.faces[f].offset; };
    for (int f = 1; f < hull.faceCount; ++f) {
      if (height(f) > height(best)) {
        second = best, best = f;
      } else if (second < 0 || height(f) > height(second)) {
        second = f;
      }
    }
    const double next = height(second);
    if (!(next + ball.radius <= 0 && next - height(best) + 2 * ball.radius <= 0)) return false;
    take(hull.faces[best].normal, hull.faces[best].offset, out);
    return true;
  }
  CAIRN_HD void take(Vec normal, double offset, FlatSide& out) const {
    out.normal = rotate(convex.pose.q, normal);
    out.offset = offset + dot(out.normal, convex.pose.p);
  }
};

// Whether a convex shape, in the mesh's frame, is a box or a hull, and the mesh a solid over the inside of one of its faces.
CAIRN_HD inline bool isOnWideFace(const PlacedShape<double>& convex, int mesh, const GeometryView& geometry, FlatSide& side) {
  if ((convex.type != kBox && !isHull(convex.type)) || geometry.meshes.of(mesh).solid == kNoSolid) return false;
  return WideFace{convex, ballAround(solidOf(mesh, geometry.meshes).own.all.nodes[0])}.find(&geometry.hulls, side);
}

// --- meshes without an inside --------------------------------------------------------------------------------------

// The triangle as it is seen from its front; of a two-sided mesh from where `viewer` is.
CAIRN_HD inline bool facetFrom(const MeshShape& shape, int triangle, Vec viewer, mesh::Facet& out) {
  if (shape.twoSided != 0) return mesh::facetOf(shape, triangle, viewer, out);
  const Vec a = shape.corner(triangle, 0), ab = shape.corner(triangle, 1) - a, ac = shape.corner(triangle, 2) - a;
  return mesh::facetOf(shape, triangle, a + cross(ab, ac), out);
}

// Which way is out at the place of a mesh that is the nearest to another; not a unit vector.
CAIRN_HD inline Vec outwardAt(const mesh::Facet& facet, const mesh::NearestOnFacet& nearest) {
  const MeshShape& shape = *facet.shape;
  if (nearest.corner >= 0) {
    const Vec normal = shape.normals[facet.vertices[nearest.corner]];
    return dot(normal, facet.normal) < 0 && shape.twoSided != 0 ? -normal : normal;
  }
  if (nearest.edge < 0 || facet.across[nearest.edge] == kBorder) return facet.normal;
  // The triangle beyond runs the other way along the edge.
  const Vec from = facet.corners[nearest.edge], along = facet.corners[mesh::Facet::next(nearest.edge)] - from;
  const Vec beyond = shape.vertices[facet.across[nearest.edge]] - from;
  return facet.normal + normalizedOr(cross(beyond, along), Vec{0, 0, 0});
}

// How far a place is from a mesh within a limit, and which way is out of it there.
CAIRN_HD inline Found findOn(const MeshShape& shape, Vec p, Vec viewer, double limit) {
  double best = limit;
  mesh::Facet facet, nearestFacet;
  mesh::NearestOnFacet nearest{{0, 0, 0}, -1, -1};
  bool any = false;
  mesh::Box box = boxAround(p, limit);
  mesh::forTrianglesIn(shape, box, [&](int triangle) {
    if (!facetFrom(shape, triangle, viewer, facet)) return;
    const mesh::NearestOnFacet on = mesh::nearestOn(facet, p);
    const double distance = length(p - on.at);
    if (any ? !(distance < best) : !(distance <= best)) return;
    any = true;
    best = distance;
    nearest = on;
    nearestFacet = facet;
    box = boxAround(p, best);
  });
  if (!any) return {false, 0, {0, 0, 0}};
  const Vec d = p - nearest.at, outward = outwardAt(nearestFacet, nearest);
  const double side = dot(d, outward);
  const bool onFace = nearest.corner < 0 && nearest.edge < 0;
  // Behind and beside an open border there is nothing.
  if (side < 0 && nearest.edge >= 0 && nearestFacet.across[nearest.edge] == kBorder) return {false, 0, {0, 0, 0}};
  const double distance = side < 0 ? -best : best;
  // Closer than this the direction is mostly rounding.
  if (onFace || best <= hull::kClose * nearestFacet.longest) return {true, distance, nearestFacet.normal};
  return {true, distance, (1 / distance) * d};
}

// A solid in the frame of a mesh without an inside.
struct OnSurface {
  const Solid& a;
  const MeshShape& b;
  const hull::Relative& aInB;
  Ball whole;  // around the solid, in the frame of B

  // visit(sample's number, where it is, what is found there) for those within `reach`, which may shrink meanwhile.
  template <class Visit> CAIRN_HD void forSamplesNear(const double& reach, const Visit& visit) const {
    const auto isFar = [&](Vec middle, double radius) {
      const mesh::Box box = boxAround(aInB.point(middle), radius + reach);
      for (int i = 0; i < b.nodeCount;) {
        const BoxNode& node = b.nodes[i];
        const bool meets = mesh::meets(node, box);
        if (meets && node.items != 0) return false;
        i = meets ? i + 1 : node.next;
      }
      return true;
    };
    forSamples(a.own.all, isFar, [&](int k) {
      const Vec p = aInB.point(a.own.samples[k].p);
      const Found found = findOn(b, p, whole.middle, reach);
      if (found.any) visit(k, p, found);
    });
  }
  template <class Visit> CAIRN_HD void forTrianglesNear(double margin, const Visit& visit) const {
    mesh::forTrianglesIn(b, boxAround(whole.middle, whole.radius + margin), [&](int triangle) {
      mesh::Facet facet;
      if (facetFrom(b, triangle, whole.middle, facet)) visit(facet);
    });
  }
};

// visit(place, value of the solid's field) at places of the triangles: at corners, in the middle, and where one comes closest to the solid's middle.
template <class Visit> CAIRN_HD inline void forPlacesInField(const OnSurface& pair, double margin, const Visit& visit) {
  const hull::Relative bInA = pair.aInB.inverse();
  pair.forTrianglesNear(margin, [&](const mesh::Facet& facet) {
    const auto look = [&](Vec p) { visit(p, lookAt(pair.a.own.field, bInA.point(p))); };
    for (int k = 0; k < 3; ++k) look(facet.corners[k]);
    look((1.0 / 3) * (facet.corners[0] + facet.corners[1] + facet.corners[2]));
    look(mesh::nearestOn(facet, pair.whole.middle).at);
  });
}
// How deep the surface is in the solid there; 0: it is not.
CAIRN_HD inline double depthOfSurface(const OnSurface& pair) {
  double lowest = 0;
  forPlacesInField(pair, 0, [&](Vec /*p*/, const FieldValue& value) { lowest = minOf(lowest, value.distance); });
  return lowest;
}

[[gnu::noinline]] CAIRN_HD inline Nearest nearestOnSurface(const OnSurface& pair, double limit) {
  Nearest best{limit, false, {0, 0, 0}, {0, 0, 0}, 0};
  double reach = limit;
  const auto take = [&](Vec p, double distance, Vec normal, double toMiddle, uint32_t feature) {
    if (!(distance < best.distance)) return;
    best = {distance, true, p + (toMiddle * distance) * normal, normal, feature};
    reach = distance > 0 ? distance : limit;
  };
  pair.forSamplesNear(reach, [&](int k, Vec p, const Found& found) { take(p, found.distance, found.normal, -0.5, uint32_t(k) << 1); });
  forPlacesInField(pair, limit, [&](Vec p, const FieldValue& value) {
    if (value.distance < best.distance) take(p, value.distance, -normalizedOr(pair.aInB.axes * value.gradient, Vec{0, -1, 0}), 0.5, 1u);
  });
  return best;
}

// Into the reduction in the frame of the mesh. Where nothing is deep, what is further than the margin is outside, and need not be found.
[[gnu::noinline]] CAIRN_HD inline void meetSurface(const OnSurface& pair, double margin, Reduction& out) {
  const Solid& a = pair.a;
  const hull::Relative bInA = pair.aInB.inverse();
  const double depth = depthOfSurface(pair), reach = depth < -0.5 * margin ? maxOf(margin, pair.whole.radius) : margin;
  pair.forSamplesNear(reach, [&](int k, Vec p, const Found& found) {
    if (found.distance > margin) return;
    const bool allowed = allowsAt(a.mesh, a.own.samples[k], -transposeTimes(pair.aInB.axes, found.normal));
    addOrRefuse(allowed, found.normal, p - (0.5 * found.distance) * found.normal, found.distance, uint32_t(k) << 1, out);
  });
  pair.forTrianglesNear(margin, [&](const mesh::Facet& facet) {
    for (int k = 0; k < 3; ++k) {
      const Found found = findIn(a.own.field, bInA.point(facet.corners[k]), margin);
      if (!found.any) continue;
      const Vec normal = -(pair.aInB.axes * found.normal);
      const bool allowed = facet.allowsAtCorner(k, normal, kAllowed);
      addOrRefuse(allowed, normal, facet.corners[k] + (0.5 * found.distance) * normal, found.distance, uint32_t(facet.vertices[k]) << 1 | 1u, out);
    }
  });
}

}  // namespace solid

// What is asked for: all contacts, or of those with a gap the nearest ones, which are few and found sooner.
enum class Which { All, Nearest };
// Near is what is this part of a solid's thickness away.
constexpr double kAbout = 0.1;
// Another end is what is this part of a solid's radius away from all that carries.
constexpr double kOtherEnd = 0.5;

CAIRN_HD inline mesh::Reduction reductionOver(const solid::Solid& own) {
  const double radius = solid::ballAround(own.own.all.nodes[0]).radius;
  return {rotationMatrix(identityQuat<double>()), {0, 0, 0}, radius, mesh::slopOf({own.inner, radius})};
}

// Where what carries lies about one end of a solid, what touches far from there carries too, in a second manifold: the other end would sink while
// this one is lifted, and the two take turns for ever.
// `touching` has written what carries, and is begun anew.
CAIRN_HD inline void addOtherEnds(const solid::Solid& own, const solid::FlatSide& plane, double radius, mesh::Reduction& touching,
                                  MeshContacts& out) {
  touching.beginAnew();
  touching.carryWhatTouches();
  solid::meetHalfSpace(own, plane.normal, plane.offset, 0, touching);
  MeshContacts found;
  touching.write(0, found);
  if (found.count == 0) return;
  const LocalManifold<double>& carrying = out.manifolds[0];
  LocalManifold<double>& others = out.manifolds[1];
  others.normal = carrying.normal;
  others.pointCount = 0;
  for (int p = 0; p < found.manifolds[0].pointCount; ++p) {
    const LocalPoint<double>& point = found.manifolds[0].points[p];
    double nearest = 1e300;
    for (int k = 0; k < carrying.pointCount; ++k) nearest = minOf(nearest, length(carrying.points[k].position - point.position));
    if (nearest >= kOtherEnd * radius) addPoint(others, point.position, point.separation, point.feature);
  }
  if (others.pointCount > 0) out.count = 2;
}

// The solid is A, the plane in its frame; normals lead from A to what is below the plane.
[[gnu::noinline]] CAIRN_HD inline void collideSolidPlane(const Pose<double>& pose, const solid::Solid& own, const solid::FlatSide& plane,
                                                         double margin, MeshContacts& out) {
  const double radius = solid::ballAround(own.own.all.nodes[0]).radius, slop = mesh::slopOf({own.inner, radius});
  mesh::Reduction reduction = reductionOver(own);
  reduction.carryWhatIsHalfAsDeep();
  solid::meetHalfSpace(own, plane.normal, plane.offset, margin, reduction);
  reduction.write(margin, out);
  if (out.count == 1 && deepestOf(out.manifolds[0]) < -2 * slop) addOtherEnds(own, plane, radius, reduction, out);
  for (int m = 0; m < out.count; ++m) hull::toWorld(pose, out.manifolds[m]);
}

// A solid and a half-space, in the frame that both poses are in.
CAIRN_HD inline void collideSolidHalfSpace(const PlacedShape<double>& a, const PlacedShape<double>& b, const MeshView& meshes, double margin,
                                           MeshContacts& out) {
  const Vec3<double> n = inverseRotate(a.pose.q, rotate(b.pose.q, Vec3<double>{0, 1, 0}));
  collideSolidPlane(a.pose, solid::solidOf(a.type, meshes), {n, dot(n, inverseTransform(a.pose, b.pose.p))}, margin, out);
}

// Of two solids, or one, as A, and a mesh without an inside. Positions in the frame that both poses are in; normals lead from A to B. Contacts with a
// gap up to the margin.
[[gnu::noinline]] CAIRN_HD inline void collideSolid(const PlacedShape<double>& a, const PlacedShape<double>& b, const MeshView& meshes, double margin,
                                                    Which which, MeshContacts& out) {
  const solid::Solid own = solid::solidOf(a.type, meshes);
  const double radius = solid::ballAround(own.own.all.nodes[0]).radius, inner = own.inner, slop = mesh::slopOf({inner, radius});
  const MeshShape other = meshes.of(b.type);
  const hull::Relative aInB = hull::relative(b.pose, a.pose);
  const double otherRadius = solid::ballAround(other.nodes[0]).radius;
  mesh::Reduction reduction(aInB.axes, aInB.origin, minOf(radius, otherRadius), slop, solid::kAlike);
  reduction.carryWhatIsHalfAsDeep();
  // Of the nearest contacts those are wanted that are about as near as the nearest; of what is not that near yet, the nearest alone.
  const double about = kAbout * inner;
  double reach = margin;
  solid::Nearest nearest{margin, false, {0, 0, 0}, {0, 0, 0}, 0};
  const auto isDone = [&](const solid::Nearest& found) {
    nearest = found;
    reach = minOf(margin, maxOf(found.distance, 0.0) + about);
    out.count = 0;
    if (found.any && found.distance > about) solid::writeNearest(found, out);
    return !found.any || found.distance > about;
  };
  bool done = false;
  if (other.solid == kNoSolid) {
    const solid::Ball whole = solid::ballAround(own.own.all.nodes[0]);
    const solid::OnSurface pair{own, other, aInB, {aInB.point(whole.middle), whole.radius}};
    done = which == Which::Nearest && isDone(solid::nearestOnSurface(pair, margin));
    if (!done) solid::meetSurface(pair, reach, reduction);
  } else {
    const solid::Solid second = solid::solidOf(b.type, meshes);
    if (which == Which::Nearest) {
      solid::Nearest found;
      solid::runHere(solid::NearestPass{own, second, aInB, margin, found}, meshes.byWarp);
      done = isDone(found);
    }
    if (!done) solid::runHere(solid::MeetPass{own, second, aInB, reach, reduction}, meshes.byWarp);
  }
  if (!done) {
    reduction.write(margin, out);
    if (out.count == 0 && nearest.any) solid::writeNearest(nearest, out);
  }
  for (int m = 0; m < out.count; ++m) hull::toWorld(b.pose, out.manifolds[m]);
}

// A box or a hull, and a solid mesh that is over the inside of one of its faces, by its samples as over a half-space. False: it is not, or is no
// solid.
[[gnu::noinline]] CAIRN_HD inline bool collideOnWideFace(const PlacedShape<double>& convex, const PlacedShape<double>& mesh,
                                                         const GeometryView& geometry, double margin, MeshContacts& out) {
  solid::FlatSide side;
  if (!solid::isOnWideFace(mesh::inFrameOf(mesh.pose, convex), mesh.type, geometry, side)) return false;
  const solid::Solid own = solid::solidOf(mesh.type, geometry.meshes);
  collideSolidPlane(mesh.pose, own, side, margin, out);
  for (int m = 0; m < out.count; ++m) out.manifolds[m].normal = -out.manifolds[m].normal;
  return true;
}

// Any two shapes of which one at least is a mesh, and if both are or the other is a half-space, a solid. Normals lead from A to B.
CAIRN_HD inline void collideMeshes(const PlacedShape<double>& a, const PlacedShape<double>& b, const GeometryView& geometry, double margin,
                                   MeshContacts& out, Which which = Which::All) {
  const bool bothMeshes = isMesh(a.type) && isMesh(b.type), plane = b.type == kHalfSpace || a.type == kHalfSpace;
  const auto isSolid = [&](int type) { return isMesh(type) && geometry.meshes.of(type).solid != kNoSolid; };
  out.count = 0;
  if ((bothMeshes || plane) && !isSolid(a.type) && !isSolid(b.type)) return;
  bool swapped = isMesh(a.type);
  if (bothMeshes) swapped = !isSolid(a.type);
  if (plane) swapped = a.type == kHalfSpace;
  const PlacedShape<double>& first = swapped ? b : a;
  const PlacedShape<double>& second = swapped ? a : b;
  if (plane) {
    collideSolidHalfSpace(first, second, geometry.meshes, margin, out);
  } else if (bothMeshes) {
    collideSolid(first, second, geometry.meshes, margin, which, out);
  } else if (!collideOnWideFace(first, second, geometry, margin, out)) {
    collideMesh(first, second, geometry.hulls, geometry.meshes, margin, out);
  }
  if (!swapped) return;
  for (int m = 0; m < out.count; ++m) out.manifolds[m].normal = -out.manifolds[m].normal;
}

}  // namespace cairn::v0
