// Functors of black boxes: the same bits as the callback that does the same arithmetic, for any number of threads and on CUDA; and who may have one.
// Their effect on bodies is tested in test_joint_motion.cpp.
#include "src/joints/black_boxes.hpp"
#include "tests/joints/black_box_worlds.hpp"
#include "tests/joints/joint_worlds.hpp"
#include "tests/runtime/on_each_target.hpp"
#include "tests/support/expect.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

namespace cairn {
namespace {

using test::BoxesBy;
using test::hashAfter;
using test::InBox;
using test::makeInBox;
using test::makeOnSphere;
using test::manyBlackBoxes;
using test::messageOf;
using test::OnSphere;

constexpr int kMany = 700;  // enough for each type of functor to be shared out over threads

WorldSettings onThreads(Precision precision, int threads) {
  WorldSettings settings = test::onOneThread(precision);
  settings.threads = threads;
  return settings;
}

// Each scalar's Worlds: a type T and the precision of that name.
template <class T> constexpr Precision precisionOf() { return std::is_same<T, float>::value ? Precision::Float : Precision::Double; }

template <class T> class BlackBoxFunctors : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlackBoxFunctors, Scalars, );

TYPED_TEST(BlackBoxFunctors, GiveTheCallbacksBitsOnAnyNumberOfThreads) {
  const Precision precision = precisionOf<TypeParam>();
  const uint64_t expected = hashAfter(manyBlackBoxes<TypeParam>(kMany, BoxesBy::Callback), onThreads(precision, 1), 12);
  for (const int threads : {1, 2, 3}) {
    EXPECT_EQ(hashAfter(manyBlackBoxes<TypeParam>(kMany, BoxesBy::Functor), onThreads(precision, threads), 12), expected) << threads;
    EXPECT_EQ(hashAfter(manyBlackBoxes<TypeParam>(kMany, BoxesBy::Both), onThreads(precision, threads), 12), expected) << threads;
  }
}

TYPED_TEST(BlackBoxFunctors, GiveTheCpusBitsOnCuda) {
  if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  const Precision precision = precisionOf<TypeParam>();
  const uint64_t expected = hashAfter(manyBlackBoxes<TypeParam>(kMany, BoxesBy::Functor), onThreads(precision, 1), 12);
  WorldSettings settings;
  settings.precision = precision;
  settings.backend = Backend::Cuda;
  for (const BoxesBy by : {BoxesBy::Functor, BoxesBy::Both, BoxesBy::Callback})
    EXPECT_EQ(hashAfter(manyBlackBoxes<TypeParam>(kMany, by), settings, 12), expected);
}

TYPED_TEST(BlackBoxFunctors, HaveTheirOwnMembersByJoint) {
  Scene scene = manyBlackBoxes<TypeParam>(8, BoxesBy::Functor);
  World world(scene, onThreads(precisionOf<TypeParam>(), 1));
  world.step(60);
  for (int k = 0; k < 8; k += 2) {
    const std::array<double, 6> c = world.jointStates()[static_cast<size_t>(k)].coordinates;
    EXPECT_NEAR(length(Vec3d{c[0], c[1], c[2]}), 0.3 + 0.001 * k, 3e-4) << k;
  }
  // One number of one joint changes the bits.
  const uint64_t before = hashAfter(scene, world.settings(), 12);
  scene.joints[4].projectionFunctor = makeOnSphere({0.3041});
  EXPECT_NE(hashAfter(scene, world.settings(), 12), before);
}

// Joints come, go and break between steps; the functors' arrays follow.
TYPED_TEST(BlackBoxFunctors, ComeAndGo) {
  const auto run = [](BoxesBy by) {
    Scene scene = manyBlackBoxes<TypeParam>(20, by);
    scene.joints[6].breakImpulse = scene.joints[7].breakImpulse = 1e-6;
    World world(scene, onThreads(precisionOf<TypeParam>(), 2));
    std::vector<uint64_t> hashes;
    const auto stepOn = [&] {
      world.step(5);
      hashes.push_back(world.stateHash());
    };
    stepOn();
    EXPECT_TRUE(world.jointState(world.findJoint("box-6")).broken);
    const JointDef third = scene.joints[3];
    world.removeJoint(world.findJoint("box-3"));
    world.removeBody(world.bodies()[0]);  // and box-0 with it
    stepOn();
    JointDef again = third;
    again.name = "again";
    world.addJoint(world.findBody("body-6"), world.findBody("body-7"), again);
    again.name.clear();
    again.frameA.p.x += 0.05;
    world.addJoint(world.findBody("body-8"), world.findBody("body-9"), again);
    stepOn();
    // All functors of one type go, then all black boxes.
    for (const JointId id : world.joints())
      if (world.jointName(id) != "again") world.removeJoint(id);
    stepOn();
    world.removeJoint(world.findJoint("again"));
    stepOn();
    return hashes;
  };
  const std::vector<uint64_t> expected = run(BoxesBy::Callback);
  EXPECT_EQ(run(BoxesBy::Functor), expected);
  EXPECT_EQ(run(BoxesBy::Both), expected);
}

// A World keeps its own: neither the scene nor the functor that was handed in need stay.
TYPED_TEST(BlackBoxFunctors, AreTheWorldsOwn) {
  const WorldSettings settings = onThreads(precisionOf<TypeParam>(), 1);
  const uint64_t expected = hashAfter(manyBlackBoxes<TypeParam>(4, BoxesBy::Functor), settings, 10);
  auto scene = std::make_unique<Scene>(manyBlackBoxes<TypeParam>(4, BoxesBy::Functor));
  World world(*scene, settings);
  const std::weak_ptr<const ProjectionFunctor> functor = scene->joints[0].projectionFunctor;
  scene.reset();
  World moved(std::move(world));
  moved.step(10);
  EXPECT_EQ(moved.stateHash(), expected);
  EXPECT_FALSE(functor.expired());
  moved.removeJoint(moved.findJoint("box-0"));
  moved.step();
  EXPECT_TRUE(functor.expired());
}

TYPED_TEST(BlackBoxFunctors, AreAskedByReports) {
  const WorldSettings settings = onThreads(precisionOf<TypeParam>(), 1);
  World functors(manyBlackBoxes<TypeParam>(6, BoxesBy::Functor), settings), callbacks(manyBlackBoxes<double>(6, BoxesBy::Callback), settings);
  const std::vector<JointState> a = functors.jointStates(), b = callbacks.jointStates();
  for (size_t k = 0; k < 6; ++k) {
    EXPECT_DOUBLE_EQ(a[k].error, b[k].error) << k;
    EXPECT_DOUBLE_EQ(a[k].angularError, b[k].angularError) << k;
  }
  EXPECT_GT(a[0].error, 1e-3);  // frame B is off the sphere by its own offset
  EXPECT_DOUBLE_EQ(functors.report().jointErrorMax, callbacks.report().jointErrorMax);
}

// --- a launch on each target -----------------------------------------------------------------------------------------

class ProjectTargets : public test::OnEachTarget {
 protected:
  template <class T, class F> void expectSame(const ProjectionFunctor& functor, const std::vector<F>& functors) {
    test::Source source(3);
    std::vector<JointTarget<T>> targets;
    std::vector<int> joints;
    for (size_t k = 0; k < functors.size(); ++k) {
      // Every other joint has something else, and the functors' order is not the joints'.
      joints.push_back(static_cast<int>(2 * (functors.size() - 1 - k)));
      for (int side = 0; side < 2; ++side) {
        const Pose<T> pose{convert<T>(source.vector(1)), convert<T>(source.turn())};
        targets.push_back({pose, pose});
      }
    }
    Buffer<F> functorsOnTarget;
    Buffer<int> jointsOnTarget;
    Buffer<JointTarget<T>> targetsOnTarget;
    functorsOnTarget.upload(queue, functors);
    jointsOnTarget.upload(queue, joints);
    targetsOnTarget.upload(queue, targets);
    projectTargets(queue, functor,
                   ProjectionBatch<T>{functorsOnTarget.data(), jointsOnTarget.data(), targetsOnTarget.data(), static_cast<int>(joints.size())});
    for (size_t k = 0; k < functors.size(); ++k) {
      JointTarget<T>& target = targets[static_cast<size_t>(joints[k])];
      const Pose<T> allowed = functors[k](target.predicted);
      target.allowed = {allowed.p, normalized(allowed.q)};
    }
    const std::vector<JointTarget<T>> found = targetsOnTarget.download(queue);
    EXPECT_EQ(std::memcmp(found.data(), targets.data(), found.size() * sizeof(JointTarget<T>)), 0);
  }
};
CAIRN_INSTANTIATE_TARGETS(ProjectTargets);

TEST_P(ProjectTargets, GivesWhatEachFunctorSays) {
  std::vector<OnSphere> spheres;
  std::vector<InBox> boxes;
  for (int k = 0; k < 1000; ++k) {
    spheres.push_back({0.1 + 0.001 * k});
    boxes.push_back({0.001f * float(k), 0.2f, 0.3f});
  }
  expectSame<float>(*makeOnSphere(spheres[0]), spheres);
  expectSame<double>(*makeOnSphere(spheres[0]), spheres);
  expectSame<float>(*makeInBox(boxes[0]), boxes);
  expectSame<double>(*makeInBox(boxes[0]), boxes);
}

TEST(BlackBoxes, LaunchOncePerTypeOfFunctor) {
  Queue queue = makeCpuQueue(1);
  BlackBoxes<float> boxes;
  EXPECT_EQ(boxes.view().count, 0);
  boxes.build(queue, {{0, nullptr}, {1, nullptr}}, 2);
  EXPECT_EQ(boxes.view().groupCount, 0);
  EXPECT_EQ(boxes.view().count, 2);
  const auto sphere = [](double radius) { return makeOnSphere({radius}); };
  const auto box = [](float half) { return makeInBox({half, half, half}); };
  boxes.build(queue, {{0, sphere(1)}, {1, nullptr}, {2, box(1)}, {4, sphere(2)}, {7, box(2)}, {8, sphere(3)}}, 9);
  EXPECT_EQ(boxes.view().groupCount, 2);
  boxes.build(queue, {{0, box(1)}, {5, box(1)}}, 9);
  EXPECT_EQ(boxes.view().groupCount, 1);
  boxes.build(queue, {}, 9);
  EXPECT_EQ(boxes.view().count, 0);
  releaseQueue(queue);
}

// --- who may have one ------------------------------------------------------------------------------------------------

// As of a file that no CUDA compiler has read.
struct OnHost {
  template <class T> Pose<T> operator()(const Pose<T>& predicted) const { return predicted; }
};

TEST(ValidateProjections, TakeOneOfCallbackAndFunctor) {
  const auto check = [](const std::function<void(JointDef&)>& change) {
    JointDef joint;
    joint.name = "law";
    joint.type = JointType::BlackBox;
    change(joint);
    return messageOf([&] { validate(joint, "here"); });
  };
  const auto identity = [](const JointPose& pose) { return pose; };
  EXPECT_EQ(check([&](JointDef& j) { j.projection = identity; }), "accepted");
  EXPECT_EQ(check([](JointDef& j) { j.projectionFunctor = makeOnSphere({1}); }), "accepted");
  EXPECT_EQ(check([](JointDef& j) { j.projectionFunctor = makeProjectionFunctor(OnHost{}); }), "accepted");
  EXPECT_EQ(check([](JointDef&) {}),
            "here: /projection: is missing, and projection_functor too; a black_box joint is what one of them says (joint 'law')");
  EXPECT_EQ(check([&](JointDef& j) {
              j.projection = identity;
              j.projectionFunctor = makeOnSphere({1});
            }),
            "here: /projection_functor: must not be set beside projection; a black_box joint is what one of them says (joint 'law')");
  EXPECT_EQ(check([](JointDef& j) {
              j.type = JointType::Hinge;
              j.projectionFunctor = makeOnSphere({1});
            }),
            "here: /projection_functor: must not be set: only black_box joints have one, this is a hinge joint (joint 'law')");
}

TEST(ValidateProjections, NeedCodeForTheBackend) {
  JointDef joint;
  joint.type = JointType::BlackBox;
  const auto check = [&joint](Target target) { return messageOf([&] { requireFunctorRunsOn(target, joint, "joint 'law'"); }); };
  joint.projection = [](const JointPose& pose) { return pose; };
  EXPECT_EQ(check(Target::Cuda), "accepted");
  joint.projection = nullptr;
  joint.projectionFunctor = makeProjectionFunctor(OnHost{});
  EXPECT_EQ(check(Target::Cpu), "accepted");
  const std::string refused =
      "joint 'law': projection_functor was compiled without CUDA and cannot run on the cuda backend: give the file that calls makeProjectionFunctor "
      "to nvcc, or choose the cpu backend";
  EXPECT_EQ(check(Target::Cuda), refused);
  // The same functor from both compilers in one program: neither takes the other's place.
  joint.projectionFunctor = makeProjectionFunctor(OnSphere{1});
  EXPECT_EQ(check(Target::Cuda), refused);
  joint.projectionFunctor = makeOnSphere({1});
  EXPECT_EQ(joint.projectionFunctor->runsOnCuda(), cudaCompiledIn());
  EXPECT_EQ(check(Target::Cuda), cudaCompiledIn() ? "accepted" : refused);
}

struct NoPose {
  double from;  // [m]
  template <class T> CAIRN_HD Pose<T> operator()(const Pose<T>& predicted) const {
    const T zero = predicted.p.y < T(from) ? T(0) : T(1);
    return {(T(1) / zero) * predicted.p, predicted.q};
  }
};

TEST(BlackBoxes, ThatAnswerNoPoseRefuseTheStepByName) {
  for (const BoxesBy by : {BoxesBy::Callback, BoxesBy::Functor}) {
    Scene scene;
    BodyDef post;
    post.type = BodyType::Static;
    BodyDef body;
    body.shapes = {ShapeDef::sphere(0.1)};
    const int a = scene.add(post), b = scene.add(body);
    JointDef joint = scene.joint(JointType::BlackBox, a, b, {{0, 0, 0}, {0, 0, 0, 1}});
    joint.name = "odd";
    if (by == BoxesBy::Callback) joint.projection = test::callbackOf<double>(NoPose{-0.05});
    if (by == BoxesBy::Functor) joint.projectionFunctor = makeProjectionFunctor(NoPose{-0.05});
    scene.joints = {joint};
    World world(scene, onThreads(Precision::Double, 1));
    uint64_t before = 0;
    try {
      for (int k = 0; k < 60; ++k) {
        before = world.stateHash();
        world.step();
      }
      FAIL() << "it fell on";
    } catch (const InvalidInput& error) {
      EXPECT_STREQ(error.what(), "joint 'odd': projection: must answer a finite pose; the step was undone");
    }
    EXPECT_EQ(world.stateHash(), before);
    EXPECT_LT(world.states()[1].pose.p.y, -0.03);
  }
}

TEST(ValidateProjections, RefusedOnesChangeNothing) {
  if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  Scene scene = manyBlackBoxes<float>(4, BoxesBy::Functor);
  WorldSettings settings;
  settings.backend = Backend::Cuda;
  World world(scene, settings);
  world.step();
  JointDef joint = scene.joints[0];
  joint.name = "new";
  joint.projectionFunctor = makeProjectionFunctor(OnHost{});
  const uint64_t before = world.stateHash();
  EXPECT_THROW(world.addJoint(world.bodies()[1], world.bodies()[3], joint), InvalidInput);
  EXPECT_EQ(world.jointCount(), 4);
  EXPECT_EQ(world.stateHash(), before);
  world.step();
  scene.joints.push_back(joint);
  EXPECT_THROW(World(scene, settings), InvalidInput);
}

}  // namespace
}  // namespace cairn
