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

// Everything that the triangles in reach say, into the reduction. `convex` is in the mesh's frame.
CAIRN_HD inline void meetTriangles(const PlacedShape<double>& convex, const MeshShape& shape, const HullView& hulls, double margin, Reduction& out) {
  const ConvexShape core = convexShape(convex, &hulls);
  const Box box = boundsOf(core, margin);
  const OwnBounds along(convex, &hulls, margin);
  const double slop = slopOf(sizesOf(convex, hulls));
  const Vec middle = middleOf(convex);
  const auto middleOfSolids = [&](int triangle) {
    const Vec a = shape.corner(triangle, 0), b = shape.corner(triangle, 1), c = shape.corner(triangle, 2);
    return middleSeenFrom((1.0 / 3) * (a + b + c), normalizedOr(cross(b - a, c - a), Vec{0, 1, 0}), convex, hulls);
  };
  const auto forFacets = [&](const auto& meet) {
    const auto isOut = [&](const BoxNode& node) { return !meets(node, box) || along.misses(node); };
    forItems(shape.nodes, shape.nodeCount, isOut, [&](int triangle) {
      Facet facet;
      const Vec side = shape.solid == kNoSolid ? middle : middleOfSolids(triangle);
      if (facetOf(shape, triangle, side, facet) && overlaps(facet, box) && !along.misses(facet)) meet(facet);
    });
  };
  const auto meetSolids = [&](const HullShape& own, bool isBox) {
    const Sizes sizes = sizesOf(convex, hulls);
    const hull::Relative inMesh{rotationMatrix(convex.pose.q), convex.pose.p};
    const hull::Polyhedron polyhedron{own, isBox ? convex.size : Vec{1, 1, 1}, isBox, sizes.inner, sizes.outer};
    const Solid solid{polyhedron, inMesh, inMesh.inverse(), core, margin, slop};
    forFacets([&](const Facet& facet) { meetSolid(facet, solid, out); });
  };
  const Round round{convex, margin, slop};
  if (convex.type == kSphere) {
    forFacets([&](const Facet& facet) { meetSphere(facet, round, out); });
  } else if (convex.type == kCapsule) {
    forFacets([&](const Facet& facet) { meetCapsule(facet, round, out); });
  } else if (convex.type == kEllipsoid) {
    forFacets([&](const Facet& facet) { meetEllipsoid(facet, round, out); });
  } else if (isRevolved(convex.type)) {
    const Revolved solid{convex, hulls, revolved::placedSolid(convex, hulls), margin, slop};
    forFacets([&](const Facet& facet) { meetRevolved(facet, solid, out); });
  } else if (convex.type == kBox) {
    const Cube cube;
    meetSolids(cube.shape(), true);
  } else if (isHull(convex.type)) {
    meetSolids(hulls.of(convex.type), false);
  }
}

}  // namespace mesh

// `convex` is any shape but a half-space or another mesh; positions in the frame that both poses are in. Contacts with a gap up to the margin.
[[gnu::noinline]] CAIRN_HD inline void collideMesh(const PlacedShape<double>& convex, const PlacedShape<double>& mesh, const HullView& hulls,
                                                   const MeshView& meshes, double margin, MeshContacts& out) {
  const MeshShape shape = meshes.of(mesh.type);
  const PlacedShape<double> local = mesh::inFrameOf(mesh.pose, convex);
  const mesh::Sizes sizes = mesh::sizesOf(local, hulls);
  const BoxNode& root = shape.nodes[0];
  const Vec3<double> extent{double(root.high[0]) - root.low[0], double(root.high[1]) - root.low[1], double(root.high[2]) - root.low[2]};
  mesh::Reduction reduction(rotationMatrix(local.pose.q), local.pose.p, minOf(sizes.outer, length(extent)), mesh::slopOf(sizes));
  if (shape.solid != kNoSolid) reduction.limitDepth(2 * sizes.inner);
  mesh::meetTriangles(local, shape, hulls, margin, reduction);
  reduction.write(margin, out);
  for (int m = 0; m < out.count; ++m) hull::toWorld(mesh.pose, out.manifolds[m]);
}

}  // namespace cairn::v0
