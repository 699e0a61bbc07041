// Contacts of cylinders and cones with every shape: against the largest gap over all directions, which is the signed distance by definition and is
// looked for with supports written apart from the library's; against FCL where it is exact enough; against closed forms where they lie, stand and
// lean.
#include "src/scene/convex_hull.hpp"
#include "src/state/hull_table.hpp"
#include "tests/collide/fcl_shapes.hpp"
#include "tests/support/directions.hpp"
#include "tests/support/hulls.hpp"
#include "tests/support/revolved.hpp"

#include "kernels/collide/collide_revolved.hpp"
#include "kernels/runtime/owned_queue.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cairn::test {
namespace {

const Quatd kOnSide{0.70710678118654752, 0, 0, 0.70710678118654752};  // y to z

class RevolvedPairs : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  RevolvedPairs() : queue_(Target::Cpu, 1) {}
  Shape shape(ShapeSource& source, int type, int seed) {
    if (type != kHull) return withInnerBall(source.shape(type));
    const auto size = [&] { return 0.15 * std::exp(source.uniform(0, std::log(5.0))); };
    const std::shared_ptr<const ConvexHull> hull = hullOf(
        ShapeDef::hull(seed % 3 == 0 ? cornersOfBox({size(), size(), size()}) : gem(static_cast<unsigned>(seed), 8, {size(), size(), size()})));
    corners_.clear();
    for (const Vec3d& v : hull->vertices) corners_.push_back(v - hull->centre);
    Shape made{table_.typeOf(*hull), {hull->inner, hull->outer, 0}, {{0, 0, 0}, source.orientation()}};
    table_.upload(queue_.queue);
    return made;
  }
  template <class T> LocalManifold<T> contactsOf(const ShapePair& pair, double margin) const {
    LocalManifold<T> m;
    collideRevolvedOf(as<T>(pair.a), as<T>(pair.b), table_.view(), T(margin), m);
    return m;
  }
  // B so far from A along a line.
  static void place(ShapePair& pair, Vec away, double distance) {
    pair.b.pose.p = pair.a.pose.p + distance * away;
    if (pair.b.type == kHalfSpace) pair.b.pose.p = pair.a.pose.p - distance * rotate(pair.b.pose.q, Vec{0, 1, 0});
  }
  // A pair whose deepest point is about as wanted.
  ShapePair pairNear(ShapeSource& source, int seed, double wanted) {
    ShapePair pair{shape(source, GetParam().first, 0), shape(source, GetParam().second, seed), {}, corners_};
    const Vec away = source.direction();
    double near = 0, far = 6;
    for (int k = 0; k < 40; ++k) {
      place(pair, away, 0.5 * (near + far));
      const LocalManifold<double> m = contactsOf<double>(pair, 5);
      (m.pointCount > 0 && deepest(m) < wanted ? near : far) = 0.5 * (near + far);
    }
    place(pair, away, far);
    return pair;
  }
  static double outerOf(const Shape& shape) {
    const Vec s = shape.size;
    if (isRevolved(shape.type)) return std::hypot(s.x, s.y);
    if (isHull(shape.type)) return s.y;
    return shape.type == kSphere ? s.x : shape.type == kCapsule ? s.x + s.y : shape.type == kBox ? length(s) : std::max({s.x, s.y, s.z});
  }
  static double smallest(const Shape& shape) {
    if (isRevolved(shape.type)) return std::min(shape.size.x, shape.size.y);
    return shape.type == kSphere || shape.type == kCapsule || isHull(shape.type) ? shape.size.x
                                                                                 : std::min({shape.size.x, shape.size.y, shape.size.z});
  }

  OwnedQueue queue_;
  HullTable table_;
  std::vector<Vec3d> corners_;
};

