// Signed distance fields against closed forms and against a look at every triangle.
#include "kernels/state/field_look.hpp"
#include "src/mesh/distance_field.hpp"
#include "src/mesh/signed_distance.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/meshes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cairn {
namespace {

using namespace test;

class Points {
 public:
  explicit Points(unsigned seed) : random_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3d in(Vec3d low, Vec3d high) { return {uniform(low.x, high.x), uniform(low.y, high.y), uniform(low.z, high.z)}; }
  // Beside the surface of a mesh, by up to `beside` along each axis.
  Vec3d near(const CollisionMesh& mesh, double beside) {
    const MeshTriangle& t = mesh.triangles[std::uniform_int_distribution<size_t>(0, mesh.triangles.size() - 1)(random_)];
    const auto at = [&](int k) { return mesh.vertices[size_t(t.corners[k])]; };
    const double u = uniform(0, 1), v = uniform(0, 1 - u);
    return at(0) + u * (at(1) - at(0)) + v * (at(2) - at(0)) + in({-beside, -beside, -beside}, {beside, beside, beside});
  }

 private:
  std::mt19937 random_;
};

double distanceToBox(Vec3d p, Vec3d half) {
  const Vec3d beyond = absOf(p) - half;
  const Vec3d out{std::max(beyond.x, 0.0), std::max(beyond.y, 0.0), std::max(beyond.z, 0.0)};
  return length(out) + std::min(std::max({beyond.x, beyond.y, beyond.z}), 0.0);
}

double distanceToTorus(Vec3d p, double major, double minor) { return std::hypot(std::hypot(p.x, p.z) - major, p.y) - minor; }

double distanceToSegment(Vec3d p, Vec3d a, Vec3d b) {
  const double t = std::clamp(dot(p - a, b - a) / lengthSquared(b - a), 0.0, 1.0);
  return length(p - (a + t * (b - a)));
}
// To the plane where the foot lies within, else to the edges.
double distanceToTriangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c) {
  const Vec3d n = cross(b - a, c - a);
  const bool over = dot(cross(b - a, p - a), n) >= 0 && dot(cross(c - b, p - b), n) >= 0 && dot(cross(a - c, p - c), n) >= 0;
  if (over) return std::abs(dot(n, p - a)) / length(n);
  return std::min({distanceToSegment(p, a, b), distanceToSegment(p, b, c), distanceToSegment(p, c, a)});
}

TEST(SignedDistance, OfABoxIsTheClosedForm) {
  const Vec3d half{1, 0.5, 0.25};
  const auto mesh = makeCollisionMesh(boxMesh(half), false);
  const SignedDistance distance(*mesh);
  Points points(1);
  for (int k = 0; k < 20000; ++k) {
    const Vec3d p = points.in({-2, -1, -1}, {2, 1, 1});
    EXPECT_NEAR(distance.at(p), distanceToBox(p, half), 1e-14);
  }
}

// Where a mesh has narrow corners, the face that happens to be looked at first must not say which side a place is on.
TEST(SignedDistance, IsThatOfTheNearestTriangleAndHasTheSignOfTheSide) {
  for (const char* const name : {"jack", "hook", "nut"}) {
    const auto mesh = makeCollisionMesh(loadMesh(name), false);
    const SignedDistance distance(*mesh);
    Points points(2);
    const Vec3d beyond = 0.1 * (mesh->high - mesh->low);
    int hint = 0;
    for (int k = 0; k < 300; ++k) {
      const Vec3d p = points.in(mesh->low - beyond, mesh->high + beyond);
      double least = 1e300, solidAngle = 0;
      for (const MeshTriangle& t : mesh->triangles) {
        const auto at = [&](int c) { return mesh->vertices[size_t(t.corners[c])]; };
        least = std::min(least, distanceToTriangle(p, at(0), at(1), at(2)));
        // Van Oosterom and Strackee, "The Solid Angle of a Plane Triangle", 1983.
        const Vec3d a = at(0) - p, b = at(1) - p, c = at(2) - p;
        const double la = length(a), lb = length(b), lc = length(c);
        solidAngle += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
      }
      const bool inside = solidAngle > 2 * kPi;
      const double expected = inside ? -least : least, accuracy = 1e-12 * length(mesh->high - mesh->low);
      EXPECT_NEAR(distance.at(p), expected, accuracy) << name;
      EXPECT_NEAR(distance.at(p, hint), expected, accuracy) << name;
    }
  }
}

