// A GPU's thread takes one joint, a CPU core a pack of them: the same body, the same bits.
#include "kernels/joints/joint_collect.hpp"
#include "kernels/joints/joint_passes.hpp"
#include "src/joints/joint_rows.hpp"
#include "src/joints/joint_stabilization.hpp"
#include "src/solve/solve.hpp"

#include <cairn/scene.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace cairn {
namespace {

// Joints of a scene in one layout, with rows prepared at the bodies' poses.
template <class T> struct Laid {
  Queue queue = makeCpuQueue(1);
  PrimitiveScratch scratch;
  State<T> state{queue};
  JointSet set;
  JointRows<T> rows{queue};
  JointStepView<T> joints;
  ContactGraph graph;
  Buffer<ConstraintBodies> constraints;
  Buffer<uint32_t> priorities;
  JointView<T> view{};
  WorldSettings settings;
  double h = 1.0 / 480;

  Laid(const Scene& scene, int strip) {
    state.add(scene.bodies);
    for (const JointDef& joint : scene.joints) set.add(joint, state.idOf(joint.bodyA), state.idOf(joint.bodyB));
    rows.update(set, state, JointSolver::Direct);
    joints = rows.view();
    beginStep(queue, state.bodySlots(), state.poses.data(), state.constants.data(), state.inertias.data(), state.motions.data());
    const auto count = static_cast<size_t>(joints.count);
    constraints.resize(queue, count);
    priorities.resize(queue, count);
    rows.describe(nullptr, state.constants.data(), constraints.data(), priorities.data());
    const GraphView colours = graph.update(queue, scratch, {constraints.data(), priorities.data(), joints.count, state.bodySlots()}, kMaxColours);
    view = rows.layout(scratch, constraints.data(), colours, nullptr, nullptr, strip);
    std::fill(joints.reactions, joints.reactions + joints.slotCount, JointReaction<T>{});
    prepareJoints(queue, view, inputs(), jointBias<T>(settings, h));
  }
  JointInputs<T> inputs() { return jointInputs<T>(joints, state.poses.data(), state.velocities.data(), state.inertias.data(), nullptr); }
  T* velocities() { return reinterpret_cast<T*>(state.velocities.data()); }
  const T* inertias() { return reinterpret_cast<const T*>(state.inertias.data()); }

  // One lane after the other, as a GPU has them, colour by colour.
  template <class Operation> void sweepLanes(const Operation& operation, int sweeps) {
    const ColouredJoint<T, Operation> body{view, velocities(), inertias(), operation};
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int slot = 0; slot < view.tileCount * kTileLanes; ++slot) {
        if (view.joint[slot] >= 0) body.template at<T>(slot, sweep, sweeps);
      }
    }
  }
  template <class Body> void everyLane(const Body& body) {
    for (int slot = 0; slot < view.tileCount * kTileLanes; ++slot) {
      if (view.joint[slot] >= 0) body.template at<T>(slot);
    }
  }
  void move() {
    integratePositions(queue, state.bodySlots(), {state.velocities.data(), state.poses.data(), state.motions.data()}, T(h), {T(1e9), T(1e9)});
  }
};

// Every field of every joint's lane.
template <class T> void expectSameRows(Laid<T>& packs, Laid<T>& lanes, const char* after) {
  for (int k = 0; k < packs.joints.count; ++k) {
    const int joint = packs.joints.live[k], slot = packs.joints.laneOfJoint[joint], other = lanes.joints.laneOfJoint[joint];
    const int rows = packs.view.tileRows[slot / kTileLanes];
    ASSERT_EQ(rows, lanes.view.tileRows[other / kTileLanes]);
    const T* const a = jointLaneFields(packs.view, slot, packs.view.strip);
    const T* const b = jointLaneFields(lanes.view, other, lanes.view.strip);
    for (int f = 0; f < kJointFields + rows * kAxisFields; ++f) {
      if (f == kJointOffTarget) continue;
      ASSERT_EQ(std::memcmp(a + f * packs.view.strip, b + f * lanes.view.strip, sizeof(T)), 0)
          << "joint " << joint << ", field " << f << " after " << after << ": " << a[f * packs.view.strip] << " and " << b[f * lanes.view.strip];
    }
  }
}