TEST_P(RevolvedPairs, AreAsFarApartOrDeepAsTheBestDirectionSays) {
  if (GetParam().second == kHalfSpace) GTEST_SKIP() << "one direction alone: tested below";
  ShapeSource source(41);
  int deep = 0, apart = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    const ShapePair pair = pairNear(source, i, source.uniform(-0.03, 0.06));
    // A face carries although another direction is better by this slop, which is that of boxes.
    const double truth = signedDistanceOf(pair), size = std::min(smallest(pair.a), smallest(pair.b));
    const double slop = 3e-3 * std::min(outerOf(pair.a), outerOf(pair.b));
    const LocalManifold<double> m = contactsOf<double>(pair, 0.2);
    ASSERT_GT(m.pointCount, 0);
    EXPECT_NEAR(length(m.normal), 1, 1e-9);
    // Overlaps of more than a third of the ball in it are approximate; so are those of two shapes with sharp rims or corners.
    const bool sharp = pair.a.type == kCone && (pair.b.type == kCone || isHull(pair.b.type));
    const double part = -truth >= 0.3 * std::min(size, pair.a.size.z) ? 0.6 : (sharp ? 0.25 : 0.05);
    EXPECT_NEAR(deepest(m), truth, slop + part * std::max(0.0, -truth));
    for (int p = 0; p < m.pointCount; ++p) {
      // No point claims more penetration than there is along the normal.
      EXPECT_GE(m.points[p].separation, pair.gapAlong(m.normal) - 1e-6);
      for (int q = 0; q < p; ++q) EXPECT_NE(m.points[p].feature, m.points[q].feature);
    }
    (truth > 0 ? apart : deep) += 1;
    ShapePair swapped = pair;
    std::swap(swapped.a, swapped.b);
    const LocalManifold<double> other = contactsOf<double>(swapped, 0.2);
    ASSERT_GT(other.pointCount, 0);
    EXPECT_NEAR(deepest(other), deepest(m), slop + part * std::max(0.0, -truth));
    const LocalManifold<float> single = contactsOf<float>(pair, 0.2);
    ASSERT_GT(single.pointCount, 0);
    EXPECT_NEAR(deepest(single), deepest(m), slop + part * std::max(0.0, -truth) + 1e-5);
    EXPECT_EQ(contactsOf<double>(pair, truth - 2 * slop - 0.05).pointCount, 0);
    if (HasFailure()) return;
  }
  EXPECT_GT(deep, 10);
  EXPECT_GT(apart, 10);
}

