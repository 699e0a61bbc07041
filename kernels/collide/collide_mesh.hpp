// A convex shape against a triangle mesh: up to kMaxMeshManifolds manifolds of four points, each with a normal of its own.
//
// The tree (mesh_view.hpp) gives the triangles whose bounds meet the shape's, grown by the margin. Each is met by itself (collide_mesh_round,
// collide_mesh_faces, collide_mesh_revolved), in directions that the mesh around it allows (collide_mesh_facet), and what it has of points goes into
// a few manifolds at once (collide_mesh_reduce): no list of triangles is kept. Of a one-sided mesh those triangles are met in front of which the
// middle of the shape is, of a two-sided one each from the side on which that is.
//
// All of it is in double whatever the World's precision, in the mesh's frame, + - * / and sqrt in one order.
#pragma once

#include "kernels/collide/collide_mesh_revolved.hpp"

namespace cairn::v0 {

namespace mesh {

CAIRN_HD inline PlacedShape<double> inFrameOf(const Pose<double>& frame, const PlacedShape<double>& shape) {
  const int type = isHull(shape.type) ? shape.type : shape.type & (kSensor - 1);
  return {type, shape.size, {inverseTransform(frame, shape.pose.p), normalized(conjugate(frame.q) * shape.pose.q)}};
}

struct Sizes {
  double inner, outer;  // radii of the balls that lie in the shape, and that it lies in
};
CAIRN_HD inline Sizes sizesOf(const PlacedShape<double>& shape, const HullView& hulls) {
  const Vec s = shape.size;
  if (isHull(shape.type)) return {hulls.of(shape.type).inner, hulls.of(shape.type).outer};
  if (shape.type == kBox) return {minOf(s.x, minOf(s.y, s.z)), length(s)};
  if (shape.type == kEllipsoid) return {minOf(s.x, minOf(s.y, s.z)), maxOf(s.x, maxOf(s.y, s.z))};
  if (shape.type == kCapsule) return {s.x, s.x + s.y};
  if (isRevolved(shape.type)) return {s.z, squareRoot(s.x * s.x + s.y * s.y)};
  return {s.x, s.x};
}

// The middle of a shape, which says on which side of a triangle it is: as deep in it as any place is.
CAIRN_HD inline Vec middleOf(const PlacedShape<double>& shape) {
  const Vec toBall{0, shape.size.z - shape.size.y, 0};  // of a cone, from half way up to the middle of the largest ball in it
  return shape.type == kCone ? shape.pose.p + rotate(shape.pose.q, toBall) : shape.pose.p;
}

// The part of a line, from first to last [m] along n, that is on the inner side of a plane.
struct Stretch {
  double first, last;
  CAIRN_HD void cut(double height, double slope) {
    if (slope > 0) {
      last = minOf(last, -height / slope);
    } else if (slope < 0) {
      first = maxOf(first, -height / slope);
    } else if (height > 0) {
      last = -1e300;
    }
  }
};

// Likewise as a triangle sees it from `at` along its normal: of a wide flat shape beside a small triangle the shape's own middle says nothing about
// the side that it is on.
CAIRN_HD inline Vec middleSeenFrom(Vec at, Vec n, const PlacedShape<double>& shape, const HullView& hulls) {
  const Vec from = inverseTransform(shape.pose, at), along = inverseRotate(shape.pose.q, n), size = shape.size;
  const auto alongAxis = [&](double most) { return shape.pose.p + rotate(shape.pose.q, Vec{0, clampTo(from.y, -most, most), 0}); };
  if (shape.type == kCapsule) return alongAxis(size.y);
  if (shape.type == kCylinder && size.y > size.x) return alongAxis(size.y - size.x);
  Stretch inside{-1e300, 1e300};
  if (shape.type == kBox) {
    for (int axis = 0; axis < 3; ++axis) {
      const double p = component(from, axis), slope = component(along, axis), half = component(size, axis);
      inside.cut(p - half, slope);
      inside.cut(-p - half, -slope);
    }
  } else if (isHull(shape.type)) {
    const HullShape hull = hulls.of(shape.type);
    for (int f = 0; f < hull.faceCount; ++f) inside.cut(dot(hull.faces[f].normal, from) - hull.faces[f].offset, dot(hull.faces[f].normal, along));
  } else if (shape.type == kCylinder) {
    inside.cut(from.y - size.y, along.y);
    inside.cut(-from.y - size.y, -along.y);
    const double radial = squareRoot(from.x * from.x + from.z * from.z);
    if (radial > size.x) return middleOf(shape);
  } else {
    return middleOf(shape);
  }
  return inside.first < inside.last && inside.last - inside.first < 1e30 ? at + (0.5 * (inside.first + inside.last)) * n : middleOf(shape);
}

// As for boxes, whose mean half extent is at most this part of the radius.
CAIRN_HD inline double slopOf(const Sizes& sizes) {
  constexpr double kMeanOfRadius = 0.577;
  return minOf(2e-3 * kMeanOfRadius * sizes.outer, 0.05 * sizes.inner);
}

// Bounds of a convex shape along its own axes, grown by the margin: of a wide flat one that lies slanted to the mesh those along the mesh's axes hold
// everything.
class OwnBounds {
 public:
  // `hulls`: of a hull, where it is.
  CAIRN_HD OwnBounds(const PlacedShape<double>& convex, const HullView* hulls, double margin)
      : axes_(rotationMatrix(convex.pose.q)), absolute_{absOf(axes_.c0), absOf(axes_.c1), absOf(axes_.c2)} {
    const Vec s = convex.size;
    Vec high = s;
    if (convex.type == kSphere) high = {s.x, s.x, s.x};
    if (convex.type == kCapsule) high = {s.x, s.x + s.y, s.x};
    if (isRevolved(convex.type)) high = {s.x, s.y, s.x};
    Vec low = -high;
    if (isHull(convex.type)) {
      const HullShape hull = hulls->of(convex.type);
      low = high = hull.vertices[0];
      for (int k = 1; k < hull.vertexCount; ++k) low = minOf(low, hull.vertices[k]), high = maxOf(high, hull.vertices[k]);
    }
    middle_ = 0.5 * (low + high) + transposeTimes(axes_, convex.pose.p);
    const double rounding = kRounding * (length(convex.pose.p) + length(low) + length(high));
    half_ = 0.5 * (high - low) + Vec{rounding, rounding, rounding};
    setMargin(margin);
  }
  CAIRN_HD void setMargin(double margin) {
    const double spare = (1 + kRounding) * margin;
    reach_ = half_ + Vec{spare, spare, spare};
  }
  CAIRN_HD bool misses(const BoxNode& node) const {
    const Vec low{double(node.low[0]), double(node.low[1]), double(node.low[2])},
        high{double(node.high[0]), double(node.high[1]), double(node.high[2])};
    const Vec half = 0.5 * (high - low), away = absOf(transposeTimes(axes_, 0.5 * (low + high)) - middle_) - reach_;
    return away.x > dot(absolute_.c0, half) || away.y > dot(absolute_.c1, half) || away.z > dot(absolute_.c2, half);
  }
  CAIRN_HD bool misses(const Facet& facet) const {
    const Vec a = transposeTimes(axes_, facet.corners[0]) - middle_, b = transposeTimes(axes_, facet.corners[1]) - middle_,
              c = transposeTimes(axes_, facet.corners[2]) - middle_;
    const Vec low = minOf(minOf(a, b), c), high = maxOf(maxOf(a, b), c);
    return low.x > reach_.x || low.y > reach_.y || low.z > reach_.z || high.x < -reach_.x || high.y < -reach_.y || high.z < -reach_.z;
  }

