#include "bench/top_bodies.hpp"

#include <algorithm>

namespace cairn::bench {

TopBodies topBodies(const Scene& scene, const std::vector<BodyState>& states) {
  double top = 0;
  for (const BodyDef& body : scene.bodies)
    if (body.type == BodyType::Dynamic) top = std::max(top, body.pose.p.y);
  TopBodies bodies;
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic || scene.bodies[i].pose.p.y <= top - 1e-6) continue;
    const double ratio = states[i].pose.p.y / top;
    ++bodies.count;
    if (ratio >= 0.97) ++bodies.standing;
    bodies.ratio = std::min(bodies.ratio, ratio);
  }
  return bodies;
}

}  // namespace cairn::bench
