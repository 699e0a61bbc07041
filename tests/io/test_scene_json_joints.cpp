// Joints in scene files: what is read, frames that are given in the world, and every message for what is wrong. The way there and back:
// test_scene_json_round_trip.cpp.
#include "tests/support/expect.hpp"
#include "tests/support/fuzz.hpp"

#include <cairn/error.hpp>
#include <cairn/scene.hpp>

#include <gtest/gtest.h>
#include <cairn_test_paths.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

namespace cairn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kHalf = std::sqrt(0.5);

using test::expectNear;
using test::messageOf;

// Four bodies, of which the first two cannot move, and these joints.
std::string withJoints(const std::string& joints) {
  return R"({"bodies": [{"name": "wall", "type": "static"}, {"name": "belt", "type": "kinematic"},
    {"shapes": [{"type": "sphere", "radius": 1}]}, {"name": "ball", "shapes": [{"type": "sphere", "radius": 1}]}], "joints": [)" +
         joints + "]}";
}
// One joint between bodies 2 and 3.
std::string joint(const std::string& type, const std::string& more = "") {
  return withJoints(R"({"type": ")" + type + R"(", "body_a": 2, "body_b": 3)" + (more.empty() ? "" : ", " + more) + "}");
}
JointDef parsed(const std::string& type, const std::string& more = "") { return parseScene(joint(type, more), "s.json").joints.at(0); }

// --- reading ---------------------------------------------------------------------------------------------------

TEST(SceneJsonJoints, DefaultsAreThoseOfTheDefinitions) {
  EXPECT_TRUE(parseScene(withJoints(""), "s.json").joints.empty());
  const JointDef j = parsed("point"), standard;
  EXPECT_EQ(j.name, "");
  EXPECT_EQ(j.type, JointType::Point);
  EXPECT_EQ(j.bodyA, 2);
  EXPECT_EQ(j.bodyB, 3);
  EXPECT_EQ(j.frameA.p.x, 0);
  EXPECT_EQ(j.frameB.q.w, 1);
  EXPECT_FALSE(j.axes[3].limits);
  EXPECT_EQ(j.axes[3].motor, JointMotor::Off);
  EXPECT_EQ(j.axes[3].maxForce, 0);
  EXPECT_EQ(j.slides, standard.slides);
  EXPECT_EQ(j.ratio, standard.ratio);
  EXPECT_EQ(j.breakImpulse, kInfinity);
  EXPECT_FALSE(j.collide);
  EXPECT_FALSE(j.projection);
  // A distance joint in a file is open upwards unless it says otherwise.
  EXPECT_EQ(parsed("distance").minDistance, 0);
  EXPECT_EQ(parsed("distance").maxDistance, kInfinity);
}