 private:
  static constexpr double kRounding = 1e-9;
  Mat3<double> axes_, absolute_;  // the shape's in the mesh's frame; sizes of their parts
  Vec middle_, half_, reach_;     // along these; with the margin
};

// The triangles that a convex shape may touch, and how it meets one of them. All in the mesh's frame.
class MeshReach {
 public:
  CAIRN_HD MeshReach(const PlacedShape<double>& convex, const MeshShape& shape, const HullView& hulls, double margin)
      : convex_(convex),
        shape_(shape),
        hulls_(hulls),
        core_(convexShape(convex, &hulls)),
        margin_(margin),
        slop_(slopOf(sizesOf(convex, hulls))),
        middle_(middleOf(convex)) {}

  // meet(triangle, facet) for each in reach, in the tree's order.
  template <class Meet> CAIRN_HD void forFacets(const Meet& meet) const {
    const Box box = boundsOf(core_, margin_);
    const OwnBounds along(convex_, &hulls_, margin_);
    const auto isOut = [&](const BoxNode& node) { return !meets(node, box) || along.misses(node); };
    forItems(shape_.nodes, shape_.nodeCount, isOut, [&](int triangle) {
      Facet facet;
      if (facetAt(triangle, facet) && overlaps(facet, box) && !along.misses(facet)) meet(triangle, facet);
    });
  }
  // False: it is met from behind, or has no normal.
  CAIRN_HD bool facetAt(int triangle, Facet& facet) const {
    return facetOf(shape_, triangle, shape_.solid == kNoSolid ? middle_ : middleOfSolids(triangle), facet);
  }
  // act(meet), of which meet(facet) is what a triangle has to say, into `out`.
  template <class Act> CAIRN_HD void withMeeting(Touches& out, const Act& act) const {
    const Round round{convex_, margin_, slop_};
    if (convex_.type == kSphere) {
      act([&](const Facet& facet) { meetSphere(facet, round, out); });
    } else if (convex_.type == kCapsule) {
      act([&](const Facet& facet) { meetCapsule(facet, round, out); });
    } else if (convex_.type == kEllipsoid) {
      act([&](const Facet& facet) { meetEllipsoid(facet, round, out); });
    } else if (isRevolved(convex_.type)) {
      const Revolved solid{convex_, hulls_, revolved::placedSolid(convex_, hulls_), margin_, slop_};
      act([&](const Facet& facet) { meetRevolved(facet, solid, out); });
    } else if (convex_.type == kBox) {
      const Cube cube;
      withSolid(cube.shape(), true, out, act);
    } else if (isHull(convex_.type)) {
      withSolid(hulls_.of(convex_.type), false, out, act);
    }
  }

