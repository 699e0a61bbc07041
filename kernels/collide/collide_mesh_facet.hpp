// One triangle of a mesh as a convex shape meets it, and in which directions the mesh may be met there.
//
// A direction out of the mesh is *allowed* at a corner, an edge or the face of a triangle where that is as far out along it as all of the surface
// around: at a face that is its normal; at an edge what lies between the normals of both sides of a ridge, nothing in a valley, and at a border
// anything that is not against the normal; at a corner what no edge that leads from it climbs along. Contacts with any other normal are of a part of
// the triangle that the surface next to it stands in front of: they would hold up what slides across an inner edge.
//
// All of it in the mesh's frame, in double whatever the World's precision.
#pragma once

#include "kernels/collide/convex_gap.hpp"
#include "kernels/state/mesh_view.hpp"

namespace cairn::v0 {

namespace mesh {

using Vec = Vec3<double>;

// Sine of angles up to which an edge is flat, and a direction level with an edge or a face; and the latter for directions that an iteration on smooth
// surfaces ends with.
constexpr double kLevel = 1e-8, kNearlyLevel = 1e-3;
// Likewise for directions of least overlap, which are known less well.
constexpr double kRoughly = 0.02;
// 1 minus the cosine of a thousandth: normals that are nearer than this count as one.
constexpr double kSameNormal = 5e-7;

enum EdgeKind : int { kFlatEdge, kRidge, kValley, kBorderEdge };

// Two numbers as one that is not likely to be another pair's. A mesh of up to 2,048 vertices has one for each edge.
CAIRN_HD inline uint32_t edgeNumber(int a, int b) {
  const uint32_t low = uint32_t(minOf(a, b)), high = uint32_t(maxOf(a, b));
  if (high < 2048u) return low << 11 | high;
  const uint32_t mixed = (low * 2654435761u ^ high) * 2246822519u;
  return (mixed ^ mixed >> 15) & 0x3fffffu;
}

struct Facet {
  const MeshShape* shape;
  int vertices[3];  // anticlockwise seen from the side that is met
  int across[3];    // by edge, from corner k to the next
  Vec corners[3];
  Vec normal;  // unit, towards that side
  double offset;
  double longest;  // edge [m]

  CAIRN_HD static int next(int k) { return k == 2 ? 0 : k + 1; }
  CAIRN_HD double heightOf(Vec p) const { return dot(normal, p) - offset; }
  CAIRN_HD uint32_t edge(int k) const { return edgeNumber(vertices[k], vertices[next(k)]); }
  // Out of the triangle past an edge, in its plane; as long as the edge is.
  CAIRN_HD Vec outward(int k) const { return cross(corners[next(k)] - corners[k], normal); }

  CAIRN_HD EdgeKind kindOf(int k) const {
    if (across[k] == kBorder) return kBorderEdge;
    const Vec to = shape->vertices[across[k]] - corners[k];
    const double rise = dot(normal, to), level = kLevel * length(to);
    return rise > level ? kValley : (rise < -level ? kRidge : kFlatEdge);
  }
  // Whether any edge is a ridge or a border: without those, and so without corners that stick out, the triangle is met along its normal alone.
  CAIRN_HD bool sticksOut() const {
    for (int k = 0; k < 3; ++k) {
      const EdgeKind kind = kindOf(k);
      if (kind == kRidge || kind == kBorderEdge) return true;
    }
    return false;
  }

