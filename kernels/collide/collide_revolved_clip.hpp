// Two flats over each other, one of them a cylinder's or a cone's: their points of contact.
//
// The reference flat is an end, a face or a half-space's plane, the incident one what of the other shape lies lowest over it. Seen along the
// reference normal, the points in question are the corners of either that lie within the other, and the crossings of their outlines, as where two
// polygons are clipped. A disc has eight points of its rim for corners, in directions that the other shape gives, and the lowest one where it is
// clearly lower: so that an end that leans, or a coin that rolls, has its exact point. Each is visited by SpreadFour (collide_hull_clip.hpp), which
// keeps four by place.
//
// Features: a corner's number on its shape, or those of the two outlines that cross; a rim's own corners go by direction in the frame of contact, not
// by angle on the rim.
#pragma once

#include "kernels/collide/collide_revolved_flats.hpp"

namespace cairn::v0 {

namespace revolved {

constexpr uint32_t kCornerOfA = 0u, kCrossing = 1u << 28, kClosest = 2u << 28, kCornerOfB = 3u << 28;
// Numbers of corners and outlines, behind those of polygons.
constexpr uint32_t kOnRim = 0x100u, kRim = 0x200u, kOnLine = 0x400u, kLine = 0x401u;
constexpr int kRimPoints = 8, kLowestOfRim = 8;
// Part of the slop by which the lowest point of a rim is clearly lower than corners: corners alone would take the rim for less round than it is.
constexpr double kClearlyLower = 0.2;

CAIRN_HD inline Vec rimPoint(const Flat& disc, int k) {
  // Cosine and sine of k eighths of a turn.
  constexpr double kDiagonal = 0.70710678118654752;
  const int quarter = k & 3;
  const double c = quarter == 0 ? 1.0 : (quarter == 1 ? kDiagonal : (quarter == 2 ? 0.0 : -kDiagonal));
  const double s = quarter == 0 ? 0.0 : (quarter == 2 ? 1.0 : kDiagonal);
  const double side = k < 4 ? disc.radius : -disc.radius;
  return disc.middle + (side * c) * disc.u + (side * s) * disc.v;
}

struct FlatClip {
  const Placed& own;  // holds the reference flat
  const Placed& other;
  const Flat& reference;
  const Flat& incident;
  bool ownIsA;
  double slop;

  CAIRN_HD double heightOf(Vec p) const { return dot(reference.normal, p - reference.middle); }
  CAIRN_HD uint32_t ownCorner(uint32_t number) const { return (ownIsA ? kCornerOfA : kCornerOfB) | number; }
  CAIRN_HD uint32_t otherCorner(uint32_t number) const { return (ownIsA ? kCornerOfB : kCornerOfA) | number; }
  CAIRN_HD uint32_t crossing(uint32_t ownOutline, uint32_t otherOutline, int which) const {
    return kCrossing | uint32_t(which) << 26 | (ownIsA ? ownOutline << 12 | otherOutline : otherOutline << 12 | ownOutline);
  }
  template <class Visit> CAIRN_HD void put(Vec p, uint32_t feature, Visit& visit) const { visit(hull::ClipPoint{p, heightOf(p), feature}); }

  // Whether a point lies within the outline of a flat of `of`, seen along the reference normal, by at least so much.
  CAIRN_HD bool within(const Placed& of, const Flat& flat, Vec p, double inside) const {
    const Vec n = reference.normal;
    if (flat.kind == kPlaneFlat) return true;
    if (flat.kind == kDiscFlat) {
      // On the disc's own plane.
      const Vec d = p - flat.middle, onPlane = d - (dot(d, flat.normal) / dot(n, flat.normal)) * n;
      const double limit = flat.radius - inside;
      return limit > 0 && dot(onPlane, onPlane) <= limit * limit;
    }
    // Anticlockwise about its own normal, which may be opposed to the reference's.
    const double side = dot(n, flat.normal) < 0 ? -1.0 : 1.0;
    Vec from = cornerOf(of, flat, 0).at;
    for (int k = 0; k < flat.corners; ++k) {
      const Vec to = cornerOf(of, flat, k + 1).at, along = to - from;
      if (side * dot(cross(along, n), p - from) > -inside * length(along)) return false;
      from = to;
    }
    return true;
  }
  // Along the reference normal onto the incident plane.
  CAIRN_HD Vec onIncident(Vec p) const {
    return p + (dot(incident.normal, incident.middle - p) / dot(incident.normal, reference.normal)) * reference.normal;
  }

