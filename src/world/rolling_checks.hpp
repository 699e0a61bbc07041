// Which solvers have rows for torsional and rolling friction.
#pragma once

#include <cairn/error.hpp>
#include <cairn/scene.hpp>
#include <cairn/settings.hpp>

namespace cairn::v0 {

// Lemke's problem has none, and conjugate directions are those of the points' rows alone.
constexpr bool resistsRolling(Solver solver) { return solver == Solver::Pgs || solver == Solver::Jacobi; }

inline void requireRollingSolver(const Material& material, const WorldSettings& settings) {
  if ((material.torsionalFriction > 0 || material.rollingFriction > 0) && !resistsRolling(settings.solver)) {
    throw InvalidInput("settings.solver", "must be pgs or jacobi where materials have torsional or rolling friction");
  }
}
inline void requireRollingSolver(const std::vector<BodyDef>& bodies, const WorldSettings& settings) {
  for (const BodyDef& body : bodies) {
    for (const ShapeDef& shape : body.shapes) requireRollingSolver(shape.material, settings);
  }
}

}  // namespace cairn::v0
