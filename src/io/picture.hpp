// Pictures of a World: ray traced with World::castRays, shaded, with shadows, bodies told apart by colour.
#pragma once

#include <cairn/world.hpp>

#include <string>

namespace cairn::v0 {

struct PictureSettings {
  int width = 1280, height = 720;  // [pixels], 1..16384
  int samples = 2;                 // a side of a pixel, 1..8
};

// A pinhole camera, and what it looks at.
struct Camera {
  Vec3d eye, right, up, forward;  // unit axes
  double tangent = 0.35;          // of half the vertical angle of view
  Vec3d vertical{0, 1, 0};        // against gravity, unit
  double middle = 0;              // depth of the dynamic bodies' middle [m]
  double top = 0;                 // height that the walls of containers are shown up to [m]
};

// Looks at the dynamic bodies from the front, above and aside, from as near as has nearly all of them in the picture; a few that have flown off do
// not count. Up is against gravity.
Camera frameBodies(const Scene& scene, const std::vector<BodyState>& states, double aspect);

// The shortest turn from y to this unit vector.
Quatd turnFromY(Vec3d vertical);

// A PNG. The states must be those of the scene's bodies, in their order. Throws InvalidInput if the file cannot be written.
void writePicture(const World& world, const Scene& scene, const std::string& path, const PictureSettings& settings = {});

}  // namespace cairn::v0
