// Scenes that other engines publish times of: their counts are those of the description, whatever engine runs them; and the towers of planks.
#include "tests/support/expect.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/mesh.hpp>
#include <cairn/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cairn {
namespace {

using test::bodyNamed;
using test::worldOnTwoThreads;

struct Contacts {
  int manifolds, points;
};
void expectContacts(World& world, Contacts expected) {
  const StepReport report = world.report();
  EXPECT_EQ(report.manifolds, expected.manifolds) << "step " << report.step;
  EXPECT_EQ(report.contactPoints, expected.points) << "step " << report.step;
}

// --- all of them -----------------------------------------------------------------------------------------------

// As few as there can be; and the counts that memory is reserved for beforehand are those that are made.
TEST(BenchmarkScenes, AreValidAtTheirSmallestAndHaveTheCountsThatWereReckonedWith) {
  for (const char* name : {"large_pyramid:base=1", "large_pyramid:base=7", "many_pyramids:side=1,base=1", "many_pyramids:side=3,base=4",
                           "joint_grid:side=2", "washer:side=1", "convex_pile:side=1,layers=1", "kapla:towers=1,courses=1,sectors=10",
                           "kapla:towers=3,courses=7,sectors=24", "rain:side=1,people=1", "rain:side=2,people=5,rings=6"}) {
    SCOPED_TRACE(name);
    const Scene scene = loadScene(name);
    validate(scene);
    EXPECT_EQ(scene.bodies.capacity(), scene.bodies.size());
    EXPECT_EQ(scene.joints.capacity(), scene.joints.size());
  }
}

// --- pyramids --------------------------------------------------------------------------------------------------

TEST(LargePyramid, IsPlacedAsDescribed) {
  const Scene scene = loadScene("large_pyramid");
  ASSERT_EQ(scene.bodies.size(), 5051u);
  EXPECT_EQ(scene.gravity.y, -10);
  EXPECT_EQ(massProperties(scene.bodies[1]).mass, 100);
  EXPECT_EQ(scene.bodies[1].pose.p.x, -49.5);
  EXPECT_EQ(scene.bodies[100].pose.p.x, 49.5);
  EXPECT_EQ(scene.bodies.back().pose.p.x, 0);
  EXPECT_EQ(scene.bodies.back().pose.p.y, 99.5);
  EXPECT_EQ(bodyNamed(scene, "ground").shapes[0].halfExtents.x, 400);
}

// 4,950 pairs side by side, 9,900 one above the other and 100 with the ground, from the first step on.
TEST(LargePyramid, HasItsContactsFromTheFirstStepOn) {
  const Scene scene = loadScene("large_pyramid");
  World world = worldOnTwoThreads(scene);
  for (int k = 0; k < 3; ++k) {
    world.step();
    expectContacts(world, {14950, 59800});
  }
}

TEST(LargePyramid, KeepsItsContactsWhileItStands) {
  const Scene scene = loadScene("large_pyramid:base=12");
  World world = worldOnTwoThreads(scene);
  for (int k = 0; k < 200; ++k) {
    world.step();
    if (k % 20 == 0) expectContacts(world, {66 + 132 + 12, 4 * (66 + 132 + 12)});
  }
  EXPECT_GT(world.states().back().pose.p.y, 0.99 * scene.bodies.back().pose.p.y);
}

TEST(ManyPyramids, ArePlacedAsDescribedAndHaveTheirContacts) {
  const Scene scene = loadScene("many_pyramids");
  ASSERT_EQ(scene.bodies.size(), 10781u);
  EXPECT_EQ(bodyNamed(scene, "ground").shapes[0].halfExtents.x, 77);
  EXPECT_EQ(scene.bodies[1].pose.p.x, -76);
  EXPECT_EQ(scene.bodies[1].pose.p.z, -76);
  EXPECT_EQ(scene.bodies[56].pose.p.x, -65);  // the second pyramid
  EXPECT_NEAR(scene.bodies[1 + 14 * 55].pose.p.z, -76 + 152.0 / 13, 1e-12);
  EXPECT_EQ(scene.bodies.back().pose.p.z, 76);
  World world = worldOnTwoThreads(scene);
  for (int k = 0; k < 2; ++k) {
    world.step();
    expectContacts(world, {28420, 113680});
  }
}

// --- joints ----------------------------------------------------------------------------------------------------

TEST(JointGrid, HasTheJointsThatAct) {
  const Scene scene = loadScene("joint_grid");
  EXPECT_EQ(scene.bodies.size(), 10000u);
  EXPECT_EQ(scene.joints.size(), 19701u);
  const auto isStatic = [](const BodyDef& body) { return body.type == BodyType::Static; };
  EXPECT_EQ(std::count_if(scene.bodies.begin(), scene.bodies.end(), isStatic), 100);
  EXPECT_NEAR(massProperties(scene.bodies[1]).mass, 268.1, 0.05);
  for (const JointDef& joint : scene.joints) {
    const Posed &a = scene.bodies[size_t(joint.bodyA)].pose, &b = scene.bodies[size_t(joint.bodyB)].pose;
    ASSERT_EQ(length(b.p - a.p), 1);
    ASSERT_LT(length(transform(a, joint.frameA.p) - 0.5 * (a.p + b.p)), 1e-12);
  }
}

TEST(JointGrid, HangsWithoutContacts) {
  const Scene scene = loadScene("joint_grid:side=8");
  World world = worldOnTwoThreads(scene);
  world.step(60);
  const StepReport report = world.report();
  EXPECT_EQ(report.contactPoints, 0);
  EXPECT_EQ(report.joints, 7 * 15);
  EXPECT_LT(report.jointErrorMax, 1e-3);
  EXPECT_NEAR(world.state(world.bodies()[7]).pose.p.y, -7, 0.01);
}

// --- convex_pile -----------------------------------------------------------------------------------------------

// The rock's numbers are those of the description, by another program.
TEST(ConvexPile, IsPlacedAsDescribed) {
  const Scene scene = loadScene("convex_pile");
  ASSERT_EQ(scene.bodies.size(), 5121u);
  const BodyDef& rock = scene.bodies[1];
  EXPECT_EQ(rock.pose.p.x, -16);
  EXPECT_EQ(rock.pose.p.y, 2);
  EXPECT_EQ(scene.bodies.back().pose.p.x, 12);
  EXPECT_EQ(scene.bodies.back().pose.p.y, 318);
  ASSERT_EQ(rock.shapes[0].points.size(), 32u);
  for (const Vec3d listed : {Vec3d{0.37880, 0.53279, 1.89014}, Vec3d{1.86150, -0.48383, -0.54840}, Vec3d{-1.96552, 0.21244, -0.30263}}) {
    const auto is = [&](Vec3d p) { return length(p - listed) < 1e-5; };
    EXPECT_EQ(std::count_if(rock.shapes[0].points.begin(), rock.shapes[0].points.end(), is), 1);
  }
  const MassProperties mass = massProperties(rock);
  EXPECT_NEAR(mass.mass, 23404, 0.5);
  EXPECT_NEAR(length(mass.centre - Vec3d{0.0712, -0.0684, 0.0723}), 0, 1e-4);
}

TEST(ConvexPile, ComesToRestWhereItIsLow) {
  const Scene scene = loadScene("convex_pile:side=3,layers=4");
  World world = worldOnTwoThreads(scene);
  world.step(1200);
  double fastest = 0;
  for (const BodyState& state : world.states()) {
    fastest = std::max(fastest, length(state.linearVelocity));
    EXPECT_GT(state.pose.p.y, -1.01);
  }
  EXPECT_LT(fastest, 0.05);
  EXPECT_LT(world.report().penetrationMax, 0.05);
}

// --- washer ----------------------------------------------------------------------------------------------------

// Prisms 20 m long upon trapezia between two chords: their areas, and so the pieces' volumes.
TEST(Washer, IsPlacedAsDescribed) {
  const Scene scene = loadScene("washer");
  ASSERT_EQ(scene.bodies.size(), 8002u);
  const BodyDef& drum = bodyNamed(scene, "drum");
  ASSERT_EQ(drum.shapes.size(), 36u + 4);
  const double degree = std::acos(-1.0) / 180;
  for (size_t i = 0; i < drum.shapes.size(); ++i) {
    const bool paddle = i >= 36;
    const double inner = paddle ? 14 : 16, outer = inner + 2, width = (paddle ? 10 : 12) * degree;
    BodyDef piece;
    piece.shapes = {drum.shapes[i]};
    const MassProperties mass = massProperties(piece);
    EXPECT_NEAR(mass.mass / 1000, 20 * 0.5 * std::sin(width) * (outer * outer - inner * inner), 1e-6) << i;
    const double angle = (paddle ? 90 * double(i - 36) + 5 : 10 * double(i) + 5) * degree;
    EXPECT_NEAR(std::remainder(std::atan2(mass.centre.y, mass.centre.x) - angle, 360 * degree), 0, 1e-9) << i;
  }
  const BodyDef& last = scene.bodies.back();
  EXPECT_NEAR(length(last.pose.p - Vec3d{7.2, 28.2, 7.2}), 0, 1e-9);
}

// The inner faces of the shell are those of the hulls, from z = -10 to 10: chords of 16 m, twelve degrees wide; paddles reach in to 14 m.
TEST(Washer, BoxesHaveTheHullsFaces) {
  const Scene scene = loadScene("washer:drum=boxes");
  ASSERT_EQ(scene.bodies.size(), 8002u);
  const BodyDef& drum = bodyNamed(scene, "drum");
  EXPECT_EQ(drum.type, BodyType::Kinematic);
  EXPECT_NEAR(drum.angularVelocity.z, 25 * std::acos(-1.0) / 180, 1e-12);
  ASSERT_EQ(drum.shapes.size(), 36u + 2 * 4);
  const double degree = std::acos(-1.0) / 180;
  for (size_t i = 0; i < 36; ++i) {
    const ShapeDef& stave = drum.shapes[i];
    for (const int end : {-1, 1}) {
      const double angle = (10 * double(i) + 5 + 6 * end) * degree;
      const Vec3d corner = transform(stave.localPose, {-stave.halfExtents.x, end * stave.halfExtents.y, 10});
      EXPECT_LT(length(corner - Vec3d{16 * std::cos(angle), 16 * std::sin(angle), 10}), 1e-9) << i;
    }
  }
  for (size_t i = 0; i < 8; ++i) {
    // The radial face: from 14 m to 16 m along the ray at 90 (i / 2) or 10 degrees more.
    const ShapeDef& paddle = drum.shapes[36 + i];
    const double angle = (90 * double(i / 2) + 10 * double(i % 2)) * degree, face = i % 2 == 0 ? -1 : 1;
    for (const int end : {-1, 1}) {
      const Vec3d corner = transform(paddle.localPose, {end * paddle.halfExtents.x, face * paddle.halfExtents.y, 10});
      const double radius = 15 + end;
      EXPECT_LT(length(corner - Vec3d{radius * std::cos(angle), radius * std::sin(angle), 10}), 1e-9) << i;
    }
  }
  for (const BodyDef& body : scene.bodies)
    if (body.type == BodyType::Dynamic) {
      ASSERT_LT(std::hypot(body.pose.p.x, body.pose.p.y - drum.pose.p.y) + 0.3, 14 * std::cos(5 * degree));
    }
}

// Most are carried round; some may leave by the open ends, and lie on the ground then.
TEST(Washer, CarriesItsCubes) {
  const Scene scene = loadScene("washer:side=5");
  World world = worldOnTwoThreads(scene);
  world.step(240);
  const Vec3d axis = world.state(world.findBody("drum")).pose.p;
  int within = 0;
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i)
    if (scene.bodies[i].type == BodyType::Dynamic && std::hypot(states[i].pose.p.x - axis.x, states[i].pose.p.y - axis.y) < 16) ++within;
  EXPECT_EQ(within, 125);
}

