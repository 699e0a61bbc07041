#include "src/view/live_message.hpp"
#include "src/view/live_world.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cairn {
namespace {

Scene ballInSpace() {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef post, ball;
  post.type = BodyType::Static;
  post.shapes = {ShapeDef::sphere(0.1)};
  post.pose.p = {9, 0, 0};
  ball.shapes = {ShapeDef::sphere(0.5)};
  scene.bodies = {post, ball};
  return scene;
}

LiveWorld made(const Scene& scene = ballInSpace()) {
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  return LiveWorld(scene, settings, 100);
}

int stepsBy(LiveWorld& world, double seconds) {
  const auto begin = LiveWorld::Clock::now();
  int steps = 0;
  for (int ms = 1; ms <= 1000 * seconds; ++ms) steps += world.advance(begin + std::chrono::milliseconds(ms)) ? 1 : 0;
  return steps;
}

TEST(LiveWorld, RunsByTheClockAndPausedByTheStep) {
  LiveWorld world = made();
  EXPECT_NEAR(stepsBy(world, 1), 60, 2);
  obey(world, R"({"do":"pause"})");
  EXPECT_EQ(stepsBy(world, 1), 0);
  obey(world, R"({"do":"step"})");
  obey(world, R"({"do":"step"})");
  EXPECT_EQ(stepsBy(world, 1), 2);
  obey(world, R"({"do":"speed","factor":0.25})");
  obey(world, R"({"do":"go"})");
  EXPECT_NEAR(stepsBy(world, 1), 15, 2);
  obey(world, R"({"do":"reset"})");
  EXPECT_EQ(world.steps(), 0);
}

TEST(LiveWorld, ASpringBringsABodyWhereItIsPulled) {
  LiveWorld world = made();
  obey(world, R"({"do":"pull","body":1,"anchor":[0,0.5,0],"to":[2,1,0]})");
  stepsBy(world, 2);
  const ViewFrame frame = world.frame();
  const Vec3d top = frame.states[1].pose.p + rotate(frame.states[1].pose.q, Vec3d{0, 0.5, 0});
  EXPECT_LT(length(top - Vec3d{2, 1, 0}), 0.05);
  obey(world, R"({"do":"let_go"})");
}

TEST(LiveWorld, WhatNoPageAsksForIsRefused) {
  LiveWorld world = made();
  for (const char* message :
       {"", "{}", "[]", R"({"do":7})", R"({"do":"dance"})", R"({"do":"speed"})", R"({"do":"speed","factor":0})", R"({"do":"speed","factor":1e9})",
        R"({"do":"pull","body":0,"anchor":[0,0,0],"to":[0,0,0]})", R"({"do":"pull","body":2,"anchor":[0,0,0],"to":[0,0,0]})",
        R"({"do":"pull","body":-1,"anchor":[0,0,0],"to":[0,0,0]})", R"({"do":"pull","body":1,"anchor":[0,0],"to":[0,0,0]})",
        R"({"do":"pull","body":1,"anchor":[0,0,0],"to":[1e300,0,0]})"}) {
    EXPECT_ANY_THROW(obey(world, message)) << message;
  }
  EXPECT_NEAR(stepsBy(world, 0.5), 30, 2);
}

TEST(LiveWorld, OnlyThisServersOwnPagesMayAsk) {
  EXPECT_TRUE(isOwnHost("127.0.0.1:8123", 8123));
  EXPECT_TRUE(isOwnHost("localhost:8123", 8123));
  EXPECT_TRUE(isOwnOrigin("http://127.0.0.1:8123", 8123));
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:80", "example.org:8123", "127.0.0.1.example.org:8123", "localhost:8123.example.org"}) {
    EXPECT_FALSE(isOwnHost(host, 8123)) << host;
    EXPECT_FALSE(isOwnOrigin(std::string("http://") + host, 8123)) << host;
  }
  for (const char* origin : {"", "null", "https://127.0.0.1:8123", "127.0.0.1:8123", "file://"}) EXPECT_FALSE(isOwnOrigin(origin, 8123)) << origin;
}

TEST(LiveWorld, StateIsJsonWhateverTheWords) {
  LiveWorld world = made();
  const auto json = nlohmann::json::parse(stateMessage(world, "body \"a\"\nis lost"));
  EXPECT_EQ(json["words"], "body \"a\"\nis lost");
  EXPECT_FALSE(json["paused"].get<bool>());
}

}  // namespace
}  // namespace cairn