 private:
  CAIRN_HD Vec middleOfSolids(int triangle) const {
    const Vec a = shape_.corner(triangle, 0), b = shape_.corner(triangle, 1), c = shape_.corner(triangle, 2);
    return middleSeenFrom((1.0 / 3) * (a + b + c), normalizedOr(cross(b - a, c - a), Vec{0, 1, 0}), convex_, hulls_);
  }
  template <class Act> CAIRN_HD void withSolid(const HullShape& own, bool isBox, Touches& out, const Act& act) const {
    const Sizes sizes = sizesOf(convex_, hulls_);
    const hull::Relative inMesh{rotationMatrix(convex_.pose.q), convex_.pose.p};
    const hull::Polyhedron polyhedron{own, isBox ? convex_.size : Vec{1, 1, 1}, isBox, sizes.inner, sizes.outer};
    const Solid solid{polyhedron, inMesh, inMesh.inverse(), core_, margin_, slop_};
    act([&](const Facet& facet) { meetSolid(facet, solid, out); });
  }

  const PlacedShape<double>& convex_;
  const MeshShape& shape_;
  const HullView& hulls_;
  ConvexShape core_;
  double margin_, slop_;
  Vec middle_;
};

// For the contacts of a convex shape, which is in the mesh's frame.
CAIRN_HD inline Reduction reductionOn(const MeshShape& shape, const PlacedShape<double>& convex, const HullView& hulls) {
  const Sizes sizes = sizesOf(convex, hulls);
  const BoxNode& root = shape.nodes[0];
  const Vec extent{double(root.high[0]) - root.low[0], double(root.high[1]) - root.low[1], double(root.high[2]) - root.low[2]};
  Reduction reduction(rotationMatrix(convex.pose.q), convex.pose.p, minOf(sizes.outer, length(extent)), slopOf(sizes));
  if (shape.solid != kNoSolid) reduction.limitDepth(2 * sizes.inner);
  return reduction;
}
// Out of the mesh's frame.
CAIRN_HD inline void writeContacts(Reduction& reduction, const Pose<double>& frame, double margin, MeshContacts& out) {
  reduction.write(margin, out);
  for (int m = 0; m < out.count; ++m) hull::toWorld(frame, out.manifolds[m]);
}

}  // namespace mesh

// `convex` is any shape but a half-space or another mesh; positions in the frame that both poses are in. Contacts with a gap up to the margin.
[[gnu::noinline]] CAIRN_HD inline void collideMesh(const PlacedShape<double>& convex, const PlacedShape<double>& mesh, const HullView& hulls,
                                                   const MeshView& meshes, double margin, MeshContacts& out) {
  const MeshShape shape = meshes.of(mesh.type);
  const PlacedShape<double> local = mesh::inFrameOf(mesh.pose, convex);
  mesh::Reduction reduction = mesh::reductionOn(shape, local, hulls);
  mesh::Touches touches(reduction);
  const mesh::MeshReach reach(local, shape, hulls, margin);
  reach.withMeeting(touches, [&](const auto& meet) { reach.forFacets([&](int /*triangle*/, const mesh::Facet& facet) { meet(facet); }); });
  mesh::writeContacts(reduction, mesh.pose, margin, out);
}

}  // namespace cairn::v0
