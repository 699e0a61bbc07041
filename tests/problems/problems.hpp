// Contact problems that tests begin with.
#pragma once

#include "tests/support/scenes.hpp"

#include <cairn/contact_problem.hpp>
#include <cairn/world.hpp>

#include <string>

namespace cairn::test {

// Boxes on each other: redundant contacts, as a World makes them.
inline ContactProblem towerProblem(int height) {
  World world(loadScene("tower:height=" + std::to_string(height)), onCpu(Precision::Double));
  world.step(5);
  return world.contactProblem();
}

// One point mass on a plane: W = 1/m, q as given.
inline ContactProblem pointProblem(Vec3d q, double mu, double mass = 2) {
  ContactProblem problem;
  problem.friction = {mu};
  problem.q = {q.x, q.y, q.z};
  problem.W.blockRows = 1;
  problem.W.rowStart = {0, 1};
  problem.W.column = {0};
  problem.W.values = {1 / mass, 0, 0, 0, 1 / mass, 0, 0, 0, 1 / mass};
  return problem;
}

}  // namespace cairn::test
