// Factors of joints' equations that serve all of a step in which bodies hardly turn: in float, by themselves, and no bit depends on where one was
// made. And velocities that wait for the step's end, where they may.
#include "kernels/joints/joint_system.hpp"
#include "tests/joints/joint_worlds.hpp"
#include "tests/support/every_backend.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace test;

constexpr double kLink = 0.4;  // [m] long

// Links in a row from an anchor, at an angle from the vertical, with a block so many times as heavy at their end. Nothing collides.
Scene hangingChain(int links, double angle, double heavier = 100) {
  Scene scene;
  scene.add(anchorAt());
  const Vec3d along{std::sin(angle), -std::cos(angle), 0};
  const Quatd turn{0, 0, std::sin(0.5 * angle), std::cos(0.5 * angle)};
  for (int k = 0; k < links; ++k) {
    BodyDef link = boxOf(k + 1 < links ? 1 : heavier, (k + 0.5) * kLink * along, {0.05, 0.5 * kLink, 0.04});
    link.pose.q = turn;
    link.shapes[0].filter.group = -1;
    JointDef joint;
    joint.type = JointType::Point;
    joint.bodyA = k;
    joint.bodyB = scene.add(link);
    joint.frameA.p = {0, k == 0 ? 0 : -0.5 * kLink, 0};
    joint.frameB.p = {0, 0.5 * kLink, 0};
    scene.joints.push_back(joint);
  }
  return scene;
}

// Metres away from all that is there.
void addScene(Scene& to, const Scene& other) {
  const int first = int(to.bodies.size());
  for (BodyDef body : other.bodies) {
    body.pose.p.z += 10 * first;
    to.add(body);
  }
  for (JointDef joint : other.joints) {
    joint.bodyA += first;
    joint.bodyB += first;
    to.joints.push_back(joint);
  }
}

Vec3d endOf(const World& world) { return world.states().back().pose.p; }
double energyOf(const World& world) {
  const StepReport report = world.report();
  return report.kineticEnergy + report.potentialEnergy;
}

// By 0.5 mrad a step at most, a quarter of what makes a factor stale. Double has one for each substep.
TEST(KeptFactors, AChainSwingsSlowlyAsInDouble) {
  const Scene scene = hangingChain(10, 0.01);
  World kept(scene, onOneThread(Precision::Float)), exact(scene, onOneThread(Precision::Double));
  const double swing = 0.01 * 10 * kLink, energy = energyOf(exact);
  double apart = 0, off = 0;
  for (int k = 0; k < 600; ++k) {
    kept.step();
    exact.step();
    apart = std::max(apart, length(endOf(kept) - endOf(exact)));
    off = std::max(off, kept.report().jointErrorMax);
  }
  EXPECT_LT(apart, 1e-4 * swing);
  EXPECT_LT(off, 2e-6);                                                                                    // [m]
  EXPECT_NEAR(energyOf(kept) - energy, energyOf(exact) - energy, 0.01 * 100 * 9.81 * 0.5 * 0.01 * swing);  // a hundredth of the swing's
}

// From a third of a right angle, at up to 2 rad/s: factors are made in each substep, but velocities are put right at a step's end alone. Double does
// it in each substep.
TEST(KeptFactors, VelocitiesThatWaitForTheStepsEndChangeNothingThatIsSeen) {
  const Scene scene = hangingChain(10, 0.5);
  World late(scene, onOneThread(Precision::Float)), exact(scene, onOneThread(Precision::Double));
  const double swing = 0.5 * 10 * kLink;
  double apart = 0, off = 0, most = 0;
  for (int k = 0; k < 240; ++k) {
    late.step();
    exact.step();
    apart = std::max(apart, length(endOf(late) - endOf(exact)));
    off = std::max(off, late.report().jointErrorMax);
    most = std::max(most, std::abs(energyOf(late) - energyOf(exact)));
  }
  EXPECT_LT(apart, 1e-4 * swing);
  EXPECT_LT(off, 2e-6);  // [m]
  EXPECT_LT(most, 1e-4 * 100 * 9.81 * 10 * kLink * (1 - std::cos(0.5)));
}

