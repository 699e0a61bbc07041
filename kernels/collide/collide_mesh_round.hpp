// Spheres, capsules and ellipsoids against one triangle of a mesh.
//
// Where the lowest point of the shape lies over the triangle, the triangle's normal is the contact's. Beside it the closest points are, if the mesh
// may be met in their direction; a direction that is not allowed belongs to a triangle next to this one, which has a nearer point.
#pragma once

#include "kernels/collide/collide_hull_round.hpp"
#include "kernels/collide/collide_mesh_touches.hpp"

namespace cairn::v0 {

namespace mesh {

// A convex shape in the mesh's frame, and what is asked of its contacts.
struct Round {
  PlacedShape<double> placed;
  double margin, slop;
};

// Feature 0, whatever the triangle: a ball keeps its point while it rolls on.
CAIRN_HD inline void meetSphere(const Facet& facet, const Round& ball, Touches& out) {
  const Vec centre = ball.placed.pose.p;
  const double radius = ball.placed.size.x, reach = radius + ball.margin;
  if (absOf(facet.heightOf(centre)) > reach) return;
  const NearestOnFacet nearest = nearestOn(facet, centre);
  const Vec d = centre - nearest.at;
  const double square = dot(d, d);
  if (!(square <= reach * reach)) return;
  const double distance = squareRoot(square);
  Vec normal = facet.normal;
  double separation = facet.heightOf(centre) - radius;
  // Closer than this the direction is mostly rounding.
  if ((nearest.corner >= 0 || nearest.edge >= 0) && distance > hull::kClose * radius) {
    normal = (1 / distance) * d;
    separation = distance - radius;
    const bool allowed =
        nearest.corner >= 0 ? facet.allowsAtCorner(nearest.corner, normal, kLevel) : facet.allowsAtEdge(nearest.edge, normal, kLevel);
    if (!allowed) return;
  }
  out.add(normal, centre - (radius + 0.5 * separation) * normal, separation, 0u);
}

// --- capsules ----------------------------------------------------------------------------------------------------

// Features: 0, 1: an end of the capsule; 2: where its closest point is alone; and where the core crosses or lies along an edge of the mesh.
constexpr uint32_t kSinglePoint = 2u, kAcrossMeshEdge = 1u << 24, kAlongMeshEdge = 2u << 24;

// The part of a core over the triangle, from `low` to `high` of -1 to 1.
struct CoreOver {
  bool any;
  double low, high;
  uint32_t lowFeature, highFeature;
};
CAIRN_HD inline CoreOver coreOver(const Facet& facet, const Segment<double>& core, double slop) {
  CoreOver over{true, -1, 1, 0, 1};
  for (int k = 0; k < 3 && over.any; ++k) {
    const Vec outward = facet.outward(k);
    const double out0 = dot(outward, core.centre - facet.corners[k]) - slop * length(outward), slope = dot(outward, core.axis);
    if (absOf(slope) <= 1e-12 * length(outward) * length(core.axis)) {
      over.any = out0 <= 0;
      continue;
    }
    const double t = -out0 / slope;
    if (slope > 0 && t < over.high) over.high = t, over.highFeature = kAcrossMeshEdge | facet.edge(k);
    if (slope < 0 && t > over.low) over.low = t, over.lowFeature = kAcrossMeshEdge | facet.edge(k);
  }
  over.any = over.any && over.low <= over.high;
  return over;
}

struct CapsuleOnFacet {
  const Facet& facet;
  Segment<double> core;
  double radius, margin, slop;

  CAIRN_HD double heightAt(double t) const { return facet.heightOf(core.centre + t * core.axis); }

  // A point for each end of the part over the face; of a capsule that stands rather than lies, for the lower one.
  CAIRN_HD void rest(const CoreOver& over, Touches& out) const {
    const double rise = dot(facet.normal, core.axis);
    const bool stands = 2 * rise * rise > dot(core.axis, core.axis);
    for (int end = 0; end < 2; ++end) {
      if (stands && (end == 0) != (rise > 0)) continue;
      const double t = end == 0 ? over.low : over.high, height = heightAt(t), separation = height - radius;
      if (!(separation <= margin)) continue;
      const Vec x = core.centre + t * core.axis;
      out.add(facet.normal, x - (height - 0.5 * separation) * facet.normal, separation, end == 0 ? over.lowFeature : over.highFeature);
    }
  }