TEST(SceneJsonJoints, EveryKeyArrives) {
  const Scene scene = parseScene(withJoints(R"(
    {"name": "all", "type": "six_dof", "body_a": "ball", "body_b": "wall",
     "frame_a": {"position": [1, 2, 3], "orientation": [0, 0, 3, 4]}, "frame_b": {"position": [4, 5, 6]},
     "axes": {"x": {"free": true, "limits": [-0.5, 2], "friction": 7},
              "y": {"free": false},
              "about_z": {"free": true, "motor": {"type": "position", "target": -1.5, "max_force": 30},
                          "spring": {"stiffness": 8, "damping": 9, "rest": 0.25}}},
     "break_impulse": 250, "collide": true},
    {"type": "prismatic", "body_a": 0, "body_b": 2, "slides": 2,
     "axes": {"y": {"motor": {"type": "velocity", "target": 3}}, "z": {}}},
    {"type": "distance", "body_a": 2, "body_b": 3, "min_distance": 1, "max_distance": 2},
    {"type": "gear", "body_a": 2, "body_b": 3, "ratio": -2.5},
    {"type": "hinge", "body_a": 2, "body_b": 3, "axes": {"about_x": {"motor": {"type": "off", "target": 2, "max_force": 0}}}},
    {"type": "universal", "body_a": 2, "body_b": 3, "axes": {"about_y": {"friction": 1}}},
    {"type": "planar", "body_a": 2, "body_b": 3}, {"type": "twist", "body_a": 2, "body_b": 3}, {"type": "rigid", "body_a": 2, "body_b": 3})"),
                                 "s.json");
  ASSERT_EQ(scene.joints.size(), 9u);
  const JointDef& all = scene.joints[0];
  EXPECT_EQ(all.name, "all");
  EXPECT_EQ(all.type, JointType::SixDof);
  EXPECT_EQ(all.bodyA, 3);
  EXPECT_EQ(all.bodyB, 0);
  EXPECT_EQ(all.frameA.p.z, 3);
  EXPECT_EQ(all.frameA.q.w, 4);  // as it is written
  EXPECT_EQ(all.frameB.p.y, 5);
  EXPECT_EQ(freeAxes(all), (std::array<bool, 6>{true, false, false, false, false, true}));
  EXPECT_EQ(*all.axes[0].limits, (std::array<double, 2>{-0.5, 2}));
  EXPECT_EQ(all.axes[0].friction, 7);
  EXPECT_EQ(all.axes[5].motor, JointMotor::Position);
  EXPECT_EQ(all.axes[5].target, -1.5);
  EXPECT_EQ(all.axes[5].maxForce, 30);
  EXPECT_EQ(all.axes[5].stiffness, 8);
  EXPECT_EQ(all.axes[5].damping, 9);
  EXPECT_EQ(all.axes[5].rest, 0.25);
  EXPECT_EQ(all.breakImpulse, 250);
  EXPECT_TRUE(all.collide);
  EXPECT_EQ(scene.joints[1].slides, 2);
  EXPECT_EQ(scene.joints[1].axes[1].motor, JointMotor::Velocity);
  EXPECT_EQ(scene.joints[1].axes[1].maxForce, kInfinity);
  EXPECT_EQ(scene.joints[2].minDistance, 1);
  EXPECT_EQ(scene.joints[2].maxDistance, 2);
  EXPECT_EQ(scene.joints[3].ratio, -2.5);
  EXPECT_EQ(scene.joints[4].axes[3].motor, JointMotor::Off);
  EXPECT_EQ(scene.joints[4].axes[3].target, 2);
  EXPECT_EQ(scene.joints[4].axes[3].maxForce, 0);
  EXPECT_EQ(scene.joints[5].axes[4].friction, 1);
  EXPECT_EQ(scene.joints[6].type, JointType::Planar);
  EXPECT_EQ(scene.joints[7].type, JointType::Twist);
  EXPECT_EQ(scene.joints[8].type, JointType::Rigid);
}

// --- frames ----------------------------------------------------------------------------------------------------

Quatd turnOf(const std::string& type, const std::string& axis) { return parsed(type, R"("frame_a": {"axis": )" + axis + "}").frameA.q; }

TEST(SceneJsonJoints, AnAxisTurnsTheFrame) {
  for (const char* type : {"hinge", "prismatic", "universal", "gear"}) {
    expectNear(turnOf(type, "[4, 0, 0]"), {0, 0, 0, 1});
    expectNear(turnOf(type, "[0, 3, 0]"), {0, 0, kHalf, kHalf});
    expectNear(turnOf(type, "[0, 0, 2]"), {0, -kHalf, 0, kHalf});
    expectNear(turnOf(type, "[-1, 0, 0]"), {0, 1, 0, 0});
  }
  expectNear(turnOf("twist", "[0, 1, 0]"), {0, 0, 0, 1});
  expectNear(turnOf("twist", "[1, 0, 0]"), {0, 0, -kHalf, kHalf});
  expectNear(turnOf("twist", "[0, -1, 0]"), {0, 0, 1, 0});
  expectNear(turnOf("planar", "[0, 1, 0]"), {-kHalf, 0, 0, kHalf});
  expectNear(turnOf("planar", "[0, 0, -1]"), {1, 0, 0, 0});
  // Lengths at the ends of a double's range.
  expectNear(turnOf("hinge", "[0, 1e300, 0]"), {0, 0, kHalf, kHalf});
  expectNear(turnOf("hinge", "[0, 5e-324, 0]"), {0, 0, kHalf, kHalf});
  expectNear(turnOf("hinge", "[1e300, 1e-300, 0]"), {0, 0, 0, 1});
  expectNear(turnOf("hinge", "[-1e300, 1e-300, 0]"), {0, 1, 0, 0});
}