  // The stretch of a segment within the reference flat, and what it begins and ends at: features 0 where it is an end of its own.
  struct Stretch {
    double low, high;
    uint32_t lowAt, highAt;
  };
  CAIRN_HD bool stretchOf(Vec a, Vec b, Stretch& out) const {
    out = {0, 1, 0, 0};
    const Vec n = reference.normal, along = b - a;
    if (reference.kind == kPlaneFlat) return true;
    if (reference.kind == kDiscFlat) {
      const Vec d = (a - reference.middle) - heightOf(a) * n, v = along - dot(n, along) * n;
      const double limit = reference.radius + slop, square = dot(v, v), half = dot(d, v), rest = dot(d, d) - limit * limit;
      if (!(square > 1e-24 * limit * limit)) return rest <= 0;
      const double root = half * half - square * rest;
      if (!(root >= 0)) return false;
      const double low = (-half - squareRoot(root)) / square, high = (squareRoot(root) - half) / square;
      if (low > 0) out.low = low, out.lowAt = kRim;
      if (high < 1) out.high = high, out.highAt = kRim;
      return out.low <= out.high;
    }
    Corner from = cornerOf(own, reference, 0);
    for (int k = 0; k < reference.corners; ++k) {
      const Corner to = cornerOf(own, reference, k + 1);
      const Vec side = to.at - from.at, outward = cross(side, n);
      const double wider = slop * length(side), outA = dot(outward, a - from.at) - wider, outB = dot(outward, b - from.at) - wider;
      if (outA > 0 && outB > 0) return false;
      if (outA > 0 && outA / (outA - outB) > out.low) out.low = outA / (outA - outB), out.lowAt = 1u + from.edge;
      if (outB > 0 && outA / (outA - outB) < out.high) out.high = outA / (outA - outB), out.highAt = 1u + from.edge;
      from = to;
    }
    return out.low <= out.high;
  }

  template <class Visit> CAIRN_HD void linePoints(Visit& visit) const {
    const Vec a = incident.middle - incident.u, b = incident.middle + incident.u;
    Stretch s;
    if (!stretchOf(a, b, s)) return;
    put(a + s.low * (b - a), s.lowAt == 0 ? otherCorner(kOnLine) : crossing(s.lowAt, kLine, 0), visit);
    put(a + s.high * (b - a), s.highAt == 0 ? otherCorner(kOnLine + 1) : crossing(s.highAt, kLine, 1), visit);
  }

  template <class Visit> CAIRN_HD void polygonPoints(Visit& visit) const {
    Corner a = cornerOf(other, incident, 0);
    for (int k = 0; k < incident.corners; ++k) {
      const Corner b = cornerOf(other, incident, k + 1);
      Stretch s;
      if (stretchOf(a.at, b.at, s)) {
        put(a.at + s.low * (b.at - a.at), s.lowAt == 0 ? otherCorner(a.corner) : crossing(s.lowAt, a.edge, 0), visit);
        if (s.highAt != 0) put(a.at + s.high * (b.at - a.at), crossing(s.highAt, a.edge, 1), visit);
      }
      a = b;
    }
  }

  // Corners of the reference flat within the incident one, by more than the slop for which a crossing stands already.
  template <class Visit> CAIRN_HD void referenceCorners(Visit& visit) const {
    if (!(dot(incident.normal, reference.normal) < -0.05)) return;
    const int count = reference.kind == kDiscFlat ? kRimPoints : reference.corners;
    for (int k = 0; k < count; ++k) {
      uint32_t number = kOnRim | uint32_t(reference.number) << 4 | uint32_t(k);
      Vec p;
      if (reference.kind == kDiscFlat) {
        p = rimPoint(reference, k);
      } else {
        const Corner corner = cornerOf(own, reference, k);
        p = corner.at;
        number = corner.corner;
      }
      if (within(other, incident, p, slop)) put(onIncident(p), ownCorner(number), visit);
    }
  }

