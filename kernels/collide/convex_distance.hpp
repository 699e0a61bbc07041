// How far two convex shapes are apart (convex_gap.hpp), and when they meet where one of them is moved along a line.
//
// Moved along a line, the shapes cannot meet before that gap is closed at the speed of the approach along the normal (conservative advancement). The
// distance is a convex function of the way, so that this is Newton's iteration from the left: it never overshoots, and it ends in a few looks.
//
// Contacts (collide.hpp) prefer faces that carry, within slops; queries answer for the shapes as they are. All of it is in double whatever the
// World's precision, + - * / and sqrt in one order.
#pragma once

#include "kernels/collide/collide_revolved.hpp"

namespace cairn::v0 {

// A is no half-space. Positions are relative to a point near both. Of a gap above the limit no more is found out than that it is.
[[gnu::noinline]] CAIRN_HD inline ConvexGap gapBetween(const ConvexShape& a, const ConvexShape& b, double limit = kAnyGap) {
  if (b.type == kHalfSpace) return gapToHalfSpace(a, b);
  ConvexGap found = gapOfCores(a, b, limit);
  if (found.gap > limit) return found;
  if (a.type != kEllipsoid && b.type != kEllipsoid) return found;
  // Simplices on smooth surfaces that nearly touch run out of digits, where the contact function's own iteration has them. Both know gaps that are
  // there: the larger one is nearer to the distance.
  LocalManifold<double> contact;
  const PlacedShape<double> placedA{a.type, a.size, a.pose}, placedB{b.type, b.size, b.pose};
  const bool swapped = a.type != kEllipsoid;
  const PlacedShape<double>&ellipsoid = swapped ? placedB : placedA, &other = swapped ? placedA : placedB;
  contact.pointCount = 0;
  if (isRevolved(other.type)) {
    collideRevolved(placedA, placedB, {}, kAnyGap, contact);
  } else if (isHull(other.type)) {
    hull::meetEllipsoid(other, *(swapped ? a : b).hulls, ellipsoid, kAnyGap, contact);
    if (!swapped && contact.pointCount > 0) contact.normal = -contact.normal;
  } else {
    collideEllipsoid(ellipsoid, other, kAnyGap, contact);
    if (swapped && contact.pointCount > 0) contact.normal = -contact.normal;
  }
  if (contact.pointCount == 0 || (found.known && found.gap >= contact.points[0].separation)) return found;
  const double separation = contact.points[0].separation;
  return {separation, true, contact.normal, contact.points[0].position + (0.5 * separation) * contact.normal};
}

struct ConvexHit {
  bool hit;
  double distance;
  Vec3<double> point, normal;
};

constexpr int kCastLooks = 64;
constexpr double kLeastOverlap = 4e-7;  // of a shape's size

// A is moved from its pose along a unit vector, or not at all where that is zero. What is nearer than `touch` touches; shapes that do at the start
// and do not approach are let go.
CAIRN_HD inline ConvexHit castConvex(const ConvexShape& a, Vec3<double> direction, double maxDistance, double touch, const ConvexShape& b) {
  const bool still = direction.x == 0 && direction.y == 0 && direction.z == 0;
  ConvexShape moved = a;
  ConvexHit hit{false, 0, a.pose.p, -direction};
  for (int look = 0; look < kCastLooks; ++look) {
    ConvexGap gap = gapBetween(moved, b);
    if (look == 0 && gap.gap <= 0 && !still) {
      // Shapes that lie on each other slide and part: only what is left of an overlap of the least bit smaller ones is one.
      moved.size = (1 - kLeastOverlap) * moved.size;
      const ConvexGap smaller = gapBetween(moved, b);
      moved.size = a.size;
      if (smaller.gap > 0) gap = {touch, true, smaller.normal, smaller.onB};
    }
    if (gap.known && (look > 0 || gap.gap > 0)) {
      hit.point = gap.onB;
      hit.normal = -gap.normal;
    }
    const double approach = gap.known ? dot(gap.normal, direction) : 0.0;
    if (gap.gap <= 0 || (gap.gap <= touch && (still || approach > 0))) {
      hit.hit = true;
      if (look > 0 && gap.gap > 0) hit.distance += gap.gap / approach;
      return hit;
    }
    if (!(approach > 0)) return hit;
    // Not all of the way: where shapes touch to the last digit nobody knows the normal.
    hit.distance += (gap.gap - 0.5 * touch) / approach;
    if (!(hit.distance <= maxDistance)) return hit;
    moved.pose.p = a.pose.p + hit.distance * direction;
  }
  hit.hit = true;  // ways that only just touch: what is left is far below a touch
  return hit;
}

}  // namespace cairn::v0