TEST(SceneJsonJoints, AnAxisIsMetFromEverywhere) {
  const unsigned seed = 31;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 300; ++n) {
    Vec3d direction{normal(engine), normal(engine), normal(engine)};
    // Nearly opposite to x, by less and less.
    if (n % 3 == 0) direction = {-1, std::ldexp(direction.y, -n / 3), std::ldexp(direction.z, -n / 3)};
    char text[128];
    std::snprintf(text, sizeof text, "[%.17g, %.17g, %.17g]", direction.x, direction.y, direction.z);
    const Vec3d unit = (1 / length(direction)) * direction;
    expectNear(rotate(turnOf("hinge", text), {1, 0, 0}), unit);
    expectNear(rotate(turnOf("twist", text), {0, 1, 0}), unit);
    expectNear(rotate(turnOf("planar", text), {0, 0, 1}), unit);
  }
}

// Body A is turned by a quarter about z, so that its x axis is the world's y; B by half a turn about y.
constexpr const char* kTurnedBodies = R"({"bodies": [
    {"name": "a", "position": [1, 0, 0], "orientation": [0, 0, 3, 3], "shapes": [{"type": "sphere", "radius": 1}]},
    {"name": "b", "position": [0, 5, 0], "orientation": [0, 2, 0, 0], "shapes": [{"type": "sphere", "radius": 1}]}], "joints": [)";

TEST(SceneJsonJoints, AWorldFrameByHand) {
  const Scene scene = parseScene(kTurnedBodies + std::string(R"(
    {"type": "hinge", "body_a": "a", "body_b": "b", "frame": {"position": [1, 2, 0], "axis": [0, 2, 0]}},
    {"type": "point", "body_a": "a", "body_b": "b", "frame": {"position": [1, 2, 0.5], "orientation": [5, 0, 0, 0]}},
    {"type": "rigid", "body_a": "b", "body_b": "a", "frame": {}}]})"),
                                 "s.json");
  const JointDef &hinge = scene.joints[0], &point = scene.joints[1], &rigid = scene.joints[2];
  expectNear(hinge.frameA.p, {2, 0, 0});
  expectNear(hinge.frameA.q, {0, 0, 0, 1});
  expectNear(hinge.frameB.p, {-1, -3, 0});
  expectNear(hinge.frameB.q, Quatd{0, -1, 0, 0} * Quatd{0, 0, kHalf, kHalf});
  expectNear(point.frameA.p, {2, 0, 0.5});
  expectNear(point.frameB.p, {-1, -3, -0.5});
  expectNear(point.frameA.q, Quatd{0, 0, -kHalf, kHalf} * Quatd{1, 0, 0, 0});
  expectNear(rigid.frameA.p, {0, -5, 0});
  expectNear(rigid.frameB.p, {0, 1, 0});
  // The same as a program gets.
  const JointDef made = scene.joint(JointType::Point, 0, 1, {{1, 2, 0.5}, {5, 0, 0, 0}});
  EXPECT_TRUE(test::sameBits(made.frameA, point.frameA));
  EXPECT_TRUE(test::sameBits(made.frameB, point.frameB));
}

// --- bad input -------------------------------------------------------------------------------------------------