  // An edge that the core lies along, where both are: a point for each end of that part.
  CAIRN_HD bool lieAlong(int k, Vec normal, Touches& out) const {
    constexpr double kParallel = 4e-4;  // square of the largest sine
    const Vec from = facet.corners[k], along = facet.corners[Facet::next(k)] - from, across = cross(along, core.axis);
    const double square = dot(core.axis, core.axis);
    if (!(square > slop * slop) || dot(across, across) > kParallel * dot(along, along) * square) return false;
    const double first = dot(from - core.centre, core.axis) / square, last = first + dot(along, core.axis) / square;
    const double low = maxOf(minOf(first, last), -1.0), high = minOf(maxOf(first, last), 1.0);
    if ((high - low) * squareRoot(square) <= slop) return false;
    for (int end = 0; end < 2; ++end) {
      const double t = end == 0 ? low : high, s = clampTo((t - first) / (last - first), 0.0, 1.0);
      const Vec x = core.centre + t * core.axis;
      const double height = dot(normal, x - (from + s * along)), separation = height - radius;
      const uint32_t feature = t == -1 ? 0u : (t == 1 ? 1u : kAlongMeshEdge | uint32_t(end) << 22 | facet.edge(k));
      if (separation <= margin) out.add(normal, x - (height - 0.5 * separation) * normal, separation, feature);
    }
    return true;
  }

  // The edge past which a core that goes through the triangle leaves it by less than along the normal.
  CAIRN_HD bool leavePastEdge(double best, Touches& out) const {
    Vec normal{0, 0, 0}, place{0, 0, 0};
    int found = -1;
    for (int k = 0; k < 3; ++k) {
      const EdgeKind kind = facet.kindOf(k);
      if (kind != kRidge && kind != kBorderEdge) continue;
      const Vec from = facet.corners[k], along = facet.corners[Facet::next(k)] - from, axis = cross(along, core.axis);
      const double square = dot(axis, axis);
      if (!(square > 1e-6 * dot(along, along) * dot(core.axis, core.axis))) continue;
      const double unit = (dot(axis, facet.outward(k)) < 0 ? -1.0 : 1.0) / squareRoot(square);
      const Vec n = unit * axis;
      const double gap = dot(n, core.centre - from);
      if (!(gap > best) || !facet.allowsAtEdge(k, n, kLevel)) continue;
      // The point of the core above the edge, seen along the normal.
      const Vec beside = cross(along, n);
      const double t = dot(beside, from - core.centre) / dot(beside, core.axis);
      if (!(absOf(t) <= 1)) continue;
      best = gap;
      normal = n;
      place = core.centre + t * core.axis;
      found = k;
    }
    if (found < 0) return false;
    const double separation = best - radius;
    out.add(normal, place - (best - 0.5 * separation) * normal, separation, kAcrossMeshEdge | facet.edge(found));
    return true;
  }
};

[[gnu::noinline]] CAIRN_HD inline void meetCapsule(const Facet& facet, const Round& capsule, Touches& out) {
  const CapsuleOnFacet pair{facet, capsuleCore(capsule.placed.size, capsule.placed.pose), capsule.placed.size.x, capsule.margin, capsule.slop};
  const double first = pair.heightAt(-1), last = pair.heightAt(1), lowest = minOf(first, last), gap = lowest - pair.radius;
  if (gap > pair.margin) return;
  const CoreOver over = coreOver(facet, pair.core, pair.slop);
  const bool sticksOut = facet.sticksOut();
  // What is over the triangle as low as the capsule's lowest point: no direction is better, unless the core goes through.
  const bool lowestIsOver = over.any && minOf(pair.heightAt(over.low), pair.heightAt(over.high)) <= lowest + pair.slop;
  if (!sticksOut || (lowestIsOver && lowest > hull::kClose * pair.radius)) {
    if (over.any && !isBeside(facet, convexShape(capsule.placed, nullptr), gap, pair.slop)) pair.rest(over, out);
    return;
  }
  const ConvexGap closest = gapTo(facet, convexShape(capsule.placed, nullptr), pair.margin);
  if (!closest.known || !(closest.gap + pair.radius > hull::kClose * pair.radius)) {
    const double preference = pair.slop + 0.02 * maxOf(-lowest, 0.0);
    if (!pair.leavePastEdge(lowest + preference, out) && over.any) pair.rest(over, out);
    return;
  }
  if (closest.gap > pair.margin) return;
  Vec normal = -closest.normal;
  const bool allowed = facet.allows(kNearlyLevel, normal);
  if (!allowed || dot(normal, facet.normal) > 1 - kSameNormal) {
    // Not what lies behind the triangle, beside it.
    if (over.any && minOf(pair.heightAt(over.low), pair.heightAt(over.high)) - pair.radius >= closest.gap - pair.slop) return pair.rest(over, out);
    if (!allowed) return out.refuse(normal, closest.onB, closest.gap, kSinglePoint);
  }
  for (int k = 0; k < 3; ++k) {
    const Vec along = facet.corners[Facet::next(k)] - facet.corners[k];
    const double reach = dot(normal, closest.onB) - kNearlyLevel * facet.longest;
    const bool isTop = dot(normal, facet.corners[k]) >= reach && dot(normal, facet.corners[k] + along) >= reach;
    if (isTop && pair.lieAlong(k, normal, out)) return;
  }
  out.add(normal, closest.onB + (0.5 * closest.gap) * normal, closest.gap, kSinglePoint);
}

// --- a triangle as a hull ----------------------------------------------------------------------------------------

// With two faces; where the functions for hulls find it: in the arrays of its own.
struct FacetHull {
  HullRecord record;
  Vec vertices[3];
  HullFace faces[2];
  HullSide sides[6];
  HullEdge edges[3];

