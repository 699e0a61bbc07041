// The measures of the papers' experiments with joints, by hand: how far joints are off, speeds, names.
#include "src/experiments/articulated_experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace cairn::experiments {
namespace {

// A box on the world's first body at (1, 0, 0), then moved and turned.
JointMiss missOf(JointType type, Vec3d moved, Quatd turned) {
  Scene scene;
  BodyDef box;
  box.shapes = {ShapeDef::box({0.1, 0.1, 0.1})};
  scene.add(box);
  box.pose.p = {2, 0, 0};
  scene.add(box);
  scene.joints.push_back(scene.joint(type, 0, 1, {{1, 0, 0}, {0, 0, 0, 1}}));
  // About the joint's centre: the body's own is 1 m from it.
  const Vec3d place = Vec3d{1, 0, 0} + rotate(turned, Vec3d{1, 0, 0}) + moved;
  return largestMiss(scene, {{scene.bodies[0].pose, {}, {}}, {{place, turned}, {}, {}}});
}

Quatd about(Vec3d axis, double angle) {
  const Vec3d v = std::sin(0.5 * angle) * axis;
  return {v.x, v.y, v.z, std::cos(0.5 * angle)};
}

constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};
constexpr Quatd kNoTurn{0, 0, 0, 1};

TEST(JointMiss, IsTheDistanceOfTheTwoHalves) {
  for (const JointType type : {JointType::Point, JointType::Hinge, JointType::Twist, JointType::Universal}) {
    EXPECT_NEAR(missOf(type, {0.03, -0.04, 0}, kNoTurn).offset, 0.05, 1e-12);
    EXPECT_NEAR(missOf(type, {}, about(kZ, 0.3)).offset, 0, 1e-12);
  }
  EXPECT_NEAR(missOf(JointType::Planar, {0.5, 0.5, 0.02}, kNoTurn).offset, 0.02, 1e-12);
}

TEST(JointMiss, IsTheAngleOfWhatTheJointKeeps) {
  for (const Vec3d axis : {kX, kY, kZ}) {
    const Quatd turn = about(axis, 0.3);
    EXPECT_EQ(missOf(JointType::Point, {}, turn).angle, 0);
    EXPECT_NEAR(missOf(JointType::Hinge, {}, turn).angle, axis.x > 0 ? 0 : 0.3, 1e-12);
    EXPECT_NEAR(missOf(JointType::Twist, {}, turn).angle, axis.y > 0 ? 0 : 0.3, 1e-12);
    EXPECT_NEAR(missOf(JointType::Planar, {}, turn).angle, axis.z > 0 ? 0 : 0.3, 1e-12);
    EXPECT_NEAR(missOf(JointType::Universal, {}, turn).angle, axis.z > 0 ? 0.3 : 0, 1e-12);
  }
  EXPECT_NEAR(missOf(JointType::Universal, {}, about(kX, 1) * about(kY, 0.7)).angle, 0, 1e-12);
}

TEST(JointMiss, OfAScenesJointsAtTheStartIsNone) {
  for (const char* name : {"tank", "skeletons:count=2", "rings:rings=4", "magnets:letters=20", "net:meshes=3", "bridge"}) {
    const Scene scene = loadScene(name);
    std::vector<BodyState> states;
    for (const BodyDef& body : scene.bodies) states.push_back({body.pose, {}, {}});
    const JointMiss miss = largestMiss(scene, states);
    EXPECT_LT(miss.offset, 1e-12) << name;
    EXPECT_LT(miss.angle, 1e-7) << name;
  }
}

