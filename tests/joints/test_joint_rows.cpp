// The joints of a World between steps: what they keep when some come and go, and when memory for that cannot be had.
#include "src/joints/joint_rows.hpp"
#include "tests/joints/joint_worlds.hpp"
#include "tests/runtime/failing_allocations.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

namespace cairn {
namespace {

using test::FailingAllocation;

// The joints of a skeleton but the last, after a step that has left impulses in all of their rows; then one goes, and the last comes.
struct Changed {
  Queue queue = makeCpuQueue(1);
  State<double> bodies{queue};
  JointSet joints;
  JointRows<double> rows{queue};

  Changed() {
    const Scene scene = loadScene("skeletons:count=1");
    bodies.add(scene.bodies);
    const auto add = [&](const JointDef& joint) { return joints.add(joint, bodies.idOf(joint.bodyA), bodies.idOf(joint.bodyB)); };
    for (size_t k = 0; k + 1 < scene.joints.size(); ++k) add(scene.joints[k]);
    rows.update(joints, bodies, JointSolver::Direct);
    const JointStepView<double> view = rows.view();
    std::fill(view.reactions, view.reactions + view.slotCount, JointReaction<double>{});
    for (int slot = 0; slot < view.slotCount; ++slot) view.impulses[slot] = {{1.0 + slot, 2, 3}, {4, 5, 6}};
    for (int row = 0; row < view.axisRowCount; ++row) view.rowImpulses[row] = view.phases[row] = 1.0 + row;
    rows.finishStep();
    joints.remove(joints.idOf(1));
    add(scene.joints.back());
  }
};

TEST(JointRows, JointsKeepTheirImpulsesWhenOthersComeAndGo) {
  Changed changed;
  const int axisRows = changed.rows.view().axisRowCount;
  changed.rows.update(changed.joints, changed.bodies, JointSolver::Direct);
  const JointStepView<double> view = changed.rows.view();
  ASSERT_GT(axisRows, 0);
  for (int k = 0; k < view.count; ++k) {
    const int slot = view.live[k];
    EXPECT_EQ(view.impulses[slot].linear.x, slot == 1 ? 0 : 1.0 + slot) << slot;  // the last one took the slot of the one that went
  }
}

TEST(JointRows, AnUpdateThatFailsChangesNothing) {
  Changed changed, untroubled;
  const JointStepView<double> before = changed.rows.view();
  const std::vector<double> impulses(before.rowImpulses, before.rowImpulses + before.axisRowCount);
  int failures = 0;
  for (bool failed = true; failed;) {
    failed = false;
    {
      const FailingAllocation failing(failures + 1);
      try {
        changed.rows.update(changed.joints, changed.bodies, JointSolver::Direct);
      } catch (const std::bad_alloc&) {
        failed = true;
      }
    }
    if (!failed) break;
    ++failures;
    const JointStepView<double> view = changed.rows.view();
    ASSERT_EQ(view.count, before.count);
    ASSERT_EQ(view.records, before.records);
    ASSERT_EQ(std::memcmp(view.rowImpulses, impulses.data(), impulses.size() * sizeof(double)), 0);
  }
  EXPECT_GT(failures, 100);
  untroubled.rows.update(untroubled.joints, untroubled.bodies, JointSolver::Direct);
  const JointStepView<double> a = changed.rows.view(), b = untroubled.rows.view();
  ASSERT_EQ(a.count, b.count);
  ASSERT_EQ(a.axisRowCount, b.axisRowCount);
  EXPECT_EQ(std::memcmp(a.rowImpulses, b.rowImpulses, static_cast<size_t>(a.axisRowCount) * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(a.impulses, b.impulses, static_cast<size_t>(a.slotCount) * sizeof(JointImpulse<double>)), 0);
}

TEST(JointSet, AJointThatCannotBeAddedLeavesNoTrace) {
  const Scene scene = loadScene("skeletons:count=1");
  JointSet joints;
  for (int k = 0; k < 40; ++k) {
    JointDef joint = scene.joints[0];
    joint.name = "a name that is too long to lie within a string " + std::to_string(k);
    for (long n = 1;; ++n) {
      bool failed = false;
      {
        const FailingAllocation failing(n);
        try {
          joints.add(joint, {0, 0}, {1, 0});
        } catch (const std::bad_alloc&) {
          failed = true;
        }
      }
      if (!failed) break;
      ASSERT_EQ(joints.count(), k);
      ASSERT_EQ(joints.slotCount(), k);
      ASSERT_THROW(joints.find(joint.name), InvalidInput);
    }
    ASSERT_EQ(joints.find(joint.name).index, k);
  }
}

// Two balls on hinges with motors of their own; the first hinge breaks in the first step.
TEST(JointRows, AMotorOfABrokenJointIsNobodyElses) {
  Scene scene;
  const int wall = scene.add(test::anchorAt());
  for (const double x : {0.0, 5.0}) {
    const int ball = scene.add(test::ballOf(1, {x, -1, 0}));
    JointDef hinge = scene.joint(JointType::Hinge, wall, ball, {{x, 0, 0}, test::kNoTurn});
    hinge.axes[3].motor = JointMotor::Velocity;
    hinge.axes[3].target = 1;
    hinge.axes[3].maxForce = 100;
    if (x == 0) hinge.breakImpulse = 1e-6;
    scene.joints.push_back(hinge);
  }
  World touched(scene, test::onOneThread()), untouched(scene, test::onOneThread());
  for (World* const world : {&touched, &untouched}) {
    for (int k = 0; k < 3; ++k) world->step();
  }
  ASSERT_TRUE(touched.jointState(touched.joints()[0]).broken);
  touched.setMotor(touched.joints()[0], 3, JointMotor::Velocity, -50, 1000);
  for (World* const world : {&touched, &untouched}) {
    for (int k = 0; k < 20; ++k) world->step();
  }
  EXPECT_EQ(touched.stateHash(), untouched.stateHash());
}

}  // namespace
}  // namespace cairn
