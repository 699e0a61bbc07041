// Pictures of a World: ray traced with World::castRays, shaded, with shadows, bodies told apart by colour.
#pragma once

#include <cairn/world.hpp>

#include <string>

namespace cairn {

struct PictureSettings {
  int width = 1280, height = 720;  // [pixels], 1..16384
  int samples = 2;                 // a side of a pixel, 1..8
};

// A pinhole camera, and what it looks at.
struct Camera {
  Vec3d eye, right, up, forward;  // unit axes
  double tangent = 0.35;          // of half the vertical angle of view
  Vec3d low, high;                // bounds of the dynamic bodies' centres, grown by their smallest reach
};

// Looks at the middle of the dynamic bodies from the front, above and aside, far enough to have nearly all of them in the picture; a few that
// have flown off do not count.
Camera frameBodies(const Scene& scene, const std::vector<BodyState>& states, double aspect);

// A PNG. The states must be those of the scene's bodies, in their order. Throws InvalidInput if the file cannot be written.
void writePicture(const World& world, const Scene& scene, const std::string& path, const PictureSettings& settings = {});

}  // namespace cairn
