// Steps in a caller's pipeline: arrays where they lie, inputs by kernels of the caller's, steps on the caller's stream and in its CUDA graphs. On
// each target, against Worlds that are asked and told by the host.
#include "kernels/runtime/recorded_work.hpp"
#include "src/world/simulation.hpp"
#include "tests/runtime/on_each_target.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/scenes.hpp"
#include "tests/world/array_kernels.hpp"

#include <cairn/cairn.hpp>

#include <cmath>
#include <functional>
#include <limits>

namespace cairn::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class EnqueuedSteps : public OnEachTarget {
 protected:
  bool onDevice() const { return queue.target == Target::Cuda; }
  // On the queue's stream.
  WorldSettings here() const {
    WorldSettings settings;
    settings.backend = onDevice() ? Backend::Cuda : Backend::Cpu;
    settings.threads = onDevice() ? 1 : queue.team->threads();
    settings.stream = queue.stream;
    settings.substeps = 2;
    return settings;
  }
  // Told by the host.
  WorldSettings there() const {
    WorldSettings settings = here();
    settings.backend = Backend::Cpu;
    settings.stream = nullptr;
    return settings;
  }
  template <class T, int N> std::vector<T> numbers(const Field<const T, N>& field, int count) {
    if (count == 0 || !field) return {};
    Buffer<T> out;
    out.resize(queue, static_cast<size_t>(N) * static_cast<size_t>(count));
    gather(queue, field, count, out.data());
    return out.download(queue);
  }
  template <class T> T word(const T* address) {
    T value;
    downloadBytes(queue, &value, address, sizeof value);
    return value;
  }
  // Done `count` times: on a device as a graph of the caller's.
  void repeat(int count, const std::function<void()>& work) {
    if (!onDevice()) {
      for (int k = 0; k < count; ++k) work();
      return;
    }
    RecordedWork graph;
    graph.begin(queue);
    try {
      work();
    } catch (...) {
      graph.abandon(queue);
      throw;
    }
    graph.end(queue);
    for (int k = 0; k < count; ++k) graph.launch(queue);
    synchronize(queue);
  }
};

const char* const kScenes[] = {"tower:height=4", "pile:count=30,shape=mixed", "chain-100h", "skeletons:count=1", "terrain:count=14,size=8"};

TEST_P(EnqueuedSteps, HaveTheBitsOfOtherSteps) {
  for (const char* name : kScenes) {
    SCOPED_TRACE(name);
    World enqueued(loadScene(name), here()), asked(loadScene(name), there());
    for (int k = 0; k < 30; ++k) {
      asked.step();
      // Where there is no room for it, the step is taken by step().
      try {
        enqueued.enqueueStep();
        enqueued.wait();
      } catch (const StepRefused&) {
        enqueued.step();
      }
      ASSERT_EQ(enqueued.stateHash(), asked.stateHash()) << "after " << k + 1 << " steps";
    }
    EXPECT_EQ(enqueued.report().step, asked.report().step);
    EXPECT_EQ(enqueued.contacts().size(), asked.contacts().size());
  }
}

TEST_P(EnqueuedSteps, InAGraphHaveTheBitsOfOtherSteps) {
  for (const char* name : kScenes) {
    SCOPED_TRACE(name);
    World captured(loadScene(name), here()), asked(loadScene(name), there());
    captured.makeRoom({2000, 1000, 0});
    captured.step(12);
    captured.wait();
    asked.step(12 + 6);
    repeat(3, [&] {
      captured.enqueueStep();
      captured.enqueueStep();
    });
    captured.wait();
    EXPECT_EQ(captured.stateHash(), asked.stateHash());
    EXPECT_EQ(captured.report().step, asked.report().step);
    EXPECT_DOUBLE_EQ(captured.report().time, asked.report().time);
    EXPECT_EQ(captured.contacts().size(), asked.contacts().size());
    captured.step(3);
    asked.step(3);
    EXPECT_EQ(captured.stateHash(), asked.stateHash());
  }
}

