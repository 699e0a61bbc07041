#include "src/render/walls.hpp"

#include "src/render/framing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr double kWallsAbove = 0.15;  // of the bodies' height
constexpr double kHides = 0.1;        // of the dynamic bodies: then a fixed body is a wall
constexpr size_t kMostLooks = 2000;
constexpr int kMostWalls = 16;    // that a ray goes through, one after another
constexpr double kUpright = 0.5;  // cosine of a standing wall's normal with the vertical, at most

// The distance at which a ray that is within the box leaves it.
double wayOut(const Posed& box, Vec3d half, const Ray& ray) {
  const Vec3d origin = inverseTransform(box, ray.origin), direction = inverseRotate(box.q, ray.direction);
  double far = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double o = component(origin, axis), d = component(direction, axis), h = component(half, axis);
    if (d != 0) far = std::min(far, std::max((h - o) / d, (-h - o) / d));
  }
  return far;
}

}  // namespace

// Walls are what hides many bodies from the camera, and what would hide them from opposite.
Walls::Walls(const World& world, const Scene& scene, const Camera& camera)
    : world_(world), scene_(scene), camera_(camera), vertical_(verticalOf(scene)), states_(world.states()), wall_(scene.bodies.size(), false) {
  const std::vector<BodyBall> balls = ballsOfDynamicBodies(scene, states_);
  const double nearest = -reachAlong(balls, -1.0 * camera.forward), furthest = reachAlong(balls, camera.forward);
  middle_ = 0.5 * (nearest + furthest) - dot(camera.eye, camera.forward);
  const double top = reachAlong(balls, vertical_), bottom = -reachAlong(balls, -1.0 * vertical_);
  top_ = top + kWallsAbove * (top - bottom);
  const std::vector<bool> front = hiding(camera.eye);
  if (std::find(front.begin(), front.end(), true) == front.end()) return;
  const Vec3d level = camera.forward - dot(camera.forward, vertical_) * vertical_;
  const std::vector<bool> back = hiding(camera.eye + (2 * middle_) * level);
  for (size_t i = 0; i < wall_.size(); ++i) wall_[i] = front[i] || back[i];
}

std::vector<bool> Walls::hiding(Vec3d eye) const {
  std::vector<Ray> rays;
  std::vector<size_t> targets;
  for (size_t i = 0; i < scene_.bodies.size() && i < states_.size(); ++i) {
    if (scene_.bodies[i].type == BodyType::Dynamic && length(states_[i].pose.p - eye) > 0) targets.push_back(i);
  }
  const size_t stride = targets.size() / kMostLooks + 1;
  for (size_t k = 0; k < targets.size(); k += stride) {
    Ray ray;
    ray.origin = eye;
    ray.direction = states_[targets[k]].pose.p - eye;
    ray.maxDistance = length(ray.direction);
    rays.push_back(ray);
  }
  std::vector<size_t> hidden(scene_.bodies.size(), 0);
  for (const RayHit& hit : world_.castRays(rays)) {
    if (isFixed(hit)) ++hidden[static_cast<size_t>(hit.body.index)];
  }
  std::vector<bool> hides(hidden.size());
  for (size_t i = 0; i < hidden.size(); ++i) hides[i] = static_cast<double>(hidden[i]) > kHides * static_cast<double>(rays.size());
  return hides;
}

bool Walls::isFixed(const RayHit& hit) const {
  const auto index = static_cast<size_t>(hit.body.index);
  return hit.body.index >= 0 && index < scene_.bodies.size() && scene_.bodies[index].type != BodyType::Dynamic;
}

// Only boxes are seen through. Walls that stand are cut off above the bodies; of one behind them the cut is shown.
std::optional<Walls::Passage> Walls::through(const Ray& ray, RayHit& hit) const {
  if (!isFixed(hit) || !wall_[static_cast<size_t>(hit.body.index)]) return std::nullopt;
  const BodyDef& body = scene_.bodies[static_cast<size_t>(hit.body.index)];
  const ShapeDef& shape = body.shapes[static_cast<size_t>(hit.shape)];
  if (shape.type != ShapeType::Box) return std::nullopt;
  const Posed& pose = states_[static_cast<size_t>(hit.body.index)].pose;
  const Posed box{transform(pose, shape.localPose.p), normalized(pose.q * shape.localPose.q)};
  const Vec3d point = ray.origin + hit.distance * ray.direction;
  const bool inFront = dot(point - camera_.eye, camera_.forward) < middle_;
  const double out = wayOut(box, shape.halfExtents, ray), above = dot(point, vertical_) - top_;
  if (above > 0 && body.type == BodyType::Static) {
    const double fall = -dot(ray.direction, vertical_), toCut = fall > 0 ? hit.distance + above / fall : out;
    if (toCut >= out) return Passage{out, false};
    if (inFront) return Passage{out, true};
    hit.distance = toCut;
    hit.normal = vertical_;
    return std::nullopt;
  }
  const bool within = hit.distance == 0;  // where walls meet, a ray goes from one into the other
  const bool floor = !within && body.type == BodyType::Static && std::abs(dot(hit.normal, vertical_)) > kUpright;
  if (!inFront || floor) return std::nullopt;
  return Passage{out, true};
}

std::vector<SeenThrough> Walls::lookThrough(const std::vector<Ray>& rays) const {
  std::vector<SeenThrough> seen(rays.size());
  std::vector<Ray> going = rays;
  std::vector<size_t> owners(rays.size());
  std::vector<double> gone(rays.size(), 0);
  for (size_t i = 0; i < owners.size(); ++i) owners[i] = i;
  for (int walls = 0; walls <= kMostWalls && !going.empty(); ++walls) {
    std::vector<RayHit> hits = world_.castRays(going);
    size_t left = 0;
    for (size_t k = 0; k < going.size(); ++k) {
      const size_t owner = owners[k];
      Ray ray = going[k];
      const std::optional<Passage> passage = through(ray, hits[k]);
      hits[k].distance += gone[owner];
      seen[owner].hit = hits[k];
      if (!passage) continue;
      seen[owner].glass = seen[owner].glass || passage->glass;
      const double step = passage->distance + 1e-6 * (1 + gone[owner] + passage->distance);
      ray.origin += step * ray.direction;
      gone[owner] += step;
      going[left] = ray;
      owners[left++] = owner;
    }
    going.resize(left);
    owners.resize(left);
  }
  return seen;
}

}  // namespace cairn::v0
