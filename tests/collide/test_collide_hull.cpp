// Contacts of hulls with every other shape, against signed distances by enumeration: along every axis that corners span where shapes overlap, and by
// FCL where they are apart.
#include "tests/collide/crowd.hpp"
#include "tests/support/hull_shapes.hpp"
#include "tests/support/hulls.hpp"

#include <gtest/gtest.h>

namespace cairn::test {
namespace {

// A shape as corners with a radius around them.
struct Cloud {
  std::vector<Vec> corners;
  double radius = 0;
};
Cloud cloudOf(const Hulls& hulls, const Shape& shape) {
  if (!isHull(shape.type)) {
    const Core core = coreOf(shape);
    return {core.vertices, core.radius};
  }
  Cloud cloud{hulls.corners(shape.type), 0};
  for (Vec& v : cloud.corners) v = transform(shape.pose, v);
  return cloud;
}
double gapAlong(const Cloud& a, const Cloud& b, Vec n) {
  double top = -1e300, bottom = 1e300;
  for (const Vec& v : a.corners) top = std::max(top, dot(v, n));
  for (const Vec& v : b.corners) bottom = std::min(bottom, dot(v, n));
  return bottom - top - a.radius - b.radius;
}

// Minus the depth of shapes whose cores overlap: every axis that is normal to a face or to two edges is normal to two lines between corners of one,
// or of either.
double depthOf(const Cloud& a, const Cloud& b) {
  std::vector<Vec> lines;
  for (const Cloud* cloud : {&a, &b}) {
    for (size_t i = 0; i < cloud->corners.size(); ++i) {
      for (size_t j = i + 1; j < cloud->corners.size(); ++j) lines.push_back(cloud->corners[j] - cloud->corners[i]);
    }
  }
  double best = -1e300;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (size_t j = i + 1; j < lines.size(); ++j) {
      const Vec axis = cross(lines[i], lines[j]);
      const double size = length(axis);
      if (size < 1e-6 * length(lines[i]) * length(lines[j])) continue;
      best = std::max(best, std::max(gapAlong(a, b, (1 / size) * axis), gapAlong(a, b, (-1 / size) * axis)));
    }
  }
  return best;
}

template <class T> LocalManifold<T> hullContacts(const Hulls& hulls, const Shape& a, const Shape& b, double margin) {
  LocalManifold<T> m;
  collideHullsOf(as<T>(a), as<T>(b), hulls.view(), T(margin), m);
  return m;
}

hull::EdgesAsked allEdges(const hull::Polyhedron& own) { return {~uint64_t(0), hull::EdgesAbove(own, {0, 0, 0}, -1e300, 0)}; }

// The face that a search without bounds finds.
hull::FaceAxis plainBestFace(const hull::Polyhedron& own, const hull::Polyhedron& other, const hull::Relative& otherIn, double slop) {
  const auto axisOf = [&](int f) {
    const Vec up = transposeTimes(otherIn.axes, own.normal(f));
    const int corner = other.lowest(up);
    return hull::FaceAxis{f, dot(own.normal(f), otherIn.origin) - own.offset(f) + dot(up, other.vertex(corner)), corner};
  };
  const hull::FaceAxis first = hull::bestFace(own, other, otherIn, slop, -1e300);  // ends at the one that the centre is above
  hull::FaceAxis best = first;
  for (int f = 0; f < own.shape.faceCount; ++f) {
    const hull::FaceAxis axis = axisOf(f);
    if (f != first.face && axis.gap > best.gap + slop) best = axis;
  }
  return best;
}

class HullPairs : public testing::TestWithParam<int> {
 protected:
  // Few corners keep the enumeration short.
  Shape hullShape(ShapeSource& source, int seed) {
    const auto size = [&] { return 0.15 * std::exp(source.uniform(0, std::log(5.0))); };
    Shape shape =
        hulls_.add(seed % 4 == 0 ? cornersOfBox({size(), size(), size()}) : gem(static_cast<unsigned>(seed), 5 + seed % 6, {size(), size(), size()}));
    shape.pose.q = source.orientation();
    return shape;
  }
  Shape other(ShapeSource& source, int seed) { return GetParam() == kHull ? hullShape(source, seed + 1000) : source.shape(GetParam()); }
  // Of the pair, when B is so far from A along a line.
  Shape at(const Shape& a, Shape b, Vec away, double distance) const {
    b.pose.p = a.pose.p + distance * away;
    if (b.type == kHalfSpace) b.pose.p = a.pose.p - distance * rotate(b.pose.q, Vec{0, 1, 0});
    return b;
  }
  // Of cores that overlap, by every axis; of others by FCL, on cores with nearly no radius around them.
  double signedDistanceOf(const Shape& a, const Shape& b) const {
    Cloud first = cloudOf(hulls_, a), second = cloudOf(hulls_, b);
    const double radii = first.radius + second.radius;
    first.radius = second.radius = 0;
    const double cores = depthOf(first, second);
    if (cores < 1e-3) return cores - radii;
    Shape thin = b;
    if (radii > 0) thin.size.x = 1e-4;
    return fclDistance(hulls_, a, thin) - radii + (radii > 0 ? thin.size.x : 0);
  }
  Hulls hulls_;
};

double sizeOf(const Cloud& cloud) {
  Vec low = cloud.corners[0], high = low;
  for (const Vec& v : cloud.corners) low = minOf(low, v), high = maxOf(high, v);
  return length(high - low) + 2 * cloud.radius;
}

// The deepest point is where the signed distance says, and the normal is one along which the shapes are that far apart or deep.
TEST_P(HullPairs, AreAsFarApartOrDeepAsEveryAxisSays) {
  if (GetParam() == kEllipsoid || GetParam() == kHalfSpace) GTEST_SKIP() << "no shape with corners: tested below";
  ShapeSource source(31);
  int deep = 0, apart = 0;
  for (int i = 0; i < 160; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    const Shape a = hullShape(source, i);
    Shape b = other(source, i);
    const Vec away = source.direction();
    const Cloud cloudA = cloudOf(hulls_, a);
    // A place where they overlap a little or are a little apart; how far they are is found again, by every axis, below.
    double near = 0, far = 6;
    const double wanted = source.uniform(-0.06, 0.06);
    for (int k = 0; k < 30; ++k) {
      const double middle = 0.5 * (near + far);
      const LocalManifold<double> m = hullContacts<double>(hulls_, a, at(a, b, away, middle), 5);
      (m.pointCount > 0 && deepest(m) < wanted ? near : far) = middle;
    }
    b = at(a, b, away, far);
    const Cloud cloudB = cloudOf(hulls_, b);
    const double slop = 6e-3 * std::min(sizeOf(cloudA), sizeOf(cloudB));
    const double truth = signedDistanceOf(a, b);
    const LocalManifold<double> m = hullContacts<double>(hulls_, a, b, 0.2);
    ASSERT_GT(m.pointCount, 0);
    EXPECT_NEAR(length(m.normal), 1, 1e-9);
    EXPECT_NEAR(deepest(m), truth, slop + 0.03 * std::max(0.0, -truth));
    // No point claims more penetration than there is along the normal.
    for (int p = 0; p < m.pointCount; ++p) EXPECT_GE(m.points[p].separation, gapAlong(cloudA, cloudB, m.normal) - 1e-6);
    (truth > 0 ? apart : deep) += 1;
    for (int p = 0; p < m.pointCount; ++p) {
      for (int q = 0; q < p; ++q) EXPECT_NE(m.points[p].feature, m.points[q].feature);
    }
    // Either way round, and in float.
    const LocalManifold<double> swapped = hullContacts<double>(hulls_, b, a, 0.2);
    ASSERT_GT(swapped.pointCount, 0);
    EXPECT_NEAR(deepest(swapped), deepest(m), slop + 0.03 * std::max(0.0, -truth));
    const LocalManifold<float> single = hullContacts<float>(hulls_, a, b, 0.2);
    ASSERT_GT(single.pointCount, 0);
    EXPECT_NEAR(deepest(single), deepest(m), slop + 1e-5);
    EXPECT_EQ(hullContacts<double>(hulls_, a, b, truth - 2 * slop - 0.05).pointCount, 0);
    if (HasFailure()) return;
  }
  EXPECT_GT(deep, 40);
  EXPECT_GT(apart, 40);
}

// What is not asked is what could not have been better: of pairs whose corner bounds all axes, all edges and all of the other's faces, at any place.
TEST_P(HullPairs, AskNoAxesThatAreBounded) {
  if (GetParam() != kHull && GetParam() != kBox) GTEST_SKIP() << "no polyhedron";
  ShapeSource source(33);
  int bounded = 0, open = 0;
  for (int i = 0; i < 4000; ++i) {
    const Shape a = hullShape(source, i);
    const Shape b = at(a, other(source, i), source.direction(), source.uniform(0, 1.2));
    const hull::Pair pair = hull::pairOf(as<double>(a), as<double>(b), hulls_.view(), 0.1);
    const hull::FaceAxis face = hull::bestFace(pair.a, pair.b, pair.bInA, pair.axisSlop, pair.margin);
    if (face.gap > pair.margin) continue;
    const bool isBounded = hull::boundsAllAxes(pair.a, pair.b, pair.bInA, face, pair.axisSlop);
    (isBounded ? bounded : open) += 1;
    if (!isBounded) continue;
    const double bar = face.gap + pair.axisSlop;
    EXPECT_LT(hull::bestEdges(pair, allEdges(pair.a), allEdges(pair.b), bar).a, 0) << "configuration " << i;
    EXPECT_LE(hull::bestFace(pair.b, pair.a, pair.aInB, 0, 1e300).gap, bar) << "configuration " << i;
  }
  EXPECT_GT(bounded, 80);
  EXPECT_GT(open, 300);
}

// What bounds leave out is never what a search of everything would have found: the same face, and the same edges of those that come within reach.
TEST_P(HullPairs, AskAllAxesThatMayBeBetter) {
  if (GetParam() != kHull && GetParam() != kBox) GTEST_SKIP() << "no polyhedron";
  ShapeSource source(43);
  int withEdges = 0, left = 0, all = 0;
  for (int i = 0; i < 2000; ++i) {
    const Shape a = hullShape(source, i);
    const Shape b = at(a, other(source, i), source.direction(), source.uniform(0, 1.2));
    const hull::Pair pair = hull::pairOf(as<double>(a), as<double>(b), hulls_.view(), 0.1);
    const double slop = pair.axisSlop;
    const hull::FaceAxis onA = hull::bestFace(pair.a, pair.b, pair.bInA, slop, 1e300), onB = hull::bestFace(pair.b, pair.a, pair.aInB, slop, 1e300);
    const hull::FaceAxis plainA = plainBestFace(pair.a, pair.b, pair.bInA, slop), plainB = plainBestFace(pair.b, pair.a, pair.aInB, slop);
    EXPECT_TRUE(onA.face == plainA.face && onA.gap == plainA.gap && onA.corner == plainA.corner) << "configuration " << i;
    EXPECT_TRUE(onB.face == plainB.face && onB.gap == plainB.gap && onB.corner == plainB.corner) << "configuration " << i;
    const double bar = std::max(onA.gap, onB.gap) + slop;
    const Vec lowOnA = pair.bInA.point(pair.b.vertex(onA.corner)), lowOnB = pair.aInB.point(pair.a.vertex(onB.corner));
    const hull::EdgesAsked ofA{~uint64_t(0), {pair.a, lowOnA, bar, slop}}, ofB{~uint64_t(0), {pair.b, lowOnB, bar, slop}};
    const hull::EdgeAxis plain = hull::bestEdges(pair, allEdges(pair.a), allEdges(pair.b), bar), asked = hull::bestEdges(pair, ofA, ofB, bar);
    EXPECT_TRUE(asked.a == plain.a && asked.b == plain.b && asked.gap == plain.gap) << "configuration " << i;
    withEdges += plain.a >= 0;
    if (bar > 0 || pair.a.shape.faceCount <= hull::EdgesAbove::kFewFaces) continue;
    for (int e = 0; e < pair.a.shape.edgeCount; ++e) left += ofA.has(pair.a, pair.a.shape.edges[e]);
    all += pair.a.shape.edgeCount;
  }
  EXPECT_GT(withEdges, 50);
  EXPECT_LT(left, all - all / 4) << "of " << all << " edges";  // deep in each other, and of few faces, they have most to ask
}

TEST_P(HullPairs, OverlapWhereFclSaysSo) {
  ShapeSource source(32);
  int overlaps = 0, gaps = 0;
  for (int i = 0; i < 2500; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    const Shape a = hullShape(source, i % 40);
    Shape b = other(source, i % 30);
    b = at(a, b, source.direction(), source.uniform(0.1, 1.2));
    const fcl::CollisionObjectd first = objectOf(hulls_, a), second = objectOf(hulls_, b);
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    fcl::collide(&first, &second, request, result);
    const LocalManifold<double> m = hullContacts<double>(hulls_, a, b, 3);
    ASSERT_GT(m.pointCount, 0);
    const double low = deepest(m);
    if (std::abs(low) > 5e-3) {
      EXPECT_EQ(result.isCollision(), low < 0) << low;
    }
    (low < 0 ? overlaps : gaps) += 1;
    if (low > 5e-3 && b.type != kHalfSpace) {
      EXPECT_NEAR(fclDistance(hulls_, a, b), low, 6e-3);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(overlaps, 300);
  EXPECT_GT(gaps, 300);
}

std::string nameOfOther(const testing::TestParamInfo<int>& tested) {
  const char* const names[] = {"Sphere", "Capsule", "Box", "HalfSpace", "Ellipsoid", "Hull"};
  return names[tested.param];
}
INSTANTIATE_TEST_SUITE_P(Shapes, HullPairs, testing::Values(kSphere, kCapsule, kBox, kHalfSpace, kEllipsoid, kHull), nameOfOther);

// A hull that is a box touches as the box does: as many points, as deep, wherever faces lie on each other.
TEST(HullBoxes, TouchAsBoxesDo) {
  Hulls hulls;
  ShapeSource source(33);
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    const auto [a, b] = source.pair(kBox, kBox, -0.03, 0.03);
    const LocalManifold<double> expected = contacts<double>(a, b, 0.05);
    const auto asHull = [&](const Shape& box) {
      Shape hull = hulls.add(cornersOfBox(box.size));
      hull.pose = box.pose;
      return hull;
    };
    const Shape hullA = asHull(a), hullB = asHull(b);
    const double slop = 5e-3 * std::min(length(a.size), length(b.size)) + 0.03 * std::abs(deepest(expected));
    for (const auto& [first, second] : {std::pair{hullA, hullB}, {hullA, b}, {a, hullB}}) {
      const LocalManifold<double> m = hullContacts<double>(hulls, first, second, 0.05);
      if (expected.pointCount == 0) continue;
      ASSERT_GT(m.pointCount, 0);
      EXPECT_NEAR(deepest(m), deepest(expected), slop);
      if (dot(m.normal, expected.normal) > 0.9999) {
        ++compared;
        EXPECT_LE(std::abs(m.pointCount - expected.pointCount), 2);
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 3000);
}

// Four points of faces that lie on each other, with the features of the step before when they move a little.
TEST(HullBoxes, KeepTheirFeatures) {
  Hulls hulls;
  const std::vector<Vec3d> corners = cornersOfBox({0.5, 0.5, 0.5});
  Shape lower = hulls.add(corners), upper = lower;
  std::vector<uint32_t> last;
  for (int k = 0; k < 100; ++k) {
    upper.pose = {{1e-6 * (k % 7), 0.999 + 1e-6 * (k % 3), -1e-6 * (k % 5)}, normalized(Quatd{1e-7 * (k % 2), 1e-6 * (k % 4), -1e-7 * (k % 3), 1})};
    const LocalManifold<float> m = hullContacts<float>(hulls, lower, upper, 0.02);
    ASSERT_EQ(m.pointCount, 4);
    std::vector<uint32_t> features;
    for (int p = 0; p < 4; ++p) features.push_back(m.points[p].feature);
    std::sort(features.begin(), features.end());
    if (k > 0) {
      EXPECT_EQ(features, last) << k;
    }
    last = features;
  }
}

// A capsule upon the ridge of a roof, along it or turned by half a degree: where the shorter of the two ends there is a point, with its feature.
TEST(HullRidges, CarryACapsuleAtTwoPoints) {
  Hulls hulls;
  const Shape roof = hulls.add({{-1, -1, -1}, {1, -1, -1}, {-1, -1, 1}, {1, -1, 1}, {0, 0, -1}, {0, 0, 1}});
  const Vec centre = hulls.corners(roof.type)[0] - Vec{-1, -1, -1};  // minus the centre of mass, which the shape's frame is in
  for (const double halfHeight : {0.4, 1.5}) {
    for (const double turn : {0.0, 0.009}) {
      for (const double gap : {-0.02, 0.0, 0.01}) {
        SCOPED_TRACE(std::to_string(halfHeight) + ", " + std::to_string(turn) + ", " + std::to_string(gap));
        Shape ridge = roof;
        ridge.pose.p = -centre;
        const Quat<double> lying = normalized(Quat<double>{1, 0, 0, 1}), turned{0, std::sin(turn / 2), 0, std::cos(turn / 2)};
        const Shape capsule{kCapsule, {0.2, halfHeight, 0.2}, {{0, 0.2 + gap, 0.1}, turned * lying}};
        const LocalManifold<double> m = hullContacts<double>(hulls, ridge, capsule, 0.05);
        ASSERT_EQ(m.pointCount, 2);
        EXPECT_NEAR(m.normal.y, 1, 1e-4);
        EXPECT_NE(m.points[0].feature, m.points[1].feature);
        const double expectedLow = std::max(-1.0, 0.1 - halfHeight), expectedHigh = std::min(1.0, 0.1 + halfHeight);
        EXPECT_NEAR(std::min(m.points[0].position.z, m.points[1].position.z), expectedLow, 1e-3);
        EXPECT_NEAR(std::max(m.points[0].position.z, m.points[1].position.z), expectedHigh, 1e-3);
        for (int p = 0; p < 2; ++p) EXPECT_NEAR(m.points[p].separation, gap, 1e-4);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::test