TEST_P(EnqueuedSteps, OfALongRowWaitForNothing) {
  LaunchLog log;
  const WorldSettings settings = here();
  std::unique_ptr<Simulation> world;
  {
    const LaunchLogging logging(log);
    world = makeSimulation<float>(loadScene("tower:height=4"), settings, queue.target);
  }
  for (int k = 0; k < 4; ++k) world->step();
  world->settle();
  log.clear();
  for (int k = 0; k < 20; ++k) {
    ForceInputs<float> forces;
    world->write(forces);
    world->enqueueStep();
  }
  EXPECT_EQ(log.now().waits, 0);
  EXPECT_EQ(log.now().bytes, 0);
  world->settle();
}

TEST_P(EnqueuedSteps, TakeForcesOfTheCallersKernels) {
  Scene scene = loadScene("tower:height=3");
  World written(scene, here()), told(scene, there());
  const BodyId top = written.bodies().back();
  for (int k = 0; k < 4; ++k) {
    push(queue, written.writeForces<float>(), top.index, {1, 2, 3}, {0.1f, 0, 0.2f});
    written.enqueueStep();
    told.applyForce(top, {1, 2, 3}, {0.1f, 0, 0.2f});
    told.step();
  }
  written.wait();
  ASSERT_EQ(written.stateHash(), told.stateHash());
  repeat(4, [&] {
    push(queue, written.writeForces<float>(), top.index, {1, 2, 3}, {0.1f, 0, 0.2f});
    written.enqueueStep();
  });
  for (int k = 0; k < 4; ++k) {
    told.applyForce(top, {1, 2, 3}, {0.1f, 0, 0.2f});
    told.step();
  }
  EXPECT_EQ(written.stateHash(), told.stateHash());
  EXPECT_DOUBLE_EQ(written.report().energyBalance.forceWork, told.report().energyBalance.forceWork);
  written.step();
  told.step();
  EXPECT_EQ(written.stateHash(), told.stateHash()) << "forces act once";
}

TEST_P(EnqueuedSteps, TakeStatesOfTheCallersKernels) {
  for (const char* name : {"tower:height=3", "skeletons:count=1"}) {
    SCOPED_TRACE(name);
    World written(loadScene(name), here()), told(loadScene(name), there());
    const BodyId body = written.bodies().back();
    const BodyState start = told.state(body);
    const auto write = [&] {
      const BodyInputs<float> inputs = written.writeBodies<float>();
      setVelocity(queue, inputs, body.index, {0, 1, 0}, {0, 0, 2});
      written.enqueueStep();
    };
    const auto tell = [&] {
      told.setVelocity(body, {0, 1, 0}, {0, 0, 2});
      told.step();
    };
    written.makeRoom({0, 200, 64});
    written.step(40);  // until something touches
    told.step(40);
    for (int k = 0; k < 3; ++k) {
      write();
      tell();
    }
    EXPECT_EQ(written.stateHash(), told.stateHash());
    repeat(3, write);
    for (int k = 0; k < 3; ++k) tell();
    EXPECT_EQ(written.stateHash(), told.stateHash());
    setPosition(queue, written.writeBodies<float>(), body.index, convert<float>(start.pose.p + Vec3d{0, 1, 0}));
    EXPECT_NEAR(written.state(body).pose.p.y, start.pose.p.y + 1, 0.5);
  }
}

Scene wheelOnAMotor() {
  Scene scene;
  BodyDef post = bodyAt({0, 2, 0}, ShapeDef::box({0.1, 0.1, 0.1}));
  post.type = BodyType::Static;
  scene.add(post);
  scene.add(bodyAt({0.5, 2, 0}, ShapeDef::sphere(0.2)));
  JointDef hinge = scene.joint(JointType::Hinge, 0, 1, {{0, 2, 0}, {0, 0, 0, 1}});
  hinge.axes[3].motor = JointMotor::Velocity;
  hinge.axes[3].friction = 0.1;
  hinge.axes[3].target = 1;
  hinge.axes[3].maxForce = 5;
  scene.joints.push_back(hinge);
  return scene;
}

