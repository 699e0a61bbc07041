// Measures of a scene after a run, from poses alone: drift, sinking, escapes.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <cstdint>
#include <vector>

namespace cairn::v0 {

struct SceneMeasure {
  double driftMax = 0;        // largest horizontal (x, z) displacement of a dynamic body from its start [m]
  double heightRatioMin = 1;  // smallest height y of a dynamic body over its start, of those that started above 0 [-]
  int escapedBodies = 0;      // dynamic bodies outside of what the static and kinematic shapes enclose
};

// Takes states in the order of the scene's bodies. Escaped: more than 1 m inside of a half-space's solid; and, unless a half-space is the
// ground, more than 1 m below the lowest static or kinematic shape or beyond the horizontal bounds of them all. Kinematic shapes count where
// they were at the start. A scene of dynamic bodies alone has nothing to escape from, nor does a body that is outside from the start, as a
// hanging chain is.
SceneMeasure measureScene(const Scene& scene, const std::vector<BodyState>& states);

// Triangles of the scene's meshes that have no area: Worlds leave them out. The scene is valid.
int64_t flatTriangles(const Scene& scene);

// Kinetic and potential energy of the dynamic bodies as the scene describes them, potential 0 at the origin [J].
double energyAtStart(const Scene& scene);

}  // namespace cairn::v0
