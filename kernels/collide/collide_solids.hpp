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

#include "kernels/collide/collide_mesh.hpp"
#include "kernels/state/field_look.hpp"
#include "kernels/state/geometry_view.hpp"

namespace cairn::v0 {

namespace solid {

using mesh::Reduction;
using Vec = Vec3<double>;

// Sine of the angle up to which a direction that a field gives is one in which a sample may be touched.
constexpr double kAllowed = 0.15;
// 1 minus the cosine of six degrees: fields give normals that are near each other where a surface is one.
constexpr double kAlike = 0.0055;
// Gradients that are shorter lead nowhere: the place is as far from one side of the surface as from another.
constexpr double kNoDirection = 0.3;
// What a look between samples of a field may be too large by, as a part of the distance.
constexpr double kOfDistance = 0.2;
// The same of one degree, for normals in a thread, less than which its lead would be lost in. Friction is not what holds a nut of little friction
// then.
constexpr double kAlikeInThread = 2.2e-4;
// Sine of the angle that edges make with the tangent plane of a vertex, up to which the surface is smooth there, and its normal that of contacts.
constexpr double kSmooth = 0.08;
// What is on an edge has this bit in its number.
constexpr uint32_t kOnEdge = 1u << 30;

struct Solid {
  MeshShape mesh;
  SolidShape own;
};
CAIRN_HD inline Solid solidOf(int type, const MeshView& meshes) {
  const MeshShape shape = meshes.of(type);
  return {shape, meshes.solids.at(shape.solid)};
}

// Of a mesh, with or without an inside, in its frame.
struct Ball {
  Vec middle;
  double radius;
};
CAIRN_HD inline Ball ballAround(const BoxNode& node) {
  const Vec low{double(node.low[0]), double(node.low[1]), double(node.low[2])},
      high{double(node.high[0]), double(node.high[1]), double(node.high[2])};
  return {0.5 * (low + high), 0.5 * length(high - low)};
}
CAIRN_HD inline mesh::Box boxAround(Vec middle, double radius) {
  const Vec reach{radius, radius, radius};
  return {middle - reach, middle + reach};
}

// visit(sample's number) where isFar(middle, radius) says of none of the balls around it that nothing in it counts.
template <class Far, class Visit> CAIRN_HD inline void forSamples(const SampleTree& tree, const Far& isFar, const Visit& visit) {
  const auto isOut = [&](const BoxNode& node) {
    const Ball ball = ballAround(node);
    return isFar(ball.middle, ball.radius);
  };
  mesh::forItems(tree.nodes, tree.nodeCount, isOut, visit);
}

// Whether a place at that distance, as a field has it, is certainly further outside than `reach`.
CAIRN_HD inline bool isFurther(const FieldShape& field, double distance, double reach) {
  return (1 - kOfDistance) * distance - field.tolerance > reach;
}

// visit(sample's number) of those that may be within the margin of a field's surface, until it answers false. What lies below a node that is within
// it as a whole is visited without another look: in a thread all but a few nodes are.
template <class Visit> CAIRN_HD inline void forSamplesNear(const SampleTree& tree, const FieldShape& field, const hull::Relative& toField,
                                                           double margin, const Visit& visit) {
  int within = 0;  // nodes before this one need no look
  for (int i = 0; i < tree.nodeCount;) {
    const BoxNode& node = tree.nodes[i];
    if (i >= within) {
      const Ball ball = ballAround(node);
      const double distance = lookAt(field, toField.point(ball.middle)).distance;
      if (isFurther(field, distance, ball.radius + margin)) {
        i = node.next;
        continue;
      }
      if (distance + ball.radius <= margin) within = node.next;
    }
    const int first = node.items >> 3, end = first + (node.items & 7);
    for (int item = first; item < end; ++item) {
      if (!visit(item)) return;
    }
    ++i;
  }
}

// Whether a sample can be touched along d, a unit vector out of its mesh.
CAIRN_HD inline bool allowsAt(const MeshShape& shape, const SurfaceSample& sample, Vec d) {
  const auto isLevel = [&](int vertex) {
    const Vec along = shape.vertices[vertex] - sample.p;
    return dot(d, along) <= kAllowed * length(along);
  };
  if (sample.b != kNoVertex) return isLevel(sample.a) && isLevel(sample.b);
  for (int i = shape.fans[sample.a]; i < shape.fans[sample.a + 1]; ++i) {
    if (!isLevel(shape.near[i])) return false;
  }
  return true;
}

// A place in a field, and which way is out there.
struct Found {
  bool any;
  double distance;
  Vec normal;
};
CAIRN_HD inline Found foundAt(const FieldValue& value, double margin) {
  const double slope = length(value.gradient);
  if (!(value.distance <= margin) || !(slope > kNoDirection)) return {false, 0, {0, 0, 0}};
  return {true, value.distance, (1 / slope) * value.gradient};
}
CAIRN_HD inline Found findIn(const FieldShape& field, Vec p, double margin) { return foundAt(lookAt(field, p), margin); }

// A place on an edge where the other surface is nearer than at both ends.
struct OnEdge {
  Vec p;  // in the field's frame
  Found found;
  int edge;  // its place among the neighbours of the end with the lower number
};

// The samples of one solid in the field of another, whose frame `toField` leads to; what is found is out of the other.
struct SamplesInField {
  const Solid& own;
  const FieldShape& field;
  const hull::Relative& toField;
  double margin;

