// What colour bodies have.
#pragma once

#include <cairn/world.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cairn::v0 {

enum class ColourBy {
  Body,    // one of a few colours each
  Speed,   // of its centre of mass [m/s]
  Force,   // the sum of its contacts' forces, whichever way they push [N]
  Island,  // bodies that contacts and joints connect have one colour
  Asleep,  // whether it sleeps
};

struct Colouring {
  ColourBy by = ColourBy::Body;
  std::optional<double> full;  // speed or force from which on the ramp is at its end, > 0; none: that of the bodies in the picture, rounded up
};

// "body", "speed", "speed=5" [m/s], "force", "force=1000" [N], "island", "asleep". Throws InvalidInput, whose place is given.
Colouring parseColouring(const std::string& place, const std::string& text);

// Linear colours by body. The World's bodies are the scene's.
std::vector<Vec3<float>> coloursOf(const World& world, const Scene& scene, const Colouring& colouring);

// From dark blue over green to red, 0 to 1, linear.
Vec3<float> rampColour(double value);

}  // namespace cairn::v0