// --- rain ------------------------------------------------------------------------------------------------------

// People of 14 parts and 137 kg whose joints are on target, on a ground of two meshes that all of its cells share.
TEST(Rain, IsPlacedAsDescribed) {
  const Scene scene = loadScene("rain:side=10");
  ASSERT_EQ(scene.bodies.size(), 100u + 300 * 14);
  ASSERT_EQ(scene.joints.size(), 300u * 13);
  EXPECT_EQ(scene.gravity.y, -10);
  EXPECT_EQ(scene.bodies[0].pose.p.x, -67.5);
  EXPECT_EQ(scene.bodies[99].pose.p.z, 67.5);
  for (size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(scene.bodies[i].type, BodyType::Static);
    ASSERT_EQ(scene.bodies[i].shapes.size(), 2u);
    for (size_t k = 0; k < 2; ++k) ASSERT_EQ(scene.bodies[i].shapes[k].triangles, scene.bodies[0].shapes[k].triangles);
  }
  EXPECT_EQ(scene.bodies[0].shapes[0].triangles->triangles.size(), 128u);
  EXPECT_EQ(scene.bodies[0].shapes[1].triangles->triangles.size(), 512u);
  double mass = 0, lowest = 1e9;
  for (size_t i = 100; i < 114; ++i) {
    mass += massProperties(scene.bodies[i]).mass;
    lowest = std::min(lowest, scene.bodies[i].pose.p.y);
  }
  EXPECT_NEAR(mass, 137.2, 0.3);
  EXPECT_NEAR(lowest, 20.3, 0.1);
  for (const JointDef& joint : scene.joints) {
    const Posed a = scene.bodies[size_t(joint.bodyA)].pose * joint.frameA, b = scene.bodies[size_t(joint.bodyB)].pose * joint.frameB;
    ASSERT_LT(length(a.p - b.p), 1e-12);
    ASSERT_TRUE(joint.axes[3].limits.has_value());
    ASSERT_GT(joint.axes[3].friction, 0);
  }
}

