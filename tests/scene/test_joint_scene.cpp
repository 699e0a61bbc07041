// Joints of a scene: where Scene::joint puts their frames, what each type leaves free, and what validate refuses, in which words.
#include <cairn/error.hpp>
#include <cairn/names.hpp>
#include <cairn/scene.hpp>

#include "tests/support/expect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace cairn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const double kHalf = std::sqrt(0.5);

using test::expectNear;
using test::messageOf;

BodyDef ball(const std::string& name, BodyType type = BodyType::Dynamic) {
  BodyDef body;
  body.name = name;
  body.type = type;
  body.shapes = {ShapeDef::sphere(0.5)};
  return body;
}

// A wall, a belt, two balls, and joints of several types between them.
Scene jointedScene() {
  Scene scene;
  scene.name = "j";
  scene.add(ball("wall", BodyType::Static));
  scene.add(ball("belt", BodyType::Kinematic));
  scene.add(ball("", BodyType::Dynamic));
  scene.add(ball("ball", BodyType::Dynamic));
  const Posed here{{1, 2, 3}, {0, 0, 0, 1}};
  scene.joints.push_back(scene.joint(JointType::Hinge, 0, 2, here));
  scene.joints.back().name = "door";
  scene.joints.push_back(scene.joint(JointType::Prismatic, 2, 3, here));
  scene.joints.push_back(scene.joint(JointType::Distance, 3, 1, here));
  scene.joints.push_back(scene.joint(JointType::Gear, 2, 3, here));
  scene.joints.push_back(scene.joint(JointType::SixDof, 2, 3, here));
  scene.joints[4].axes[1].free = scene.joints[4].axes[5].free = true;
  return scene;
}

void expectRefused(const std::string& message, const std::function<void(Scene&)>& change) { test::expectRefused(jointedScene(), message, change); }

// --- making ----------------------------------------------------------------------------------------------------

TEST(SceneJoint, FramesByHand) {
  Scene scene;
  scene.add(ball("a"));
  scene.add(ball("b"));
  // A is turned by a quarter about z: its x axis is the world's y. The quaternions' lengths do not matter.
  scene.bodies[0].pose = {{1, 0, 0}, {0, 0, 3, 3}};
  scene.bodies[1].pose = {{0, 5, 0}, {0, 0, 0, -2}};
  const JointDef joint = scene.joint(JointType::Hinge, 0, 1, {{1, 2, 0}, {7, 0, 0, 7}});
  EXPECT_EQ(joint.type, JointType::Hinge);
  EXPECT_EQ(joint.bodyA, 0);
  EXPECT_EQ(joint.bodyB, 1);
  EXPECT_TRUE(scene.joints.empty());
  expectNear(joint.frameA.p, {2, 0, 0});
  expectNear(joint.frameB.p, {1, -3, 0});
  expectNear(joint.frameA.q, Quatd{0, 0, -kHalf, kHalf} * Quatd{kHalf, 0, 0, kHalf});
  expectNear(joint.frameB.q, {kHalf, 0, 0, kHalf});
}

TEST(SceneJoint, BothFramesAreWhereTheWorldFrameIs) {
  Scene scene;
  scene.add(ball("a"));
  scene.add(ball("b"));
  scene.bodies[0].pose = {{0.3, -4, 2}, {0.1, 0.7, -0.4, 0.5}};
  scene.bodies[1].pose = {{-1.5, 0.25, 8}, {0.6, -0.2, 0.3, 0.4}};
  const Posed frame{{0.5, 1, -2}, {-0.3, 0.2, 0.9, 1.4}};
  const JointDef joint = scene.joint(JointType::SixDof, 1, 0, frame);
  for (const auto& [body, local] : {std::pair(1, joint.frameA), std::pair(0, joint.frameB)}) {
    const Posed pose = scene.bodies[size_t(body)].pose, world = Posed{pose.p, normalized(pose.q)} * local;
    expectNear(world.p, frame.p);
    expectNear(world.q, normalized(frame.q));
  }
}

// A scene of bodies that stand straight gets back what was asked for, without rounding.
TEST(SceneJoint, IsExactForBodiesThatAreNotTurned) {
  Scene scene;
  scene.add(ball("a"));
  scene.add(ball("b"));
  scene.bodies[1].pose.p = {0, 0.5, 0};
  const JointDef joint = scene.joint(JointType::Point, 0, 1, {{0.25, 2, -1}, {0, 0, 0, 1}});
  EXPECT_EQ(joint.frameA.p.x, 0.25);
  EXPECT_EQ(joint.frameB.p.y, 1.5);
  EXPECT_EQ(joint.frameB.q.w, 1);
}

