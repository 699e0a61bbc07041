// Contacts of any two shapes in random poses against FCL and libccd. CAIRN_RANDOM_POSES in the environment says how many a pair of types, instead of
// the few that take seconds: a million take hours.
//
// FCL says whether they overlap, how far they are apart (its own GJK, and libccd's) and how deep they are (libccd's EPA). Each of these is wrong now
// and then, by iterations that end too soon. So where an answer differs from ours by more than the tolerance the definition decides: the signed
// distance is the largest gap over all directions, and the gap along one direction is a proof that it is no less. A pose counts as a failure where
// that is not what we say, and as FCL's where it is.
#include "tests/support/directions.hpp"
#include "tests/support/hull_shapes.hpp"
#include "tests/support/hulls.hpp"
#include "tests/support/revolved.hpp"

#include "kernels/collide/collide_revolved.hpp"

#include <ccd/ccd.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace cairn::test {
namespace {

constexpr int kFew = 1500;
int posesWanted() {
  const char* const wanted = std::getenv("CAIRN_RANDOM_POSES");
  return wanted == nullptr ? kFew : std::max(100, std::atoi(wanted));
}

constexpr int kConvexTypes[] = {kSphere, kCapsule, kBox, kEllipsoid, kHull, kCylinder, kCone};
const char* const kNames[] = {"Sphere", "Capsule", "Box", "HalfSpace", "Ellipsoid", "Hull", "Cylinder", "Cone"};

// Rocks, boxes, prisms; flat and long ones; corners that are there several times; points within faces, and next to them by rounding.
std::vector<Vec3d> hullPoints(ShapeSource& source, int kind) {
  const auto size = [&] { return 0.1 * std::exp(source.uniform(0, std::log(10.0))); };
  const auto rock = [&](int corners, Vec3d half) { return gem(static_cast<unsigned>(source.uniform(0, 1e6)), corners, half); };
  std::vector<Vec3d> points;
  switch (kind % 6) {
    case 0:
      return rock(4 + int(source.uniform(0, 28)), {size(), size(), size()});
    case 1:
      return cornersOfBox({size(), size(), size()});
    case 2: {  // a prism
      const int sides = 3 + int(source.uniform(0, 13));
      const double radius = size(), half = size();
      for (int k = 0; k < 2 * sides; ++k) {
        const double angle = 2 * kPi * (k / 2) / sides;
        points.push_back({radius * std::cos(angle), k % 2 == 0 ? half : -half, radius * std::sin(angle)});
      }
      return points;
    }
    case 3:  // a sliver
      return rock(5 + int(source.uniform(0, 10)), {size(), 0.02 * size(), 0.3 * size()});
    case 4: {
      points = rock(10, {size(), size(), size()});
      points.insert(points.end(), points.begin(), points.begin() + 5);
      return points;
    }
    default: {
      const Vec3d half{size(), size(), size()};
      points = cornersOfBox(half);
      for (int k = 0; k < 8; ++k) {
        points.push_back({source.uniform(-1, 1) * half.x, half.y * (1 + (k % 2 == 0 ? 0 : 1e-12 * k)), source.uniform(-1, 1) * half.z});
      }
      return points;
    }
  }
}

struct Counts {
  long poses = 0, apart = 0, overlapping = 0, asked = 0, fclSign = 0, fclDistance = 0, fclDepth = 0, wrong = 0;
  double worst = 0;        // by how much ours is off, as a part of the tolerance
  double worstOfSize = 0;  // and of the smaller inner size
};

class RandomPoses : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  static double inner(const Shape& s) {
    if (isRevolved(s.type)) return s.size.z;
    return s.type == kBox || s.type == kEllipsoid ? std::min({s.size.x, s.size.y, s.size.z}) : s.size.x;
  }
  static double outer(const Shape& s) {
    if (isRevolved(s.type)) return std::hypot(s.size.x, s.size.y);
    if (isHull(s.type)) return s.size.y;
    return s.type == kSphere ? s.size.x : s.type == kCapsule ? s.size.x + s.size.y : length(s.size);
  }

  void makeHulls(ShapeSource& source, int count) {
    for (int k = 0; k < count; ++k) made_.push_back(hulls_.add(hullPoints(source, k)));
    for (const Shape& shape : made_) corners_.push_back(hulls_.corners(shape.type));
  }
  Shape shape(ShapeSource& source, int type, std::vector<Vec>& corners) const {
    if (type != kHull) return withInnerBall(source.shape(type));
    const auto k = static_cast<size_t>(source.uniform(0, double(made_.size()) - 1e-6));
    corners = corners_[k];
    Shape made = made_[k];
    made.pose.q = source.orientation();
    return made;
  }

