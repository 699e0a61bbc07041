// The scenes with joints: that they are what their papers count, that they start on target, and that nothing overlaps.
#include <cairn/error.hpp>
#include <cairn/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace cairn {
namespace {

const BodyDef& bodyOf(const Scene& scene, int index) { return scene.bodies[size_t(index)]; }

bool beginsWith(const std::string& text, const std::string& begin) { return text.compare(0, begin.size(), begin) == 0; }

int countNamed(const Scene& scene, const std::string& begin) {
  return int(std::count_if(scene.bodies.begin(), scene.bodies.end(), [&](const BodyDef& b) { return beginsWith(b.name, begin); }));
}

const JointDef& jointNamed(const Scene& scene, const std::string& name) {
  const auto found = std::find_if(scene.joints.begin(), scene.joints.end(), [&](const JointDef& j) { return j.name == name; });
  EXPECT_NE(found, scene.joints.end()) << name;
  return *found;
}

// The number of joints of each body.
std::vector<int> jointsOfBodies(const Scene& scene) {
  std::vector<int> counts(scene.bodies.size(), 0);
  for (const JointDef& joint : scene.joints) {
    ++counts[size_t(joint.bodyA)];
    ++counts[size_t(joint.bodyB)];
  }
  return counts;
}

// Number of groups of dynamic bodies that joints hold together, single bodies counted.
int groups(const Scene& scene) {
  std::vector<int> parent(scene.bodies.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[size_t(i)] != i) i = parent[size_t(i)];
    return i;
  };
  for (const JointDef& joint : scene.joints)
    if (bodyOf(scene, joint.bodyA).type == BodyType::Dynamic && bodyOf(scene, joint.bodyB).type == BodyType::Dynamic)
      parent[size_t(root(joint.bodyA))] = root(joint.bodyB);
  int count = 0;
  for (int i = 0; i < int(scene.bodies.size()); ++i) count += bodyOf(scene, i).type == BodyType::Dynamic && root(i) == i;
  return count;
}

struct Counts {
  const char* name;
  int dynamic, fixed, joints;
};
const Counts kCounts[] = {
    {"chain", 101, 1, 101},
    {"chain:links=7,direction=across", 8, 1, 8},
    {"chain-100", 101, 1, 101},
    {"chain-100h", 101, 1, 101},
    {"pendulum", 1, 1, 1},
    {"pendulum:links=5,joint=point,angle=-30", 5, 1, 5},
    {"double-pendulum", 2, 1, 2},
    {"cline-pai-chain", 6, 1, 6},
    {"motor", 1, 2, 1},
    {"limits", 2, 2, 2},
    {"magnets", 210, 3, 210},
    {"magnets:letters=15", 15, 3, 15},
    {"net", 736 + 9, 2, 960 + 4},
    {"net:hang=rim,boxes=0", 736, 2, 960 + 60},
    {"net:meshes=1,boxes=30", 8 + 30, 2, 8 + 4},
    {"bridge", 102, 3, 166},
    {"bridge:load=blocks", 102 + 2 * 81, 3, 166 + 81},
    {"bridge:load=loops", 102 + 6 * 60, 3, 166 + 6 * 60},
    {"rings", 2160, 1 + 25, 2160},
    {"rings:rings=3,poles=1", 18, 2, 18},
    {"tank", 3 + 6 + 2 * 34, 1, 2 + 6 + 2 * 34},
    {"skeletons", 420, 1, 380},
    {"skeletons:count=1", 21, 1, 19},
};

TEST(JointScenes, HaveAsManyBodiesAndJointsAsTheyShould) {
  for (const Counts& expected : kCounts) {
    SCOPED_TRACE(expected.name);
    const Scene scene = loadScene(expected.name);
    const auto dynamic = std::count_if(scene.bodies.begin(), scene.bodies.end(), [](const BodyDef& b) { return b.type == BodyType::Dynamic; });
    EXPECT_EQ(dynamic, expected.dynamic);
    EXPECT_EQ(int(scene.bodies.size()) - dynamic, expected.fixed);
    EXPECT_EQ(int(scene.joints.size()), expected.joints);
    // Both were known beforehand.
    EXPECT_EQ(scene.bodies.capacity(), scene.bodies.size());
    EXPECT_EQ(scene.joints.capacity(), scene.joints.size());
  }
}