template <class T> void expectSameVelocities(Laid<T>& packs, Laid<T>& lanes, const char* after) {
  const auto a = packs.state.velocities.download(packs.queue), b = lanes.state.velocities.download(lanes.queue);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(std::memcmp(&a[i], &b[i], sizeof a[i]), 0) << "body " << i << " after " << after;
}

template <class Number> void expectSame(const Number* a, const Number* b, int count, const char* what) {
  for (int i = 0; i < count; ++i) ASSERT_EQ(std::memcmp(a + i, b + i, sizeof *a), 0) << what << " " << i;
}
// What joints have borne, and what they start from.
template <class T> void expectSameCollected(Laid<T>& packs, Laid<T>& lanes) {
  const JointInputs<T> a = packs.inputs(), b = lanes.inputs();
  expectSame(packs.joints.reactions, lanes.joints.reactions, packs.joints.slotCount, "reaction");
  expectSame(a.impulses, b.impulses, packs.joints.slotCount, "impulse");
  expectSame(a.rowImpulses, b.rowImpulses, packs.joints.axisRowCount, "row impulse");
  expectSame(a.phases, b.phases, packs.joints.axisRowCount, "phase");
}

template <class T> class JointLanes : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(JointLanes, Scalars);

TYPED_TEST(JointLanes, PacksAndSingleLanesGiveTheSameBits) {
  using T = TypeParam;
  // Fast: rows are made anew. Slow: they are moved along, springs and servos among them.
  struct Case {
    const char* scene;
    double speed;
  };
  for (const Case& each : {Case{"skeletons:count=2", 1}, Case{"chain-100h", 1}, Case{"rings:rings=7", 1}, Case{"tank", 1}, Case{"magnets", 1},
                           Case{"rain:side=1,people=2", 1}, Case{"rain:side=1,people=2", 0.002}, Case{"tank", 0.002}}) {
    const char* const name = each.scene;
    SCOPED_TRACE(name);
    Scene scene = loadScene(name);
    uint32_t seed = 7;
    const auto next = [&seed] {
      seed = seed * 1664525u + 1013904223u;
      return double(seed >> 8) / double(1 << 24) - 0.5;
    };
    for (BodyDef& body : scene.bodies) {
      body.linearVelocity = each.speed * Vec3d{4 * next(), 4 * next(), 4 * next()};
      body.angularVelocity = each.speed * Vec3d{30 * next(), 30 * next(), 30 * next()};
    }
    Laid<T> packs(scene, kStripOnCpu), lanes(scene, kStripOnCuda);
    ASSERT_GT(packs.view.tileCount, 0);
    SolveView<T> view{};
    view.velocities = packs.state.velocities.data();
    view.inertias = packs.state.inertias.data();
    view.bodySlots = packs.state.bodySlots();
    view.joints = packs.view;
    view.rows.hostColourTiles = packs.view.hostColourTiles;
    expectSameRows(packs, lanes, "preparing");
    for (const bool biased : {true, false}) {
      const JointBlock<T> block = jointBlock<T>(packs.settings, packs.h, biased);
      sweepJoints(packs.queue, view, 3, block);
      lanes.sweepLanes(block, 3);
      expectSameVelocities(packs, lanes, biased ? "biased sweeps" : "plain sweeps");
    }
    packs.move();
    lanes.move();
    const JointBias<T> bias = jointBias<T>(packs.settings, packs.h);
    const SystemView system = packs.joints.system, other = lanes.joints.system;
    collectJoints(packs.queue, packs.view, packs.inputs(), packs.joints.reactions, T(packs.h));
    lanes.everyLane(CollectJoint<T>{lanes.view, lanes.inputs(), lanes.joints.reactions, T(lanes.h)});
    expectSameCollected(packs, lanes);
    std::fill(system.dirty, system.dirty + system.componentCount, 0);
    std::fill(other.dirty, other.dirty + other.componentCount, 0);
    refreshJoints(packs.queue, packs.view, packs.inputs(), bias, packs.state.motions.data(), system.dirty);
    lanes.everyLane(RefreshJoint<T>{PrepareJoint<T>{lanes.view, lanes.inputs(), bias, false}, reinterpret_cast<const T*>(lanes.state.motions.data()),
                                    other.dirty});
    const JointBlock<T> block = jointBlock<T>(packs.settings, packs.h, true);
    std::fill(system.active, system.active + system.componentCount, 0);
    flagOffTarget(packs.queue, FlagComponents<T>{packs.view, packs.joints.records, packs.velocities(), packs.inertias(), block, system.active});
    std::fill(other.active, other.active + other.componentCount, 0);
    lanes.everyLane(FlagComponents<T>{lanes.view, lanes.joints.records, lanes.velocities(), lanes.inertias(), block, other.active});
    expectSameRows(packs, lanes, "refreshing");
    for (int c = 0; c < system.componentCount; ++c) {
      EXPECT_EQ(system.dirty[c], other.dirty[c]) << name << ", component " << c;
      EXPECT_EQ(system.active[c], other.active[c]) << name << ", component " << c;
    }
    sweepJoints(packs.queue, view, 2, block);
    lanes.sweepLanes(block, 2);
    expectSameVelocities(packs, lanes, name);
  }
}

