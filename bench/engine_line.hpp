// The program of one engine, as bench/compare calls it: PROGRAM SCENE THREADS [STEPS] runs a scene of the library to the end of its window of timed
// steps and prints one line of JSON (docs/report.md). Quality is measured from the poses, the same way for all.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <functional>
#include <vector>

namespace cairn::bench {

struct Engine {
  int threads = 1;  // that it uses
  std::function<void()> step;
  std::function<int()> contactPoints;
  std::function<std::vector<BodyState>()> states;  // in the order of the scene's bodies
};
using MakeEngine = std::function<Engine(const Scene&, int threads)>;

constexpr double kEngineStep = 1.0 / 60;  // [s]

// What main does and returns: 0; 2 for bad input, or a scene that the engine cannot have.
int engineProgram(const char* name, int argc, char** argv, const MakeEngine& make);

}  // namespace cairn::bench