TEST(JointScenes, StartOnTarget) {
  for (const Counts& each : kCounts) {
    SCOPED_TRACE(each.name);
    const Scene scene = loadScene(each.name);
    validate(scene);
    for (const JointDef& joint : scene.joints) {
      const Posed a = bodyOf(scene, joint.bodyA).pose * joint.frameA, b = bodyOf(scene, joint.bodyB).pose * joint.frameB;
      ASSERT_LT(length(a.p - b.p), 1e-12 * (1 + length(a.p)));
      const Quatd apart = conjugate(a.q) * b.q;
      ASSERT_LT(length(Vec3d{apart.x, apart.y, apart.z}), 1e-12);
      // All coordinates are zero, so that must be allowed.
      for (const JointAxis& axis : joint.axes)
        if (axis.limits) {
          ASSERT_TRUE((*axis.limits)[0] <= 0 && (*axis.limits)[1] >= 0);
        }
    }
  }
}

// By the contacts of one step that is too short for anything to happen. Bodies that are joined may overlap: they do not collide.
TEST(JointScenes, NothingThatCollidesOverlapsAtTheStart) {
  int looked = 0;
  for (const Counts& each : kCounts) {
    SCOPED_TRACE(each.name);
    Scene scene = loadScene(each.name);
    scene.gravity = {0, 0, 0};
    std::set<std::pair<int, int>> joined;
    for (const JointDef& joint : scene.joints)
      if (!joint.collide) joined.insert(std::minmax(joint.bodyA, joint.bodyB));
    WorldSettings settings;
    settings.backend = Backend::Cpu;
    settings.precision = Precision::Double;
    settings.dt = 1e-9;
    World world(scene, settings);
    world.step(1);
    for (const Contact& contact : world.contacts())
      if (joined.count(std::minmax(contact.bodyA.index, contact.bodyB.index)) == 0) {
        ASSERT_GT(contact.separation, -1e-6) << world.bodyName(contact.bodyA) << " and " << world.bodyName(contact.bodyB);
        ++looked;
      }
  }
  EXPECT_GT(looked, 500);
}

TEST(JointScenes, TooManyJointsAreRefusedToo) {
  for (const char* name : {"chain:links=1000000000000", "net:meshes=10000", "rings:rings=1e9", "skeletons:count=1e8"})
    EXPECT_THROW(loadScene(name), CapacityError) << name;
}

// --- chains ----------------------------------------------------------------------------------------------------

TEST(Chains, NamedOnesAreTheGeneratorsDefaults) {
  for (const auto& [name, same] : {std::pair{"chain-100", "chain"}, std::pair{"chain-100h", "chain:direction=across"}}) {
    Scene scene = loadScene(name);
    scene.name = same;
    EXPECT_EQ(writeScene(scene), writeScene(loadScene(same)));
  }
}

TEST(Chains, TheEndIsAsHeavyAsAsked) {
  for (const double ratio : {0.001, 1.0, 100.0, 1e6}) {
    const Scene scene = loadScene("chain:links=2,end-mass-ratio=" + std::to_string(ratio));
    EXPECT_NEAR(massProperties(scene.bodies[1]).mass, 20, 1e-12);
    EXPECT_NEAR(massProperties(scene.bodies[3]).mass / (20 * ratio), 1, 1e-12);
  }
}

TEST(Chains, PendulumsHangFromTheirPivotsAtTheirAngles) {
  const Scene scene = loadScene("double-pendulum:first=30,second=-60");
  const Vec3d pivot = (scene.bodies[0].pose * scene.joints[0].frameA).p, elbow = (scene.bodies[1].pose * scene.joints[1].frameA).p;
  EXPECT_NEAR(length(elbow - (pivot + Vec3d{0.5, -std::sqrt(0.75), 0})), 0, 1e-12);
  EXPECT_NEAR(length(scene.bodies[2].pose.p - (elbow + Vec3d{-0.5 * std::sqrt(0.75), -0.25, 0})), 0, 1e-12);
  for (const JointDef& joint : scene.joints)  // about z
    EXPECT_NEAR(rotate((bodyOf(scene, joint.bodyA).pose * joint.frameA).q, {1, 0, 0}).z, 1, 1e-12);
}

