// A scene in Bullet: sequential impulses with Bullet's own defaults, without sleeping, on one thread.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <memory>
#include <vector>

namespace cairn::bench {

class BulletWorld {
 public:
  // Throws InvalidInput for what has no counterpart: a dynamic body whose axes are not principal ones, locked axes, joints
  // other than points.
  explicit BulletWorld(const Scene& scene);
  ~BulletWorld();
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  void step(double dt);
  int contactPoints() const;
  std::vector<BodyState> states() const;  // in the order of the scene's bodies

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::bench