  CAIRN_HD FacetHull(const Facet& facet, double inner) {
    record = {0, 3, 0, 2, 0, 0, 3, 0, inner, facet.longest};
    for (int k = 0; k < 3; ++k) {
      vertices[k] = facet.corners[k];
      edges[k] = {uint8_t(k), uint8_t(Facet::next(k)), 0, 1};
      sides[k] = {uint8_t(k), uint8_t(k)};
    }
    faces[0] = {facet.normal, facet.offset, 0, 3};
    faces[1] = {-facet.normal, -facet.offset, 3, 3};
    sides[3] = {0, 2};
    sides[4] = {2, 1};
    sides[5] = {1, 0};
  }
  CAIRN_HD HullView view() const { return {&record, vertices, faces, sides, edges, 1}; }
  CAIRN_HD HullShape shape() const { return {record, vertices, faces, sides, edges}; }
};

CAIRN_HD inline PlacedShape<double> placedFacet() { return {kHull, {0, 0, 0}, identityPose<double>()}; }

// --- ellipsoids --------------------------------------------------------------------------------------------------

// Where the ellipsoid overlaps the triangle: at the point that lies deepest in it, in units in which it is a ball. Of the mesh that point is at a
// place where the gradient there is allowed.
CAIRN_HD inline void meetDeepest(const Facet& facet, const Round& round, Touches& out) {
  const Pose<double>& pose = round.placed.pose;
  const Vec s = round.placed.size, perAxis{1 / s.x, 1 / s.y, 1 / s.z};
  Vec local[3];
  for (int k = 0; k < 3; ++k) local[k] = inverseTransform(pose, facet.corners[k]);
  const convex::Nearest nearest = convex::nearestOfTriangle(scale(perAxis, local[0]), scale(perAxis, local[1]), scale(perAxis, local[2]));
  if (!(nearest.square <= 1)) return;
  const Vec deepest = nearest.weights[0] * local[0] + nearest.weights[1] * local[1] + nearest.weights[2] * local[2];
  const Vec gradients[2] = {ellipsoid::normalNearest(s, deepest), ellipsoid::gradientAt(s, deepest)};
  const Vec at = transform(pose, deepest);
  for (int k = 0; k < 2; ++k) {
    Vec normal = -rotate(pose.q, gradients[k]);
    const bool allowed = facet.allows(kNearlyLevel, normal);
    const Vec lowest = supportOfCore(convexShape(round.placed, nullptr), -normal);
    const double separation = dot(normal, lowest - at);
    if (allowed) return out.add(normal, at + (0.5 * separation) * normal, separation, 0u);
    if (k == 1) out.refuse(normal, at + (0.5 * separation) * normal, separation, 0u);
  }
}

[[gnu::noinline]] CAIRN_HD inline void meetEllipsoid(const Facet& facet, const Round& round, Touches& out) {
  const Vec lowest = supportOfCore(convexShape(round.placed, nullptr), -facet.normal);
  const double gap = facet.heightOf(lowest);
  if (gap > round.margin) return;
  const bool over = isOver(facet, lowest, round.slop), sticksOut = facet.sticksOut();
  const auto rest = [&] { out.add(facet.normal, lowest - (0.5 * gap) * facet.normal, gap, 0u); };
  // Deep below a triangle that ends there, the lowest point may be beside what it is a part of.
  if (over && gap >= -kDeepSlops * round.slop) return rest();
  if (!sticksOut && !over) return;
  const FacetHull own(facet, 0);
  LocalManifold<double> found;
  found.pointCount = 0;
  hull::meetEllipsoid(placedFacet(), own.view(), round.placed, round.margin, found);
  if (found.pointCount == 0) return;
  if (!(found.points[0].separation > 0)) return over ? rest() : meetDeepest(facet, round, out);
  Vec normal = found.normal;
  if (facet.allows(kNearlyLevel, normal)) out.add(normal, found.points[0].position, found.points[0].separation, 0u);
}

}  // namespace mesh

}  // namespace cairn::v0