// --- loops -----------------------------------------------------------------------------------------------------

TEST(Net, StringsHaveTwoEndsAndKnotsTwoToFourStrings) {
  const Scene scene = loadScene("net");
  EXPECT_EQ(countNamed(scene, "knot-"), 256);
  EXPECT_EQ(countNamed(scene, "string-"), 480);
  const std::vector<int> joints = jointsOfBodies(scene);
  std::map<int, int> ofKnots;
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    if (beginsWith(scene.bodies[i].name, "string-")) {
      EXPECT_EQ(joints[i], 2);
    }
    if (beginsWith(scene.bodies[i].name, "knot-")) ++ofKnots[joints[i]];
  }
  EXPECT_EQ(ofKnots, (std::map<int, int>{{3, 60}, {4, 196}}));  // at the corners two strings and the frame
  EXPECT_EQ(groups(scene), 1 + 9);
}

TEST(Bridge, IsOnePieceWithALoopBetweenAllRungs) {
  const Scene scene = loadScene("bridge");
  EXPECT_EQ(countNamed(scene, "rung-"), 20);
  EXPECT_EQ(countNamed(scene, "rope-"), 42);
  EXPECT_EQ(countNamed(scene, "hanger-"), 40);
  EXPECT_EQ(groups(scene), 1);
  const std::vector<int> joints = jointsOfBodies(scene);
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    if (beginsWith(scene.bodies[i].name, "rung-")) {
      EXPECT_EQ(joints[i], 2 + 2 + 2);
    }
    if (beginsWith(scene.bodies[i].name, "hanger-")) {
      EXPECT_EQ(joints[i], 2);
    }
  }
  EXPECT_EQ(groups(loadScene("bridge:load=blocks")), 1 + 81);
  EXPECT_EQ(groups(loadScene("bridge:load=loops")), 1 + 60);
}

TEST(Rings, AreClosedAndOverThePoles) {
  const Scene scene = loadScene("rings");
  EXPECT_EQ(groups(scene), 360);
  std::vector<Vec3d> poles;
  for (const BodyDef& body : scene.bodies)
    if (beginsWith(body.name, "pole-")) poles.push_back(body.pose.p);
  ASSERT_EQ(poles.size(), 25u);
  const std::vector<int> joints = jointsOfBodies(scene);
  std::map<size_t, int> onPole;
  for (size_t i = 26; i < scene.bodies.size(); i += 6) {
    Vec3d middle{0, 0, 0};
    for (size_t k = i; k < i + 6; ++k) {
      EXPECT_EQ(joints[k], 2);
      EXPECT_EQ(scene.bodies[k].shapes.size(), 2u);
      middle += (1.0 / 6) * scene.bodies[k].pose.p;
    }
    for (size_t pole = 0; pole < 25; ++pole)
      if (std::hypot(middle.x - poles[pole].x, middle.z - poles[pole].z) < 0.2) ++onPole[pole];
  }
  ASSERT_EQ(onPole.size(), 25u);
  for (const auto& [pole, count] : onPole) EXPECT_EQ(count, pole < 10 ? 15 : 14);
}

TEST(Tank, TreadsAreLoopsThatLieAroundTheGears) {
  Scene scene = loadScene("tank");
  EXPECT_EQ(countNamed(scene, "link-left-"), 34);
  EXPECT_EQ(countNamed(scene, "link-right-"), 34);
  EXPECT_EQ(groups(scene), 1 + 2);  // nothing joins the treads to the gears
  const std::vector<int> joints = jointsOfBodies(scene);
  for (size_t i = 0; i < scene.bodies.size(); ++i)
    if (beginsWith(scene.bodies[i].name, "link-")) {
      EXPECT_EQ(joints[i], 2);
    }
  scene.gravity = {0, 0, 0};
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.precision = Precision::Double;
  settings.dt = 1e-9;
  World world(scene, settings);
  world.step(1);
  std::map<std::string, std::set<int>> touching;  // links by gear, and on the ground
  for (const Contact& contact : world.contacts())
    for (const auto& [a, b] : {std::pair{contact.bodyA, contact.bodyB}, std::pair{contact.bodyB, contact.bodyA}})
      if (contact.separation < 1e-6 && beginsWith(world.bodyName(b), "link-")) touching[world.bodyName(a)].insert(b.index);
  for (const char* gear : {"gear-left-front", "gear-left-back", "gear-right-front", "gear-right-back"}) EXPECT_EQ(touching[gear].size(), 6u) << gear;
  EXPECT_EQ(touching["ground"].size(), 2u * 11);
  EXPECT_TRUE(touching["hull"].empty());
}