  // A pair whose gap along one direction is that: the distance is no less.
  ShapePair pairOf(ShapeSource& source) const {
    ShapePair pair{};
    pair.a = shape(source, GetParam().first, pair.cornersOfA);
    pair.b = shape(source, GetParam().second, pair.corners);
    const double size = std::min(inner(pair.a), inner(pair.b));
    // Half of them with two places of the surfaces opposite each other, the others with their middles along the direction.
    const Vec n = source.uniform(0, 1) < 0.5 ? source.direction() : rotate(pair.a.pose.q, Vec{0, 1, 0});
    const double gap = source.uniform(-0.25, 0.15) * size;
    const bool opposite = source.uniform(0, 1) < 0.5;
    const Vec onA = furthestAlong(pair.a, pair.cornersOfA, n), onB = furthestAlong(pair.b, pair.corners, -n);
    pair.b.pose.p = opposite ? onA + gap * n - onB : (dot(n, onA) - dot(n, onB) + gap) * n;
    return pair;
  }

  // Of a pair that overlaps, by its expanding polytope: FCL's own way to it ends the program now and then. 1e300: it does not overlap for libccd.
  struct Half {
    const Shape& shape;
    const std::vector<Vec>& corners;
    static void support(const void* half, const ccd_vec3_t* along, ccd_vec3_t* out) {
      const Half& own = *static_cast<const Half*>(half);
      const Vec p = furthestAlong(own.shape, own.corners, {along->v[0], along->v[1], along->v[2]});
      ccdVec3Set(out, p.x, p.y, p.z);
    }
  };
  static double depthByLibccd(const ShapePair& pair) {
    const Half first{pair.a, pair.cornersOfA}, second{pair.b, pair.corners};
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = Half::support;
    ccd.max_iterations = 200;
    ccd.epa_tolerance = 1e-6;
    ccd_real_t depth = 0;
    ccd_vec3_t direction, place;
    return ccdGJKPenetration(&first, &second, &ccd, &depth, &direction, &place) == 0 ? -depth : 1e300;
  }

  // What FCL and libccd say; a number where there is none is no answer.
  struct Opinion {
    bool overlap;
    double distance = 1e300, depth = 1e300;
  };
  Opinion ask(const ShapePair& pair) const {
    const fcl::CollisionObjectd first = objectOf(hulls_, pair.a), second = objectOf(hulls_, pair.b);
    Opinion opinion{};
    fcl::CollisionResultd result;
    opinion.overlap = fcl::collide(&first, &second, fcl::CollisionRequestd{}, result) > 0;
    if (opinion.overlap) {
      opinion.depth = depthByLibccd(pair);
      return opinion;
    }
    for (const fcl::GJKSolverType solver : {fcl::GST_LIBCCD, fcl::GST_INDEP}) {
      fcl::DistanceRequestd request;
      request.gjk_solver_type = solver;
      request.distance_tolerance = 1e-7;
      fcl::DistanceResultd found;
      opinion.distance = std::min(opinion.distance, fcl::distance(&first, &second, request, found));
    }
    return opinion;
  }

  void compare(int poses, unsigned seed, int hulls);

  Hulls hulls_;
  std::vector<Shape> made_;
  std::vector<std::vector<Vec3d>> corners_;
};

