#include "src/io/recording.hpp"
#include "tests/support/files.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cairn {
namespace {

using test::freshPath;

TEST(Recording, WhatIsWrittenIsReadBackToTheBit) {
  const Scene scene = loadScene("tower:height=3");
  World world(scene);
  const std::string path = freshPath("cairn-recording.h5");
  std::vector<std::vector<BodyState>> frames;
  {
    Recording recording(path, scene, world, 2);
    for (int k = 0; k < 5; ++k) {
      frames.push_back(world.states());
      recording.add(2 * k / 60.0, frames.back());
      world.step(2);
    }
    EXPECT_FALSE(std::filesystem::exists(path));  // not before it is whole
    recording.finish();
  }
  const RecordedTrajectory read = readRecording(path);
  ASSERT_EQ(read.times.size(), 5u);
  EXPECT_EQ(read.times[3], 6 / 60.0);
  ASSERT_EQ(read.names.size(), scene.bodies.size());
  for (size_t i = 0; i < read.names.size(); ++i) EXPECT_EQ(read.names[i], world.bodyName(world.bodies()[i]));
  for (size_t frame = 0; frame < 5; ++frame) {
    for (size_t body = 0; body < frames[frame].size(); ++body) {
      EXPECT_EQ(read.frames[frame][body].pose.p.y, frames[frame][body].pose.p.y);
      EXPECT_EQ(read.frames[frame][body].pose.q.w, frames[frame][body].pose.q.w);
      EXPECT_EQ(read.frames[frame][body].angularVelocity.z, frames[frame][body].angularVelocity.z);
    }
  }
  EXPECT_EQ(parseScene(read.scene, "recording").bodies.size(), scene.bodies.size());
  std::filesystem::remove(path);
}

TEST(Recording, AnUnfinishedOneLeavesNothingBehind) {
  const Scene scene = loadScene("tower:height=2");
  const World world(scene);
  const std::string path = freshPath("cairn-unfinished.h5");
  {
    Recording recording(path, scene, world, 1);
    recording.add(0, world.states());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(Recording, BadFilesAreRefused) {
  const Scene scene = loadScene("tower:height=2");
  const World world(scene);
  EXPECT_THROW(Recording("/nonexistent/x.h5", scene, world, 1), InvalidInput);
  EXPECT_THROW(readRecording("/nonexistent/x.h5"), InvalidInput);
  const std::string path = freshPath("cairn-not.h5");
  std::ofstream(path) << "not HDF5";
  EXPECT_THROW(readRecording(path), InvalidInput);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace cairn
