// Meshes with an inside (solid_view.hpp) against each other: where they touch, and where they are nearest.
//
// Vertices and edges that stick out are looked at where they may touch, as samples: those of each solid in the field of the other. A tree over the
// samples leaves out what is too far away. A sample counts in directions in which its surroundings let it be touched; one that they do not lies on a
// face, whose contact is that of other samples. Points go into a few manifolds at once (collide_mesh_reduce).
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
// Where so many samples touch, and in as many directions as there are manifolds, it may be in a thread.
constexpr int kManyTouching = 16;
// What is on an edge has this bit in its number.
constexpr uint32_t kOnEdge = 1u << 30;

struct Solid {
  MeshShape mesh;
  SolidShape own;
  double inner;  // how thick it is: the radius of balls that fit in it where it is thin
};
CAIRN_HD inline Solid solidOf(int type, const MeshView& meshes) {
  const MeshShape shape = meshes.of(type);
  return {shape, meshes.solids.at(shape.solid), meshes.solids.solids[shape.solid].inner};
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

// How the samples of one solid are looked at in the field of another: one look after the other. solid_packs_cpu.cpp has several at once.
struct LooksOneByOne {
  static constexpr int kAtOnce = 1;

  // The field's distance in the middle of a node's ball.
  class Nodes {
   public:
    CAIRN_HD Nodes(const SampleTree& tree, const FieldShape& field, const hull::Relative& toField) : tree_(tree), field_(field), toField_(toField) {}
    CAIRN_HD double distanceAt(int node) const { return lookAt(field_, toField_.point(ballAround(tree_.nodes[node]).middle)).distance; }

   private:
    const SampleTree& tree_;
    const FieldShape& field_;
    const hull::Relative& toField_;
  };
  // visit(place among `count` samples, where it is in the field's frame, the field's value there), until it answers false.
  template <class Visit>
  CAIRN_HD static bool visitAll(const SurfaceSample* samples, int count, const FieldShape& field, const hull::Relative& toField, const Visit& visit) {
    for (int k = 0; k < count; ++k) {
      const Vec p = toField.point(samples[k].p);
      if (!visit(k, p, lookAt(field, p))) return false;
    }
    return true;
  }
  template <class Samples, class Add> CAIRN_HD static bool addAll(const Samples& of, int first, int end, const Add& add) {
    return of.addOneByOne(first, end, add);
  }
};

CAIRN_HD inline int firstItem(const BoxNode& node) { return node.items >> 3; }
CAIRN_HD inline int itemCount(const BoxNode& node) { return node.items & 7; }

// visit(first sample, one past the last) of leaves that may be within the margin of a field's surface, until it answers false. What lies below a node
// that is within it as a whole is visited without another look: in a thread all but a few nodes are.
template <class Looks, class Visit> CAIRN_HD inline void forLeavesNear(const SampleTree& tree, const FieldShape& field, const hull::Relative& toField,
                                                                       double margin, const Visit& visit) {
  typename Looks::Nodes nodes(tree, field, toField);
  int within = 0;          // nodes before this one need no look
  int first = 0, end = 0;  // samples that wait for others after them, to be looked at with these
  for (int i = 0; i < tree.nodeCount;) {
    const BoxNode& node = tree.nodes[i];
    if (i >= within) {
      const double distance = nodes.distanceAt(i), radius = ballAround(node).radius;
      if (isFurther(field, distance, radius + margin)) {
        i = node.next;
        continue;
      }
      if (distance + radius <= margin) within = node.next;
    }
    ++i;
    if (itemCount(node) == 0) continue;
    if (firstItem(node) != end) {
      if (first < end && !visit(first, end)) return;
      first = firstItem(node);
    }
    end = firstItem(node) + itemCount(node);
    const int full = (end - first) / Looks::kAtOnce * Looks::kAtOnce;
    if (full > 0 && !visit(first, first + full)) return;
    first += full;
  }
  if (first < end) visit(first, end);
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
  template <class Looks, class Add> CAIRN_HD void forEach(const Add& add) const {
    forLeavesNear<Looks>(own.own.all, field, toField, margin, [&](int first, int end) { return Looks::addAll(*this, first, end, add); });
  }
  template <class Add> CAIRN_HD bool addOneByOne(int first, int end, const Add& add) const {
    for (int k = first; k < end; ++k) {
      const Vec p = toField.point(own.own.samples[k].p);
      const FieldValue value = lookAt(field, p);
      const Found found = foundAt(value, margin);
      if (!found.any) continue;
      const Vec direction = ownDirection(found);
      const bool allowed = allowsAt(own.mesh, own.own.samples[k], direction);
      const Slide slide = allowed ? noSlide() : slideFrom(own.own.samples[k], direction, value.gradient);
      if (!addOrSlide(uint32_t(k), p, found, allowed, slide, slide.any ? lookAt(field, slide.otherEnd()).gradient : Vec{0, 0, 0}, add)) return false;
    }
    return true;
  }
  // Of few samples those that touch and can be touched from there, until visit(number, where it is, what is found there) answers false.
  template <class Looks, class Visit> CAIRN_HD void forEachTouching(const Visit& visit) const {
    forLeavesNear<Looks>(own.own.few, field, toField, 0.0, [&](int first, int end) {
      const SurfaceSample* const samples = own.own.samples + first;
      return Looks::visitAll(samples, end - first, field, toField, [&](int k, Vec p, const FieldValue& value) {
        const Found found = foundAt(value, 0.0);
        if (!found.any || !(found.distance < 0) || !allowsAt(own.mesh, samples[k], ownDirection(found))) return true;
        return visit(first + k, p, found);
      });
    });
  }
  // As forEach in a thread, of those that touch: surfaces lie on each other, so that where one is smooth its normal is the contact's, and knows the
  // thread's lead, which is within what a field's gradients are off by.
  template <class Looks, class Add> CAIRN_HD void forEachInThread(const Add& add) const {
    forEachTouching<Looks>([&](int k, Vec p, Found found) {
      const SurfaceSample& sample = own.own.samples[k];
      const Vec normal = sample.b == kNoVertex ? normalizedOr(own.mesh.normals[sample.a], Vec{0, 0, 0}) : Vec{0, 0, 0};
      if (sample.b == kNoVertex && isSmoothAt(sample.a, normal)) found.normal = -(toField.axes * normal);
      add(uint32_t(k), p, found, true);
      return true;
    });
  }

  // From a vertex that is not the nearest place around, down the edge that climbs most towards the other surface: its ends in the field's frame, and
  // how the field's distance changes along it at the vertex.
  struct Slide {
    bool any;
    int from, to;
    bool fromVertex;  // whether the vertex is the first end
    Vec start, end;
    double slopeHere;
    CAIRN_HD Vec otherEnd() const { return fromVertex ? end : start; }
  };
  CAIRN_HD static Slide noSlide() { return {false, 0, 0, false, {0, 0, 0}, {0, 0, 0}, 0}; }
  // None where the vertex is nearer already, or the sample is no vertex. `gradient` is the field's at the vertex.
  [[gnu::noinline]] CAIRN_HD Slide slideFrom(const SurfaceSample& sample, Vec d, Vec gradient) const {
    Slide slide = noSlide();
    if (sample.b != kNoVertex) return slide;
    const MeshShape& mesh = own.mesh;
    const int vertex = sample.a;
    int steepest = -1;
    double most = kAllowed;
    for (int i = mesh.fans[vertex]; i < mesh.fans[vertex + 1]; ++i) {
      const Vec along = mesh.vertices[mesh.near[i]] - mesh.vertices[vertex];
      const double climb = dot(d, along) / length(along);
      if (climb > most) most = climb, steepest = i;
    }
    if (steepest < 0) return slide;
    // The same from both ends, so that both find the same place.
    const int other = mesh.near[steepest], from = minOf(vertex, other), to = maxOf(vertex, other);
    slide = {true, from, to, from == vertex, toField.point(mesh.vertices[from]), toField.point(mesh.vertices[to]), 0};
    slide.slopeHere = dot(gradient, slide.end - slide.start);
    slide.any = slide.fromVertex ? slide.slopeHere < 0 : slide.slopeHere > 0;
    return slide;
  }
  // `gradientThere` is the field's at the slide's other end.
  template <class Add>
  CAIRN_HD bool addOrSlide(uint32_t k, Vec p, const Found& found, bool allowed, const Slide& slide, Vec gradientThere, const Add& add) const {
    OnEdge on;
    if (slide.any && slideAlong(slide, gradientThere, on)) return add(kOnEdge | uint32_t(on.edge), on.p, on.found, true);
    return add(k, p, found, allowed);
  }
  CAIRN_HD Vec ownDirection(const Found& found) const { return -transposeTimes(toField.axes, found.normal); }

 private:
  CAIRN_HD bool isSmoothAt(int vertex, Vec normal) const {
    for (int i = own.mesh.fans[vertex]; i < own.mesh.fans[vertex + 1]; ++i) {
      const Vec along = own.mesh.vertices[own.mesh.near[i]] - own.mesh.vertices[vertex];
      if (!(absOf(dot(normal, along)) <= kSmooth * length(along))) return false;
    }
    return true;
  }
  // False: the nearest place on that edge is an end of it, or lies on a face or in a valley.
  [[gnu::noinline]] CAIRN_HD bool slideAlong(const Slide& slide, Vec gradientThere, OnEdge& out) const {
    const MeshShape& mesh = own.mesh;
    const int from = slide.from, to = slide.to;
    const Vec start = slide.start, way = slide.end - slide.start;
    const auto slopeAt = [&](Vec p) { return dot(lookAt(field, p).gradient, way); };
    const double slopeThere = dot(gradientThere, way);
    double low = 0, high = 1, slopeLow = slide.fromVertex ? slide.slopeHere : slopeThere, slopeHigh = slide.fromVertex ? slopeThere : slide.slopeHere;
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
template <class Looks>
[[gnu::noinline]] CAIRN_HD inline int nearestSample(const Solid& own, const FieldShape& field, const hull::Relative& toField, double& distance) {
  const SampleTree& tree = own.own.all;
  typename Looks::Nodes nodes(tree, field, toField);
  int nearest = -1;
  double best = distance;
  for (int i = 0; i < tree.nodeCount;) {
    const BoxNode& node = tree.nodes[i];
    if (isFurther(field, nodes.distanceAt(i), ballAround(node).radius + best)) {
      i = node.next;
      continue;
    }
    const int first = firstItem(node);
    Looks::visitAll(own.own.samples + first, itemCount(node), field, toField, [&](int k, Vec /*p*/, const FieldValue& value) {
      if (value.distance < best) best = value.distance, nearest = first + k;
      return true;
    });
    ++i;
  }
  distance = best;
  return nearest;
}

template <class Looks = LooksOneByOne>
CAIRN_HD inline Nearest nearestOfSolids(const Solid& a, const Solid& b, const hull::Relative& aInB, double limit) {
  const hull::Relative bInA = aInB.inverse();
  Nearest nearest{limit, false, {0, 0, 0}, {0, 0, 0}, 0};
  const int ofA = nearestSample<Looks>(a, b.own.field, aInB, nearest.distance), ofB = nearestSample<Looks>(b, a.own.field, bInA, nearest.distance);
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

// Normals that differ, as many as there may be manifolds.
class NormalsApart {
 public:
  // False: there would be more.
  CAIRN_HD bool add(Vec normal) {
    for (int k = 0; k < count_; ++k) {
      if (dot(normals_[k], normal) > 1 - kAlike) return true;
    }
    if (count_ == kMaxMeshManifolds) return false;
    normals_[count_++] = normal;
    return true;
  }

 private:
  Vec normals_[kMaxMeshManifolds];
  int count_ = 0;
};

// Whether two touch in more directions than there are manifolds, as in a thread: by few samples, and mostly a small part of these.
template <class Looks> CAIRN_HD inline bool touchAllAround(const SamplesInField& ofA, const SamplesInField& ofB, const Mat3<double>& aInB) {
  NormalsApart normals;
  bool all = true;
  ofA.forEachTouching<Looks>([&](int /*k*/, Vec /*p*/, const Found& found) { return all = normals.add(found.normal); });
  if (all) ofB.forEachTouching<Looks>([&](int /*k*/, Vec /*p*/, const Found& found) { return all = normals.add(-(aInB * found.normal)); });
  return !all;
}

// Into the reduction in B's frame.
template <class Looks = LooksOneByOne>
[[gnu::noinline]] CAIRN_HD inline void meetSolids(const Solid& a, const Solid& b, const hull::Relative& aInB, double margin, Reduction& out) {
  const hull::Relative bInA = aInB.inverse();
  const SamplesInField ofA{a, b.own.field, aInB, margin}, ofB{b, a.own.field, bInA, margin};
  bool asked = false, inThread = false;
  int touching = 0;
  const auto goesOn = [&](const Found& found, bool allowed) {
    touching += found.distance < 0 && allowed ? 1 : 0;
    if (!asked && touching >= kManyTouching && out.isFull()) {
      asked = true;
      inThread = touchAllAround<Looks>(ofA, ofB, aInB.axes);
    }
    inThread = inThread || out.isCrowded();
    return !inThread;
  };
  const auto addOfA = [&](uint32_t k, Vec p, const Found& found, bool allowed) {
    addOrRefuse(allowed, found.normal, p - (0.5 * found.distance) * found.normal, found.distance, k << 1, out);
  };
  const auto addOfB = [&](uint32_t k, Vec p, const Found& found, bool allowed) {
    const Vec outOfA = aInB.axes * found.normal;
    addOrRefuse(allowed, -outOfA, aInB.point(p) - (0.5 * found.distance) * outOfA, found.distance, k << 1 | 1u, out);
  };
  ofA.forEach<Looks>([&](uint32_t k, Vec p, const Found& found, bool allowed) { return addOfA(k, p, found, allowed), goesOn(found, allowed); });
  if (!inThread)
    ofB.forEach<Looks>([&](uint32_t k, Vec p, const Found& found, bool allowed) { return addOfB(k, p, found, allowed), goesOn(found, allowed); });
  if (!inThread) return;
  out.keepSpread(kAlikeInThread);
  ofA.forEachInThread<Looks>(addOfA);
  ofB.forEachInThread<Looks>(addOfB);
}

}  // namespace solid

}  // namespace cairn::v0