TEST_P(EnqueuedSteps, TakeTargetsOfTheCallersKernels) {
  World written(wheelOnAMotor(), here()), told(wheelOnAMotor(), there());
  written.step(3);
  told.step(3);
  const JointId hinge = written.joints()[0];
  const int row = written.motorRow(hinge, 3);
  const auto write = [&] {
    setTarget(queue, written.writeMotors<float>(), row, -2, 8);
    written.enqueueStep();
  };
  for (int k = 0; k < 3; ++k) write();
  repeat(3, write);
  for (int k = 0; k < 6; ++k) {
    told.setMotor(hinge, 3, JointMotor::Velocity, -2, 8);
    told.step();
  }
  EXPECT_EQ(written.stateHash(), told.stateHash());
  EXPECT_THROW(written.motorRow(hinge, 4), InvalidInput);
  EXPECT_THROW(written.motorRow(hinge, 7), InvalidInput);
}

// Whether something touches changes nothing for the joints there: a plan holds through first and last contacts.
TEST_P(EnqueuedSteps, OfEnvironmentsWithJointsTakeContactsAsTheyCome) {
  Scene scene = wheelOnAMotor();
  scene.add(ground());
  scene.add(bodyAt({0, 0.5, 3}, ShapeDef::sphere(0.2)));
  World captured(scene, 2, here()), asked(scene, 2, there());
  captured.setGravityOf(1, {1, -20, 0});
  asked.setGravityOf(1, {1, -20, 0});
  captured.makeRoom({2000, 500, 64});
  captured.step(3);
  captured.wait();
  ASSERT_TRUE(captured.contacts().empty());
  repeat(45, [&] { captured.enqueueStep(); });
  asked.step(3 + 45);
  EXPECT_EQ(captured.stateHash(), asked.stateHash());
  EXPECT_FALSE(captured.contacts().empty());
  captured.resetEnvironments({0, 1});
  asked.resetEnvironments({0, 1});
  for (int k = 0; k < 3; ++k) captured.enqueueStep();
  asked.step(3);
  EXPECT_EQ(captured.stateHash(), asked.stateHash());
}

// By masks that the caller's kernels write, in each launch of a graph another one, with joints and contacts.
TEST_P(EnqueuedSteps, ResetsAreLegalBetweenThem) {
  constexpr int kEnvironments = 3, kRounds = 4;
  const Scene scene = loadScene("skeletons:count=1");
  World captured(scene, kEnvironments, here()), asked(scene, kEnvironments, there());
  Buffer<unsigned char> mask;
  mask.upload(queue, {0, 0, 0});
  captured.makeRoom({20000, 5000, 500});
  for (int k = 0; k < 2; ++k) {  // as many as a capture needs
    captured.enqueueReset(mask.data());
    captured.enqueueStep();
    captured.enqueueStep();
    captured.wait();
  }
  asked.step(4);
  // The first launch resets number 0, the second 1, ...
  Buffer<int> round;
  round.upload(queue, {0});
  repeat(kRounds, [&] {
    chooseByTurns(queue, round.data(), kEnvironments, mask.data());
    captured.enqueueReset(mask.data());
    captured.enqueueStep();
    captured.enqueueStep();
  });
  for (int k = 0; k < kRounds; ++k) {
    std::vector<unsigned char> chosen(kEnvironments, 0);
    chosen[static_cast<size_t>(k % kEnvironments)] = 1;
    asked.resetEnvironments(chosen);
    asked.step(2);
  }
  EXPECT_EQ(captured.stateHash(), asked.stateHash());
  EXPECT_EQ(captured.report().step, 4 + 2 * kRounds);
  EXPECT_NE(asked.stateHashOf(0), asked.stateHashOf(1));
}

TEST_P(EnqueuedSteps, ResetsWithBrokenJointsOrWithoutEnvironmentsAreRefused) {
  Scene scene = loadScene("tower:height=2");
  World plain(scene, here());
  Buffer<unsigned char> mask;
  mask.upload(queue, {1});
  EXPECT_EQ(messageOf([&] { plain.enqueueReset(mask.data()); }),
            "environment: there are none: the World was made of a scene without a number of them");
  JointDef joint = scene.joint(JointType::Rigid, 1, 2, {scene.bodies[1].pose.p, {0, 0, 0, 1}});
  joint.breakImpulse = 1e-3;
  joint.name = "glue";
  scene.joints.push_back(joint);
  World world(scene, 1, here());
  world.step(3);
  ASSERT_TRUE(world.jointState(world.joints()[0]).broken);
  EXPECT_EQ(messageOf([&] { world.enqueueReset(mask.data()); }), "enqueueReset: cannot make joints whole, and 'glue@0' is broken");
  EXPECT_EQ(messageOf([&] { world.enqueueReset(nullptr); }), "mask: must not be null");
  world.resetEnvironmentsOnTarget(mask.data());
  world.enqueueReset(mask.data());
}