// Of one person parts come near each other.
TEST(Rain, NobodyTouchesAnybodyAtTheStart) {
  const Scene scene = loadScene("rain:side=2,people=7,rings=9");
  World world = worldOnTwoThreads(scene);
  world.step();
  EXPECT_EQ(world.report().penetrationMax, 0);
  const auto owner = [&](BodyId id) { return scene.bodies[size_t(id.index)].name.substr(0, 9); };  // "person-12"
  for (const Contact& contact : world.contacts()) EXPECT_EQ(owner(contact.bodyA), owner(contact.bodyB));
}

TEST(Rain, NobodyGoesThroughTheGround) {
  const Scene scene = loadScene("rain:side=1,people=3,rings=1");
  World world = worldOnTwoThreads(scene);
  for (int k = 0; k < 13; ++k) {
    world.step(20);
    const std::vector<BodyState> states = world.states();
    for (size_t i = 1; i < states.size(); ++i) ASSERT_GT(states[i].pose.p.y, 0.04) << "body " << i << " after " << world.report().step << " steps";
  }
  const StepReport report = world.report();
  EXPECT_LT(report.jointErrorMax, 1e-3);
  EXPECT_GT(report.contactPoints, 10);
}

TEST(Rain, MoreRingsThanAreOutOfThePeoplesWayAreRefused) {
  EXPECT_EQ(test::messageOf([] { loadScene("rain:side=2,rings=81"); }), "rain: rings: must be at most 20 times the cells, is 81");
}

