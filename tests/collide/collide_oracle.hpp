// Signed distances between spheres, capsules, boxes and half-spaces by enumeration, in double and written apart from kernels/collide_*.hpp:
// a shape is a small polytope (its core) with a radius around it.
#pragma once

#include "kernels/collide/collide.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace cairn::test {

using Vec = Vec3<double>;
using Shape = PlacedShape<double>;

struct Core {
  std::vector<Vec> vertices;
  std::vector<std::pair<int, int>> edges;
  std::vector<Vec> faceNormals;
  std::vector<Vec> edgeDirections;
  double radius = 0;
};

inline Core coreOf(const Shape& shape) {
  Core core;
  if (shape.type == kSphere) {
    core.vertices = {shape.pose.p};
    core.radius = shape.size.x;
  } else if (shape.type == kCapsule) {
    core.vertices = {transform(shape.pose, Vec{0, -shape.size.y, 0}), transform(shape.pose, Vec{0, shape.size.y, 0})};
    core.edges = {{0, 1}};
    core.edgeDirections = {rotate(shape.pose.q, Vec{0, 1, 0})};
    core.radius = shape.size.x;
  } else {
    for (int i = 0; i < 8; ++i) {
      core.vertices.push_back(transform(
          shape.pose, Vec{(i & 1) ? shape.size.x : -shape.size.x, (i & 2) ? shape.size.y : -shape.size.y, (i & 4) ? shape.size.z : -shape.size.z}));
      for (int bit = 1; bit < 8; bit <<= 1)
        if (!(i & bit)) core.edges.push_back({i, i | bit});
    }
    for (const Vec& axis : {Vec{1, 0, 0}, Vec{0, 1, 0}, Vec{0, 0, 1}}) core.faceNormals.push_back(rotate(shape.pose.q, axis));
    core.edgeDirections = core.faceNormals;
  }
  return core;
}

inline double highest(const Core& core, Vec n) {
  double best = -std::numeric_limits<double>::infinity();
  for (const Vec& v : core.vertices) best = std::max(best, dot(v, n));
  return best;
}

// Gap between the shapes along the unit vector n from A to B: the signed distance is its maximum over all n.
inline double gapAlong(const Shape& a, const Shape& b, Vec n) {
  const Core coreA = coreOf(a);
  const double topOfA = highest(coreA, n) + coreA.radius;
  if (b.type == kHalfSpace) {
    const Vec outward = rotate(b.pose.q, Vec{0, 1, 0});
    return length(n + outward) < 1e-4 ? -dot(outward, b.pose.p) - topOfA : -std::numeric_limits<double>::infinity();
  }
  const Core coreB = coreOf(b);
  return -highest(coreB, -n) - coreB.radius - topOfA;
}

inline double pointToPoint(Vec a, Vec b) { return length(a - b); }
inline double pointToSegment(Vec p, Vec a, Vec b) {
  const Vec d = b - a;
  const double l2 = dot(d, d);
  const double t = l2 > 0 ? std::clamp(dot(p - a, d) / l2, 0.0, 1.0) : 0.0;
  return length(p - (a + t * d));
}
inline double segmentToSegment(Vec a, Vec b, Vec c, Vec d) {
  double best = std::min({pointToSegment(a, c, d), pointToSegment(b, c, d), pointToSegment(c, a, b), pointToSegment(d, a, b)});
  const Vec u = b - a, v = d - c, n = cross(u, v);
  const double n2 = dot(n, n);
  if (n2 < 1e-20 * dot(u, u) * dot(v, v)) return best;
  const Vec w = c - a;
  const double s = dot(cross(w, v), n) / n2, t = dot(cross(w, u), n) / n2;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, std::abs(dot(w, n)) / std::sqrt(n2));
  return best;
}
inline double pointToBox(Vec p, const Shape& box) {
  const Vec c = inverseTransform(box.pose, p);
  return length(Vec{std::max(std::abs(c.x) - box.size.x, 0.0), std::max(std::abs(c.y) - box.size.y, 0.0), std::max(std::abs(c.z) - box.size.z, 0.0)});
}

// Distance of a point to the shape; 0 inside.
inline double pointToShape(Vec p, const Shape& shape) {
  if (shape.type == kBox) return pointToBox(p, shape);
  if (shape.type == kHalfSpace) return std::max(0.0, dot(rotate(shape.pose.q, Vec{0, 1, 0}), p - shape.pose.p));
  const Core core = coreOf(shape);
  const double d = shape.type == kSphere ? pointToPoint(p, core.vertices[0]) : pointToSegment(p, core.vertices[0], core.vertices[1]);
  return std::max(0.0, d - core.radius);
}

