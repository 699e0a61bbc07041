// Worlds on machines with two devices, with devices that are too old, and with devices that fail within a step.
#include "kernels/runtime/devices.hpp"
#include "tests/device/emulated_devices.hpp"
#include "tests/device/errors.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/error.hpp>
#include <cairn/world.hpp>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace cairn {
namespace {

using emulated::failForGood;
using emulated::messageOf;
using emulated::settings;

using WorldsOnDevices = emulated::EmulatedDevices;

constexpr int kSteps = 12;

WorldSettings on(Backend backend, int device = -1) {
  WorldSettings wanted;
  wanted.backend = backend;
  wanted.device = device;
  wanted.threads = 1;
  wanted.substeps = 2;
  return wanted;
}

Scene fallingBalls() {
  Scene scene;
  scene.add(test::ground());
  for (int k = 0; k < 8; ++k) scene.add(test::bodyAt({0.15 * (k % 4), 0.3 + 0.25 * (k / 4), 0.02 * k}, ShapeDef::sphere(0.1)));
  return scene;
}

uint64_t hashOnTheCpu(const Scene& scene, int steps) {
  World world(scene, on(Backend::Cpu));
  world.step(steps);
  return world.stateHash();
}

int currentDevice() {
  int device = -1;
  cudaGetDevice(&device);
  return device;
}

// --- devices without code --------------------------------------------------------------------------------------

TEST_F(WorldsOnDevices, AutoTakesTheCpuWhereTheDeviceHasNoCode) {
  settings().capability = 75;
  World world(fallingBalls(), on(Backend::Auto));
  EXPECT_EQ(world.backend(), Backend::Cpu);
  EXPECT_NO_THROW(world.step(2));
  EXPECT_FALSE(cudaUsable());
  settings().capability = 90;
  EXPECT_EQ(World(fallingBalls(), on(Backend::Auto)).backend(), Backend::Cuda);
}

TEST_F(WorldsOnDevices, CudaNamesTheDeviceThatHasNoCode) {
  settings().capability = 75;
  const std::string message = "backend cuda: this build has no code for device 0 (emulated device 0, sm_75)";
  EXPECT_EQ(messageOf<DeviceError>([] { World(Scene{}, on(Backend::Cuda)); }), message);
  EXPECT_EQ(messageOf<DeviceError>([] { World(Scene{}, on(Backend::Auto, 0)); }), message) << "a device that was asked for is not replaced";
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

// --- several devices -------------------------------------------------------------------------------------------

TEST_F(WorldsOnDevices, OneThreadStepsWorldsOnTwoDevices) {
  settings().devices = 2;
  const Scene scene = fallingBalls();
  World first(scene, on(Backend::Cuda, 0)), second(scene, on(Backend::Cuda, 1));
  EXPECT_EQ(first.deviceName().substr(0, 17), "emulated device 0");
  EXPECT_EQ(second.deviceName().substr(0, 17), "emulated device 1");
  for (int k = 0; k < kSteps; ++k) {
    first.step();
    second.step();
  }
  EXPECT_EQ(first.stateHash(), hashOnTheCpu(scene, kSteps));
  EXPECT_EQ(second.stateHash(), first.stateHash());
  EXPECT_EQ(second.report().manifolds, first.report().manifolds);
  EXPECT_EQ(currentDevice(), 0);
}

TEST_F(WorldsOnDevices, TwoThreadsStepWorldsOnTwoDevices) {
  settings().devices = 2;
  const Scene scene = fallingBalls();
  World first(scene, on(Backend::Cuda, 0)), second(scene, on(Backend::Cuda, 1));
  std::thread one([&] { first.step(kSteps); }), other([&] { second.step(kSteps); });
  one.join();
  other.join();
  EXPECT_EQ(first.stateHash(), hashOnTheCpu(scene, kSteps));
  EXPECT_EQ(second.stateHash(), first.stateHash());
}

// A World stays where it was made, whatever is current later and wherever it ends.
TEST_F(WorldsOnDevices, WithoutANumberTheCurrentDeviceIsTaken) {
  settings().devices = 2;
  const Scene scene = fallingBalls();
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  auto world = std::make_unique<World>(scene, on(Backend::Cuda));
  EXPECT_EQ(world->deviceName().substr(0, 17), "emulated device 1");
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  world->step(kSteps / 2);
  world->addBody(test::bodyAt({0, 3, 0}, ShapeDef::sphere(0.1)));
  world->step(kSteps / 2);
  EXPECT_EQ(world->castRays({{{0, 5, 0}, {0, -1, 0}, 10}}).size(), 1u);
  world.reset();
  EXPECT_EQ(currentDevice(), 0);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(WorldsOnDevices, ADeviceThatIsNotThereIsRefused) {
  settings().devices = 2;
  EXPECT_EQ(messageOf<InvalidInput>([] { World(Scene{}, on(Backend::Cuda, 2)); }),
            "settings.device: must be below 2, the number of CUDA devices, is 2");
  EXPECT_EQ(messageOf<InvalidInput>([] { World(Scene{}, on(Backend::Auto, -2)); }), "settings.device: must be a whole number >= -1, is -2");
  EXPECT_NO_THROW(World(Scene{}, on(Backend::Cpu, 7))) << "the CPU has no devices to choose from";
  settings().devices = 0;
  EXPECT_EQ(messageOf<InvalidInput>([] { World(Scene{}, on(Backend::Auto, 0)); }), "settings.device: must be -1, as there is no CUDA device, is 0");
}

// --- times -----------------------------------------------------------------------------------------------------

TEST_F(WorldsOnDevices, StepsRecordEventsForTheTimesOfStagesOnlyWhereTheyAreAskedFor) {
  WorldSettings wanted = on(Backend::Cuda);
  World untimed(fallingBalls(), wanted);
  const long before = emulated::timedEvents();
  untimed.step(kSteps);  // the first with numbers that the host reads, the others planned
  untimed.wait();
  untimed.report();
  EXPECT_EQ(emulated::timedEvents(), before);
  wanted.stageTimes = true;
  World timed(fallingBalls(), wanted);
  timed.step(kSteps);
  EXPECT_GE(emulated::timedEvents(), before + 5 * kSteps);
  EXPECT_GE(timed.stageTimes().size(), 5u);
  EXPECT_EQ(timed.stateHash(), untimed.stateHash());
}

// --- settings ---------------------------------------------------------------------------------------------------

// The reference solves on the host: what it asks of rows and joints was written, and its answers get back to where they belong.
TEST_F(WorldsOnDevices, LemkesMethodHasTheBitsOfTheCpu) {
  Scene scene;
  scene.add(test::ground());
  for (int k = 0; k < 3; ++k) scene.add(test::bodyAt({0.01 * k, 0.1 + 0.201 * k, 0}, ShapeDef::box({0.1, 0.1, 0.1})));
  JointDef joint;
  joint.type = JointType::Hinge;
  joint.bodyA = 1;
  joint.bodyB = 2;
  joint.frameA.p = {0.1, 0.1, 0};
  joint.frameB.p = {0.09, -0.101, 0};
  scene.joints.push_back(joint);
  WorldSettings wanted = on(Backend::Cpu);
  wanted.solver = Solver::Lemke;
  wanted.frictionStabilization = true;
  wanted.positionCorrections = 1;
  World here(scene, wanted);
  wanted.backend = Backend::Cuda;
  World there(scene, wanted);
  for (int k = 0; k < 4; ++k) {
    here.step();
    there.step();
    EXPECT_EQ(there.stateHash(), here.stateHash());
    ASSERT_GT(here.report().contactPoints, 0);
  }
  EXPECT_EQ(there.jointStates().front().force.y, here.jointStates().front().force.y);
  EXPECT_EQ(there.contacts().front().normalImpulse, here.contacts().front().normalImpulse);
}

// --- errors ----------------------------------------------------------------------------------------------------

TEST_F(WorldsOnDevices, ErrorsThatOthersHaveLeftAreNotThoseOfAStep) {
  World world(fallingBalls(), on(Backend::Cuda));
  ASSERT_EQ(cudaSetDevice(17), cudaErrorInvalidDevice);
  EXPECT_NO_THROW(world.step());
  world.wait();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// A ball whose black box is asked on the host, in the middle of a step: there the device breaks.
Scene ballThatAsks(const std::function<void()>& inTheStep) {
  Scene scene = fallingBalls();
  JointDef joint;
  joint.type = JointType::BlackBox;
  joint.bodyA = 0;
  joint.bodyB = 1;
  joint.projection = [inTheStep](const JointPose& pose) {
    inTheStep();
    return pose;
  };
  scene.joints.push_back(joint);
  return scene;
}

TEST_F(WorldsOnDevices, AStepInWhichTheDeviceBreaksNamesTheErrorAndTheLaunchBefore) {
  bool broken = false;
  const auto breakDown = [&broken] {
    if (broken) failForGood(cudaErrorIllegalAddress);
  };
  World world(ballThatAsks(breakDown), on(Backend::Cuda));
  world.step();
  broken = true;
  const std::string message = messageOf<DeviceError>([&] { world.step(); });
  EXPECT_NE(message.find("after 'joints/predict': an illegal memory access was encountered"), std::string::npos) << message;
  EXPECT_THROW(world.step(), DeviceError);
}

// What cannot be put back any more does not hide what happened first.
TEST_F(WorldsOnDevices, AStepInWhichTheDeviceBreaksSaysWhatFailedFirst) {
  bool broken = false;
  const auto breakDown = [&broken] {
    if (!broken) return;
    failForGood(cudaErrorIllegalAddress);
    throw DeviceError("what failed first");
  };
  World world(ballThatAsks(breakDown), on(Backend::Cuda));
  world.step();
  broken = true;
  EXPECT_EQ(messageOf<DeviceError>([&] { world.step(); }), "what failed first");
}

}  // namespace
}  // namespace cairn