// What is queued behind a refused step changes nothing: no reset either.
TEST_P(EnqueuedSteps, ResetsBehindARefusedOneChangeNothing) {
  if (!onDevice()) GTEST_SKIP() << "skipped: on the CPU the refused step throws";
  World world(loadScene("pile:count=20"), 2, here());
  world.makeRoom({2000, 1000, 200});
  world.step(2);
  world.wait();
  BodyInputs<float> inputs = world.writeBodies<float>();
  setVelocity(queue, inputs, 7, {kNan, 0, 0}, {0, 0, 0});
  world.enqueueStep();
  Buffer<unsigned char> mask;
  mask.upload(queue, {1, 1});
  world.enqueueReset(mask.data());
  EXPECT_THROW(world.wait(), NonFiniteState);
  World fresh(loadScene("pile:count=20"), 2, here());
  fresh.step(2);
  EXPECT_EQ(world.states()[3].pose.p.x, fresh.states()[3].pose.p.x);
}

TEST_P(EnqueuedSteps, ThatDoNotFitChangeNothingAndSaySo) {
  if (!onDevice()) GTEST_SKIP() << "skipped: the CPU has room for everything";
  const Scene scene = loadScene("pile:count=60,shape=box");
  World enqueued(scene, here()), asked(scene, there());
  enqueued.step();
  asked.step();
  enqueued.wait();
  const EnqueuedStatus* status = enqueued.arrays<float>().status;
  for (int k = 0; k < 200; ++k) enqueued.enqueueStep();  // the pile comes down meanwhile
  const EnqueuedStatus seen = word(status);
  ASSERT_EQ(seen.refused, 1);
  EXPECT_LT(seen.done, 200);
  EXPECT_GT(seen.needed, seen.available);
  try {
    enqueued.wait();
    FAIL() << "nobody said so";
  } catch (const StepRefused& refused) {
    EXPECT_EQ(refused.needed, seen.needed);
    EXPECT_EQ(refused.available, seen.available);
  }
  asked.step(seen.done - 0);
  EXPECT_EQ(enqueued.stateHash(), asked.stateHash());
  enqueued.step(5);
  asked.step(5);
  EXPECT_EQ(enqueued.stateHash(), asked.stateHash());
  EXPECT_EQ(enqueued.report().step, asked.report().step);
}

TEST_P(EnqueuedSteps, ThatGoWrongChangeNothingAndSaySo) {
  World world(loadScene("tower:height=3"), here());
  world.step(3);
  world.wait();
  const uint64_t before = world.stateHash();
  const auto spoil = [&] {
    push(queue, world.writeForces<float>(), world.bodies().back().index, {kNan, 0, 0}, {0, 0, 0});
    world.enqueueStep();
  };
  EXPECT_THROW(
      {
        spoil();
        world.wait();
      },
      NonFiniteState);
  EXPECT_EQ(world.stateHash(), before);
  world.step();
  EXPECT_NE(world.stateHash(), before);
}