TEST(SceneJoint, RefusesWhatHasNoPlace) {
  const auto message = [](int a, int b, const Posed& frame, const Posed& bodyPose) {
    Scene scene = jointedScene();
    scene.bodies[3].pose = bodyPose;
    return messageOf([&] { scene.joint(JointType::Point, a, b, frame); });
  };
  const Posed unit{{0, 0, 0}, {0, 0, 0, 1}};
  EXPECT_EQ(message(2, 3, unit, unit), "accepted");
  EXPECT_EQ(message(-1, 3, unit, unit), "Scene::joint: /bodyA: must be the index of a body, is -1; the scene has 4");
  EXPECT_EQ(message(2, 4, unit, unit), "Scene::joint: /bodyB: must be the index of a body, is 4; the scene has 4");
  EXPECT_EQ(message(2, 3, {{0, kNan, 0}, {0, 0, 0, 1}}, unit), "Scene::joint: /frame/position: must be three finite numbers, is [0, nan, 0]");
  EXPECT_EQ(message(2, 3, {{0, 0, 0}, {0, 0, 0, 0}}, unit),
            "Scene::joint: /frame/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0]");
  EXPECT_EQ(message(2, 3, unit, {{0, 0, 0}, {0, 0, 0, 0}}),
            "Scene::joint: /bodies/3/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (body 'ball')");
}

// --- axes ------------------------------------------------------------------------------------------------------

TEST(FreeAxes, OfEachType) {
  const auto free = [](JointType type, int slides = 1) {
    JointDef joint;
    joint.type = type;
    joint.slides = slides;
    std::string text;
    for (const bool each : freeAxes(joint)) text += each ? '1' : '0';
    return text;
  };
  EXPECT_EQ(free(JointType::Point), "000111");
  EXPECT_EQ(free(JointType::Hinge), "000100");
  EXPECT_EQ(free(JointType::Twist), "000010");
  EXPECT_EQ(free(JointType::Rigid), "000000");
  EXPECT_EQ(free(JointType::Prismatic), "100000");
  EXPECT_EQ(free(JointType::Prismatic, 2), "110000");
  EXPECT_EQ(free(JointType::Prismatic, 3), "111000");
  EXPECT_EQ(free(JointType::Planar), "110001");
  EXPECT_EQ(free(JointType::Distance), "000000");
  EXPECT_EQ(free(JointType::Universal), "000110");
  EXPECT_EQ(free(JointType::SixDof), "000000");
  EXPECT_EQ(free(JointType::Gear), "000000");
  EXPECT_EQ(free(JointType::BlackBox), "000000");
  JointDef joint = jointedScene().joints[4];
  EXPECT_EQ(freeAxes(joint), (std::array<bool, 6>{false, true, false, false, false, true}));
  joint.type = JointType::Rigid;
  EXPECT_EQ(freeAxes(joint), (std::array<bool, 6>{}));
}

// --- validation ------------------------------------------------------------------------------------------------

TEST(ValidateJoints, AcceptsWhatIsLegal) {
  expectRefused("accepted", [](Scene& s) {
    JointAxis& hinge = s.joints[0].axes[3];
    hinge.limits = {-kPi, kPi};
    hinge.motor = JointMotor::Position;
    hinge.target = -7;
    hinge.maxForce = kInfinity;
    hinge.stiffness = 10;
    hinge.damping = 1;
    hinge.rest = -0.5;
    hinge.friction = 3;
    s.joints[0].frameA.q = {0, 0, 0, -3};
    s.joints[0].breakImpulse = 1e-9;
    s.joints[0].axes[0].rest = -0.0;
  });
  expectRefused("accepted", [](Scene& s) {
    s.joints[1].slides = 3;
    s.joints[1].axes[2].limits = {2, 2};
    s.joints[1].axes[1].target = 5;  // of a motor that may be switched on later
    s.joints[1].minDistance = kNan;  // no field of a slider's
    s.joints[1].ratio = 0;
  });
  expectRefused("accepted", [](Scene& s) { s.joints[2].maxDistance = kInfinity; });
  expectRefused("accepted", [](Scene& s) { s.joints[3].ratio = -0.25; });
  expectRefused("accepted", [](Scene& s) { s.joints[1].name = "joint-1"; });
  expectRefused("accepted", [](Scene& s) { s.joints[1].name = "joint-0"; });   // the door has a name
  expectRefused("accepted", [](Scene& s) { s.joints[1].name = "joint-01"; });  // nobody goes by that
  expectRefused("accepted", [](Scene& s) { s.joints[1].name = "joint-99"; });
  expectRefused("accepted", [](Scene& s) { s.joints[1].name = "body-2"; });
  expectRefused("accepted", [](Scene& s) {
    s.joints[0].type = JointType::BlackBox;
    s.joints[0].projection = [](const JointPose& pose) { return pose; };
  });
}