  // add(number, where it is in the field's frame, what is found there, whether it can be touched from there): whether to go on. Samples have numbers
  // below kOnEdge.
  template <class Add> CAIRN_HD void forEach(const Add& add) const {
    forSamplesNear(own.own.all, field, toField, margin, [&](int k) {
      const SurfaceSample& sample = own.own.samples[k];
      const Vec p = toField.point(sample.p);
      const FieldValue value = lookAt(field, p);
      const Found found = foundAt(value, margin);
      if (!found.any) return true;
      const Vec direction = ownDirection(found);
      const bool allowed = allowsAt(own.mesh, sample, direction);
      OnEdge on;
      if (!allowed && sample.b == kNoVertex && slideAlong(sample.a, direction, value.gradient, on)) {
        return add(kOnEdge | uint32_t(on.edge), on.p, on.found, true);
      }
      return add(uint32_t(k), p, found, allowed);
    });
  }
  // Likewise in a thread, of few samples, those that touch: surfaces lie on each other, so that where one is smooth its normal is the contact's, and
  // knows the thread's lead, which is within what a field's gradients are off by.
  template <class Add> CAIRN_HD void forEachInThread(const Add& add) const {
    forSamplesNear(own.own.few, field, toField, 0.0, [&](int k) {
      const SurfaceSample& sample = own.own.samples[k];
      const Vec p = toField.point(sample.p);
      Found found = findIn(field, p, 0.0);
      if (!found.any || !(found.distance < 0) || !allowsAt(own.mesh, sample, ownDirection(found))) return true;
      const Vec normal = sample.b == kNoVertex ? normalizedOr(own.mesh.normals[sample.a], Vec{0, 0, 0}) : Vec{0, 0, 0};
      if (sample.b == kNoVertex && isSmoothAt(sample.a, normal)) found.normal = -(toField.axes * normal);
      add(uint32_t(k), p, found, true);
      return true;
    });
  }

 private:
  CAIRN_HD bool isSmoothAt(int vertex, Vec normal) const {
    for (int i = own.mesh.fans[vertex]; i < own.mesh.fans[vertex + 1]; ++i) {
      const Vec along = own.mesh.vertices[own.mesh.near[i]] - own.mesh.vertices[vertex];
      if (!(absOf(dot(normal, along)) <= kSmooth * length(along))) return false;
    }
    return true;
  }
  CAIRN_HD Vec ownDirection(const Found& found) const { return -transposeTimes(toField.axes, found.normal); }

