// Settings, bodies and runs that many tests begin with.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/settings.hpp>
#include <cairn/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

namespace cairn::test {

constexpr double kGravity = 9.81;  // [m/s^2] of a scene that says nothing else
constexpr Quatd kNoTurn{0, 0, 0, 1};

// One thread unless a test says otherwise: small scenes gain nothing from more, and tests run beside each other.
inline WorldSettings onCpu(Precision precision = Precision::Float) {
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  settings.precision = precision;
  return settings;
}

// For scenes of the library at their full size.
inline World worldOnTwoThreads(const Scene& scene) {
  WorldSettings settings = onCpu();
  settings.threads = 2;
  return World(scene, settings);
}

inline BodyDef bodyAt(Vec3d position, const ShapeDef& shape, Vec3d velocity = {0, 0, 0}) {
  BodyDef body;
  body.pose.p = position;
  body.linearVelocity = velocity;
  body.shapes = {shape};
  return body;
}

// All that is below y = 0, static.
inline BodyDef ground(Material material = {}) {
  BodyDef body = bodyAt({0, 0, 0}, ShapeDef::halfSpace());
  body.name = "ground";
  body.type = BodyType::Static;
  body.shapes[0].material = material;
  return body;
}

inline const BodyDef& bodyNamed(const Scene& scene, const std::string& name) {
  const auto found = std::find_if(scene.bodies.begin(), scene.bodies.end(), [&](const BodyDef& b) { return b.name == name; });
  EXPECT_NE(found, scene.bodies.end()) << name;
  return *found;
}

inline uint64_t hashAfter(const Scene& scene, const WorldSettings& settings, int steps) {
  World world(scene, settings);
  world.step(steps);
  return world.stateHash();
}

// The name of a test from the name of a scene or a file.
inline std::string asTestName(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace cairn::test