// Where the direct solve alone acts: impulses turn in their lanes, and come back from there as a step ends.
TYPED_TEST(JointLanes, ImpulsesThatStayInThemComeBackAlike) {
  using T = TypeParam;
  for (const char* const name : {"chain-100h", "skeletons:count=2"}) {
    SCOPED_TRACE(name);
    Scene scene = loadScene(name);
    for (size_t i = 0; i < scene.bodies.size(); ++i)
      scene.bodies[i].angularVelocity = {0.1 * double(i % 7), 1 - 0.2 * double(i % 5), 20 * double(i % 3)};
    Laid<T> packs(scene, kStripOnCpu), lanes(scene, kStripOnCuda);
    for (Laid<T>* each : {&packs, &lanes}) {
      findLeans(each->queue, each->joints.records, each->joints.liveOnTarget, each->joints.count, each->state.constants.data(), each->joints.leans);
      each->sweepLanes(jointBlock<T>(each->settings, each->h, true), 2);
    }
    turnImpulses(packs.queue, packs.view, packs.inputs(), T(packs.h));
    lanes.everyLane(TurnImpulses<T>{lanes.view, lanes.inputs(), T(lanes.h)});
    expectSameRows(packs, lanes, "turning impulses");
    expectSame(packs.joints.pulls, lanes.joints.pulls, 2 * packs.joints.slotCount, "pull");
    collectStep(packs.queue, packs.view, packs.inputs(), packs.joints.reactions, 7);
    lanes.everyLane(CollectStep<T>{lanes.view, lanes.inputs(), lanes.joints.reactions, 7});
    expectSameCollected(packs, lanes);
    EXPECT_GT(length(packs.joints.impulses[packs.joints.live[0]].linear), 0);
  }
}

// A joint of another level does nothing as a single lane, and must not make another zero of its bodies' in a pack.
TYPED_TEST(JointLanes, ShocksKeepTheSignsOfZeros) {
  using T = TypeParam;
  Scene scene = loadScene("skeletons:count=2");
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    if (i % 3 == 0) continue;
    scene.bodies[i].linearVelocity = {-0.0, i % 2 == 0 ? 0.0 : -0.0, -0.0};
    scene.bodies[i].angularVelocity = {-0.0, -0.0, i % 2 == 0 ? -0.0 : 0.0};
  }
  Laid<T> packs(scene, kStripOnCpu), lanes(scene, kStripOnCuda);
  std::vector<T> levels;
  for (int i = 0; i < packs.state.bodySlots(); ++i) {
    levels.push_back(T(i * 7 % 4 - 1));
    if (i % 3 == 0) packs.state.velocities.data()[i].v = lanes.state.velocities.data()[i].v = {T(1), T(-1), T(i % 2 == 0 ? 1 : -1)};
  }
  SolveView<T> view{};
  view.velocities = packs.state.velocities.data();
  view.inertias = packs.state.inertias.data();
  view.bodySlots = packs.state.bodySlots();
  view.joints = packs.view;
  view.rows.hostColourTiles = packs.view.hostColourTiles;
  for (int level = 0; level < 2; ++level) {
    const JointShock<T> shock{levels.data(), T(level), jointBlock<T>(packs.settings, packs.h, true)};
    sweepShock(packs.queue, view, ShockBlock<T>{levels.data(), T(level), T(0)}, shock);
    lanes.sweepLanes(shock, 1);
    expectSameVelocities(packs, lanes, "shocks");
  }
}

}  // namespace
}  // namespace cairn