// Forwards is +x: the gears turn from y to x, about -z.
TEST(Tank, MotorsDriveTheTreadsAtTheSpeedAskedFor) {
  const Scene scene = loadScene("tank:left=2,right=-1");
  for (const auto& [side, speed] : {std::pair{"left", 2.0}, std::pair{"right", -1.0}})
    for (const char* end : {"front", "back"}) {
      const JointDef& axle = jointNamed(scene, std::string("axle-") + side + "-" + end);
      EXPECT_EQ(axle.axes[3].motor, JointMotor::Velocity);
      EXPECT_NEAR(axle.axes[3].target, speed * 2 * kPi / (12 * 0.25), 1e-12);
      EXPECT_NEAR(rotate(bodyOf(scene, axle.bodyA).pose.q * axle.frameA.q, {1, 0, 0}).z, -1, 1e-12);
      EXPECT_GT(std::abs(bodyOf(scene, axle.bodyB).pose.p.z), 0.5);
      EXPECT_EQ(bodyOf(scene, axle.bodyB).pose.p.z < 0, std::string(side) == "left");
    }
  EXPECT_EQ(jointNamed(scene, "axle-left-middle").type, JointType::Twist);
}

// --- the others ------------------------------------------------------------------------------------------------

TEST(Magnets, LieOnTheDoor) {
  const Scene scene = loadScene("magnets:grip=0.25");
  for (const JointDef& joint : scene.joints) {
    EXPECT_EQ(joint.type, JointType::Planar);
    EXPECT_EQ(bodyOf(scene, joint.bodyA).name, "refrigerator");
    const BodyDef& letter = bodyOf(scene, joint.bodyB);
    EXPECT_EQ(letter.pose.p.z, letter.shapes[0].halfExtents.z);
    EXPECT_LT(std::abs(letter.pose.p.x), 0.46);
    EXPECT_NEAR(joint.axes[1].friction, 0.25 * 9.81 * massProperties(letter).mass, 1e-12);
  }
}

// A tree of twenty and the hyoid by itself.
TEST(Skeletons, HangTogetherButForTheHyoid) {
  const Scene scene = loadScene("skeletons:count=3");
  EXPECT_EQ(groups(scene), 3 * 2);
  const std::vector<int> joints = jointsOfBodies(scene);
  for (size_t i = 1; i < scene.bodies.size(); ++i) {
    const std::string& name = scene.bodies[i].name;
    const bool hyoid = name.size() > 6 && name.compare(name.size() - 6, 6, "-hyoid") == 0;
    EXPECT_EQ(joints[i] == 0, hyoid) << name;
  }
  for (const JointDef& joint : scene.joints) EXPECT_TRUE(joint.axes[3].limits.has_value());
}

TEST(Limits, ArmHasItsLoadAndItsLimits) {
  const Scene scene = loadScene("limits:load=40,low=-45,high=10");
  EXPECT_EQ(*scene.bodies[3].mass, 40);
  const JointDef& hinge = jointNamed(scene, "hinge");
  EXPECT_NEAR((*hinge.axes[3].limits)[0], -kPi / 4, 1e-15);
  EXPECT_NEAR((*hinge.axes[3].limits)[1], kPi / 18, 1e-15);
  EXPECT_NEAR(rotate(hinge.frameA.q, {1, 0, 0}).z, 1, 1e-12);
}

}  // namespace
}  // namespace cairn