TEST(DistanceField, OfABoxIsNearTheClosedForm) {
  const Vec3d half{1, 0.5, 0.25};
  const auto mesh = makeCollisionMesh(boxMesh(half), false);
  const double cell = 0.01;
  const DistanceField field = makeDistanceField(*mesh, {cell, 0.1});
  Points points(3);
  for (int k = 0; k < 20000; ++k) {
    const Vec3d p = points.near(*mesh, 2 * cell);
    EXPECT_NEAR(lookAt(field.shape(), p).distance, distanceToBox(p, half), 0.5 * cell);
    const Vec3d q = points.in({-1.1, -0.6, -0.35}, {1.1, 0.6, 0.35});
    const double expected = distanceToBox(q, half);
    EXPECT_NEAR(lookAt(field.shape(), q).distance, expected, 0.5 * cell + 0.25 * std::abs(expected));
  }
  // In the middle of a side nothing bends.
  for (const double y : {-0.001, 0.0, 0.003}) {
    const FieldValue value = lookAt(field.shape(), {0.1, 0.5 + y, 0.05});
    EXPECT_NEAR(value.distance, y, 1e-4 * cell);
    EXPECT_NEAR(value.gradient.y, 1, 1e-3);
    EXPECT_NEAR(value.gradient.x, 0, 1e-3);
  }
}

TEST(DistanceField, GradientsAreThoseOfTheValues) {
  const auto mesh = makeCollisionMesh(loadMesh("torus"), false);
  const double cell = 0.01 * (mesh->high.x - mesh->low.x);
  const DistanceField field = makeDistanceField(*mesh, {cell, 0});
  Points points(4);
  const double step = 1e-6 * cell;
  int looked = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec3d p = points.near(*mesh, cell);
    const FieldValue here = lookAt(field.shape(), p);
    const Vec3d steps[3] = {{step, 0, 0}, {0, step, 0}, {0, 0, step}};
    Vec3d slope;
    double* const parts[3] = {&slope.x, &slope.y, &slope.z};
    for (int axis = 0; axis < 3; ++axis) {
      *parts[axis] = (lookAt(field.shape(), p + steps[axis]).distance - lookAt(field.shape(), p - steps[axis]).distance) / (2 * step);
    }
    EXPECT_NEAR(length(slope - here.gradient), 0, 1e-5);
    EXPECT_NEAR(length(here.gradient), 1, 0.2);
    ++looked;
  }
  EXPECT_EQ(looked, 2000);
}

TEST(DistanceField, OfATorusIsNearTheClosedForm) {
  const auto mesh = makeCollisionMesh(loadMesh("torus:major=1,minor=0.25"), false);
  const double cell = 0.01;
  const DistanceField field = makeDistanceField(*mesh, {cell, 0.05});
  Points points(5);
  double worst = 0;
  for (int k = 0; k < 5000; ++k) {
    const Vec3d p = points.near(*mesh, cell);
    worst = std::max(worst, std::abs(lookAt(field.shape(), p).distance - distanceToTorus(p, 1, 0.25)));
  }
  // The triangles lie up to 8 mm within the torus.
  EXPECT_LT(worst, 0.012);
  record("worst", worst);
}

// Beyond the grid the surface is no nearer than the value, up to the grid's own error, and not much further.
TEST(DistanceField, GoesOnBeyondItsGrid) {
  const Vec3d half{1, 0.5, 0.25};
  const auto mesh = makeCollisionMesh(boxMesh(half), false);
  const DistanceField field = makeDistanceField(*mesh, {0.02, 0.1});
  Points points(6);
  for (int k = 0; k < 2000; ++k) {
    const Vec3d p = points.in({-4, -4, -4}, {4, 4, 4});
    const double exact = distanceToBox(p, half), value = lookAt(field.shape(), p).distance;
    const bool beyond = std::abs(p.x) > half.x + 0.2 || std::abs(p.y) > half.y + 0.2 || std::abs(p.z) > half.z + 0.2;
    EXPECT_GT(value, exact > 0 ? 0.7 * exact - 0.02 : -1);
    EXPECT_LT(value, (beyond ? 1.0 : 1.125) * std::abs(exact) + 0.02);
  }
}