void RandomPoses::compare(int poses, unsigned seed, int hulls) {
  ShapeSource source(seed);
  makeHulls(source, hulls);
  Counts counts;
  // Cylinders and cones may have the second best of two directions now and then.
  const auto has = [&](int type) { return GetParam().first == type || GetParam().second == type; };
  const long allowed = has(kCylinder) || has(kCone) ? poses / 50000 : 0;
  for (int i = 0; i < poses; ++i) {
    const ShapePair pair = pairOf(source);
    LocalManifold<double> m;
    AllShapes{hulls_.view()}.meet(pair.a, pair.b, 10.0, m);
    ASSERT_TRUE(m.pointCount >= 1 && m.pointCount <= kMaxManifoldPoints) << i;
    ASSERT_NEAR(length(m.normal), 1, 1e-9) << i;
    const double ours = deepest(m);
    ASSERT_TRUE(std::isfinite(ours)) << i;
    // A face carries although another direction is better by a slop: of polyhedra that of two clips, of cylinders and cones without a second look
    // where the overlap is small. Gaps and depths are to a part of themselves; ellipsoids and cones may have another direction that is nearly as
    // good.
    const double size = std::min(inner(pair.a), inner(pair.b));
    const double slop = (has(kHull) && !has(kSphere) && !has(kCapsule) ? 12e-3 : 3e-3) * std::min(outer(pair.a), outer(pair.b)) +
                        (has(kCylinder) || has(kCone) ? 0.02 * size : 0);
    const auto tolerance = [&](double truth) { return slop + (truth > 0 ? 0.15 : (has(kEllipsoid) || has(kCone) ? 0.3 : 0.05)) * std::abs(truth); };
    const Opinion fcl = ask(pair);
    ++counts.poses;
    (ours > 0 ? counts.apart : counts.overlapping) += 1;
    const bool signDiffers = std::abs(ours) > tolerance(ours) && fcl.overlap != (ours < 0);
    const bool distanceDiffers = ours > 0 && !fcl.overlap && std::abs(fcl.distance - ours) > tolerance(ours);
    const bool depthDiffers = ours < 0 && fcl.overlap && fcl.depth < 1e300 && std::abs(fcl.depth - ours) > tolerance(ours);
    // No point may claim more penetration than there is along the normal, or a distance that the normal denies.
    const double along = pair.gapAlong(m.normal);
    const bool unproved = ours < along - 1e-6 - (ours > 0 ? tolerance(ours) : 0);
    if (!signDiffers && !distanceDiffers && !depthDiffers && !unproved) continue;
    ++counts.asked;
    const double truth = signedDistanceOf(pair, {m.normal});
    const double off = std::abs(ours - truth) / tolerance(truth);
    counts.worst = std::max(counts.worst, off);
    counts.worstOfSize = std::max(counts.worstOfSize, std::abs(ours - truth) / size);
    if (off > 1) {
      EXPECT_LE(std::abs(ours - truth), 0.2 * size) << "pose " << i;
      ++counts.wrong;
      if (counts.wrong > allowed + 5) continue;
      std::ostringstream what;
      what << "pose " << i << ": " << ours << " for " << truth << ", FCL " << fcl.overlap << ' ' << fcl.distance << ' ' << fcl.depth << ", inner "
           << size << ", slop " << slop << ", along the normal " << along << ", sizes " << pair.a.size.x << ' ' << pair.a.size.y << ' '
           << pair.a.size.z << ", " << pair.b.size.x << ' ' << pair.b.size.y << ' ' << pair.b.size.z;
      if (counts.wrong > allowed) {
        ADD_FAILURE() << what.str();
      } else if (counts.wrong <= 20) {
        std::printf("  %s\n", what.str().c_str());
      }
    } else {
      counts.fclSign += signDiffers ? 1 : 0;
      counts.fclDistance += distanceDiffers ? 1 : 0;
      counts.fclDepth += depthDiffers ? 1 : 0;
    }
  }
  RecordProperty("poses", std::to_string(counts.poses));
  RecordProperty("wrong", std::to_string(counts.wrong));
  std::printf(
      "  %ld poses, %ld apart, %ld overlapping; %ld asked of the definition: %ld of ours wrong, at most by %.2f tolerances and %.3f of the size; "
      "FCL's: "
      "%ld signs, %ld distances, %ld depths\n",
      counts.poses, counts.apart, counts.overlapping, counts.asked, counts.wrong, counts.worst, counts.worstOfSize, counts.fclSign,
      counts.fclDistance, counts.fclDepth);
  std::fflush(stdout);
  EXPECT_LE(counts.wrong, allowed);
  EXPECT_GT(counts.apart, poses / 10);
  EXPECT_GT(counts.overlapping, poses / 10);
}

TEST_P(RandomPoses, AgreeWithFcl) {
  const int poses = posesWanted();
  compare(poses, 1, poses == kFew ? 36 : 300);
}

std::vector<std::pair<int, int>> allPairs() {
  std::vector<std::pair<int, int>> pairs;
  for (const int first : kConvexTypes) {
    for (const int second : kConvexTypes) {
      if (second >= first) pairs.push_back({first, second});
    }
  }
  return pairs;
}
std::string nameOfPair(const testing::TestParamInfo<std::pair<int, int>>& tested) {
  return std::string(kNames[tested.param.first]) + kNames[tested.param.second];
}
INSTANTIATE_TEST_SUITE_P(Shapes, RandomPoses, testing::ValuesIn(allPairs()), nameOfPair);

}  // namespace
}  // namespace cairn::test