// Distance where the shapes are apart, minus the least translation that parts them where they overlap.
inline double signedDistance(const Shape& a, const Shape& b) {
  const Core coreA = coreOf(a);
  if (b.type == kHalfSpace) return gapAlong(a, b, -rotate(b.pose.q, Vec{0, 1, 0}));
  const Core coreB = coreOf(b);
  // Cores that overlap do so along every normal of a face or of two edges; the least overlap is along one of them. Cores without faces meet in
  // measure zero only: a sphere's centre on another's, say.
  std::vector<Vec> axes = coreA.faceNormals;
  axes.insert(axes.end(), coreB.faceNormals.begin(), coreB.faceNormals.end());
  for (const Vec& u : coreA.edgeDirections)
    for (const Vec& v : coreB.edgeDirections) {
      const Vec n = cross(u, v);
      if (length(n) > 1e-7) axes.push_back((1 / length(n)) * n);
    }
  const bool flat = coreA.faceNormals.empty() && coreB.faceNormals.empty();
  double overlap = -std::numeric_limits<double>::infinity();
  for (const Vec& n : axes) overlap = std::max({overlap, -highest(coreB, -n) - highest(coreA, n), -highest(coreA, -n) - highest(coreB, n)});
  double distance = overlap;
  if (flat || overlap > 0) {
    distance = std::numeric_limits<double>::infinity();
    for (const Vec& v : coreA.vertices) {
      if (b.type == kBox) distance = std::min(distance, pointToBox(v, b));
      for (const Vec& w : coreB.vertices) distance = std::min(distance, pointToPoint(v, w));
      for (const auto& e : coreB.edges) distance = std::min(distance, pointToSegment(v, coreB.vertices[e.first], coreB.vertices[e.second]));
    }
    for (const Vec& w : coreB.vertices) {
      if (a.type == kBox) distance = std::min(distance, pointToBox(w, a));
      for (const auto& e : coreA.edges) distance = std::min(distance, pointToSegment(w, coreA.vertices[e.first], coreA.vertices[e.second]));
    }
    for (const auto& e : coreA.edges)
      for (const auto& f : coreB.edges)
        distance = std::min(distance,
                            segmentToSegment(coreA.vertices[e.first], coreA.vertices[e.second], coreB.vertices[f.first], coreB.vertices[f.second]));
  }
  return distance - coreA.radius - coreB.radius;
}

// --- random shapes -----------------------------------------------------------------------------------------------

class ShapeSource {
 public:
  explicit ShapeSource(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  Vec direction() {
    std::normal_distribution<double> normal;
    for (;;) {
      const Vec v{normal(generator_), normal(generator_), normal(generator_)};
      if (length(v) > 1e-3) return (1 / length(v)) * v;
    }
  }
  Quat<double> turn(double maxAngle) {
    const Vec axis = direction();
    const double half = 0.5 * uniform(-maxAngle, maxAngle);
    return {std::sin(half) * axis.x, std::sin(half) * axis.y, std::sin(half) * axis.z, std::cos(half)};
  }
  // Half of them turned at random, the others by quarter turns and a little: parallel faces and edges are the hard cases.
  Quat<double> orientation() {
    if (uniform(0, 1) < 0.5) return turn(3.14159265358979);
    const double r = std::sqrt(0.5);
    Quat<double> q = identityQuat<double>();
    const Quat<double> quarters[3] = {{r, 0, 0, r}, {0, r, 0, r}, {0, 0, r, r}};
    for (int i = 0; i < 3; ++i) q = q * quarters[int(uniform(0, 2.999))];
    const double tilts[4] = {0, 1e-6, 1e-3, 0.05};
    return normalized(q * turn(tilts[int(uniform(0, 3.999))]));
  }
  Shape shape(int type) {
    const auto size = [&] { return 0.1 * std::exp(uniform(0, std::log(10.0))); };
    return {type, {size(), size(), size()}, {{0, 0, 0}, orientation()}};
  }
  // A at random near the origin and B around it, with a signed distance between low and high.
  std::pair<Shape, Shape> pair(int typeA, int typeB, double low, double high) { return pair(typeA, typeB, low, high, signedDistance); }
  template <class Distance> std::pair<Shape, Shape> pair(int typeA, int typeB, double low, double high, const Distance& distanceOf) {
    for (;;) {
      Shape a = shape(typeA), b = shape(typeB);
      a.pose.p = uniform(0, 0.2) * direction();
      const Vec away = uniform(0, 1) < 0.5 ? direction() : rotate(a.pose.q, Vec{uniform(-0.5, 0.5), 1, uniform(-0.5, 0.5)});
      double near = 0, far = 8;
      const double wanted = uniform(low, high);
      for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (near + far);
        b.pose.p = a.pose.p + middle * away;
        if (b.type == kHalfSpace) b.pose.p = a.pose.p - middle * rotate(b.pose.q, Vec{0, 1, 0});
        (distanceOf(a, b) < wanted ? near : far) = middle;
      }
      const double distance = distanceOf(a, b);
      if (distance >= low - 1e-6 && distance <= high + 1e-6) return {a, b};
    }
  }

 private:
  std::mt19937_64 generator_;
};

template <class T> PlacedShape<T> as(const Shape& shape) { return {shape.type, convert<T>(shape.size), convert<T>(shape.pose)}; }
// The shape rounded to T.
template <class T> Shape rounded(const Shape& shape) {
  const PlacedShape<T> r = as<T>(shape);
  return {r.type, convert<double>(r.size), {convert<double>(r.pose.p), normalized(convert<double>(r.pose.q))}};
}

template <class T> LocalManifold<T> contacts(const Shape& a, const Shape& b, double margin) {
  LocalManifold<T> m;
  collide(as<T>(a), as<T>(b), T(margin), m);
  return m;
}
template <class T> double deepest(const LocalManifold<T>& m) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < m.pointCount; ++i) least = std::min(least, double(m.points[i].separation));
  return least;
}

}  // namespace cairn::test