TEST(SceneJsonJoints, EveryMistakeHasItsMessage) {
  const auto axis = [](const std::string& text) { return joint("hinge", R"("name": "h", "axes": {"about_x": )" + text + "}"); };
  const std::string types = "point, hinge, twist, rigid, prismatic, planar, distance, universal, six_dof, gear, black_box";
  const std::string own = "is no key of this object; there are name, type, body_a, body_b, frame, frame_a, frame_b, ";
  const std::string number = R"("break_impulse": )";
  const std::pair<std::string, std::string> cases[] = {
      // Joints as such.
      {R"({"bodies": [], "joints": {}})", "/joints: must be an array of joints, is an object"},
      {withJoints("7"), "/joints/0: must be an object, is 7"},
      {withJoints("{}"), "/joints/0/type: is missing"},
      {withJoints(R"({"type": "weld"})"), "/joints/0/type: must be one of " + types + ", is \"weld\""},
      {withJoints(R"({"type": 3})"), "/joints/0/type: must be one of " + types + ", is 3"},
      {joint("black_box"), "/joints/0/type: black_box cannot be in a file: what it allows is a function, which only a program can give"},
      {joint("point", R"("kind": 1)"), "/joints/0/kind: " + own + "axes, break_impulse, collide"},
      {joint("rigid", R"("axes": {})"), "/joints/0/axes: " + own + "break_impulse, collide"},
      {joint("hinge", R"("slides": 1)"), "/joints/0/slides: " + own + "axes, break_impulse, collide"},
      {joint("gear", R"("axes": {})"), "/joints/0/axes: " + own + "ratio, break_impulse, collide"},
      {joint("distance", R"("ratio": 1)"), "/joints/0/ratio: " + own + "min_distance, max_distance, break_impulse, collide"},
      {joint("prismatic", R"("ratio": 1)"), "/joints/0/ratio: " + own + "axes, slides, break_impulse, collide"},
      {joint("point", R"("name": 1)"), "/joints/0/name: must be a string, is 1"},
      {joint("point", R"("name": "a\tb")"), "/joints/0/name: must not contain control characters"},
      {joint("point", R"("name": "a", "name": "b")"), "/joints/0/name: is there twice; keys of an object must be unique"},
      {withJoints(R"({"name": "a", "type": "point", "body_a": 0, "body_b": 2}, {"name": "a", "type": "point", "body_a": 0, "body_b": 3})"),
       "/joints/1/name: is the name of an earlier joint as well; names must be unique (joint 'a')"},
      {withJoints(R"({"name": "joint-1", "type": "point", "body_a": 0, "body_b": 2}, {"type": "point", "body_a": 0, "body_b": 3})"),
       "/joints/0/name: is what joint 1, which has no name, goes by; names must be unique (joint 'joint-1')"},
      // Bodies.
      {withJoints(R"({"type": "point", "body_b": 2})"), "/joints/0/body_a: is missing"},
      {withJoints(R"({"type": "point", "body_a": 2})"), "/joints/0/body_b: is missing"},
      {withJoints(R"({"type": "point", "body_a": 2, "body_b": "balls"})"), "/joints/0/body_b: there is no body \"balls\""},
      {withJoints(R"({"type": "point", "body_a": 4, "body_b": 2})"),
       "/joints/0/body_a: must be the index or the name of a body, is 4; the scene has 4"},
      {withJoints(R"({"type": "point", "body_a": -1, "body_b": 2})"),
       "/joints/0/body_a: must be the index or the name of a body, is -1; the scene has 4"},
      {withJoints(R"({"type": "point", "body_a": 18446744073709551615, "body_b": 2})"),
       "/joints/0/body_a: must be the index or the name of a body, is 18446744073709551615; the scene has 4"},
      {withJoints(R"({"type": "point", "body_a": 2.0, "body_b": 2})"),
       "/joints/0/body_a: must be the index or the name of a body, is 2.0; the scene has 4"},
      {withJoints(R"({"type": "point", "body_a": null, "body_b": 2})"),
       "/joints/0/body_a: must be the index or the name of a body, is null; the scene has 4"},
      {R"({"bodies": [], "joints": [{"type": "point", "body_a": 0, "body_b": 1}]})",
       "/joints/0/body_a: must be the index or the name of a body, is 0; the scene has 0"},
      {withJoints(R"({"type": "point", "body_a": 3, "body_b": "ball"})"),
       "/joints/0/body_b: must be another body than body_a, is 3 as well (joint 'joint-0')"},
      {withJoints(R"({"type": "point", "body_a": 0, "body_b": "belt"})"),
       "/joints/0: must join a dynamic body at least on one side, joins a static and a kinematic one (joint 'joint-0')"},
      // Frames.
      {joint("point", R"("frame_a": [0, 0, 0])"), "/joints/0/frame_a: must be an object, is an array of 3"},
      {joint("point", R"("frame_a": {"pos": [0, 0, 0]})"), "/joints/0/frame_a/pos: is no key of this object; there are position, orientation, axis"},
      {joint("point", R"("frame_b": {"position": [0, 0]})"), "/joints/0/frame_b/position: must be an array of 3 numbers, is an array of 2"},
      {joint("point", R"("frame_b": {"orientation": [0, 0, 0, 0]})"),
       "/joints/0/frame_b/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (joint 'joint-0')"},
      {joint("point", R"("frame": {"orientation": [0, 0, 0, 0]})"),
       "/joints/0/frame/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (joint 'joint-0')"},
      {joint("hinge", R"("name": "h", "frame": {"axis": [0, -0.0, 0]})"),
       "/joints/0/frame/axis: must not be zero: a zero axis has no direction (joint 'h')"},
      {joint("twist", R"("frame_a": {"axis": [0, 0, 0]})"),
       "/joints/0/frame_a/axis: must not be zero: a zero axis has no direction (joint 'joint-0')"},
      {joint("planar", R"("frame_b": {"axis": [0, 0, 0]})"),
       "/joints/0/frame_b/axis: must not be zero: a zero axis has no direction (joint 'joint-0')"},
      {joint("hinge", R"("frame": {"axis": [0, 1]})"), "/joints/0/frame/axis: must be an array of 3 numbers, is an array of 2"},
      {joint("hinge", R"("frame": {"axis": [0, 1, 0], "orientation": [0, 0, 0, 1]})"),
       "/joints/0/frame/axis: must not be there beside \"orientation\" (joint 'joint-0')"},
      {joint("hinge", R"("frame": {}, "frame_b": {})"), "/joints/0/frame_b: must not be there beside \"frame\", which places both"},
      {R"({"bodies": [{"type": "static"}, {"name": "b", "orientation": [0, 0, 0, 0], "shapes": [{"type": "sphere", "radius": 1}]}],
           "joints": [{"type": "point", "body_a": 0, "body_b": "b", "frame": {}}]})",
       "/bodies/1/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (body 'b')"},
      // Axes.
      {joint("hinge", R"("axes": [])"), "/joints/0/axes: must be an object, is an array of 0"},
      {joint("hinge", R"("axes": {"about x": {}})"),
       "/joints/0/axes/about x: is no key of this object; there are x, y, z, about_x, about_y, about_z"},
      {axis("7"), "/joints/0/axes/about_x: must be an object, is 7"},
      {axis(R"({"free": true})"), "/joints/0/axes/about_x/free: is no key of this object; there are limits, motor, spring, friction"},
      {joint("six_dof", R"("axes": {"x": {"free": 1}})"), "/joints/0/axes/x/free: must be true or false, is 1"},
      {joint("six_dof", R"("axes": {"x": {"limits": [0, 1]}})"),
       "/joints/0/axes/x/limits: acts on free axes only; this six_dof joint has none (joint 'joint-0')"},
      {joint("six_dof", R"("axes": {"x": {"law": 1}})"),
       "/joints/0/axes/x/law: is no key of this object; there are free, limits, motor, spring, friction"},
      {axis(R"({"limits": 1})"), "/joints/0/axes/about_x/limits: must be an array of 2 numbers, is 1"},
      {axis(R"({"limits": [null, 1]})"), "/joints/0/axes/about_x/limits/0: must be a number, is null"},
      {axis(R"({"limits": [1, 0]})"), "/joints/0/axes/about_x/limits: must be [low, high] with low <= high, is [1, 0] (joint 'h')"},
      {axis(R"({"limits": [-4, 0]})"), "/joints/0/axes/about_x/limits: must be within [-pi, pi], is [-4, 0] (joint 'h')"},
      {axis(R"({"motor": "velocity"})"), "/joints/0/axes/about_x/motor: must be an object, is \"velocity\""},
      {axis(R"({"motor": {}})"), "/joints/0/axes/about_x/motor/type: is missing"},
      {axis(R"({"motor": {"type": "torque"}})"), "/joints/0/axes/about_x/motor/type: must be one of off, velocity, position, is \"torque\""},
      {axis(R"({"motor": {"type": "velocity", "speed": 1}})"),
       "/joints/0/axes/about_x/motor/speed: is no key of this object; there are type, target, max_force"},
      {axis(R"({"motor": {"type": "velocity", "max_force": 0}})"),
       "/joints/0/axes/about_x/motor/max_force: must be > 0 for a motor that is on, is 0 (joint 'h')"},
      {axis(R"({"motor": {"type": "velocity", "max_force": -1}})"),
       "/joints/0/axes/about_x/motor/max_force: must be a number >= 0 or infinity, is -1 (joint 'h')"},
      {axis(R"({"motor": {"type": "velocity", "target": "fast"}})"), "/joints/0/axes/about_x/motor/target: must be a number, is \"fast\""},
      {axis(R"({"spring": {"stiffness": -1}})"), "/joints/0/axes/about_x/spring/stiffness: must be a finite number >= 0, is -1 (joint 'h')"},
      {axis(R"({"spring": {"damping": -1}})"), "/joints/0/axes/about_x/spring/damping: must be a finite number >= 0, is -1 (joint 'h')"},
      {axis(R"({"spring": {"rest": 1e999}})"), "/joints/0/axes/about_x/spring/rest: 1e999 is beyond the range of a double"},
      {axis(R"({"spring": {"length": 1}})"), "/joints/0/axes/about_x/spring/length: is no key of this object; there are stiffness, damping, rest"},
      {axis(R"({"friction": -1})"), "/joints/0/axes/about_x/friction: must be a finite number >= 0, is -1 (joint 'h')"},
      {joint("hinge", R"("axes": {"y": {"motor": {"type": "off"}}})"),
       "/joints/0/axes/y/motor: acts on free axes only; this hinge joint has about_x (joint 'joint-0')"},
      // The rest.
      {joint("prismatic", R"("slides": 0)"), "/joints/0/slides: must be a whole number from 1 to 3, is 0"},
      {joint("prismatic", R"("slides": 4)"), "/joints/0/slides: must be a whole number from 1 to 3, is 4"},
      {joint("distance", R"("min_distance": -1)"), "/joints/0/min_distance: must be a finite number >= 0, is -1 (joint 'joint-0')"},
      {joint("distance", R"("min_distance": 2, "max_distance": 1)"),
       "/joints/0/max_distance: must be at least min_distance, which is 2, or infinity; is 1 (joint 'joint-0')"},
      {joint("gear", R"("ratio": 0)"), "/joints/0/ratio: must be a finite number other than 0, is 0 (joint 'joint-0')"},
      {joint("point", number + "0"), "/joints/0/break_impulse: must be a number > 0 or infinity, is 0 (joint 'joint-0')"},
      {joint("point", number + "-1"), "/joints/0/break_impulse: must be a number > 0 or infinity, is -1 (joint 'joint-0')"},
      {joint("point", number + "\"inf\""), "/joints/0/break_impulse: must be a number, is \"inf\""},
      {joint("point", R"("collide": 1)"), "/joints/0/collide: must be true or false, is 1"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(messageOf([&, &t = text] { parseScene(t, "s.json"); }), "s.json: " + message) << text;
  for (const char* type : {"point", "rigid", "distance", "six_dof"})
    EXPECT_EQ(messageOf([&] { parseScene(joint(type, R"("frame": {"axis": [0, 1, 0]})"), "s.json"); }),
              "s.json: /joints/0/frame/axis: must not be there: no axis of a " + std::string(type) +
                  " joint is special; there is orientation (joint 'joint-0')");
}

