// A scene in the Open Dynamics Engine: its iterative solver (dWorldQuickStep) with ODE's own defaults, without sleeping, on one thread.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <memory>
#include <vector>

namespace cairn::bench {

class OdeWorld {
 public:
  // Throws InvalidInput for what has no counterpart: ellipsoids, hulls, cones, locked axes, joints other than points.
  explicit OdeWorld(const Scene& scene);
  ~OdeWorld();
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  void step(double dt);
  int contactPoints() const;              // of the last step
  std::vector<BodyState> states() const;  // in the order of the scene's bodies

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::bench