TEST(JointExperiments, SpeedIsOfTheDynamicBodiesAskedFor) {
  Scene scene;
  BodyDef body;
  body.shapes = {ShapeDef::sphere(1)};
  scene.add(body);
  scene.add(body);
  body.type = BodyType::Kinematic;
  scene.add(body);
  const std::vector<BodyState> states{{{}, {3, 0, 0}, {}}, {{}, {0, 4, 0}, {}}, {{}, {100, 0, 0}, {}}};
  EXPECT_DOUBLE_EQ(rmsSpeed(scene, states, 0, 3), std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(rmsSpeed(scene, states, 1, 99), 4);
  EXPECT_EQ(rmsSpeed(scene, states, 2, 3), 0);
}

TEST(JointExperiments, FrictionIsPutOnFreeTurnsAlone) {
  const Scene rough = withFriction(loadScene("tank"), 2);
  for (const JointDef& joint : rough.joints) {
    for (size_t k = 0; k < 6; ++k) EXPECT_EQ(joint.axes[k].friction, k >= 3 && freeAxes(joint)[k] ? 2 : 0) << joint.name;
  }
  EXPECT_NO_THROW(validate(rough));
}

// A rod of 2 m along z between two joints, beside the line through them by 0.5 m, turns about this line.
TEST(JointExperiments, TurnsAboutTheLineOfTwoJointsAreTold) {
  Scene scene;
  BodyDef body;
  body.shapes = {ShapeDef::box({0.1, 0.2, 1})};
  const int rod = scene.add(body);
  body.type = BodyType::Static;
  const int held = scene.add(body);
  for (const double z : {-1.0, 1.0}) scene.joints.push_back(scene.joint(JointType::Point, held, rod, {{0.5, 0, z}, {0, 0, 0, 1}}));
  const std::vector<BodyState> turning{{scene.bodies[0].pose, {0, -1.5, 0}, {0, 0, 3}}, {scene.bodies[1].pose, {}, {}}};
  const LineTurns turns = lineTurns(scene, turning);
  const double mass = 1000 * 0.2 * 0.4 * 2;
  EXPECT_NEAR(turns.middles, 0, 1e-12);
  EXPECT_NEAR(turns.share, 1, 1e-12);
  EXPECT_NEAR(turns.energy, 0.5 * 9 * mass * (0.25 + (0.01 + 0.04) / 3), 1e-9);
  const std::vector<BodyState> moving{{scene.bodies[0].pose, {2, 0, 0}, {}}, {scene.bodies[1].pose, {}, {}}};
  EXPECT_NEAR(lineTurns(scene, moving).middles, 2, 1e-12);
  EXPECT_EQ(lineTurns(scene, moving).share, 0);
}

TEST(JointExperiments, AreEachListedOnce) {
  std::set<std::string> names;
  for (const Experiment& each : all()) EXPECT_TRUE(names.insert(each.name).second) << each.name;
  for (const auto& of : {hanging(), weinstein(), tankExperiments()})
    for (const Experiment& each : of) EXPECT_EQ(names.count(each.name), 1u) << each.name;
}

TEST(JointExperiments, ClaimsSayWhetherJointsHoldAndBodiesRest) {
  Trajectory run;
  run.time = {1, 2, 3, 4, 5};
  run.miss = {0, 0.009, 0, 0, 0};
  run.speed = {1, 1, 1, 1, 0.004};
  EXPECT_TRUE(jointsHold("it", "stable", run, 0.5).holds);
  EXPECT_TRUE(comesToRest("it comes", "rest", run).holds);
  Trajectory worse = run;
  worse.miss[1] = 0.011;
  worse.speed[4] = 0.006;
  EXPECT_FALSE(jointsHold("it", "stable", worse, 0.5).holds);
  EXPECT_FALSE(comesToRest("it comes", "rest", worse).holds);
  EXPECT_TRUE(jointsHold("it", "stable", worse, 0.5).explanation.empty());
  // The same with more sweeps, or with friction, explains where it holds.
  EXPECT_FALSE(jointsHold("it", "stable", worse, 0.5, {"more", &run}).explanation.empty());
  EXPECT_TRUE(jointsHold("it", "stable", worse, 0.5, {"more", &worse}).explanation.empty());
  EXPECT_FALSE(comesToRest("it comes", "rest", worse, {1, &run}).explanation.empty());
  EXPECT_TRUE(comesToRest("it comes", "rest", worse, {1, &worse}).explanation.empty());
  Trajectory turned = run;
  turned.angle = {0, 0.03, 0, 0, 0};
  EXPECT_FALSE(jointsHold("it", "stable", turned, 0.5).holds);
}

}  // namespace
}  // namespace cairn::experiments