// Damaged files are refused with one line or read as something valid, and nothing else happens.
TEST(SceneJsonJoints, DamagedFilesAreRefusedOrValid) {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/scenes/joints.json");
  const std::string intact{std::istreambuf_iterator<char>(file), {}};
  const size_t joints = intact.find("\"joints\": [");
  ASSERT_NE(joints, std::string::npos);
  test::expectDamagedScenesRefusedOrValid(intact, joints, 98);
}

// --- writing ---------------------------------------------------------------------------------------------------

TEST(SceneJsonJoints, ALineEachWithoutDefaults) {
  const std::string text = writeScene(parseScene(withJoints(R"({"type": "point", "body_a": "wall", "body_b": 2, "frame": {}},
                    {"name": "h", "type": "hinge", "body_a": 2, "body_b": "ball", "frame_b": {"position": [0, 0.5, -0.0]}, "axes":
                     {"about_x": {"limits": [0, 1], "motor": {"type": "position"}, "spring": {"rest": 0.5}}}},
                    {"type": "distance", "body_a": 2, "body_b": 3, "max_distance": 0, "collide": true})"),
                                                 "s.json"));
  EXPECT_EQ(text.substr(text.find(" ],\n \"joints\"")), R"( ],
 "joints": [
  {"type": "point", "body_a": 0, "body_b": 2},
  {"name": "h", "type": "hinge", "body_a": 2, "body_b": 3, "frame_b": {"position": [0, 0.5, -0.0]}, "axes": {"about_x": {"limits": [0, 1], "motor": {"type": "position"}, "spring": {"rest": 0.5}}}},
  {"type": "distance", "body_a": 2, "body_b": 3, "max_distance": 0, "collide": true}
 ]
}
)");
}

