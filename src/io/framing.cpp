// Where a picture is taken from.
#include "src/io/picture.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr double kFarFraction = 0.003;  // of the bodies that each side of the picture may lose, where there are many
constexpr size_t kMany = 50;            // bodies
constexpr double kWallsAbove = 0.15;    // of the bodies' height
constexpr double kMargin = 0.8;         // of the picture that bodies may reach into

struct Ball {
  Vec3d centre;
  double radius = 0;
};

double reachOf(const ShapeDef& shape) {
  const double offset = length(shape.localPose.p);
  switch (shape.type) {
    case ShapeType::Box:
      return offset + length(shape.halfExtents);
    case ShapeType::Ellipsoid:
      return offset + std::max({shape.halfExtents.x, shape.halfExtents.y, shape.halfExtents.z});
    case ShapeType::Capsule:
      return offset + shape.radius + shape.halfHeight;
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      return offset + std::hypot(shape.radius, shape.halfHeight);
    case ShapeType::Hull: {
      double furthest = 0;
      for (const Vec3d& p : shape.points) furthest = std::max(furthest, length(p));
      return offset + furthest;
    }
    default:
      return offset + shape.radius;
  }
}

std::vector<Ball> ballsOf(const Scene& scene, const std::vector<BodyState>& states) {
  std::vector<Ball> balls;
  for (size_t i = 0; i < scene.bodies.size() && i < states.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    Ball ball{states[i].pose.p};
    for (const ShapeDef& shape : scene.bodies[i].shapes) {
      if (!shape.sensor) ball.radius = std::max(ball.radius, reachOf(shape));
    }
    balls.push_back(ball);
  }
  if (balls.empty()) balls.push_back({{0, 2.5, 0}, 5});
  return balls;
}

// How far the balls reach along a direction, but for the few that reach furthest.
double reachAlong(const std::vector<Ball>& balls, Vec3d direction) {
  std::vector<double> reaches;
  reaches.reserve(balls.size());
  for (const Ball& ball : balls) reaches.push_back(dot(ball.centre, direction) + ball.radius * length(direction));
  const double fraction = balls.size() > kMany ? 1 - kFarFraction : 1;
  const auto at = static_cast<ptrdiff_t>(fraction * static_cast<double>(reaches.size() - 1) + 0.5);
  std::nth_element(reaches.begin(), reaches.begin() + at, reaches.end());
  return reaches[static_cast<size_t>(at)];
}

// Against gravity; y where there is none.
Vec3d verticalOf(const Scene& scene) { return normalizedOr(-1.0 * scene.gravity, Vec3d{0, 1, 0}); }

}  // namespace

Quatd turnFromY(Vec3d vertical) {
  if (vertical.y < -1 + 1e-9) return {1, 0, 0, 0};
  return normalized(Quatd{vertical.z, 0, -vertical.x, 1 + vertical.y});
}

// A plane through the eye bounds the picture on each side. All balls are within two opposite ones if the eye is at most so far forward, and then it
// is in the middle between them; the narrower pair decides.
Camera frameBodies(const Scene& scene, const std::vector<BodyState>& states, double aspect) {
  Camera camera;
  camera.vertical = verticalOf(scene);
  camera.forward = normalizedOr(rotate(turnFromY(camera.vertical), Vec3d{-0.5, -0.32, -0.9}), Vec3d{0, 0, -1});
  camera.right = normalizedOr(cross(camera.forward, camera.vertical), Vec3d{1, 0, 0});
  camera.up = cross(camera.right, camera.forward);
  const std::vector<Ball> balls = ballsOf(scene, states);
  const auto fit = [&](Vec3d aside, double tangent) {
    const double high = reachAlong(balls, aside - tangent * camera.forward), low = reachAlong(balls, -1.0 * aside - tangent * camera.forward);
    return std::pair(0.5 * (high - low), -0.5 * (high + low) / tangent);  // the eye's coordinates aside and forward
  };
  const auto [x, forwardByWidth] = fit(camera.right, kMargin * camera.tangent * aspect);
  const auto [y, forwardByHeight] = fit(camera.up, kMargin * camera.tangent);
  camera.eye = x * camera.right + y * camera.up + std::min(forwardByWidth, forwardByHeight) * camera.forward;
  const double front = -reachAlong(balls, -1.0 * camera.forward), back = reachAlong(balls, camera.forward);
  camera.middle = 0.5 * (front + back) - dot(camera.eye, camera.forward);
  const double top = reachAlong(balls, camera.vertical), bottom = -reachAlong(balls, -1.0 * camera.vertical);
  camera.top = top + kWallsAbove * (top - bottom);
  return camera;
}

}  // namespace cairn::v0