  // Corners of a disc's rim within the reference flat.
  template <class Visit> CAIRN_HD void rimPoints(Visit& visit) const {
    const uint32_t number = kOnRim | uint32_t(incident.number) << 4;
    for (int k = 0; k < kRimPoints; ++k) {
      const Vec p = rimPoint(incident, k);
      if (within(own, reference, p, -slop)) put(p, otherCorner(number | uint32_t(k)), visit);
    }
  }

  // The lowest point of a disc's rim, if it is within the reference flat and clearly lower than corners can be. Where it is runs round the rim of an
  // end that wobbles, so that it has no say in which corners are kept.
  CAIRN_HD bool lowestOfRim(hull::ClipPoint& lowest) const {
    const Vec up = reference.normal - dot(reference.normal, incident.normal) * incident.normal;
    const double steep = length(up);
    constexpr double kBetweenCorners = 0.0761;  // of the radius: how much further out the rim is than the line between two of its corners
    if (incident.kind != kDiscFlat || !(kBetweenCorners * incident.radius * steep > kClearlyLower * slop)) return false;
    const Vec p = incident.middle - (incident.radius / steep) * up;
    if (!within(own, reference, p, -slop)) return false;
    lowest = {p, heightOf(p), otherCorner(kOnRim | uint32_t(incident.number) << 4 | kLowestOfRim)};
    return true;
  }

  // The rim across a side of the reference polygon: a circle across a plane.
  template <class Visit> CAIRN_HD void rimAcrossSides(Visit& visit) const {
    Corner from = cornerOf(own, reference, 0);
    for (int k = 0; k < reference.corners; ++k) {
      const Corner to = cornerOf(own, reference, k + 1);
      const Vec side = to.at - from.at, outward = (1 / length(side)) * cross(side, reference.normal);
      const Vec inDisc = outward - dot(outward, incident.normal) * incident.normal;
      const double slope = length(inDisc), away = dot(outward, from.at - incident.middle);
      if (absOf(away) < incident.radius * slope) {
        const Vec across = (1 / slope) * inDisc, beside = cross(incident.normal, across);
        const double out = away / slope, aside = squareRoot(maxOf(incident.radius * incident.radius - out * out, 0.0));
        for (int which = 0; which < 2; ++which) {
          const Vec p = incident.middle + out * across + (which == 0 ? -aside : aside) * beside;
          if (within(own, reference, p, -slop)) {
            put(p, crossing(1u + from.edge, kRim | uint32_t(incident.number), which), visit);
          }
        }
      }
      from = to;
    }
  }

  // Two rims, as circles of the reference plane: of one that leans more only the lowest point matters.
  template <class Visit> CAIRN_HD void rimAcrossRim(Visit& visit) const {
    if (!(dot(incident.normal, reference.normal) < -0.99)) return;
    const Vec n = reference.normal, between = incident.middle - reference.middle, d = between - dot(between, n) * n;
    const double square = dot(d, d), distance = squareRoot(square), r1 = reference.radius, r2 = incident.radius;
    if (!(distance > absOf(r1 - r2) + slop) || !(distance < r1 + r2)) return;
    const double along = (square + r1 * r1 - r2 * r2) / (2 * distance), aside = squareRoot(maxOf(r1 * r1 - along * along, 0.0));
    const Vec unit = (1 / distance) * d, beside = cross(n, unit);
    for (int which = 0; which < 2; ++which) {
      const Vec p = reference.middle + along * unit + (which == 0 ? -aside : aside) * beside;
      put(onIncident(p), crossing(kRim | uint32_t(reference.number), kRim | uint32_t(incident.number), ownIsA ? which : 1 - which), visit);
    }
  }

