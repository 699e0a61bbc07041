// Boxes and hulls against one triangle of a mesh: separating axes, then clipping, of which each triangle has the part above it.
//
// The triangle's own normal is always asked, a face of the polyhedron and a pair of edges only where the mesh may be met in their direction
// (collide_mesh_facet.hpp). Where the best of them is a face's, the faces are clipped to each other; where it is that of two edges, these pass each
// other in a point. Apart, and where the clip has nothing as near as the axis says, the closest points are asked, again if their direction is
// allowed.
//
// A corner of the triangle below the polyhedron's face counts along the triangle's normal only where the two are parallel: else the surface next to
// the triangle is nearer, and has the contact. And a triangle that reaches into the polyhedron less far sideways than it lies below it is a part of
// something that the polyhedron stands beside.
#pragma once

#include "kernels/collide/collide_hull_pair.hpp"
#include "kernels/collide/collide_mesh_round.hpp"

namespace cairn::v0 {

namespace mesh {

// Cosine of the angle to a triangle's normal beyond which a direction is sideways: there it has to be clearly better.
constexpr double kSideways = 0.7;
// How much less than its depth a triangle may reach in from the side.
constexpr double kBeside = 0.1;

// Of a mesh with an inside: what is deeper by that much than along a face that the mesh does not allow here is no way out of it. It is the next
// triangle's contact.
constexpr double kElsewhere = 0.5;

constexpr uint32_t kClosestToMesh = 2u << 30;

// The cube that boxes are made of.
struct Cube {
  HullRecord record;
  Vec vertices[8];
  HullFace faces[6];
  HullSide sides[24];
  HullEdge edges[12];

  CAIRN_HD Cube() {
    record = {0, 8, 0, 6, 0, 0, 12, 0, 1, 1.7320508075688772};
    for (int k = 0; k < 8; ++k) vertices[k] = {(k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0, (k & 4) != 0 ? 1.0 : -1.0};
    // Face 2 axis + 1 is at the positive side; its corners go round along the next axis and the one after it.
    int count = 0;
    for (int f = 0; f < 6; ++f) {
      const int axis = f >> 1, u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
      const bool positive = (f & 1) != 0;
      faces[f] = {fromFace(Vec{0, 0, 1}, axis, positive ? 1.0 : -1.0), 1, 4 * f, 4};
      for (int k = 0; k < 4; ++k) {
        const int turn = positive ? k : (4 - k) & 3;
        const int corner = (positive ? 1 << axis : 0) | (turn == 1 || turn == 2 ? 1 << u : 0) | (turn >= 2 ? 1 << v : 0);
        sides[4 * f + k].corner = uint8_t(corner);
      }
    }
    for (int f = 0; f < 6; ++f) {
      for (int k = 0; k < 4; ++k) {
        HullSide& side = sides[4 * f + k];
        const uint8_t to = sides[4 * f + ((k + 1) & 3)].corner;
        int e = 0;
        while (e < count && !(edges[e].from == to && edges[e].to == side.corner)) ++e;
        if (e == count) {
          edges[count++] = {side.corner, to, uint8_t(f), 0};
        } else {
          edges[e].right = uint8_t(f);
        }
        side.edge = uint8_t(e);
      }
    }
  }
  CAIRN_HD HullShape shape() const { return {record, vertices, faces, sides, edges}; }
};

// A box or a hull, and where it and the mesh lie, each seen from the other.
struct Solid {
  hull::Polyhedron polyhedron;
  hull::Relative inMesh, meshIn;
  ConvexShape convex;  // in the mesh's frame
  double margin, slop;
};

struct SolidOnFacet {
  const Facet& facet;
  const Solid& solid;
  bool sticksOut;