TEST(SceneJsonJoints, BlackBoxesAreNotWritten) {
  Scene scene = parseScene(joint("rigid"), "s.json");
  scene.name = "s";
  scene.joints[0].name = "law";
  scene.joints[0].type = JointType::BlackBox;
  scene.joints[0].projection = [](const JointPose& pose) { return pose; };
  EXPECT_EQ(messageOf([&] { writeScene(scene); }),
            "scene 's': /joints/0/type: black_box cannot be in a file: what it allows is a function (joint 'law')");
}

TEST(SceneJsonJoints, WritesOnlyWhatIsValid) {
  Scene scene = parseScene(joint("rigid"), "s.json");
  scene.joints[0].name = "\xff";
  EXPECT_THROW(writeScene(scene), InvalidInput);
  scene.joints[0].name = "";
  scene.joints[0].bodyA = 3;
  EXPECT_EQ(messageOf([&] { writeScene(scene); }), "scene: /joints/0/body_b: must be another body than body_a, is 3 as well (joint 'joint-0')");
}

// --- files -----------------------------------------------------------------------------------------------------

TEST(SceneJsonJoints, TheLibrarysSceneIsOnTarget) {
  const Scene scene = loadScene(std::string(CAIRN_SOURCE_DIR) + "/scenes/joints.json");
  ASSERT_EQ(scene.joints.size(), 9u);
  for (const JointDef& j : scene.joints) {
    SCOPED_TRACE(j.name);
    const Posed a = scene.bodies[size_t(j.bodyA)].pose * j.frameA, b = scene.bodies[size_t(j.bodyB)].pose * j.frameB;
    EXPECT_NEAR(length(a.p - b.p), 0, 1e-14);
    expectNear(a.q, b.q);
  }
  const JointDef& door = scene.joints[0];
  expectNear(door.frameA.p, {0.125, 0.05, 0});
  expectNear(door.frameB.p, {-0.525, 0, 0});
  expectNear(rotate(door.frameB.q, {1, 0, 0}), {0, 1, 0});
  EXPECT_EQ(scene.joints[1].axes[3].motor, JointMotor::Velocity);
  EXPECT_GT(scene.joints[8].axes[0].stiffness, 0);
}

// The examples of the documentation are scenes.
TEST(SceneJsonJoints, ExamplesOfTheDocumentationLoad) {
  struct Page {
    const char* name;
    size_t examples, joints;
  };
  for (const Page& page : {Page{"scene-format.md", 2, 2}, Page{"joints.md", 1, 2}}) {
    std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/docs/" + page.name);
    ASSERT_TRUE(file) << page.name;
    const std::string text{std::istreambuf_iterator<char>(file), {}}, begin = "```json\n";
    size_t examples = 0, joints = 0;
    for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
      const size_t from = at + begin.size();
      const Scene scene = parseScene(text.substr(from, text.find("```", from) - from), page.name);
      EXPECT_GT(scene.bodies.size(), 1u);
      joints += scene.joints.size();
      ++examples;
    }
    EXPECT_EQ(examples, page.examples) << page.name;
    EXPECT_EQ(joints, page.joints) << page.name;
  }
}

}  // namespace
}  // namespace cairn
