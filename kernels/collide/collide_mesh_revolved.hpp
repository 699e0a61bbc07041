// Cylinders and cones against one triangle of a mesh.
//
// What of the shape lies over the triangle (an end, a line of the side, a point) is clipped to it, as to a hull's face. If that is as low as the
// shape's lowest point, or the mesh is met along the triangle's normal alone, it is the contact. Else an end of the shape may carry, or the direction
// is that of the closest points or of least overlap (collide_revolved.hpp), where the mesh allows them.
#pragma once

#include "kernels/collide/collide_mesh_faces.hpp"
#include "kernels/collide/collide_revolved.hpp"

namespace cairn::v0 {

namespace mesh {

// In the mesh's frame.
struct Revolved {
  PlacedShape<double> shape;
  HullView none;
  revolved::Placed placed;
  double margin, slop;
};

// The numbers of a triangle's corners and edges, as those of the mesh.
CAIRN_HD inline uint32_t numberedOn(const Facet& facet, uint32_t feature) {
  const uint32_t kind = feature & 3u << 28;
  if (kind == revolved::kCornerOfB) return 3u << 30 | uint32_t(facet.vertices[(feature & 3u) % 3u]);
  if (kind != revolved::kCrossing) return feature;
  const uint32_t edge = feature & 0xfffu, own = feature >> 12 & 0xfffu, which = feature >> 26 & 1u;
  return 1u << 30 | which << 29 | (own * 31u & 0x7fu) << 22 | facet.edge(edge >= 1u && edge <= 3u ? int(edge) - 1 : 0);
}

CAIRN_HD inline void takeAll(const Facet& facet, const LocalManifold<double>& found, Touches& out) {
  for (int p = 0; p < found.pointCount; ++p) {
    const LocalPoint<double>& point = found.points[p];
    out.add(-found.normal, point.position, point.separation, numberedOn(facet, point.feature));
  }
}

// An end that the mesh touches with a corner or an edge, if it is allowed to and better than a gap.
CAIRN_HD inline int allowedEnd(const Facet& facet, const Revolved& solid, double better, double& gap) {
  int best = -1;
  for (int end = 0; end < 2; ++end) {
    if (!(solid.placed.solid.radiusAt(end) > 0)) continue;
    const Vec outward = revolved::outwardOf(solid.placed, end);
    if (-dot(outward, facet.normal) > 1 - kSameNormal) continue;
    const int top = furthestCorner(facet.corners, 3, -outward);
    const double above = dot(outward, facet.corners[top] - solid.placed.centre()) - solid.placed.solid.half;
    if (!(above > better) || !facet.allowsAtCorner(top, -outward, kLevel)) continue;
    best = end;
    better = gap = above;
  }
  return best;
}

// That of the closest points, or of least overlap: by layers of the solid, since a triangle has none. Layers leave the direction a degree off, which
// a lever makes millimetres of: moved out by the overlap and a little more, the solid has closest points again, whose direction is kept where it is
// better.
CAIRN_HD inline revolved::Direction directionTo(const Facet& facet, const revolved::SolidPair& pair) {
  const ConvexGap whole = gapTo(facet, pair.a.shape, pair.margin);
  if (whole.known && whole.gap > 0) return {true, whole.gap, whole.normal, whole.onB - (0.5 * whole.gap) * whole.normal};
  revolved::Direction best = revolved::leastOverlap(pair, true);
  const Vec down = -facet.normal;
  const double below = revolved::gapAlong(pair.a, pair.b, down);
  if (!best.found || below > best.gap) best = {true, below, down, pair.a.support(down) - (0.5 * below) * facet.normal};
  for (int k = 0; k < 3; ++k) {
    ConvexShape moved = pair.a.shape;
    moved.pose.p += (best.gap - revolved::kShallow * pair.inner) * best.n;
    const ConvexGap found = gapTo(facet, moved, kAnyGap);
    if (!found.known || !(found.gap > 0)) return best;
    const double gap = revolved::gapAlong(pair.a, pair.b, found.normal);
    if (!(gap > best.gap)) return best;
    best = {true, gap, found.normal, found.onB - (0.5 * gap) * found.normal};
  }
  return best;
}

[[gnu::noinline]] CAIRN_HD inline void meetRevolved(const Facet& facet, const Revolved& solid, Touches& out) {
  using namespace revolved;
  const double gap = facet.heightOf(solid.placed.support(-facet.normal));
  if (gap > solid.margin) return;
  const FacetHull own(facet, solid.placed.inner);
  const HullView hulls = own.view();
  SolidPair pair{solid.placed, placedSolid(placedFacet(), hulls), solid.margin, solid.slop, solid.placed.inner};
  LocalManifold<double> onFace;
  onFace.pointCount = 0;
  clipOn(pair, {false, {0, gap}}, onFace);
  const double lowest = deepestOf(onFace);
  const bool sticksOut = facet.sticksOut();
  const bool carries = onFace.pointCount > 0 && lowest <= gap + 2 * solid.slop;
  if (!sticksOut || (carries && gap >= -kShallow * solid.placed.inner)) {
    if (!isBeside(facet, solid.placed.shape, gap, solid.slop)) takeAll(facet, onFace, out);
    return;
  }

  double endGap = -1e300;
  const int end = allowedEnd(facet, solid, gap + solid.slop, endGap);
  if (end >= 0 && endGap > solid.margin) return;
  LocalManifold<double> onEnd;
  onEnd.pointCount = 0;
  if (end >= 0) clipOn(pair, {true, {end, endGap}}, onEnd);
  const bool endCarries = onEnd.pointCount > 0 && deepestOf(onEnd) <= endGap + 2 * solid.slop;
  if (endCarries && endGap >= -kShallow * solid.placed.inner) return takeAll(facet, onEnd, out);

  const LocalManifold<double>& onFlat = endCarries ? onEnd : onFace;
  const double flatGap = endCarries ? endGap : gap;
  Direction direction = directionTo(facet, pair);
  if (direction.gap > solid.margin) return;
  const double preference = solid.slop + 0.02 * maxOf(-direction.gap, 0.0);
  const bool flatCarries = onFlat.pointCount > 0 && deepestOf(onFlat) <= maxOf(flatGap, direction.gap) + 2 * solid.slop;
  if (flatCarries && flatGap >= direction.gap - preference) return takeAll(facet, onFlat, out);
  // What is known less well is made the edge's own, if that is not worse.
  Vec normal = -direction.n;
  bool allowed = facet.allows(kNearlyLevel, normal);
  if (!allowed && direction.gap <= 0) {
    normal = -direction.n;
    allowed = facet.allows(kRoughly, normal);
  }
  const double along = revolved::gapAlong(pair.a, pair.b, -normal);
  if (allowed && along >= direction.gap - solid.slop) {
    direction.n = -normal;
    direction.gap = along;
    LocalManifold<double> beside;
    meetInDirection(pair, direction, beside);
    return takeAll(facet, beside, out);
  }
  // What lies over the triangle, unless it reaches in from beside by far less than that lies below, or not at all.
  const bool contrary = deepestOf(onFlat) < minOf(0.0, direction.gap) / kBeside - solid.slop;
  if (!contrary) takeAll(facet, onFlat, out);
  if (contrary || onFlat.pointCount == 0) out.refuse(-direction.n, direction.at, direction.gap, kClosest);
}

}  // namespace mesh

}  // namespace cairn::v0