  CAIRN_HD Vec cornerIn(int k) const { return solid.meshIn.point(facet.corners[k]); }
  // From a normal in the solid's frame, outward of it, to a direction out of the mesh.
  CAIRN_HD Vec against(Vec normal) const { return -(solid.inMesh.axes * normal); }
};

struct FacetAxes {
  bool near;   // no axis shows a gap above the margin
  double gap;  // along the triangle's normal
  int face;    // of the solid; -1: none that is allowed is better
  double faceGap;
  double sidewaysGap;   // the best along a face that stands across the triangle, allowed or not
  double refusedGap;    // the best along a face that is not allowed
  int edge, solidEdge;  // -1: none that is allowed is better than the faces
  double edgeGap;
  Vec edgeNormal;  // out of the mesh
};

// The best of the solid's faces.
CAIRN_HD inline void askFaces(const SolidOnFacet& pair, FacetAxes& axes) {
  const hull::Polyhedron& own = pair.solid.polyhedron;
  const Vec corners[3] = {pair.cornerIn(0), pair.cornerIn(1), pair.cornerIn(2)};
  const Vec up = transposeTimes(pair.solid.inMesh.axes, pair.facet.normal);
  for (int f = 0; f < own.shape.faceCount; ++f) {
    const Vec m = own.normal(f);
    const double along[3] = {dot(m, corners[0]), dot(m, corners[1]), dot(m, corners[2])};
    const int top = along[1] < along[0] ? (along[2] < along[1] ? 2 : 1) : (along[2] < along[0] ? 2 : 0);
    const double gap = along[top] - own.offset(f);
    if (gap > pair.solid.margin) {
      axes.near = false;
      return;
    }
    const double facing = -dot(m, up);
    const bool sideways = facing < kSideways;
    if (sideways) axes.sidewaysGap = maxOf(axes.sidewaysGap, gap);
    if (facing > 1 - kSameNormal || gap <= axes.faceGap || gap <= axes.gap + (sideways ? pair.solid.slop : 0.0)) continue;
    if (pair.facet.allowsAtCorner(top, pair.against(m), kLevel)) {
      axes.face = f, axes.faceGap = gap;
    } else {
      axes.refusedGap = maxOf(axes.refusedGap, gap);
    }
  }
}

// Whether an edge of the solid is its lowest part against a direction: neither of its faces goes on further down.
CAIRN_HD inline bool isLowest(const hull::Polyhedron& own, const HullEdge& edge, Vec up, double level) {
  const Vec along = own.vertex(edge.to) - own.vertex(edge.from), intoLeft = cross(own.normal(edge.left), along);
  const Vec intoRight = cross(along, own.normal(edge.right));
  const double least = -level * (absOf(along.x) + absOf(along.y) + absOf(along.z));
  return dot(up, intoLeft) >= least && dot(up, intoRight) >= least;
}

// The best pair of edges, of those whose gap is above the bar.
CAIRN_HD inline void askEdges(const SolidOnFacet& pair, double bar, FacetAxes& axes) {
  const Facet& facet = pair.facet;
  const hull::Polyhedron& own = pair.solid.polyhedron;
  const double reach = maxOf(maxOf(-axes.gap, 0.0), pair.solid.margin) + pair.solid.slop;
  const uint64_t near = hull::cornersBelow(own, pair.solid.inMesh, facet.normal, facet.offset + reach);
  axes.edgeGap = bar;
  for (int k = 0; k < 3; ++k) {
    const EdgeKind kind = facet.kindOf(k);
    if (kind != kRidge && kind != kBorderEdge) continue;
    const Vec from = pair.cornerIn(k), along = pair.cornerIn(Facet::next(k)) - from;
    const Vec outward = transposeTimes(pair.solid.inMesh.axes, facet.outward(k));
    for (int e = 0; e < own.shape.edgeCount; ++e) {
      const HullEdge& edge = own.shape.edges[e];
      if (((near >> edge.from | near >> edge.to) & 1) == 0) continue;
      const Vec start = own.vertex(edge.from), direction = own.vertex(edge.to) - start, axis = cross(direction, along);
      const double square = dot(axis, axis);
      if (!(square > 1e-6 * dot(along, along) * dot(direction, direction))) continue;
      const double unit = (dot(axis, outward) < 0 ? -1.0 : 1.0) / squareRoot(square);
      const Vec d = unit * axis;
      const double gap = dot(d, start - from);
      if (!(gap > axes.edgeGap)) continue;
      if (!isLowest(own, edge, d, kLevel)) continue;
      const Vec normal = pair.solid.inMesh.axes * d;
      if (!facet.allowsAtEdge(k, normal, kLevel)) continue;
      axes.edge = k;
      axes.solidEdge = e;
      axes.edgeGap = gap;
      axes.edgeNormal = normal;
    }
  }
}

// Points of a clip, as those of the mesh.
struct FacetPoints {
  const SolidOnFacet& pair;
  bool onFacet;   // whose face the clip is on
  Vec normal;     // out of the mesh
  bool parallel;  // the solid's face and the triangle
  Touches* out;   // null: they are looked at alone
  double lowest;

