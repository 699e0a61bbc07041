// The scenes of the library move as they are meant to: masonry stands, slopes hold up to the friction angle, dominoes fall, drums turn their contents
// round.
#include "tests/support/scenes.hpp"

#include <cairn/mesh.hpp>
#include <cairn/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace cairn {
namespace {

using test::bodyNamed;
using test::worldOnTwoThreads;

// No body below 0.97 of its height or more than 5 cm aside.
void expectStands(const std::string& name, int steps) {
  SCOPED_TRACE(name);
  const Scene scene = loadScene(name);
  World world = worldOnTwoThreads(scene);
  world.step(steps);
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    const Vec3d from = scene.bodies[i].pose.p, to = states[i].pose.p;
    ASSERT_GT(to.y, 0.97 * from.y) << world.bodyName(world.bodies()[i]);
    ASSERT_LT(std::hypot(to.x - from.x, to.z - from.z), 0.05) << world.bodyName(world.bodies()[i]);
  }
}

TEST(SceneMotion, MasonryStands) {
  for (const char* name : {"arch", "arch:stones=11,radius=10,thickness=2,width=3", "card-house", "card-house:levels=5"}) expectStands(name, 600);
}

TEST(SceneMotion, AnArchThatIsTooThinFalls) {
  const Scene scene = loadScene("arch:thickness=0.25");
  World world = worldOnTwoThreads(scene);
  world.step(600);
  EXPECT_LT(world.state(world.bodies()[13]).pose.p.y, 0.5 * scene.bodies[13].pose.p.y);
}

TEST(SceneMotion, TheInclineSticksAndSlidesAsItShould) {
  const double toRadians = 3.14159265358979323846 / 180, limit = std::atan(0.6) / toRadians;
  for (const double degrees : {5.0, 20.0, limit - 1, limit + 1, 45.0}) {
    SCOPED_TRACE(degrees);
    const Scene scene = loadScene("incline:angle=" + std::to_string(degrees));
    World world = worldOnTwoThreads(scene);
    world.step(60);
    const double speed = length(world.state(world.findBody("box")).linearVelocity);
    const double a = degrees * toRadians;
    // One second of sliding; sticking boxes do not creep.
    EXPECT_NEAR(speed, std::max(0.0, 9.81 * (std::sin(a) - 0.6 * std::cos(a))), degrees < limit ? 1e-4 : 0.02);
  }
}

TEST(SceneMotion, AsManyBallsLeaveTheCradleAsComeIn) {
  for (const int incoming : {1, 2, 3}) {
    const Scene scene = loadScene("newton-cradle:incoming=" + std::to_string(incoming));
    World world = worldOnTwoThreads(scene);
    world.step(scene.defaultSteps);
    const std::vector<BodyState> states = world.states();
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(states[size_t(i)].linearVelocity.x, i < 5 - incoming ? 0 : 2, 1e-3) << incoming << " in, ball " << i + 1;
  }
}

TEST(SceneMotion, AllDominoesFall) {
  const Scene scene = loadScene("dominoes:count=30");
  World world = worldOnTwoThreads(scene);
  world.step(scene.defaultSteps);
  for (const BodyId id : world.bodies())
    if (id.index > 0) {
      EXPECT_LT(rotate(world.state(id).pose.q, {0, 1, 0}).y, 0.7) << id.index;
    }
}

TEST(SceneMotion, TheBreakScattersTheRackAndKeepsItOnTheTable) {
  const Scene scene = loadScene("billiard-break");
  World world = worldOnTwoThreads(scene);
  world.step(180);
  int moved = 0;
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    const Vec3d p = states[i].pose.p;
    EXPECT_TRUE(std::abs(p.x) < 1.27 && std::abs(p.z) < 0.635 && p.y > 0.02) << i;
    if (length(p - scene.bodies[i].pose.p) > 0.1) ++moved;
  }
  EXPECT_GE(moved, 14);
}

TEST(SceneMotion, TheDrumCarriesItsBodiesRoundAndLosesNone) {
  const Scene scene = loadScene("drum:count=300,speed=1");
  World world = worldOnTwoThreads(scene);
  world.step(300);
  const BodyState drum = world.state(world.findBody("drum"));
  const double radius = length(scene.bodies[1].shapes[0].localPose.p);
  double highest = 0;
  for (const BodyId id : world.bodies()) {
    if (scene.bodies[size_t(id.index)].type != BodyType::Dynamic) continue;
    const Vec3d p = world.state(id).pose.p - drum.pose.p;
    ASSERT_LT(std::hypot(p.x, p.y), radius);
    ASSERT_LT(std::abs(p.z), 0.5 * radius + 0.1);
    highest = std::max(highest, p.y);
  }
  EXPECT_GT(highest, -0.5 * radius);  // a heap at rest would lie below that
  EXPECT_LT(length(drum.pose.p - scene.bodies[1].pose.p), 1e-6);
}

// --- skeletons of meshes -----------------------------------------------------------------------------------------

TEST(Skeletons, OfMeshesHaveSolidBonesThatTheyShare) {
  const Scene scene = loadScene("skeletons:count=2,shape=mesh"), compounds = loadScene("skeletons:count=2");
  ASSERT_EQ(scene.bodies.size(), compounds.bodies.size());
  ASSERT_EQ(scene.joints.size(), compounds.joints.size());
  std::set<const TriangleMesh*> meshes;
  size_t triangles = 0;
  for (size_t i = 1; i < scene.bodies.size(); ++i) {
    const BodyDef &bone = scene.bodies[i], &compound = compounds.bodies[i];
    EXPECT_EQ(bone.name, compound.name);
    EXPECT_NEAR(massProperties(bone).mass, massProperties(compound).mass, 1e-12);
    for (const ShapeDef& shape : bone.shapes) {
      ASSERT_TRUE(shape.type == ShapeType::Mesh && shape.solid) << bone.name;
      triangles += shape.triangles->triangles.size();
      const bool isNew = meshes.insert(shape.triangles.get()).second;
      const bool mirrored = bone.name.find("-right") != std::string::npos;
      EXPECT_TRUE(!isNew || mirrored || inspectMesh(*shape.triangles).isSolid()) << bone.name;
    }
    const auto reach = [](const BodyDef& body) { return massProperties(body).centre; };
    EXPECT_LT(length(reach(bone) - reach(compound)), 0.02) << bone.name;
  }
  EXPECT_LE(meshes.size(), 20u);
  EXPECT_GT(triangles / (scene.bodies.size() - 1), 2000u);
}

TEST(SceneMotion, AMixedPileStaysInItsContainer) {
  const Scene scene = loadScene("pile:count=300,shape=mixed");
  World world = worldOnTwoThreads(scene);
  world.step(300);
  const BodyDef& wall = bodyNamed(scene, "wall+x");
  const double half = wall.pose.p.x - wall.shapes[0].halfExtents.x;
  for (const BodyId id : world.bodies()) {
    if (scene.bodies[size_t(id.index)].type != BodyType::Dynamic) continue;
    const Vec3d p = world.state(id).pose.p;
    ASSERT_TRUE(std::abs(p.x) < half && std::abs(p.z) < half && p.y > 0.1) << id.index;
  }
}

}  // namespace
}  // namespace cairn