TEST_P(RevolvedPairs, OverlapWhereFclSaysSo) {
  if (GetParam().second == kHull) GTEST_SKIP() << "those are compared with directions above";
  ShapeSource source(42);
  int overlaps = 0, gaps = 0;
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    ShapePair pair{shape(source, GetParam().first, 0), shape(source, GetParam().second, 0), {}, {}};
    place(pair, source.direction(), source.uniform(0.1, 1.2));
    const fcl::CollisionObjectd first = fclObject(pair.a), second = fclObject(pair.b);
    fcl::CollisionResultd result;
    fcl::collide(&first, &second, fcl::CollisionRequestd{}, result);
    const LocalManifold<double> m = contactsOf<double>(pair, 3);
    ASSERT_GT(m.pointCount, 0);
    const double low = deepest(m);
    if (pair.b.type == kHalfSpace) {
      const Vec up = rotate(pair.b.pose.q, Vec{0, 1, 0});
      EXPECT_NEAR(low, dot(up, pair.a.pose.p - pair.b.pose.p) - (reachOf(pair.a, {}, -up) - dot(pair.a.pose.p, -up)), 1e-3 * smallest(pair.a));
    }
    // FCL misses cones that are deep in half-spaces.
    const bool fclKnows = pair.a.type == kCylinder || pair.b.type != kHalfSpace;
    if (fclKnows && std::abs(low) > 5e-3) {
      EXPECT_EQ(result.isCollision(), low < 0) << low;
    }
    (low < 0 ? overlaps : gaps) += 1;
    if (low > 5e-3 && pair.b.type != kHalfSpace) {
      // Each of its solvers stops short of the smallest distance now and then.
      double least = 1e300;
      for (const fcl::GJKSolverType solver : {fcl::GST_INDEP, fcl::GST_LIBCCD}) {
        fcl::DistanceRequestd request;
        request.gjk_solver_type = solver;
        request.distance_tolerance = 1e-7;
        fcl::DistanceResultd distance;
        least = std::min(least, fcl::distance(&first, &second, request, distance));
      }
      EXPECT_NEAR(least, low, 6e-3);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(overlaps, 100);
  EXPECT_GT(gaps, 100);
}

std::vector<std::pair<int, int>> allPairs() {
  std::vector<std::pair<int, int>> pairs;
  for (const int first : {kCylinder, kCone}) {
    for (const int second : {kSphere, kCapsule, kBox, kHalfSpace, kEllipsoid, kHull, kCylinder, kCone}) pairs.push_back({first, second});
  }
  return pairs;
}
std::string nameOfPair(const testing::TestParamInfo<std::pair<int, int>>& tested) {
  const char* const names[] = {"Sphere", "Capsule", "Box", "HalfSpace", "Ellipsoid", "Hull", "Cylinder", "Cone"};
  return std::string(names[tested.param.first]) + names[tested.param.second];
}
INSTANTIATE_TEST_SUITE_P(Shapes, RevolvedPairs, testing::ValuesIn(allPairs()), nameOfPair);

// --- where they lie and stand --------------------------------------------------------------------------------------

LocalManifold<double> meet(const Shape& a, const Shape& b, double margin = 0.02) {
  LocalManifold<double> m;
  collideRevolved(a, b, {}, margin, m);
  return m;
}
const Shape kTable{kBox, {2, 0.5, 2}, {{0, -0.5, 0}, identityQuat<double>()}}, kPlane{kHalfSpace, {0, 0, 0}, identityPose<double>()};

void expectOnRim(const LocalManifold<double>& m, Vec middle, double radius) {
  Vec sum{0, 0, 0};
  for (int p = 0; p < m.pointCount; ++p) {
    const Vec d = m.points[p].position - middle;
    EXPECT_NEAR(std::hypot(d.x, d.z), radius, 1e-9);
    sum += d;
  }
  EXPECT_LT(length(sum), 1e-6 + 0.1 * radius);  // they surround the middle
}

TEST(Cylinders, StandOnFourPointsOfTheirRim) {
  const Shape standing = cylinderAt(0.4, 0.5, {0.3, 0.499, -0.2});
  for (const Shape& below : {kTable, kPlane}) {
    const LocalManifold<double> m = meet(standing, below);
    ASSERT_EQ(m.pointCount, 4);
    EXPECT_NEAR(m.normal.y, -1, 1e-12);
    for (int p = 0; p < 4; ++p) EXPECT_NEAR(m.points[p].separation, -0.001, 1e-12);
    expectOnRim(m, {0.3, 0, -0.2}, 0.4);
  }
}

TEST(Cylinders, LeanOnTheLowestPointOfTheirRim) {
  for (const double lean : {0.02, 0.3, 1.2}) {
    for (const double heading : {0.0, 0.7, 2.9, 5.0}) {
      const Quatd q = quatFromRotationVector(lean * Vec3d{std::cos(heading), 0, std::sin(heading)});
      const double height = 0.5 * std::cos(lean) + 0.4 * std::sin(lean);
      const LocalManifold<double> m = meet(cylinderAt(0.4, 0.5, {0, height - 1e-3, 0}, q), kTable);
      ASSERT_GT(m.pointCount, 0);
      int lowest = 0;
      for (int p = 1; p < m.pointCount; ++p) lowest = m.points[p].separation < m.points[lowest].separation ? p : lowest;
      EXPECT_NEAR(m.points[lowest].separation, -1e-3, 1e-9);
      // Down the slope of the end from its middle.
      const Vec up = rotate(q, Vec{0, 1, 0}), middle = Vec{0, height - 1e-3, 0} - 0.5 * up, down = normalizedOr(Vec{up.x, 0, up.z}, Vec{1, 0, 0});
      const Vec expected = middle + 0.4 * normalizedOr(dot(up, Vec{0, -1, 0}) * -1.0 * up + Vec{0, -1, 0}, down);
      EXPECT_NEAR(length(m.points[lowest].position - expected), 0, 1.2e-3) << lean << ' ' << heading;
    }
  }
}

TEST(Cylinders, LieOnTheirLine) {
  for (const double heading : {0.0, 0.4, 1.6}) {
    const Quatd q = quatFromRotationVector(Vec3d{0, heading, 0}) * kOnSide;
    for (const Shape& below : {kTable, kPlane}) {
      const LocalManifold<double> m = meet(cylinderAt(0.4, 0.5, {0, 0.399, 0}, q), below);
      ASSERT_EQ(m.pointCount, 2);
      for (int p = 0; p < 2; ++p) EXPECT_NEAR(m.points[p].separation, -0.001, 1e-12);
      EXPECT_NEAR(length(m.points[0].position - m.points[1].position), 1, 1e-9);
    }
  }
  // Half of it over the edge of the table.
  const LocalManifold<double> m = meet(cylinderAt(0.4, 0.5, {0, 0.399, 2}, kOnSide), kTable);
  ASSERT_EQ(m.pointCount, 2);
  EXPECT_NEAR(length(m.points[0].position - m.points[1].position), 0.5, 2e-3);
}

// Rolling turns the body about its axis, and nothing else of its contact.
TEST(Cylinders, KeepTheirFeaturesAndPointsAsTheyRollAndSpin) {
  std::set<std::set<uint32_t>> seen;
  for (int k = 0; k < 60; ++k) {
    const Quatd q = kOnSide * quatFromRotationVector(Vec3d{0, 0.21 * k, 0});
    const LocalManifold<double> m = meet(cylinderAt(0.4, 0.5, {0.084 * k - 2, 0.3999, 0.1}, q), kPlane);
    ASSERT_EQ(m.pointCount, 2);
    seen.insert({m.points[0].feature, m.points[1].feature});
    for (int p = 0; p < 2; ++p) EXPECT_NEAR(m.points[p].position.x, 0.084 * k - 2, 1e-9);
  }
  EXPECT_EQ(seen.size(), 1u);
  seen.clear();
  for (int k = 0; k < 60; ++k) {
    const LocalManifold<double> m = meet(cylinderAt(0.4, 0.5, {0, 0.4999, 0}, quatFromRotationVector(Vec3d{0, 0.21 * k, 0})), kPlane);
    ASSERT_EQ(m.pointCount, 4);
    seen.insert({m.points[0].feature, m.points[1].feature, m.points[2].feature, m.points[3].feature});
  }
  EXPECT_EQ(seen.size(), 1u);
}

TEST(Cylinders, StandOnEachOther) {
  const Shape lower = cylinderAt(0.4, 0.5);
  for (const double aside : {0.0, 1e-5, 0.1, 0.39}) {
    const LocalManifold<double> m = meet(lower, cylinderAt(0.4, 0.5, {aside, 0.999, 0}));
    ASSERT_EQ(m.pointCount, 4) << aside;
    EXPECT_NEAR(m.normal.y, 1, 1e-12);
    for (int p = 0; p < 4; ++p) {
      EXPECT_NEAR(m.points[p].separation, -0.001, 1e-9);
      // In both ends.
      const Vec x = m.points[p].position;
      EXPECT_LT(std::hypot(x.x, x.z), 0.402);
      EXPECT_LT(std::hypot(x.x - aside, x.z), 0.402);
    }
  }
  // Smaller ones within the end of a larger one touch with their whole rim.
  expectOnRim(meet(lower, cylinderAt(0.1, 0.2, {0.2, 0.699, 0.1})), {0.2, 0.5, 0.1}, 0.1);
}

TEST(Cylinders, LieAlongEachOther) {
  const Shape first = cylinderAt(0.3, 1, {0, 0, 0}, kOnSide);
  for (const double turn : {0.0, 1e-4, 0.01}) {
    const LocalManifold<double> m =
        meet(first, cylinderAt(0.2, 1, {0.3, std::sqrt(0.5 * 0.5 - 0.09) - 1e-4, 0.4}, quatFromRotationVector(Vec3d{0, turn, 0}) * kOnSide));
    ASSERT_EQ(m.pointCount, 2) << turn;
    EXPECT_NEAR(m.normal.x, 0.6, 0.02);
    EXPECT_NEAR(length(m.points[0].position - m.points[1].position), 1.6, 0.02);
  }
  // Crosswise in one point.
  const LocalManifold<double> m = meet(first, cylinderAt(0.2, 1, {0.1, 0.499, 0.2}, {0, 0, 0.70710678118654752, 0.70710678118654752}));
  ASSERT_EQ(m.pointCount, 1);
  EXPECT_NEAR(m.points[0].separation, -0.001, 1e-5);
  EXPECT_NEAR(m.points[0].position.z, 0.2, 0.2 + 1e-9);
  EXPECT_NEAR(m.normal.y, 1, 1e-4);
}

// By ten degrees: the ends of the stretch along which they lie over each other are 15 mm further apart than the middle.
TEST(Cylinders, ThatCrossTouchAtOnePlace) {
  const double half = 5 * (std::acos(-1.0) / 180);
  for (const double gap : {0.004, -0.004}) {
    const Shape lower = cylinderAt(0.2, 0.9, {0, 0, 0}, {0, 0, std::sqrt(0.5), std::sqrt(0.5)});
    const Shape upper = cylinderAt(0.2, 0.9, {0, 0.4 + gap, 0}, Quat<double>{0, std::sin(half), 0, std::cos(half)} * lower.pose.q);
    LocalManifold<double> m;
    collideRevolved(lower, upper, {}, 0.02, m);
    ASSERT_EQ(m.pointCount, 1);
    EXPECT_NEAR(m.points[0].separation, gap, 1e-6);
    EXPECT_NEAR(m.normal.y, 1, 1e-6);
    EXPECT_LT(length(m.points[0].position - Vec{0, 0.2 + 0.5 * gap, 0}), 1e-3);
  }
}

// Sides of two that nearly lie along each other, in a pose that chance had found: 17 mm apart, and 4 mm where they pass beside each other.
TEST(Cones, BesideACylinderAreAsFarAsTheirSidesAre) {
  const ShapePair pair{cylinderAt(0.13919749958072267, 0.96622933017358248, {0, 0, 0},
                                  {-0.37575753620220209, 0.26586506749349098, -0.12869297612757824, 0.87838497127931259}),
                       coneAt(0.26720970894936941, 0.91681097280707302, {-0.35414645454423166, -0.084292811744131474, -0.094461538062726072},
                              {0.61056973379936863, -0.20595276314347122, -0.67275534740614518, 0.36357709231767377}),
                       {},
                       {}};
  LocalManifold<double> m;
  collideRevolved(pair.a, pair.b, {}, 0.1, m);
  EXPECT_NEAR(deepest(m), signedDistanceOf(pair), 1e-3);
}

// A slender cone with its apex past a box's edge: its rim retreats less than the box's edges do, its apex much more.
TEST(Cones, PastAnEdgeAreAsDeepAsTheirSideIs) {
  ShapePair pair{};
  pair.a = {kBox,
            {0.78212690228424353, 0.1912995731251223, 0.54571382503234711},
            {{0, 0, 0}, {0.26001663896734023, -0.10899717081686151, 0.66233016009525103, 0.69413955602763833}}};
  pair.b = coneAt(0.10466765583824245, 0.75385896740799641, {0.0068905704408382031, 0.34846306102342861, -0.85831797819695932},
                  {0.70517504267537201, -0.0058019774498686014, 0.70900872999252806, -0.0010569010555614494});
  LocalManifold<double> m;
  collideRevolved(pair.a, pair.b, {}, 0.1, m);
  EXPECT_NEAR(deepest(m), signedDistanceOf(pair), 1e-3);
}

TEST(Cones, StandOnTheirBaseAndLieOnTheirSide) {
  for (const Shape& below : {kTable, kPlane}) {
    const LocalManifold<double> m = meet(coneAt(0.4, 0.5, {0, 0.499, 0}), below);
    ASSERT_EQ(m.pointCount, 4);
    expectOnRim(m, {0, 0, 0}, 0.4);
    // On its side the axis rises by the half angle from the apex.
    const double slant = std::hypot(0.4, 1.0), half = std::atan2(0.4, 1.0), height = 0.5 * std::sin(half);
    const Quatd lying = quatFromRotationVector(Vec3d{0, 0, kPi / 2 + half});
    const LocalManifold<double> side = meet(coneAt(0.4, 0.5, {0, height - 1e-4, 0}, lying), below);
    ASSERT_EQ(side.pointCount, 2);
    EXPECT_NEAR(length(side.points[0].position - side.points[1].position), slant, 1e-6);
    for (int p = 0; p < 2; ++p) EXPECT_NEAR(side.points[p].separation, -1e-4, 1e-9);
  }
  // On its apex.
  const LocalManifold<double> m = meet(coneAt(0.4, 0.5, {0.2, 0.499, 0}, {1, 0, 0, 0}), kTable);
  ASSERT_GT(m.pointCount, 0);
  EXPECT_NEAR(m.points[0].separation, -0.001, 1e-9);
  EXPECT_NEAR(m.points[0].position.x, 0.2, 1e-6);
}

}  // namespace
}  // namespace cairn::test
