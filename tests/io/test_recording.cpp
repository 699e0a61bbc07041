#include "src/io/recording.hpp"
#include "src/io/recording_reader.hpp"
#include "tests/support/files.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <cairn_test_paths.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace cairn {
namespace {

namespace fs = std::filesystem;
using test::freshPath;

constexpr RecordingSettings kEverything{2, true, true, true, true, false};

// What was recorded of a World that swings and falls, and what it was then.
struct Recorded {
  std::string path;
  Scene scene;
  std::vector<std::vector<BodyState>> states;
  std::vector<std::vector<JointState>> joints;
  std::vector<std::vector<Contact>> contacts;
  std::vector<std::vector<unsigned char>> asleep;
};

Recorded recorded(const std::string& sceneName, const RecordingSettings& settings, int frames, const std::string& file) {
  Recorded result{freshPath(file), loadScene(sceneName), {}, {}, {}, {}};
  WorldSettings world;
  world.backend = Backend::Cpu;
  world.sleeping = true;
  World w(result.scene, world);
  Recording recording(result.path, result.scene, w, settings);
  for (int k = 0; k < frames; ++k) {
    result.states.push_back(w.states());
    result.joints.push_back(w.jointStates());
    result.contacts.push_back(w.contacts());
    result.asleep.push_back(w.asleep());
    recording.add(k * settings.stepsPerFrame * w.settings().dt, w);
    w.step(settings.stepsPerFrame);
  }
  EXPECT_FALSE(fs::exists(result.path));  // not before it is whole
  recording.finish();
  EXPECT_FALSE(fs::exists(result.path + ".partial"));
  return result;
}

double turnBetween(Quatd a, Quatd b) {
  const double cosine = std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
  return 2 * std::acos(std::min(cosine, 1.0));
}

void expectNear(Vec3d a, Vec3d b, double tolerance) { EXPECT_LE(length(a - b), tolerance); }

std::string refusal(const std::string& path) {
  try {
    const RecordingReader reader(path);
    for (size_t i = 0; i < reader.frameCount(); ++i) reader.frame(i);
  } catch (const InvalidInput& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(Recording, PosesAreThereToThePrecisionThatIsPromised) {
  const Recorded made = recorded("tower:height=3", {2}, 5, "cairn-recording.h5");
  const RecordingReader read(made.path);
  ASSERT_EQ(read.frameCount(), 5u);
  EXPECT_DOUBLE_EQ(read.time(3), 6 / 60.0);
  EXPECT_DOUBLE_EQ(read.dt(), 1 / 60.0);
  EXPECT_EQ(read.stepsPerFrame(), 2);
  EXPECT_EQ(read.environments(), 0);
  EXPECT_FALSE(read.hasVelocities() || read.hasContacts() || read.hasJoints() || read.hasSleep());
  ASSERT_EQ(read.names().size(), made.scene.bodies.size());
  EXPECT_EQ(read.sceneJson(), writeScene(made.scene));
  EXPECT_EQ(read.scene().bodies.size(), made.scene.bodies.size());
  for (size_t k = 0; k < 5; ++k) {
    const RecordedFrame frame = read.frame(4 - k);  // in any order
    EXPECT_DOUBLE_EQ(frame.time, read.time(4 - k));
    for (size_t body = 0; body < frame.states.size(); ++body) {
      const Posed &pose = frame.states[body].pose, &was = made.states[4 - k][body].pose;
      expectNear(pose.p, was.p, 1e-6);
      EXPECT_LE(turnBetween(pose.q, was.q), 4e-5);
      EXPECT_NEAR(pose.q.x * pose.q.x + pose.q.y * pose.q.y + pose.q.z * pose.q.z + pose.q.w * pose.q.w, 1, 1e-12);
    }
    EXPECT_TRUE(frame.contacts.empty() && frame.joints.empty() && frame.asleep.empty());
  }
  fs::remove(made.path);
}

TEST(Recording, AnExactOneIsReadBackToTheBit) {
  RecordingSettings settings{1};
  settings.exact = settings.velocities = true;
  const Recorded made = recorded("tower:height=3", settings, 4, "cairn-exact.h5");
  const RecordingReader read(made.path);
  ASSERT_TRUE(read.hasVelocities());
  for (size_t k = 0; k < 4; ++k) {
    const RecordedFrame frame = read.frame(k);
    for (size_t body = 0; body < frame.states.size(); ++body) {
      EXPECT_EQ(frame.states[body].pose.p.y, made.states[k][body].pose.p.y);
      EXPECT_EQ(frame.states[body].pose.q.w, made.states[k][body].pose.q.w);
      EXPECT_EQ(frame.states[body].linearVelocity.y, made.states[k][body].linearVelocity.y);
      EXPECT_EQ(frame.states[body].angularVelocity.z, made.states[k][body].angularVelocity.z);
    }
  }
  fs::remove(made.path);
}

TEST(Recording, VelocitiesContactsJointsAndSleepAreThereOnRequest) {
  const Recorded made = recorded(std::string(CAIRN_SOURCE_DIR) + "/scenes/joints.json", kEverything, 40, "cairn-everything.h5");
  const RecordingReader read(made.path);
  ASSERT_TRUE(read.hasVelocities() && read.hasContacts() && read.hasJoints() && read.hasSleep());
  ASSERT_EQ(read.frameCount(), 40u);
  size_t contactCount = 0;
  for (size_t k = 0; k < 40; ++k) {
    const RecordedFrame frame = read.frame(k);
    for (size_t body = 0; body < frame.states.size(); ++body) {
      const BodyState& was = made.states[k][body];
      expectNear(frame.states[body].linearVelocity, was.linearVelocity, 1e-6 * (1 + length(was.linearVelocity)));
      expectNear(frame.states[body].angularVelocity, was.angularVelocity, 1e-6 * (1 + length(was.angularVelocity)));
    }
    EXPECT_EQ(frame.asleep, made.asleep[k]);
    ASSERT_EQ(frame.joints.size(), made.joints[k].size());
    for (size_t i = 0; i < frame.joints.size(); ++i) {
      const JointState& was = made.joints[k][i];
      EXPECT_FLOAT_EQ(static_cast<float>(frame.joints[i].error), static_cast<float>(was.error));
      expectNear(frame.joints[i].force, was.force, 1e-6 * (1 + length(was.force)));
      expectNear(frame.joints[i].torque, was.torque, 1e-6 * (1 + length(was.torque)));
      EXPECT_EQ(frame.joints[i].broken, was.broken);
    }
    ASSERT_EQ(frame.contacts.size(), made.contacts[k].size());
    contactCount += frame.contacts.size();
    for (size_t i = 0; i < frame.contacts.size(); ++i) {
      const Contact& was = made.contacts[k][i];
      EXPECT_EQ(frame.contacts[i].bodyA, was.bodyA.index);
      EXPECT_EQ(frame.contacts[i].bodyB, was.bodyB.index);
      EXPECT_EQ(frame.contacts[i].shapeB, was.shapeB);
      expectNear(frame.contacts[i].point, was.point, 1e-5);
      expectNear(frame.contacts[i].normal, was.normal, 1e-6);
      expectNear(frame.contacts[i].frictionImpulse, was.frictionImpulse, 1e-6 * (1 + was.normalImpulse));
      EXPECT_FLOAT_EQ(static_cast<float>(frame.contacts[i].normalImpulse), static_cast<float>(was.normalImpulse));
      EXPECT_FLOAT_EQ(static_cast<float>(frame.contacts[i].separation), static_cast<float>(was.separation));
    }
  }
  EXPECT_GT(contactCount, 0u);
  fs::remove(made.path);
}

TEST(Recording, FramesAreFoundByTime) {
  const Recorded made = recorded("tower:height=1", {3}, 4, "cairn-times.h5");
  const RecordingReader read(made.path);
  EXPECT_EQ(read.frameAt(-1), 0u);
  EXPECT_EQ(read.frameAt(0), 0u);
  EXPECT_EQ(read.frameAt(2.9 / 60), 0u);
  EXPECT_EQ(read.frameAt(read.time(1)), 1u);
  EXPECT_EQ(read.frameAt(100), 3u);
  fs::remove(made.path);
}

TEST(Recording, AnUnfinishedOneLeavesNothingBehind) {
  const Scene scene = loadScene("tower:height=2");
  const World world(scene);
  const std::string path = freshPath("cairn-unfinished.h5");
  {
    Recording recording(path, scene, world);
    recording.add(0, world);
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(fs::exists(path + ".partial"));
}

TEST(Recording, FilesOfOthersAreRefusedInWords) {
  const Scene scene = loadScene("tower:height=2");
  const World world(scene);
  EXPECT_THROW(Recording("/nonexistent/x.h5", scene, world), InvalidInput);
  EXPECT_NE(refusal("/nonexistent/x.h5").find("cannot be opened"), std::string::npos);
  const std::string path = freshPath("cairn-not.h5");
  std::ofstream(path) << "not HDF5";
  EXPECT_NE(refusal(path).find("not an HDF5 file"), std::string::npos);
  fs::remove(path);
  EXPECT_NE(refusal(testing::TempDir()).find("directory"), std::string::npos);

  const hid_t other = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(other);
  EXPECT_NE(refusal(path).find("no recording of Cairn"), std::string::npos) << refusal(path);
  fs::remove(path);
}

// The format's version, written over in the file.
TEST(Recording, ANewerVersionIsRefused) {
  const Recorded made = recorded("tower:height=1", {1}, 2, "cairn-newer.h5");
  const hid_t file = H5Fopen(made.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), attribute = H5Aopen(file, "format", H5P_DEFAULT),
              type = H5Aget_type(attribute);
  EXPECT_GE(H5Awrite(attribute, type, "cairn-recording-3"), 0);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Fclose(file);
  const std::string message = refusal(made.path);
  EXPECT_NE(message.find("version 3"), std::string::npos) << message;
  EXPECT_NE(message.find("a newer one"), std::string::npos) << message;
  fs::remove(made.path);
}

}  // namespace
}  // namespace cairn