TEST_P(EnqueuedSteps, ArraysAreWhatTheHostIsTold) {
  for (const char* name : {"pile:count=30,shape=mixed", "skeletons:count=1"}) {
    SCOPED_TRACE(name);
    World world(loadScene(name), here());
    world.step(40);
    const WorldArrays<float> arrays = world.arrays<float>();
    const std::vector<BodyState> states = world.states();
    ASSERT_EQ(arrays.bodies.count, static_cast<int>(states.size()));
    const std::vector<float> positions = numbers(arrays.bodies.position, arrays.bodies.count),
                             turns = numbers(arrays.bodies.orientation, arrays.bodies.count),
                             centres = numbers(arrays.bodies.localCentre, arrays.bodies.count),
                             speeds = numbers(arrays.bodies.linearVelocity, arrays.bodies.count),
                             spins = numbers(arrays.bodies.angularVelocity, arrays.bodies.count);
    const auto vec = [](const std::vector<float>& from, size_t i) { return Vec3d{from[3 * i], from[3 * i + 1], from[3 * i + 2]}; };
    for (size_t i = 0; i < states.size(); ++i) {
      const Quatd q{turns[4 * i], turns[4 * i + 1], turns[4 * i + 2], turns[4 * i + 3]};
      EXPECT_LT(length(vec(positions, i) - rotate(q, vec(centres, i)) - states[i].pose.p), 1e-6);
      EXPECT_EQ(vec(speeds, i).y, states[i].linearVelocity.y);
      EXPECT_EQ(vec(spins, i).x, states[i].angularVelocity.x);
    }

    const std::vector<Contact> contacts = world.contacts();
    const ContactArrays<float>& c = arrays.contacts;
    const int count = word(c.count);
    ASSERT_LE(count, c.capacity);
    const std::vector<int> bodies = numbers(c.bodies, count), points = numbers(c.points, count);
    const std::vector<float> normals = numbers(c.normal, count);
    std::array<std::vector<float>, 4> impulses;
    for (size_t k = 0; k < 4; ++k) impulses[k] = numbers(c.impulse[k], count);
    size_t seen = 0;
    const std::vector<float> gaps = numbers(c.separation[0], count);
    for (size_t m = 0; m < static_cast<size_t>(count); ++m) {
      if (gaps[m] > 1e16f) continue;  // shapes that have parted within the step
      for (size_t k = 0; k < static_cast<size_t>(points[m]); ++k, ++seen) {
        ASSERT_LT(seen, contacts.size());
        EXPECT_EQ(contacts[seen].bodyA.index, bodies[2 * m]);
        EXPECT_EQ(contacts[seen].bodyB.index, bodies[2 * m + 1]);
        EXPECT_EQ(contacts[seen].normal.y, double(normals[3 * m + 1]));
        EXPECT_EQ(contacts[seen].normalImpulse, double(impulses[k][3 * m]));
      }
    }
    EXPECT_EQ(seen, contacts.size());

    // The number follows further steps where it is, as long as the arrays are there.
    const uint64_t version = world.arraysVersion();
    const std::vector<JointState> joints = world.jointStates();
    ASSERT_EQ(arrays.joints.count, static_cast<int>(joints.size()));
    const std::vector<float> coordinates = numbers(arrays.joints.coordinates, arrays.joints.count),
                             bore = numbers(arrays.joints.impulse, arrays.joints.count);
    for (size_t j = 0; j < joints.size(); ++j) {
      for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(coordinates[6 * j + k], joints[j].coordinates[k], 1e-6);
      EXPECT_LT(length((1 / world.settings().dt) * vec(bore, j) - joints[j].force), 1e-6 * (1 + length(joints[j].force)));
    }
    for (int k = 0; k < 10; ++k) {
      world.step();
      world.wait();
      if (world.arraysVersion() != version) break;
      EXPECT_EQ(word(c.count), world.report().manifolds);
    }
  }
}

// What arrays() has given can be read whatever steps and joints do, if it is to be kept.
TEST_P(EnqueuedSteps, ArraysThatAreKeptOutliveWhatMovesThem) {
  World world(loadScene("pile:count=60,shape=box"), here());
  JointDef hinge;
  hinge.type = JointType::Hinge;
  hinge.axes[3].motor = JointMotor::Velocity;
  hinge.axes[3].maxForce = 1;
  const std::vector<BodyId> bodies = world.bodies();
  const JointId joint = world.addJoint(bodies[bodies.size() - 2], bodies.back(), hinge);
  world.step();
  world.wait();
  world.keepArrays(true);
  const ContactArrays<float> few = world.arrays<float>().contacts;
  const int count = word(few.count);
  const MotorInputs<float> motors = world.writeMotors<float>();
  const Field<const float> target{motors.target.data, motors.target.stride};
  const std::vector<float> targets = numbers(target, motors.count);
  world.removeJoint(joint);
  world.step(120);
  world.wait();
  const ContactArrays<float> many = world.arrays<float>().contacts;
  ASSERT_GT(many.capacity, few.capacity);
  EXPECT_NE(many.normal.data, few.normal.data);
  EXPECT_EQ(numbers(target, motors.count), targets);
  const std::vector<float> normals = numbers(few.normal, count);
  for (const float each : normals) EXPECT_LE(std::abs(each), 1);
  world.keepArrays(false);
  world.step();
  EXPECT_NO_THROW(world.wait());
}