  template <class Visit> CAIRN_HD void forPoints(Visit& visit) const {
    if (incident.kind == kPointFlat) {
      if (within(own, reference, incident.middle, -slop)) put(incident.middle, kClosest, visit);
      return;
    }
    if (incident.kind == kLineFlat) return linePoints(visit);
    if (incident.kind == kPolygonFlat) {
      polygonPoints(visit);
    } else {
      rimPoints(visit);
      if (reference.kind == kPolygonFlat) rimAcrossSides(visit);
      if (reference.kind == kDiscFlat) rimAcrossRim(visit);
    }
    if (reference.kind != kPlaneFlat) referenceCorners(visit);
  }
};

// Up to four points; the normal is the reference flat's. Positions are midway between the surfaces.
CAIRN_HD inline void clipFlats(const FlatClip& clip, double margin, LocalManifold<double>& out) {
  const Vec n = clip.reference.normal;
  Vec t1, t2;
  const Mat3<double>& axes = clip.own.axes;
  const Vec first = absOf(dot(axes.c0, n)) < 0.9 ? axes.c0 : axes.c2;
  t1 = first - dot(first, n) * n;
  t2 = cross(n, t1);
  hull::SpreadFour four{};
  four.margin = margin;
  four.n = n;
  four.along = t1 + 0.3 * t2;
  const double size = minOf(clip.own.outer, clip.other.outer), least = 1e-6 * size * size;
  for (four.pass = 0; four.pass < 4 && four.count == four.pass; ++four.pass) {
    four.best = four.pass == 0 ? 0 : least;
    clip.forPoints(four);
  }
  hull::ClipPoint lowest{};
  double clearly = clip.slop;
  if (clip.lowestOfRim(lowest) && lowest.separation <= margin && (four.count == 0 || lowest.separation < four.deepest.separation)) {
    four.deepest = lowest;
    clearly *= kClearlyLower;
    if (four.count < 4) four.chosen[four.count++] = lowest;
  }
  hull::takeDeepest(four, clearly);
  out.pointCount = 0;
  out.normal = n;
  for (int k = 0; k < four.count; ++k) {
    const hull::ClipPoint& point = four.chosen[k];
    addPoint(out, point.p - (0.5 * point.separation) * n, point.separation, point.feature);
  }
}

// The radius of the surface around a line of it, at a place on the line from -1 to 1: of sides and capsules; edges are sharp.
CAIRN_HD inline double roundAt(const Placed& of, double place) {
  if (of.type() == kCapsule) return of.radius;
  return isRevolved(of.type()) ? 0.5 * ((1 - place) * of.solid.bottom + (1 + place) * of.solid.top) : 0.0;
}

struct LinePair {
  const Placed &ofA, &ofB;
  const Flat &a, &b;
  double slop;
};

// Two lines that lie along each other, normal to n from A to B: a point for each end of their common stretch. Where the lines pass beside each other
// there, the surfaces around them are further apart than the lines are along n. False: they cross, or do not face each other.
CAIRN_HD inline bool meetLines(const LinePair& lines, Vec n, double margin, LocalManifold<double>& out) {
  const Flat &a = lines.a, &b = lines.b;
  const double slop = lines.slop;
  const double halfA = length(a.u), halfB = length(b.u);
  const Vec u = (1 / halfA) * a.u, d = b.middle - a.middle;
  const double cosine = dot(u, b.u) / halfB;
  if (absOf(cosine) < 0.95) return false;
  const double middle = dot(d, u), reach = halfB * absOf(cosine);
  const bool lowIsB = middle - reach > slop - halfA, highIsB = middle + reach < halfA - slop;
  const double low = lowIsB ? middle - reach : -halfA, high = highIsB ? middle + reach : halfA;
  if (!(high - low > 0.05 * minOf(halfA, halfB))) return false;
  out.pointCount = 0;
  out.normal = n;
  for (int end = 0; end < 2; ++end) {
    const double s = end == 0 ? low : high, t = clampTo((s - middle) / (halfB * cosine), -1.0, 1.0);
    const Vec onA = a.middle + s * u, onB = b.middle + t * b.u;
    const double along = dot(n, onB - onA), beside = lengthSquared(onB - onA - along * n);
    if (beside > 0.01 * (high - low) * (high - low)) return false;
    const double between = maxOf(along + roundAt(lines.ofA, s / halfA) + roundAt(lines.ofB, t / halfB), 0.0);
    const double separation = along + (squareRoot(between * between + beside) - between);
    const bool isB = end == 0 ? lowIsB : highIsB;
    const uint32_t endOfB = (end == 0) == (cosine > 0) ? 0u : 1u;
    if (separation <= margin)
      addPoint(out, 0.5 * (onA + onB), separation, isB ? kCornerOfB | (kOnLine + endOfB) : kCornerOfA | (kOnLine + uint32_t(end)));
  }
  return out.pointCount > 0;
}

}  // namespace revolved

}  // namespace cairn::v0