  CAIRN_HD uint32_t numbered(uint32_t feature) const {
    const uint32_t kind = feature & 3u << 16;
    if (kind == hull::kCornerOf) return feature;
    if (kind == hull::kEdgesOf) return 1u << 30 | (feature & 0xff00u) << 14 | pair.facet.edge(int(feature & 0xffu));
    return 3u << 30 | uint32_t(pair.facet.vertices[feature & 3u]);
  }
  // Whether an edge of the solid that crosses one of the triangle's comes nearer to the mesh beyond it: always in a valley, and past a ridge unless
  // the two may meet there.
  CAIRN_HD bool isPassedOn(uint32_t feature) const {
    if ((feature & 3u << 16) != hull::kEdgesOf) return false;
    const Facet& facet = pair.facet;
    const int k = int(feature & 0xffu);
    const EdgeKind kind = facet.kindOf(k);
    if (kind == kValley) return true;
    if (kind != kRidge) return false;
    const hull::Polyhedron& own = pair.solid.polyhedron;
    const HullEdge& edge = own.shape.edges[feature >> 8 & 0xffu];
    const Vec axis = cross(pair.solid.inMesh.axes * (own.vertex(edge.to) - own.vertex(edge.from)), facet.corners[Facet::next(k)] - facet.corners[k]);
    Vec d = normalizedOr(axis, facet.normal);
    if (dot(d, facet.normal) < 0) d = -d;
    return !facet.allowsAtEdge(k, d, kNearlyLevel) || !isLowest(own, edge, transposeTimes(pair.solid.inMesh.axes, d), kNearlyLevel);
  }
  CAIRN_HD void operator()(const hull::ClipPoint& point) {
    if (!(point.separation <= pair.solid.margin)) return;
    lowest = minOf(lowest, point.separation);
    if (out == nullptr || (onFacet && !parallel && isPassedOn(point.feature))) return;
    // On the solid, or, where the clip is on the solid's face, on the triangle.
    const Vec p = onFacet ? point.p : pair.solid.inMesh.point(point.p);
    out->add(normal, p + (onFacet ? -0.5 : 0.5) * point.separation * normal, point.separation, numbered(point.feature));
  }
};

// On the triangle (face -1), or on a face of the solid. Answers with the lowest point's separation.
[[gnu::noinline]] CAIRN_HD inline double clipOn(const SolidOnFacet& pair, int face, Touches* out) {
  const Solid& solid = pair.solid;
  const FacetHull own(pair.facet, 0);
  const hull::Polyhedron triangle{own.shape(), {1, 1, 1}, false, 0, pair.facet.longest};
  const double slop = 0.5 * solid.slop;
  if (face >= 0) {
    const Vec m = solid.polyhedron.normal(face);
    const hull::Clip clip{solid.polyhedron, triangle, solid.meshIn, true, face, 0, slop, m};
    FacetPoints points{pair, false, pair.against(m), false, out, 1e300};
    clip.forPoints(points);
    return points.lowest;
  }
  const Vec up = transposeTimes(solid.inMesh.axes, pair.facet.normal);
  const int incident = hull::incidentFace(solid.polyhedron, up, solid.slop);
  const hull::Clip clip{triangle, solid.polyhedron, solid.inMesh, false, 0, incident, slop, pair.facet.normal};
  const HullFace& opposed = solid.polyhedron.shape.faces[incident];
  const double facing = -dot(up, opposed.normal);
  const bool parallel = facing > 1 - kSameNormal;
  FacetPoints points{pair, true, pair.facet.normal, parallel, out, 1e300};
  for (int k = 0; k < opposed.sideCount; ++k) clip.edgePoints(k, points);
  // Corners in the midst of what is flat are no ends of the contact.
  if (pair.sticksOut && parallel) {
    const Vec normal = solid.inMesh.axes * opposed.normal;
    for (int k = 0; k < 3; ++k) clip.cornerPoint(k, normal, -facing, points);
  }
  return points.lowest;
}

// Where the two edges pass each other. False: beside their ends.
CAIRN_HD inline bool passEdges(const SolidOnFacet& pair, const FacetAxes& axes, Touches& out) {
  const HullEdge& edge = pair.solid.polyhedron.shape.edges[axes.solidEdge];
  const Vec from = pair.solid.inMesh.point(pair.solid.polyhedron.vertex(edge.from));
  const Vec along = pair.solid.inMesh.point(pair.solid.polyhedron.vertex(edge.to)) - from;
  const Vec start = pair.facet.corners[axes.edge], direction = pair.facet.corners[Facet::next(axes.edge)] - start, d = start - from;
  const double aa = dot(along, along), bb = dot(direction, direction), ab = dot(along, direction), da = dot(d, along), db = dot(d, direction);
  const double determinant = aa * bb - ab * ab;
  if (!(determinant > 0)) return false;
  const double s = (da * bb - db * ab) / determinant, t = (da * ab - db * aa) / determinant;
  const double spareA = pair.solid.slop / squareRoot(aa), spareB = pair.solid.slop / squareRoot(bb);
  if (s < -spareA || s > 1 + spareA || t < -spareB || t > 1 + spareB) return false;
  const uint32_t feature = 1u << 30 | uint32_t(axes.solidEdge) << 22 | pair.facet.edge(axes.edge);
  out.add(axes.edgeNormal, 0.5 * ((from + s * along) + (start + t * direction)), axes.edgeGap, feature);
  return true;
}

// The lowest corner of the solid, along the triangle's normal.
CAIRN_HD inline void refuse(const SolidOnFacet& pair, const FacetAxes& axes, Touches& out) {
  const Vec n = pair.facet.normal, up = transposeTimes(pair.solid.inMesh.axes, n);
  const int corner = pair.solid.polyhedron.lowest(up);
  const Vec p = pair.solid.inMesh.point(pair.solid.polyhedron.vertex(corner));
  out.refuse(n, p - (0.5 * axes.gap) * n, axes.gap, uint32_t(corner) << 8);
}

[[gnu::noinline]] CAIRN_HD inline void meetSolid(const Facet& facet, const Solid& solid, Touches& out) {
  const SolidOnFacet pair{facet, solid, facet.sticksOut()};
  const Vec up = transposeTimes(solid.inMesh.axes, facet.normal);
  FacetAxes axes{true, 0, -1, -1e300, -1e300, -1e300, -1, -1, -1e300, {0, 0, 0}};
  axes.gap = facet.heightOf(solid.inMesh.origin) + dot(up, solid.polyhedron.vertex(solid.polyhedron.lowest(up)));
  if (axes.gap > solid.margin) return;
  askFaces(pair, axes);
  if (!axes.near) return;
  const double faceGap = axes.face >= 0 ? axes.faceGap : axes.gap;
  if (pair.sticksOut) askEdges(pair, faceGap + solid.slop + 0.02 * maxOf(-faceGap, 0.0), axes);
  const bool edgesAreBetter = axes.edge >= 0;
  if (edgesAreBetter && axes.edgeGap > solid.margin) return;
  const bool buried = axes.face < 0 && !edgesAreBetter && axes.gap < -solid.slop && axes.sidewaysGap > kBeside * axes.gap;
  if (buried) return;

  const double bound = edgesAreBetter ? axes.edgeGap : faceGap;
  if (facet.shape->solid != kNoSolid && bound < -solid.slop && axes.refusedGap > kElsewhere * bound) return;
  const Vec faceNormal = axes.face >= 0 ? pair.against(solid.polyhedron.normal(axes.face)) : facet.normal;
  // Close to a face's normal the face carries: clipping finds the edges' crossing too, and the points beside it.
  const bool clip = !edgesAreBetter || dot(faceNormal, axes.edgeNormal) > 0.99;
  if (!pair.sticksOut) {
    if (!isBeside(facet, solid.convex, bound, solid.slop)) clipOn(pair, axes.face, &out);
    return;
  }
  const double lowest = clipOn(pair, axes.face, nullptr);
  // Far below what the edges say: the triangle's own normal has no say there.
  const bool contrary = lowest < minOf(0.0, bound) / kBeside - solid.slop;
  if (clip && !contrary && lowest <= bound + 2 * solid.slop) {
    clipOn(pair, axes.face, &out);
    return;
  }
  if (edgesAreBetter && passEdges(pair, axes, out)) return;
  const bool carried = !contrary && lowest <= bound + 2 * solid.slop;
  const ConvexGap closest = gapTo(facet, solid.convex, solid.margin + solid.slop);
  if (closest.known) {
    Vec normal = -closest.normal;
    if (closest.gap <= solid.margin && facet.allows(kNearlyLevel, normal)) {
      out.add(normal, closest.onB + (0.5 * closest.gap) * normal, closest.gap, kClosestToMesh);
    }
    // Not what lies behind the triangle, beside it.
    if (lowest >= closest.gap - solid.slop) clipOn(pair, axes.face, &out);
    return;
  }
  if (!contrary) clipOn(pair, axes.face, &out);
  if (!carried) refuse(pair, axes, out);
}

}  // namespace mesh

}  // namespace cairn::v0
