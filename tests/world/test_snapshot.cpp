// Snapshots: a World that goes on from one has the bits of the one that was saved, and bytes that are not one are refused whole.
#include "kernels/runtime/runtime.hpp"
#include "src/world/fnv1a.hpp"
#include "tests/support/flat_meshes.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace cairn {
namespace {

constexpr size_t kHeadBytes = 32, kHashAt = 24;

void expectSameSteps(World& saved, World& resumed, int steps, const std::string& place) {
  ASSERT_EQ(saved.stateHash(), resumed.stateHash()) << place;
  for (int k = 1; k <= steps; ++k) {
    saved.step();
    resumed.step();
    if (k % 50 != 0 && k >= 3 && k != steps) continue;
    ASSERT_EQ(saved.stateHash(), resumed.stateHash()) << place << ", step " << k;
  }
  const std::vector<JointState> joints = saved.jointStates(), same = resumed.jointStates();
  ASSERT_EQ(joints.size(), same.size()) << place;
  for (size_t j = 0; j < joints.size(); ++j) {
    EXPECT_EQ(joints[j].coordinates, same[j].coordinates) << place;
    EXPECT_EQ(joints[j].force.x, same[j].force.x) << place;
    EXPECT_EQ(joints[j].broken, same[j].broken) << place;
  }
}

struct Case {
  const char* scene;
  int before, after;
  void (*change)(WorldSettings&) = [](WorldSettings&) {};
};

class Snapshots : public testing::TestWithParam<Case> {};

TEST_P(Snapshots, GoOnWithTheSameBits) {
  const Case& c = GetParam();
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings settings = test::onCpu(precision);
    c.change(settings);
    World world(loadScene(c.scene), settings);
    world.step(c.before);
    const Snapshot snapshot = world.save();
    World resumed(snapshot, test::onCpu());
    EXPECT_EQ(resumed.settings().dt, settings.dt);
    EXPECT_EQ(resumed.settings().precision, precision);
    EXPECT_EQ(resumed.save().bytes, snapshot.bytes);
    expectSameSteps(world, resumed, c.after, std::string(c.scene) + (precision == Precision::Float ? ", float" : ", double"));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Snapshots,
                         testing::Values(Case{"pile:count=60,shape=mixed", 60, 1000}, Case{"tower:height=8", 0, 300},
                                         Case{"pyramid:base=6", 40, 1000, [](WorldSettings& s) { s.frictionStabilization = true; }},
                                         Case{"chain-100", 30, 300}, Case{"skeletons:count=1", 45, 300}, Case{"rings", 10, 10}, Case{"rings", 18, 5},
                                         Case{"bridge", 20, 200, [](WorldSettings& s) { s.jointSolver = JointSolver::Sweeps; }},
                                         Case{"tank", 40, 150}, Case{"billiard-break", 20, 300, [](WorldSettings& s) { s.dt = 1.0 / 240; }},
                                         Case{"mass-ratio", 30, 200,
                                              [](WorldSettings& s) {
                                                s.tolerance = 1e-3;
                                                s.maxIterations = 50;
                                              }}),
                         [](const testing::TestParamInfo<Case>& tested) {
                           std::string name = tested.param.scene;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name + "_after_" + std::to_string(tested.param.before);
                         });

Scene boxesAndPendulum() {
  Scene scene;
  scene.add(test::ground());
  for (int k = 0; k < 4; ++k) scene.add(test::bodyAt({0.0, 0.5 + k, 0.0}, ShapeDef::box({0.5, 0.5, 0.5})));
  BodyDef post = test::bodyAt({3, 3, 0}, ShapeDef::box({0.1, 0.1, 0.1}));
  post.type = BodyType::Static;
  const int a = scene.add(post);
  BodyDef bob = test::bodyAt({4, 3, 0}, ShapeDef::sphere(0.2));
  bob.name = "bob";
  const int b = scene.add(bob);
  JointDef joint = scene.joint(JointType::Hinge, a, b, {{3, 3, 0}, {0, -std::sqrt(0.5), 0, std::sqrt(0.5)}});
  joint.name = "pivot";
  scene.joints.push_back(joint);
  return scene;
}

// Slots that are free, ids, names, motors, and forces that the next step takes up.
TEST(Snapshot, HoldsWhatCameAndWentAndWhatWasAskedFor) {
  World world(boxesAndPendulum(), test::onCpu());
  world.step(20);
  const BodyId gone = world.bodies()[2];
  world.removeBody(gone);
  world.step(5);
  BodyDef ball = test::bodyAt({0.2, 8, 0}, ShapeDef::sphere(0.3));
  ball.name = "late";
  world.addBody(ball);
  const BodyId alsoGone = world.bodies()[1];
  world.removeBody(alsoGone);
  world.setMotor(world.findJoint("pivot"), 3, JointMotor::Velocity, 2, 50);
  world.applyForce(world.findBody("bob"), {0, 300, 5});
  world.stepBy(0.01);

  World resumed(world.save(), test::onCpu());
  EXPECT_EQ(resumed.bodies(), world.bodies());
  EXPECT_EQ(resumed.findBody("late"), world.findBody("late"));
  EXPECT_EQ(resumed.findJoint("pivot"), world.findJoint("pivot"));
  EXPECT_THROW(resumed.state(gone), InvalidInput);
  EXPECT_TRUE(resumed.contacts().empty());
  EXPECT_EQ(resumed.stepBy(0.01), world.stepBy(0.01));  // 0.01 s were left over
  expectSameSteps(world, resumed, 100, "came and went");
  EXPECT_EQ(resumed.addBody(test::bodyAt({0, 20, 0}, ShapeDef::sphere(0.1))), world.addBody(test::bodyAt({0, 20, 0}, ShapeDef::sphere(0.1))));
  expectSameSteps(world, resumed, 50, "and came again");
}

TEST(Snapshot, OfASnapshotGoesOnToo) {
  World world(boxesAndPendulum(), test::onCpu());
  World first(world.save(), test::onCpu());
  first.step(30);
  World second(first.save(), test::onCpu());
  world.step(30);
  expectSameSteps(world, second, 60, "second");
}

TEST(Snapshot, RefusesBlackBoxes) {
  Scene scene = boxesAndPendulum();
  JointDef joint;
  joint.name = "hidden";
  joint.type = JointType::BlackBox;
  joint.bodyA = 1;
  joint.bodyB = 2;
  joint.frameB.p = {0, -1, 0};
  joint.projection = [](const JointPose&) { return JointPose{}; };
  scene.joints.push_back(joint);
  const World world(scene, test::onCpu());
  try {
    world.save();
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.place, "joint 'hidden'");
  }
}

