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
  Graph,   // the last colour of the contact graph in which one of its constraints is
};

struct Colouring {
  ColourBy by = ColourBy::Body;
  std::optional<double> full;  // speed or force from which on the ramp is at its end, > 0; none: fullScale of the picture or film
  bool hasScale() const { return by == ColourBy::Speed || by == ColourBy::Force; }
};

// "body", "speed", "speed=5" [m/s], "force", "force=1000" [N], "island", "asleep", "graph". Throws InvalidInput, whose place is given.
Colouring parseColouring(const std::string& place, const std::string& text);

// What bodies' colours are chosen by, at one moment: one of the lists has a number for each body, the other is empty; of ColourBy::Body both are.
struct BodyNumbers {
  std::vector<double> amounts;  // speed [m/s], force [N]
  std::vector<int> kinds;       // the island's number, the graph's colour, both -1 for none; asleep: 1
};

// What a moment has to tell for it. Bodies are positions in the scene.
struct BodyTouch {
  int bodyA, bodyB;
  double force;  // [N]
};
struct BodyMoment {
  std::vector<BodyState> states;
  std::vector<BodyTouch> touches;  // for forces and islands
  std::vector<bool> broken;        // by joint, for islands
  std::vector<unsigned char> asleep;
};
// Of all but the graph.
BodyNumbers numbersOf(const BodyMoment& moment, const Scene& scene, ColourBy by);
// The World's bodies are the scene's.
BodyNumbers numbersOf(const World& world, const Scene& scene, ColourBy by);

// Where the ramp ends, so that all but the most extreme dynamic bodies are on it: 1, 2 or 5 times a power of ten; 0 where all amounts are.
double fullScale(const BodyNumbers& numbers, const Scene& scene);

// Linear colours by body.
std::vector<Vec3<float>> coloursOf(const BodyNumbers& numbers, const Scene& scene, const Colouring& colouring);

// From dark blue over green to red, 0 to 1, linear.
Vec3<float> rampColour(double value);

}  // namespace cairn::v0