  // From a vertex that is not the nearest place around, down the edge that climbs most towards the other surface. False: the nearest place on that
  // edge is an end of it, or lies on a face or in a valley. `gradient` is the field's at the vertex.
  [[gnu::noinline]] CAIRN_HD bool slideAlong(int vertex, Vec d, Vec gradient, OnEdge& out) const {
    const MeshShape& mesh = own.mesh;
    int steepest = -1;
    double most = kAllowed;
    for (int i = mesh.fans[vertex]; i < mesh.fans[vertex + 1]; ++i) {
      const Vec along = mesh.vertices[mesh.near[i]] - mesh.vertices[vertex];
      const double climb = dot(d, along) / length(along);
      if (climb > most) most = climb, steepest = i;
    }
    if (steepest < 0) return false;
    // The same from both ends, so that both find the same place.
    const int other = mesh.near[steepest], from = minOf(vertex, other), to = maxOf(vertex, other);
    const Vec start = toField.point(mesh.vertices[from]), end = toField.point(mesh.vertices[to]), way = end - start;
    const auto slopeAt = [&](Vec p) { return dot(lookAt(field, p).gradient, way); };
    const double slopeHere = dot(gradient, way);
    // The end that is looked at already first: where it says no, the other is not asked.
    if (!(from == vertex ? slopeHere < 0 : slopeHere > 0)) return false;
    const double slopeThere = slopeAt(from == vertex ? end : start);
    double low = 0, high = 1, slopeLow = from == vertex ? slopeHere : slopeThere, slopeHigh = from == vertex ? slopeThere : slopeHere;
    if (!(slopeLow < 0 && slopeHigh > 0)) return false;
    for (int k = 0; k < 3; ++k) {
      const double middle = 0.5 * (low + high), slope = slopeAt(start + middle * way);
      if (slope < 0) {
        low = middle, slopeLow = slope;
      } else {
        high = middle, slopeHigh = slope;
      }
    }
    const double t = low + (high - low) * (slopeLow / (slopeLow - slopeHigh));
    out.p = start + t * way;
    out.found = findIn(field, out.p, margin);
    if (!out.found.any) return false;
    const Vec there = mesh.vertices[from] + t * (mesh.vertices[to] - mesh.vertices[from]), towards = ownDirection(out.found);
    // The third corners of the two triangles beside it.
    for (int i = mesh.fans[from]; i < mesh.fans[from + 1]; ++i) {
      if (mesh.near[i] == to) out.edge = i;
      for (int j = mesh.fans[to]; j < mesh.fans[to + 1]; ++j) {
        if (mesh.near[j] != mesh.near[i]) continue;
        const Vec aside = mesh.vertices[mesh.near[i]] - there;
        if (dot(towards, aside) > kAllowed * length(aside)) return false;
      }
    }
    return true;
  }
};

CAIRN_HD inline void addOrRefuse(bool allowed, Vec normal, Vec place, double separation, uint32_t feature, Reduction& out) {
  if (allowed) {
    out.add(normal, place, separation, feature);
  } else {
    out.refuse(normal, place, separation, feature);
  }
}

// Where two are nearest to each other, in the frame of B.
struct Nearest {
  double distance;  // no more than was asked for
  bool any;         // whether they are as near as that
  Vec place;        // midway between them
  Vec normal;       // out of B
  uint32_t feature;
};

// The nearest of a solid's samples to a field's surface, by number; -1: none is as near as `distance`, which becomes what it is.
[[gnu::noinline]] CAIRN_HD inline int nearestSample(const Solid& own, const FieldShape& field, const hull::Relative& toField, double& distance) {
  int nearest = -1;
  double best = distance;
  forSamples(
      own.own.all, [&](Vec middle, double radius) { return isFurther(field, lookAt(field, toField.point(middle)).distance, radius + best); },
      [&](int k) {
        const double there = lookAt(field, toField.point(own.own.samples[k].p)).distance;
        if (there < best) best = there, nearest = k;
      });
  distance = best;
  return nearest;
}

CAIRN_HD inline Nearest nearestOfSolids(const Solid& a, const Solid& b, const hull::Relative& aInB, double limit) {
  const hull::Relative bInA = aInB.inverse();
  Nearest nearest{limit, false, {0, 0, 0}, {0, 0, 0}, 0};
  const int ofA = nearestSample(a, b.own.field, aInB, nearest.distance), ofB = nearestSample(b, a.own.field, bInA, nearest.distance);
  if (ofA < 0 && ofB < 0) return nearest;
  nearest.any = true;
  const Vec p = ofB >= 0 ? b.own.samples[ofB].p : aInB.point(a.own.samples[ofA].p);
  const Vec slope = ofB >= 0 ? -(aInB.axes * lookAt(a.own.field, bInA.point(p)).gradient) : lookAt(b.own.field, p).gradient;
  nearest.normal = normalizedOr(slope, Vec{0, 1, 0});
  nearest.place = p + ((ofB >= 0 ? 0.5 : -0.5) * nearest.distance) * nearest.normal;
  nearest.feature = ofB >= 0 ? uint32_t(ofB) << 1 | 1u : uint32_t(ofA) << 1;
  return nearest;
}

CAIRN_HD inline void writeNearest(const Nearest& nearest, MeshContacts& out) {
  out.count = 1;
  LocalManifold<double>& manifold = out.manifolds[0];
  manifold.normal = -nearest.normal;
  manifold.pointCount = 0;
  addPoint(manifold, nearest.place, nearest.distance, nearest.feature);
}

// Into the reduction in B's frame.
[[gnu::noinline]] CAIRN_HD inline void meetSolids(const Solid& a, const Solid& b, const hull::Relative& aInB, double margin, Reduction& out) {
  const hull::Relative bInA = aInB.inverse();
  const SamplesInField ofA{a, b.own.field, aInB, margin}, ofB{b, a.own.field, bInA, margin};
  const auto addOfA = [&](uint32_t k, Vec p, const Found& found, bool allowed) {
    addOrRefuse(allowed, found.normal, p - (0.5 * found.distance) * found.normal, found.distance, k << 1, out);
    return !out.isCrowded();
  };
  const auto addOfB = [&](uint32_t k, Vec p, const Found& found, bool allowed) {
    const Vec outOfA = aInB.axes * found.normal;
    addOrRefuse(allowed, -outOfA, aInB.point(p) - (0.5 * found.distance) * outOfA, found.distance, k << 1 | 1u, out);
    return !out.isCrowded();
  };
  ofA.forEach(addOfA);
  if (!out.isCrowded()) ofB.forEach(addOfB);
  if (!out.isCrowded()) return;
  out.keepSpread(kAlikeInThread);
  ofA.forEachInThread(addOfA);
  ofB.forEachInThread(addOfB);
}

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

// Of two solids, or one, as A, and a mesh without an inside or a half-space. Positions in the frame that both poses are in; normals lead from A to B.
// Contacts with a gap up to the margin.
[[gnu::noinline]] CAIRN_HD inline void collideSolid(const PlacedShape<double>& a, const PlacedShape<double>& b, const MeshView& meshes, double margin,
                                                    Which which, MeshContacts& out) {
  const solid::Solid own = solid::solidOf(a.type, meshes);
  const double radius = solid::ballAround(own.own.all.nodes[0]).radius, inner = meshes.solids.solids[own.mesh.solid].inner;
  const double slop = mesh::slopOf({inner, radius});
  if (b.type == kHalfSpace) {
    const Vec3<double> n = inverseRotate(a.pose.q, rotate(b.pose.q, Vec3<double>{0, 1, 0}));
    mesh::Reduction reduction(rotationMatrix(identityQuat<double>()), {0, 0, 0}, radius, slop);
    reduction.carryWhatIsHalfAsDeep();
    solid::meetHalfSpace(own, n, dot(n, inverseTransform(a.pose, b.pose.p)), margin, reduction);
    reduction.write(margin, out);
    for (int m = 0; m < out.count; ++m) hull::toWorld(a.pose, out.manifolds[m]);
    return;
  }
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
    const solid::Solid second{other, meshes.solids.at(other.solid)};
    done = which == Which::Nearest && isDone(solid::nearestOfSolids(own, second, aInB, margin));
    if (!done) solid::meetSolids(own, second, aInB, reach, reduction);
  }
  if (!done) {
    reduction.write(margin, out);
    if (out.count == 0 && nearest.any) solid::writeNearest(nearest, out);
  }
  for (int m = 0; m < out.count; ++m) hull::toWorld(b.pose, out.manifolds[m]);
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
  if (bothMeshes || plane) {
    collideSolid(first, second, geometry.meshes, margin, which, out);
  } else {
    collideMesh(first, second, geometry.hulls, geometry.meshes, margin, out);
  }
  if (!swapped) return;
  for (int m = 0; m < out.count; ++m) out.manifolds[m].normal = -out.manifolds[m].normal;
}

}  // namespace cairn::v0
