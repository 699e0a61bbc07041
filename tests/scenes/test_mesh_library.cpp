// The generators of meshes: solids with the volumes of their closed forms.
#include "tests/support/expect.hpp"

#include <cairn/mesh.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

using test::messageOf;

MeshReport inspected(const std::string& text) { return inspectMesh(loadMesh(text)); }

TEST(MeshLibrary, ClosedMeshesAreSolids) {
  for (const char* text :
       {"torus", "bone", "jack", "hook", "bolt", "nut", "bone:around=8,along=8", "hook:around=8,along=4,leg=0.01", "jack:cells=5",
        "bolt:around=12,rows=4,turns=3", "nut:around=12,rows=4,turns=3", "bolt:around=48,rows=6,turns=5", "nut:turns=7,clearance=0"}) {
    const MeshReport r = inspected(text);
    EXPECT_TRUE(r.isSolid()) << text << ": " << r.intersectingPairs << " pairs meet";
    EXPECT_EQ(r.degenerateTriangles + r.duplicateTriangles + r.unusedVertices, 0) << text;
    EXPECT_EQ(r.parts, 1) << text;
    const std::string name(text, std::string(text).find(':') == std::string::npos ? std::string(text).size() : std::string(text).find(':'));
    EXPECT_EQ(r.genus, name == "torus" || name == "nut" ? 1 : 0) << text;
  }
}

TEST(MeshLibrary, ThePapersRingHas1300Triangles) { EXPECT_EQ(loadMesh("torus").triangles.size(), 1300u); }

TEST(MeshLibrary, BonesHaveThousandsOfTriangles) {
  EXPECT_EQ(loadMesh("bone").triangles.size(), 6048u);
  EXPECT_EQ(loadMesh("bone:around=160,along=151").triangles.size(), 48000u);
}

// The volume tends to the limit with the square of the segments' number.
void expectTends(const std::string& coarse, const std::string& fine, double limit) {
  const double first = std::abs(inspected(coarse).volume / limit - 1), second = std::abs(inspected(fine).volume / limit - 1);
  EXPECT_LT(first, 0.05) << coarse;
  EXPECT_NEAR(first / second, 4, 0.4) << coarse << " " << first << " " << second;
}

TEST(MeshLibrary, TheTorusHasTheVolumeOfPappus) {
  expectTends("torus:major=2,minor=0.5,around=40,tube=30", "torus:major=2,minor=0.5,around=80,tube=60", 2 * kPi * kPi * 2 * 0.25);
}

TEST(MeshLibrary, TheHookHasTheVolumeOfPappus) {
  const double limit = kPi * 0.01 * (2 * 0.6 + kPi * 0.3) + 4.0 / 3 * kPi * 0.001;
  expectTends("hook:around=24,along=32", "hook:around=48,along=64", limit);
}

TEST(MeshLibrary, TheJackHasTheVolumeOfItsRadii) {
  // The integral of radius^3 / 3 over all directions, by the midpoint rule in height and angle.
  double sum = 0;
  const int n = 600;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double z = -1 + (2 * i + 1.0) / n, angle = 2 * kPi * (j + 0.5) / n, r = std::sqrt(1 - z * z);
      const double f = std::pow(r * std::cos(angle), 16) + std::pow(r * std::sin(angle), 16) + std::pow(z, 16);
      sum += std::pow(0.1 + 0.4 * f, 3) / 3 * (2.0 / n) * (2 * kPi / n);
    }
  }
  expectTends("jack:cells=24", "jack:cells=48", sum);
}