// What a joint bears is summed up before bodies move where velocities wait, and what a second solve adds after it where they do not: links that are
// stiffened. In double all of it is summed up after that solve.
TEST(KeptFactors, ForcesAreThoseOfDouble) {
  for (const Scene& scene : {hangingChain(10, 0.01), hangingChain(10, 0.5), hangingChain(6, 0.3, 2000)}) {
    World once(scene, onOneThread(Precision::Float)), exact(scene, onOneThread(Precision::Double));
    for (World* world : {&once, &exact}) world->step(20);
    const std::vector<JointId> joints = once.joints(), same = exact.joints();
    const double largest = length(exact.jointState(same[0]).force);
    for (size_t k = 0; k < joints.size(); ++k) {
      EXPECT_LT(length(once.jointState(joints[k]).force - exact.jointState(same[k]).force), 2e-3 * largest) << k;
    }
  }
}

// Slow as it is let go, fast within a second: factors are kept at first, and made in each substep later. The third one's links are stiffened.
TEST(KeptFactors, CudaAndThreadsGiveTheCpusBits) {
  Scene scene = hangingChain(12, 0.02);
  addScene(scene, hangingChain(12, 1.5));
  addScene(scene, hangingChain(6, 0.3, 2000));
  expectTheSameBitsEverywhere(scene, 40);
}

// The factor that a World has and one that goes on from a snapshot makes are the same ones: of a chain that falls, of one that hardly swings beside
// it, and of one that comes from rest.
TEST(KeptFactors, GoOnFromASnapshotAtAnySpeed) {
  Scene scene = hangingChain(6, 1.5);
  for (const double angle : {0.02, 0.2}) addScene(scene, hangingChain(5, angle));
  World world(scene, onOneThread(Precision::Float));
  for (int k = 0; k < 40; ++k) {
    World resumed(world.save(), onOneThread(Precision::Float));
    world.step();
    resumed.step();
    ASSERT_EQ(world.stateHash(), resumed.stateHash()) << k;
  }
}

// Two components of two bodies each, and a body without joints.
TEST(KeptFactors, AreStaleWhereABodyHasTurned) {
  Queue queue = makeCpuQueue(1);
  const std::vector<int> componentOfBody{0, 0, 1, 1, -1};
  std::vector<BodyMotion<float>> motions(5, {{5, 5, 5}, 0, {0, 0, 0, 1}});
  motions[3].dq = {0, 0.0011f, 0, 1};
  motions[4].dq = {0, 0.5f, 0, 1};
  motions[1].dq = {0.0009f, 0, 0, 1};
  std::vector<int> dirty{0, 0};
  SystemView view{};
  view.componentOfBody = componentOfBody.data();
  view.componentCount = 2;
  view.dirty = dirty.data();
  std::vector<int> found{kComponentInContact, 0};
  view.found = found.data();
  markMoved(queue, view, 5, motions.data(), 1);
  EXPECT_EQ(dirty, (std::vector<int>{kRowsStale | kFactorOlder, kRowsStale | kFactorOlder | kFactorStale}));
  EXPECT_TRUE(lacksRows(dirty[0]) && !lacksFactor(dirty[0]) && lacksFactor(dirty[1]));
  EXPECT_EQ(found, (std::vector<int>{kComponentInContact, 0}));
  motions[3].dq.y = 0.0101f;  // 0.0202 rad: fast for two substeps, not for three
  markMoved(queue, view, 5, motions.data(), 3);
  EXPECT_EQ(found[1], 0);
  markMoved(queue, view, 5, motions.data(), 2);
  EXPECT_EQ(found, (std::vector<int>{kComponentInContact, kComponentTurnsFast}));
  dirty = {kFactorOlder, 0};
  markOlderDirty(queue, view);
  EXPECT_TRUE(lacksFactor(dirty[0]));
  EXPECT_EQ(dirty[1], 0);
  dirty = {0, 0};
  markAllDirty(queue, view);
  EXPECT_TRUE(lacksFactor(dirty[0]) && lacksRows(dirty[1]));
  releaseQueue(queue);
}

}  // namespace
}  // namespace cairn