  CAIRN_HD bool isMetAtBorder(Vec d, double level) const { return shape->twoSided != 0 || dot(d, normal) >= -level; }
  CAIRN_HD bool allowsAtEdge(int k, Vec d, double level) const {
    const Vec third = corners[next(next(k))] - corners[k];
    if (dot(d, third) > level * length(third)) return false;
    if (across[k] == kBorder) return isMetAtBorder(d, level);
    const Vec beyond = shape->vertices[across[k]] - corners[k];
    const double size = length(beyond);
    // Where it is no ridge the normals of both sides are all there is, or none.
    const bool ridge = dot(normal, beyond) < -kLevel * size;
    return dot(d, beyond) <= level * size && (ridge || dot(d, normal) > 1 - kSameNormal);
  }
  CAIRN_HD bool allowsAtCorner(int k, Vec d, double level) const {
    const int before = k == 0 ? 2 : k - 1;
    const bool border = across[k] == kBorder || across[before] == kBorder;
    if (border ? !isMetAtBorder(d, level) : dot(d, normal) < -level) return false;
    const int v = vertices[k];
    for (int i = shape->fans[v]; i < shape->fans[v + 1]; ++i) {
      const Vec along = shape->vertices[shape->near[i]] - corners[k];
      if (dot(d, along) > level * length(along)) return false;
    }
    return true;
  }
  // For a direction that is known to within an angle whose sine is `level`: whether it is allowed at what of the triangle lies furthest out along it,
  // its face, an edge or a corner. It becomes the normal of the face, or is made normal to the edge.
  CAIRN_HD bool allows(double level, Vec& d) const {
    const double along[3] = {dot(d, corners[0]), dot(d, corners[1]), dot(d, corners[2])};
    const int top = along[1] > along[0] ? (along[2] > along[1] ? 2 : 1) : (along[2] > along[0] ? 2 : 0);
    const int after = next(top), before = next(after);
    const bool toAfter = along[after] >= along[top] - level * longest, toBefore = along[before] >= along[top] - level * longest;
    if (!toAfter && !toBefore) return allowsAtCorner(top, d, minOf(level, kNearlyLevel));
    const bool facing = dot(d, normal) > 0;
    if (facing && ((toAfter && toBefore) || dot(d, normal) > 1 - kSameNormal)) {
      d = normal;
      return true;
    }
    const int k = toAfter ? top : before;
    const Vec edge = corners[next(k)] - corners[k];
    d = normalizedOr(d - (dot(d, edge) / dot(edge, edge)) * edge, d);
    return allowsAtEdge(k, d, minOf(level, kNearlyLevel));
  }
};

// A triangle as `middle` sees it. False: from behind, where only a two-sided mesh is met, or it has no normal.
CAIRN_HD inline bool facetOf(const MeshShape& shape, int triangle, Vec middle, Facet& out) {
  const MeshTriangle& t = shape.triangleList[triangle];
  const Vec a = shape.vertices[t.corners[0]], b = shape.vertices[t.corners[1]], c = shape.vertices[t.corners[2]];
  // Scaled first: squares of the normal of a small triangle would lose digits.
  const Vec ab = b - a, ac = c - a, bc = c - b;
  const double longest = squareRoot(maxOf(dot(ab, ab), maxOf(dot(ac, ac), dot(bc, bc))));
  if (!(longest > 0)) return false;
  const Vec normal = cross((1 / longest) * ab, (1 / longest) * ac);
  const double size = length(normal);
  if (!(size > 0)) return false;
  out.normal = (1 / size) * normal;
  out.shape = &shape;
  out.longest = longest;
  const bool behind = dot(out.normal, middle - a) < 0;
  if (behind && shape.twoSided == 0) return false;
  const int second = behind ? 2 : 1, third = behind ? 1 : 2;
  out.vertices[0] = t.corners[0];
  out.vertices[1] = t.corners[second];
  out.vertices[2] = t.corners[third];
  out.corners[0] = a;
  out.corners[1] = behind ? c : b;
  out.corners[2] = behind ? b : c;
  out.across[0] = behind ? t.across[2] : t.across[0];
  out.across[1] = t.across[1];
  out.across[2] = behind ? t.across[0] : t.across[2];
  if (behind) out.normal = -out.normal;
  out.offset = dot(out.normal, a);
  return true;
}

// Where a point's nearest point of a triangle is.
struct NearestOnFacet {
  Vec at;
  int corner, edge;  // -1: it is none; both: it is on the face
};

// Ericson, "Real-Time Collision Detection", 2005, section 5.1.5: by the regions of corners, edges and face.
CAIRN_HD inline NearestOnFacet nearestOn(const Facet& facet, Vec p) {
  const Vec a = facet.corners[0], b = facet.corners[1], c = facet.corners[2], ab = b - a, ac = c - a, bc = c - b;
  const Vec ap = p - a, bp = p - b, cp = p - c;
  const double abAp = dot(ab, ap), acAp = dot(ac, ap), abBp = dot(ab, bp), acBp = dot(ac, bp), abCp = dot(ab, cp), acCp = dot(ac, cp);
  if (abAp <= 0 && acAp <= 0) return {a, 0, -1};
  if (abBp >= 0 && acBp <= abBp) return {b, 1, -1};
  if (acCp >= 0 && abCp <= acCp) return {c, 2, -1};
  const double ofC = abAp * acBp - abBp * acAp, ofB = abCp * acAp - abAp * acCp, ofA = abBp * acCp - abCp * acBp;
  if (ofC <= 0 && abAp >= 0 && abBp <= 0) return {a + (abAp / (abAp - abBp)) * ab, -1, 0};
  if (ofB <= 0 && acAp >= 0 && acCp <= 0) return {a + (acAp / (acAp - acCp)) * ac, -1, 2};
  const double toC = acBp - abBp, toB = abCp - acCp;
  if (ofA <= 0 && toC >= 0 && toB >= 0) return {b + (toC / (toC + toB)) * bc, -1, 1};
  return {p - facet.heightOf(p) * facet.normal, -1, -1};
}

// Whether a point lies over the triangle, seen along its normal, or beside it by no more than `beside` [m].
CAIRN_HD inline bool isOver(const Facet& facet, Vec p, double beside) {
  for (int k = 0; k < 3; ++k) {
    const Vec out = facet.outward(k);
    if (dot(out, p - facet.corners[k]) > beside * length(out)) return false;
  }
  return true;
}

// For the algorithm of convex_gap.hpp.
struct FacetCore {
  const Facet& facet;
  Pose<double> pose;  // some point of it
};
CAIRN_HD inline FacetCore coreOf(const Facet& facet) { return {facet, {facet.corners[0], identityQuat<double>()}}; }
CAIRN_HD inline double radiusOfCore(const FacetCore&) { return 0; }
CAIRN_HD inline Vec supportOfCore(const FacetCore& core, Vec direction) {
  return core.facet.corners[furthestCorner(core.facet.corners, 3, direction)];
}

// How far a convex shape is from the triangle, if that is not above the limit. One body a kernel: the callers are many, and compilers would make it a
// part of each.
[[gnu::noinline]] CAIRN_HD inline ConvexGap gapTo(const Facet& facet, const ConvexShape& convex, double limit) {
  return gapOfCores(convex, coreOf(facet), limit);
}

// A contact this many slops deep is looked at once more: the shape may be beside the triangle, with its middle in front of the plane and a part
// behind.
constexpr double kDeepSlops = 10;
CAIRN_HD inline bool isBeside(const Facet& facet, const ConvexShape& convex, double separation, double slop) {
  if (separation >= -kDeepSlops * slop) return false;
  const ConvexGap gap = gapTo(facet, convex, 0);
  return gap.known && gap.gap > 0;
}

// --- the tree ----------------------------------------------------------------------------------------------------

// Bounds in the mesh's frame.
struct Box {
  Vec low, high;
};

CAIRN_HD inline bool meets(const BoxNode& node, const Box& box) {
  return double(node.low[0]) <= box.high.x && double(node.high[0]) >= box.low.x && double(node.low[1]) <= box.high.y &&
         double(node.high[1]) >= box.low.y && double(node.low[2]) <= box.high.z && double(node.high[2]) >= box.low.z;
}

// visit(item) for those of leaves that are below no node of which isOut(node) says that nothing in it counts, in the tree's order.
template <class Out, class Visit> CAIRN_HD inline void forItems(const BoxNode* nodes, int nodeCount, const Out& isOut, const Visit& visit) {
  for (int i = 0; i < nodeCount;) {
    const BoxNode& node = nodes[i];
    if (isOut(node)) {
      i = node.next;
      continue;
    }
    const int first = node.items >> 3, end = first + (node.items & 7);
    for (int item = first; item < end; ++item) visit(item);
    ++i;
  }
}
// visit(triangle) for those of leaves that meet the bounds, which may shrink meanwhile.
template <class Visit> CAIRN_HD inline void forTrianglesIn(const MeshShape& shape, const Box& box, const Visit& visit) {
  forItems(
      shape.nodes, shape.nodeCount, [&](const BoxNode& node) { return !meets(node, box); }, visit);
}

// Bounds of a convex shape that is in the mesh's frame.
CAIRN_HD inline Box boundsOf(const ConvexShape& convex, double margin) {
  const double around = radiusOfCore(convex) + margin;
  const auto along = [&](double x, double y, double z) { return supportOfCore(convex, {x, y, z}); };
  return {{along(-1, 0, 0).x - around, along(0, -1, 0).y - around, along(0, 0, -1).z - around},
          {along(1, 0, 0).x + around, along(0, 1, 0).y + around, along(0, 0, 1).z + around}};
}

// For a walk that does not end: a forged tree leads forward or nowhere.
CAIRN_HD inline bool overlaps(const Facet& facet, const Box& box) {
  const Vec low = minOf(minOf(facet.corners[0], facet.corners[1]), facet.corners[2]);
  const Vec high = maxOf(maxOf(facet.corners[0], facet.corners[1]), facet.corners[2]);
  return low.x <= box.high.x && high.x >= box.low.x && low.y <= box.high.y && high.y >= box.low.y && low.z <= box.high.z && high.z >= box.low.z;
}

}  // namespace mesh

}  // namespace cairn::v0