TEST(MeshLibrary, BoltAndNutHaveTheVolumeOfTheirThread) {
  // Of the profile: the mean of the squared radius, which a turn more adds.
  const double pitch = 0.0015, depth = 0.625 * 0.5 * std::sqrt(3.0) * pitch, root = 0.005 - depth;
  const double flank = (root * root + root * (root + depth) + (root + depth) * (root + depth)) / 3;
  const double mean = 0.25 * root * root + 0.625 * flank + 0.125 * (root + depth) * (root + depth);
  const double turn = inspected("bolt:turns=5,around=60").volume - inspected("bolt:turns=4,around=60").volume;
  const double polygon = 30 * std::sin(2 * kPi / 60);  // the area of one with a radius of one
  EXPECT_NEAR(turn / (polygon * mean * pitch), 1, 1e-3);
  // Nut and bolt together, without clearance, fill the hexagon.
  const double hexagon = 0.5 * std::sqrt(3.0) * 0.016 * 0.016 * pitch;
  const double ofNut = 0.5 * (inspected("nut:turns=6,around=60,clearance=0").volume - inspected("nut:turns=4,around=60,clearance=0").volume);
  EXPECT_NEAR((turn + ofNut) / hexagon, 1, 1e-6);
}

// A nut a whole number of pitches up, or turned with the advance that belongs to the turn, stays clear of the bolt; half a pitch up it does not.
TEST(MeshLibrary, TheNutFitsOnTheBolt) {
  const TriangleMesh bolt = loadMesh("bolt"), nut = loadMesh("nut");
  const auto meeting = [&](double turns, double pitches) {
    TriangleMesh both = bolt;
    const auto first = static_cast<int32_t>(both.vertices.size());
    const double c = std::cos(2 * kPi * turns), s = std::sin(2 * kPi * turns);
    for (const Vec3d& p : nut.vertices) both.vertices.push_back({c * p.x + s * p.z, p.y + 0.0015 * pitches, -s * p.x + c * p.z});
    for (const auto& t : nut.triangles) both.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    return inspectMesh(both).intersectingPairs;
  };
  EXPECT_EQ(meeting(0, 8), 0);
  EXPECT_EQ(meeting(0.3, 9.3), 0);
  EXPECT_GT(meeting(0, 8.5), 0);
}

TEST(MeshLibrary, TheTerrainIsOnePatchWithinItsHeight) {
  const MeshReport r = inspected("terrain:size=10,height=3,cells=32,seed=7");
  EXPECT_EQ(r.intersectingPairs, 0);
  EXPECT_TRUE(r.oriented && r.manifold);
  ASSERT_EQ(r.holes.size(), 1u);
  EXPECT_EQ(r.holes[0].edges, 4 * 32);
  EXPECT_LE(r.high.y - r.low.y, 3);
  EXPECT_NEAR(r.high.x - r.low.x, 10, 1e-12);
  EXPECT_NE(loadMesh("terrain:seed=1").vertices[5].y, loadMesh("terrain:seed=2").vertices[5].y);
  const TriangleMesh mesh = loadMesh("terrain");
  const auto corner = [&](size_t k) { return mesh.vertices[static_cast<size_t>(mesh.triangles[0][k])]; };
  EXPECT_GT(cross(corner(1) - corner(0), corner(2) - corner(0)).y, 0) << "faces up";
}

TEST(MeshLibrary, RefusesWhatWouldMeetItself) {
  EXPECT_EQ(messageOf([] { loadMesh("torus:major=1,minor=1"); }), "torus: minor: must be less than major, or the tube meets itself");
  EXPECT_EQ(messageOf([] { loadMesh("bone:length=0.1"); }), "bone: length: must be at least seven times knob");
  EXPECT_EQ(messageOf([] { loadMesh("bolt:around=20"); }), "bolt: around: must be a multiple of 6, as the head has six sides");
  EXPECT_EQ(messageOf([] { loadMesh("nut:clearance=0.01"); }), "nut: flats: must be more than 1.05 times what it holds");
  EXPECT_EQ(messageOf([] { loadMesh("torus:major=-1"); }), "torus: major: must be a number from 1e-06 to 1000000, is '-1'");
  EXPECT_EQ(messageOf([] { loadMesh("toros"); }).substr(0, 51), "toros: is neither a file nor a generator of meshes;");
}

}  // namespace
}  // namespace cairn