TEST(ValidateJoints, LooksAtTheBodies) {
  const auto joins = [](int a, int b) {
    return [a, b](Scene& s) {
      s.joints[0].bodyA = a;
      s.joints[0].bodyB = b;
    };
  };
  expectRefused("scene 'j': /joints/0/body_b: must be another body than body_a, is 2 as well (joint 'door')", joins(2, 2));
  expectRefused("scene 'j': /joints/0/body_a: must be the index of a body, is -1; the scene has 4 (joint 'door')", joins(-1, 2));
  expectRefused("scene 'j': /joints/0/body_b: must be the index of a body, is 4; the scene has 4 (joint 'door')", joins(2, 4));
  expectRefused("scene 'j': /joints/0: must join a dynamic body at least on one side, joins a static and a kinematic one (joint 'door')",
                joins(0, 1));
  expectRefused("scene 'j': /joints/0: must join a dynamic body at least on one side, joins a static and a static one (joint 'door')",
                [](Scene& s) { s.bodies[2].type = BodyType::Static; });
  Scene empty;
  empty.joints.push_back(jointedScene().joints[0]);
  EXPECT_EQ(messageOf([&] { validate(empty, "e.json"); }),
            "e.json: /joints/0/body_a: must be the index of a body, is 0; the scene has 0 (joint 'door')");
}

TEST(ValidateJoints, NamesJointAndField) {
  expectRefused(
      "scene 'j': /joints/0/type: must be one of point, hinge, twist, rigid, prismatic, planar, distance, universal, six_dof, gear, black_box, is 99 "
      "(joint 'door')",
      [](Scene& s) { s.joints[0].type = JointType(99); });
  expectRefused("scene 'j': /joints/0/frame_a/position: must be three finite numbers, is [0, inf, 0] (joint 'door')", [](Scene& s) {
    s.joints[0].frameA.p = {0, kInfinity, 0};
  });
  expectRefused("scene 'j': /joints/0/frame_a/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (joint 'door')",
                [](Scene& s) {
                  s.joints[0].frameA.q = {0, 0, 0, 0};
                });
  expectRefused("scene 'j': /joints/1/frame_b/position: must be three finite numbers, is [nan, 0, 0] (joint 'joint-1')", [](Scene& s) {
    s.joints[1].frameB.p = {kNan, 0, 0};
  });
  expectRefused("scene 'j': /joints/1/frame_b/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, nan] (joint 'joint-1')",
                [](Scene& s) {
                  s.joints[1].frameB.q = {0, 0, 0, kNan};
                });
  for (const int slides : {-1, 0, 4})
    expectRefused("scene 'j': /joints/1/slides: must be 1, 2 or 3, is " + std::to_string(slides) + " (joint 'joint-1')",
                  [slides](Scene& s) { s.joints[1].slides = slides; });
  const auto distances = [](double low, double high) {
    return [low, high](Scene& s) {
      s.joints[2].minDistance = low;
      s.joints[2].maxDistance = high;
    };
  };
  expectRefused("scene 'j': /joints/2/min_distance: must be a finite number >= 0, is -1 (joint 'joint-2')", distances(-1, 2));
  expectRefused("scene 'j': /joints/2/min_distance: must be a finite number >= 0, is inf (joint 'joint-2')", distances(kInfinity, kInfinity));
  expectRefused("scene 'j': /joints/2/min_distance: must be a finite number >= 0, is nan (joint 'joint-2')", distances(kNan, 2));
  expectRefused("scene 'j': /joints/2/max_distance: must be at least min_distance, which is 2, or infinity; is 1 (joint 'joint-2')", distances(2, 1));
  expectRefused("scene 'j': /joints/2/max_distance: must be at least min_distance, which is 0, or infinity; is -1 (joint 'joint-2')",
                distances(0, -1));
  expectRefused("scene 'j': /joints/2/max_distance: must be at least min_distance, which is 0, or infinity; is nan (joint 'joint-2')",
                distances(0, kNan));
  expectRefused("scene 'j': /joints/3/ratio: must be a finite number other than 0, is 0 (joint 'joint-3')", [](Scene& s) { s.joints[3].ratio = 0; });
  expectRefused("scene 'j': /joints/3/ratio: must be a finite number other than 0, is inf (joint 'joint-3')",
                [](Scene& s) { s.joints[3].ratio = kInfinity; });
  expectRefused("scene 'j': /joints/0/break_impulse: must be a number > 0 or infinity, is 0 (joint 'door')",
                [](Scene& s) { s.joints[0].breakImpulse = 0; });
  expectRefused("scene 'j': /joints/0/break_impulse: must be a number > 0 or infinity, is nan (joint 'door')",
                [](Scene& s) { s.joints[0].breakImpulse = kNan; });
  expectRefused("scene 'j': /joints/0/projection: must not be set: only black_box joints have one, this is a hinge joint (joint 'door')",
                [](Scene& s) { s.joints[0].projection = [](const JointPose& pose) { return pose; }; });
  expectRefused(
      "scene 'j': /joints/3/projection: is missing, and projection_functor too; a black_box joint is what one of them says (joint 'joint-3')",
      [](Scene& s) { s.joints[3].type = JointType::BlackBox; });
}