// The figure of docs/meshes.md.
TEST(DistanceField, OfABoneOf48000TrianglesTakesLessThan2Megabytes) {
  const auto mesh = makeCollisionMesh(loadMesh("bone:around=160,along=151"), false);
  ASSERT_EQ(mesh->triangles.size(), 48000u);
  const double longest = mesh->high.y - mesh->low.y, cell = 1e-3 * longest;
  const DistanceField field = makeDistanceField(*mesh, {cell, 0.02 * longest});
  EXPECT_LT(field.bytes(), 2e6);
  record("bytes", field.bytes());
  const SignedDistance distance(*mesh);
  Points points(7);
  double sum = 0, worst = 0;
  constexpr int kPoints = 20000;
  for (int k = 0; k < kPoints; ++k) {
    const Vec3d p = points.near(*mesh, 2 * cell);
    const double error = std::abs(lookAt(field.shape(), p).distance - distance.at(p)) / cell;
    sum += error;
    worst = std::max(worst, error);
  }
  EXPECT_LT(sum / kPoints, 0.05);
  EXPECT_LT(worst, 0.5);
  record("worstCells", worst);
}

TEST(DistanceField, HasTheSameBitsAgainWhoeverMakesIt) {
  const auto mesh = makeCollisionMesh(loadMesh("jack"), false);
  FieldSettings settings{0.02 * (mesh->high.x - mesh->low.x), 0};
  const DistanceField first = makeDistanceField(*mesh, settings);
  for (const int threads : {1, 2, 7}) {
    settings.threads = threads;
    const DistanceField again = makeDistanceField(*mesh, settings);
    EXPECT_EQ(first.places, again.places) << threads;
    EXPECT_EQ(first.units, again.units) << threads;
    EXPECT_EQ(first.samples, again.samples) << threads;
  }
}

TEST(DistanceField, RefusesWhatWouldBeTooLarge) {
  const auto mesh = makeCollisionMesh(boxMesh({1, 1, 1}), false);
  EXPECT_EQ(messageOf([&] {
              makeDistanceField(*mesh, {1e-3, 0, 1e6});
            }),
            "cell: must be larger: the field of the mesh would take more than 1 MB with cells of 0.001 m");
  // Just as much as it takes is not too much, however many make it.
  const double bytes = makeDistanceField(*mesh, {0.02, 0}).bytes();
  for (const int threads : {1, 4}) {
    EXPECT_EQ(makeDistanceField(*mesh, {0.02, 0, bytes, threads}).bytes(), bytes);
    EXPECT_THROW(makeDistanceField(*mesh, {0.02, 0, bytes - 1, threads}), InvalidInput);
  }
}

TEST(DistanceField, ItsSizeIsKnownBeforeItIsMade) {
  for (const char* const name : {"jack", "bone"}) {
    const auto mesh = makeCollisionMesh(loadMesh(name), false);
    const FieldSettings settings{0.01 * (mesh->high.x - mesh->low.x), 0};
    const double bytes = makeDistanceField(*mesh, settings).bytes();
    for (const int lookedAt : {32, 64}) {
      EXPECT_NEAR(estimatedFieldBytes(*mesh, settings, lookedAt) / bytes, 1, 0.33) << name << ", " << bytes << " bytes";
    }
  }
}

// To make as much of it as would be allowed takes longer.
TEST(DistanceField, ASmoothMeshIsRefusedBeforeTheWork) {
  const auto mesh = makeCollisionMesh(loadMesh("torus"), false);
  EXPECT_THROW(makeDistanceField(*mesh, {1e-3 * (mesh->high.x - mesh->low.x), 0, 4e6}), InvalidInput);
}

}  // namespace
}  // namespace cairn