// --- kapla -----------------------------------------------------------------------------------------------------

TEST(Kapla, HasAsManyPlanksAsTheTowersThatWerePublished) {
  const Scene scene = loadScene("kapla");
  EXPECT_EQ(scene.bodies.size(), 45361u);  // with the ground
  for (const BodyDef& body : scene.bodies) {
    if (body.type == BodyType::Static) continue;
    const Vec3d half = body.shapes[0].halfExtents;
    const std::array<double, 3> sizes{std::min({half.x, half.y, half.z}), half.x + half.y + half.z, std::max({half.x, half.y, half.z})};
    ASSERT_NEAR(sizes[2] / sizes[0], 15, 1e-9);
    ASSERT_NEAR(sizes[1] / sizes[0], 1 + 3 + 15, 1e-9);
  }
}

// Within two seconds planks settle by what contacts give, and then nothing moves.
TEST(Kapla, Stands) {
  for (const char* name : {"kapla:towers=1,courses=8,sectors=10", "kapla:towers=1,courses=9,sectors=18"}) {
    SCOPED_TRACE(name);
    const Scene scene = loadScene(name);
    World world = worldOnTwoThreads(scene);
    world.step();
    EXPECT_LT(world.report().penetrationMax, 1e-3) << "planks do not overlap at the start";
    world.step(119);
    const std::vector<BodyState> states = world.states();
    for (size_t i = 0; i < states.size(); ++i) {
      const Vec3d moved = states[i].pose.p - scene.bodies[i].pose.p;
      ASSERT_LT(length(moved), 0.005) << "plank " << i;
    }
    EXPECT_LT(world.report().rmsSpeed, 0.002);
  }
}

}  // namespace
}  // namespace cairn