TEST(ValidateJoints, NamesAxisAndField) {
  const auto refused = [](const std::string& message, const std::function<void(JointAxis&)>& change) {
    expectRefused("scene 'j': /joints/0/axes/about_x/" + message + " (joint 'door')", [&](Scene& s) { change(s.joints[0].axes[3]); });
  };
  refused("limits: must be [low, high] with low <= high, is [1, -1]", [](JointAxis& a) { a.limits = {1, -1}; });
  refused("limits: must be two finite numbers, is [nan, 1]", [](JointAxis& a) { a.limits = {kNan, 1}; });
  refused("limits: must be two finite numbers, is [0, inf]", [](JointAxis& a) { a.limits = {0, kInfinity}; });
  refused("limits: must be within [-pi, pi], is [-4, 0]", [](JointAxis& a) { a.limits = {-4, 0}; });
  refused("limits: must be within [-pi, pi], is [0, 3.2]", [](JointAxis& a) { a.limits = {0, 3.2}; });
  refused("motor/type: must be one of off, velocity, position, is 5", [](JointAxis& a) { a.motor = JointMotor(5); });
  refused("motor/target: must be a finite number, is nan", [](JointAxis& a) { a.target = kNan; });
  refused("motor/target: must be a finite number, is inf", [](JointAxis& a) { a.target = kInfinity; });
  refused("motor/max_force: must be a number >= 0 or infinity, is -1", [](JointAxis& a) { a.maxForce = -1; });
  refused("motor/max_force: must be a number >= 0 or infinity, is nan", [](JointAxis& a) { a.maxForce = kNan; });
  refused("motor/max_force: must be > 0 for a motor that is on, is 0", [](JointAxis& a) { a.motor = JointMotor::Velocity; });
  refused("spring/stiffness: must be a finite number >= 0, is -1", [](JointAxis& a) { a.stiffness = -1; });
  refused("spring/stiffness: must be a finite number >= 0, is inf", [](JointAxis& a) { a.stiffness = kInfinity; });
  refused("spring/damping: must be a finite number >= 0, is -2", [](JointAxis& a) { a.damping = -2; });
  refused("spring/rest: must be a finite number, is nan", [](JointAxis& a) { a.rest = kNan; });
  refused("friction: must be a finite number >= 0, is -0.5", [](JointAxis& a) { a.friction = -0.5; });
  // The second of three turns is an arc sine.
  const auto ballWith = [](double low, double high) {
    return [low, high](Scene& s) {
      s.joints[0].type = JointType::Point;
      s.joints[0].axes[4].limits = {{low, high}};
    };
  };
  expectRefused(
      "scene 'j': /joints/0/axes/about_y/limits: must meet [-pi/2, pi/2], which the second of three free turns stays in, is [2.5, 3] "
      "(joint 'door')",
      ballWith(2.5, 3));
  expectRefused("accepted", ballWith(1.5, 3));
  // An offset is not bound to [-pi, pi].
  expectRefused("accepted", [](Scene& s) { s.joints[1].axes[0].limits = {-10, 10}; });
}