std::string refusal(const Snapshot& snapshot) {
  try {
    const World world(snapshot, test::onCpu());
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Snapshot, RefusesWhatIsCutShortDamagedOrForeign) {
  World world(boxesAndPendulum(), test::onCpu());
  world.step(40);
  const Snapshot whole = world.save();
  EXPECT_EQ(refusal(whole), "");
  EXPECT_EQ(refusal({}), "snapshot: is none of Cairn's");
  for (size_t count = 0; count < whole.bytes.size(); count += 1 + count / 64) {
    Snapshot part = whole;
    part.bytes.resize(count);
    EXPECT_NE(refusal(part), "") << count;
  }
  for (size_t at = 0; at < whole.bytes.size(); at += 1 + at / 100) {
    Snapshot damaged = whole;
    damaged.bytes[at] ^= std::byte{0x10};
    EXPECT_NE(refusal(damaged), "") << at;
  }
  Snapshot longer = whole;
  longer.bytes.push_back(std::byte{0});
  EXPECT_EQ(refusal(longer), "snapshot: goes on after its end");
  Snapshot newer = whole;
  newer.bytes[8] = std::byte{10};
  EXPECT_EQ(refusal(newer), "snapshot: has the format 10, this library reads 9");
  Snapshot short_ = whole;
  short_.bytes.resize(whole.bytes.size() - 1);
  EXPECT_EQ(refusal(short_).find("snapshot: is cut short: "), 0u);
}

void putRightHash(Snapshot& forged) {
  Fnv1a hash;
  hash.add(forged.bytes.data() + kHeadBytes, forged.bytes.size() - kHeadBytes);
  const uint64_t value = hash.value();
  std::memcpy(forged.bytes.data() + kHashAt, &value, sizeof value);
}

// Whether it is refused; if not, it is a World that steps.
bool refusedOrSteps(const Snapshot& snapshot) {
  constexpr int kFew = 10;  // numbers that are allowed and make a step take minutes
  try {
    World read(snapshot, test::onCpu());
    const WorldSettings& s = read.settings();
    const int most = std::max(
        {s.substeps, s.iterations, s.relaxations, s.solidRelaxations, s.normalPasses, s.positionCorrections, s.positionSweeps / 2, s.jointSweeps});
    if (most <= kFew && s.tolerance == 0) read.step();
  } catch (const Error&) {
    return true;
  }
  return false;
}

// Bytes that somebody has changed, with the right hash over them: whatever they say, nothing is read that is not there.
void expectSurvivesForgery(const Scene& scene, unsigned seed) {
  World world(scene, test::onCpu());
  world.step(40);
  const Snapshot whole = world.save();
  std::mt19937 random(seed);
  int refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Snapshot forged = whole;
    const int changes = 1 + trial % 3;
    for (int k = 0; k < changes; ++k) {
      const size_t at = kHeadBytes + random() % (whole.bytes.size() - kHeadBytes);
      forged.bytes[at] = static_cast<std::byte>(random() % 4 == 0 ? 0xff : random() % 256);
    }
    putRightHash(forged);
    refused += refusedOrSteps(forged) ? 1 : 0;
  }
  EXPECT_GT(refused, 100);
}