TEST_P(EnqueuedSteps, CoordinatesFollowTheBodies) {
  World world(wheelOnAMotor(), here());
  world.step(2);
  const WorldArrays<float> arrays = world.arrays<float>();
  for (int k = 0; k < 5; ++k) world.enqueueStep();
  world.measureJoints();
  const float angle = numbers(arrays.joints.coordinates, 1)[3];
  EXPECT_NEAR(angle, world.jointStates()[0].coordinates[3], 1e-6);
  EXPECT_GT(std::abs(angle), 0.01);
  world.removeJoint(world.joints()[0]);
  EXPECT_NO_THROW(world.measureJoints());
  EXPECT_EQ(world.arrays<float>().joints.count, 1) << "the slot is there";
}

TEST_P(EnqueuedSteps, AnotherPrecisionIsRefused) {
  World world(loadScene("tower:height=2"), here());
  EXPECT_THROW(world.arrays<double>(), InvalidInput);
  EXPECT_THROW(world.writeBodies<double>(), InvalidInput);
  EXPECT_THROW(world.writeForces<double>(), InvalidInput);
  EXPECT_THROW(world.writeMotors<double>(), InvalidInput);
  WorldSettings settings = here();
  settings.precision = Precision::Double;
  World precise(loadScene("tower:height=2"), settings);
  EXPECT_THROW(precise.arrays<float>(), InvalidInput);
  EXPECT_EQ(precise.arrays<double>().bodies.count, 3);
  EXPECT_THROW(precise.makeRoom({-1, 0, 0}), InvalidInput);
}

TEST_P(EnqueuedSteps, OfAWorldWithoutBodiesAreNothing) {
  World world(Scene{}, here());
  EXPECT_EQ(world.arrays<float>().bodies.count, 0);
  world.writeForces<float>();
  world.writeBodies<float>();
  for (int k = 0; k < 3; ++k) world.enqueueStep();
  world.wait();
  EXPECT_EQ(world.report().step, 3);
}

TEST_P(EnqueuedSteps, NeedAPlanToBeCaptured) {
  if (!onDevice()) GTEST_SKIP() << "skipped: no captures on the CPU";
  World world(loadScene("tower:height=3"), here());
  EXPECT_THROW(repeat(1, [&] { world.enqueueStep(); }), InvalidInput) << "no step yet";
  world.step(3);
  EXPECT_THROW(repeat(1, [&] { world.enqueueStep(); }), InvalidInput) << "steps under way";
  world.wait();
  EXPECT_THROW(repeat(1, [&] { world.states(); }), InvalidInput) << "questions within a capture";
  EXPECT_THROW(repeat(1, [&] { world.step(); }), InvalidInput) << "steps of the host's";
  world.step(3);
  world.wait();
  const uint64_t before = world.arraysVersion();
  EXPECT_NO_THROW(repeat(2, [&] { world.enqueueStep(); }));
  EXPECT_EQ(world.arraysVersion(), before);
  world.setGravity({0, -5, 0});
  EXPECT_NE(world.arraysVersion(), before);
  EXPECT_THROW(repeat(1, [&] { world.enqueueStep(); }), InvalidInput) << "changed";
}

TEST_P(EnqueuedSteps, LeaveTheCallersStreamAlone) {
  if (!onDevice()) GTEST_SKIP() << "skipped: no streams on the CPU";
  { World world(loadScene("tower:height=2"), here()); }
  Buffer<int> after;
  after.resize(queue, 1);
  after.fillZero(queue);
  EXPECT_EQ(after.read(queue, 0), 0);
}

CAIRN_INSTANTIATE_TARGETS(EnqueuedSteps);

}  // namespace
}  // namespace cairn::test