TEST(ValidateJoints, RefusesSettingsOnLockedAxes) {
  const auto refused = [](const std::string& message, const std::function<void(JointAxis&)>& change) {
    expectRefused("scene 'j': /joints/0/axes/z/" + message + ": acts on free axes only; this hinge joint has about_x (joint 'door')",
                  [&](Scene& s) { change(s.joints[0].axes[2]); });
  };
  refused("limits", [](JointAxis& a) { a.limits = {0, 0}; });
  refused("motor", [](JointAxis& a) { a.motor = JointMotor::Position; });
  refused("motor", [](JointAxis& a) { a.target = kNan; });
  refused("motor", [](JointAxis& a) { a.maxForce = 1; });
  refused("spring", [](JointAxis& a) { a.stiffness = 1; });
  refused("spring", [](JointAxis& a) { a.damping = 1; });
  refused("spring", [](JointAxis& a) { a.rest = 1; });
  refused("friction", [](JointAxis& a) { a.friction = 1; });
  expectRefused("scene 'j': /joints/1/axes/y/friction: acts on free axes only; this prismatic joint has x (joint 'joint-1')",
                [](Scene& s) { s.joints[1].axes[1].friction = 1; });
  for (const int i : {2, 3})
    expectRefused("scene 'j': /joints/" + std::to_string(i) + "/axes/about_z/friction: acts on free axes only; this " +
                      (i == 2 ? "distance" : "gear") + " joint has none (joint 'joint-" + std::to_string(i) + "')",
                  [i](Scene& s) { s.joints[size_t(i)].axes[5].friction = 1; });
  expectRefused("scene 'j': /joints/4/axes/x/limits: acts on free axes only; this six_dof joint has y, about_z (joint 'joint-4')", [](Scene& s) {
    s.joints[4].axes[0].limits = {-1, 1};
  });
  // The other types know by themselves whether they leave the axis free.
  for (const size_t k : {0, 3})
    expectRefused(std::string("scene 'j': /joints/0/axes/") + (k == 0 ? "x" : "about_x") +
                      "/free: must not be set: a hinge joint knows what it leaves free, only six_dof is told (joint 'door')",
                  [k](Scene& s) { s.joints[0].axes[k].free = true; });
}

TEST(ValidateJoints, LooksAtNames) {
  expectRefused("scene 'j': /joints/2/name: is the name of an earlier joint as well; names must be unique (joint 'door')",
                [](Scene& s) { s.joints[2].name = "door"; });
  expectRefused("scene 'j': /joints/0/name: is what joint 3, which has no name, goes by; names must be unique (joint 'joint-3')",
                [](Scene& s) { s.joints[0].name = "joint-3"; });
  expectRefused("scene 'j': /joints/1/name: must not contain control characters", [](Scene& s) { s.joints[1].name = "a\nb"; });
  // Bodies and joints do not share their names.
  expectRefused("accepted", [](Scene& s) { s.joints[1].name = "ball"; });
}

TEST(ValidateJoints, OneByItself) {
  JointDef joint;
  EXPECT_EQ(messageOf([&] { validate(joint, "new joint"); }), "accepted");  // whatever bodyA and bodyB are
  joint.breakImpulse = -1;
  EXPECT_EQ(messageOf([&] { validate(joint, "new joint"); }), "new joint: /break_impulse: must be a number > 0 or infinity, is -1");
  joint.name = "hook";
  EXPECT_EQ(messageOf([&] { validate(joint, "new joint"); }), "new joint: /break_impulse: must be a number > 0 or infinity, is -1 (joint 'hook')");
  joint.name = "a\tb";
  EXPECT_EQ(messageOf([&] { validate(joint, "new joint"); }), "new joint: /name: must not contain control characters");
}

TEST(JointNames, GoBothWays) {
  for (const NamedValue<JointType>& entry : namedValues<JointType>()) EXPECT_EQ(enumFromName<JointType>(entry.name, ""), entry.value);
  for (const NamedValue<JointMotor>& entry : namedValues<JointMotor>()) EXPECT_EQ(enumFromName<JointMotor>(entry.name, ""), entry.value);
  EXPECT_EQ(namedValues<JointType>().size(), 11u);
  EXPECT_STREQ(nameOf(JointType(11)), "?");
}

}  // namespace
}  // namespace cairn