TEST(Snapshot, SurvivesBytesThatSomebodyHasForged) { expectSurvivesForgery(boxesAndPendulum(), 7); }

// Few bodies, so that most of the bytes are geometry.
TEST(Snapshot, SurvivesForgedHulls) {
  Scene scene;
  scene.add(test::ground());
  for (int k = 0; k < 3; ++k) {
    scene.add(test::bodyAt({0.05 * k, 0.5 + k, 0}, ShapeDef::hull(test::gem(static_cast<unsigned>(k), 12, {0.5, 0.4, 0.5}))));
  }
  expectSurvivesForgery(scene, 8);
}

TEST(Snapshot, SurvivesForgedMeshes) {
  Scene scene;
  scene.add(test::meshBody(test::flatPatch(4, 3)));
  scene.add(test::meshBody(test::boxMesh({0.5, 0.2, 0.5}), {}, true, BodyType::Kinematic));
  scene.bodies[1].name = "block";
  for (int k = 0; k < 4; ++k) scene.add(test::bodyAt({0.05 * k, 0.6 + k, 0}, k % 2 == 0 ? ShapeDef::box({0.3, 0.3, 0.3}) : ShapeDef::sphere(0.3)));
  expectSurvivesForgery(scene, 9);
}

TEST(Snapshot, SurvivesForgedSolids) {
  Scene scene;
  scene.add(test::meshBody(test::flatPatch(4, 2)));
  for (int k = 0; k < 3; ++k) scene.add(test::bodyAt({0.05 * k, 0.3 + 0.5 * k, 0}, ShapeDef::solidMesh(test::boxMesh({0.3, 0.2, 0.3}), 0.1)));
  scene.add(test::bodyAt({0, 2, 0}, ShapeDef::sphere(0.3)));
  expectSurvivesForgery(scene, 10);
}

// Of a World without environments: the numbers of what each has are nothing but 0.
TEST(Snapshot, EnvironmentsThatAreNoneHaveNothing) {
  World world(boxesAndPendulum(), test::onCpu());
  world.step(5);
  const Snapshot whole = world.save();
  ASSERT_FALSE(refusedOrSteps(whole));
  // Wherever four bytes are 0 they are made a number beyond all bodies: where it is taken, it harms nobody.
  int refused = 0;
  for (size_t at = kHeadBytes; at + 4 <= whole.bytes.size(); ++at) {
    int32_t value = 0;
    std::memcpy(&value, whole.bytes.data() + at, sizeof value);
    if (value != 0) continue;
    Snapshot forged = whole;
    const int32_t many = 1000;
    std::memcpy(forged.bytes.data() + at, &many, sizeof many);
    putRightHash(forged);
    refused += refusedOrSteps(forged) ? 1 : 0;
  }
  EXPECT_GT(refused, 100);
}

TEST(Snapshot, GoesOnOnCudaAndBack) {
  if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  for (const char* name : {"pile:count=40,shape=mixed", "skeletons:count=1"}) {
    WorldSettings cpu = test::onCpu(), cuda = test::onCpu();
    cuda.backend = Backend::Cuda;
    World here(loadScene(name), cpu), there(loadScene(name), cuda);
    here.step(20);
    there.step(20);
    World onCuda(here.save(), cuda), onCpu(there.save(), cpu);
    EXPECT_EQ(onCuda.backend(), Backend::Cuda);
    expectSameSteps(here, onCuda, 20, std::string(name) + ", to CUDA");
    expectSameSteps(there, onCpu, 20, std::string(name) + ", to the CPU");
  }
}

}  // namespace
}  // namespace cairn
