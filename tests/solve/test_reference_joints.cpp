// Joints as equality rows of Lemke's problem: small articulated scenes with contact, solved exactly, and the sweeps beside them.
#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

// A chain of three boxes, the first on a joint to the world, the last lying on the ground; nothing rubs, so that the answer is unique.
Scene leaningChain(JointType type) {
  Scene scene;
  BodyDef ground;
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::halfSpace()};
  scene.add(ground);
  double x = 0, y = 0.9;
  for (int k = 0; k < 3; ++k) {
    BodyDef link;
    link.pose.p = {x + 0.2, y, 0};
    link.shapes = {ShapeDef::box({0.2, 0.1, 0.1})};
    link.angularVelocity = {0, 0, k == 0 ? -1.0 : 0.0};
    scene.add(link);
    x += 0.4;
    if (k == 1) y = 0.9;
  }
  for (BodyDef& body : scene.bodies) {
    for (ShapeDef& shape : body.shapes) shape.material = {0, 0};
  }
  scene.joints.push_back(scene.joint(type, 0, 1, {{0, 0.9, 0}, {0, 0, 0, 1}}));
  scene.joints.push_back(scene.joint(type, 1, 2, {{0.4, 0.9, 0}, {0, 0, 0, 1}}));
  scene.joints.push_back(scene.joint(type, 2, 3, {{0.8, 0.9, 0}, {0, 0, 0, 1}}));
  if (type == JointType::SixDof) {
    for (JointDef& joint : scene.joints) joint.axes[5].free = true;
  }
  return scene;
}

WorldSettings exactly(Solver solver) {
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  settings.precision = Precision::Double;
  settings.solver = solver;
  settings.substeps = 2;
  settings.forceMixing = 0;
  // One problem a substep, without what follows once the bodies have moved: there the rows of the sweeps' joints turn with them, the reference's do
  // not.
  settings.relaxations = 0;
  settings.jointStabilization = JointStabilization::AnitescuHart;
  if (solver == Solver::Pgs) settings.iterations = 2000;
  return settings;
}

class ReferenceJoints : public ::testing::TestWithParam<JointType> {};

TEST_P(ReferenceJoints, SweepsAgreeWithLemke) {
  const Scene scene = leaningChain(GetParam());
  World sweeps(scene, exactly(Solver::Pgs)), lemke(scene, exactly(Solver::Lemke));
  int contacts = 0;
  for (int step = 0; step < 60; ++step) {
    sweeps.step();
    lemke.step();
    contacts = std::max(contacts, lemke.report().contactPoints);
    const std::vector<BodyState> a = sweeps.states(), b = lemke.states();
    for (size_t i = 1; i < a.size(); ++i) {
      ASSERT_NEAR(length(a[i].pose.p - b[i].pose.p), 0, 1e-4) << "body " << i << ", step " << step;
      ASSERT_NEAR(length(a[i].linearVelocity - b[i].linearVelocity), 0, 1e-2) << "body " << i << ", step " << step;
    }
    EXPECT_LT(lemke.report().jointErrorMax, 3e-3);  // linearised over a hundred-and-twentieth of a second
  }
  EXPECT_GT(contacts, 0);
}
INSTANTIATE_TEST_SUITE_P(Types, ReferenceJoints, ::testing::Values(JointType::Point, JointType::SixDof));

TEST(ReferenceJoints, WhatHasNoEqualityRowIsRefused) {
  Scene scene = leaningChain(JointType::SixDof);
  scene.joints[1].axes[5].limits = {{-1, 1}};
  World world(scene, exactly(Solver::Lemke));
  const uint64_t before = world.stateHash();
  EXPECT_THROW(world.step(), InvalidInput);
  EXPECT_EQ(world.stateHash(), before);
}

}  // namespace
}  // namespace cairn
