#include "src/render/framing.hpp"

#include <cairn/mesh.hpp>

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr double kFarFraction = 0.003;  // of the bodies that each side of the picture may lose, where there are many
constexpr size_t kMany = 50;            // bodies
constexpr double kMargin = 0.86;        // of the picture that bodies may reach into
constexpr int kViewsOfAnOrbit = 24;

double reachOf(const ShapeDef& shape) {
  const double offset = length(shape.localPose.p);
  const auto furthest = [](const std::vector<Vec3d>& points) {
    double reach = 0;
    for (const Vec3d& p : points) reach = std::max(reach, length(p));
    return reach;
  };
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
    case ShapeType::Hull:
      return offset + furthest(shape.points);
    case ShapeType::Mesh:
      return offset + (shape.triangles != nullptr ? furthest(shape.triangles->vertices) : 0);
    default:
      return offset + shape.radius;
  }
}

}  // namespace

std::vector<BodyBall> ballsOfDynamicBodies(const Scene& scene, const std::vector<BodyState>& states) {
  std::vector<BodyBall> balls;
  for (size_t i = 0; i < scene.bodies.size() && i < states.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    BodyBall ball{states[i].pose.p};
    for (const ShapeDef& shape : scene.bodies[i].shapes) {
      if (!shape.sensor) ball.radius = std::max(ball.radius, reachOf(shape));
    }
    balls.push_back(ball);
  }
  return balls;
}

double reachAlong(const std::vector<BodyBall>& balls, Vec3d direction) {
  if (balls.empty()) return dot(Vec3d{0, 2.5, 0}, direction) + 5 * length(direction);
  std::vector<double> reaches;
  reaches.reserve(balls.size());
  for (const BodyBall& ball : balls) reaches.push_back(dot(ball.centre, direction) + ball.radius * length(direction));
  const double fraction = balls.size() > kMany ? 1 - kFarFraction : 1;
  const auto at = static_cast<ptrdiff_t>(fraction * static_cast<double>(reaches.size() - 1) + 0.5);
  std::nth_element(reaches.begin(), reaches.begin() + at, reaches.end());
  return reaches[static_cast<size_t>(at)];
}

void Framing::add(const std::vector<BodyState>& states) {
  const std::vector<BodyBall> balls = ballsOfDynamicBodies(scene_, states);
  balls_.insert(balls_.end(), balls.begin(), balls.end());
}

Vec3d Framing::middle() const {
  const auto along = [&](Vec3d axis) { return 0.5 * (reachAlong(balls_, axis) - reachAlong(balls_, -axis)); };
  return {along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
}

// A plane through the eye bounds the picture on each side. All balls are within two opposite ones if the eye is at most so far forward, and then it
// is in the middle between them; the narrower pair decides.
Camera Framing::fitted(Vec3d forward, const CameraChoice& choice, double aspect) const {
  Camera camera = lookAt({0, 0, 0}, forward, choice.up.value_or(verticalOf(scene_)), choice.fov);
  const auto fit = [&](Vec3d aside, double tangent) {
    const double high = reachAlong(balls_, aside - tangent * camera.forward), low = reachAlong(balls_, -1.0 * aside - tangent * camera.forward);
    return std::pair(0.5 * (high - low), -0.5 * (high + low) / tangent);  // the eye's coordinates aside and forward
  };
  const auto [x, forwardByWidth] = fit(camera.right, kMargin * camera.tangent * aspect);
  const auto [y, forwardByHeight] = fit(camera.up, kMargin * camera.tangent);
  double back = std::min(forwardByWidth, forwardByHeight);
  if (choice.distance) back = 0.5 * (reachAlong(balls_, camera.forward) - reachAlong(balls_, -camera.forward)) - *choice.distance;
  camera.eye = x * camera.right + y * camera.up + back * camera.forward;
  return camera;
}

// The least from which all balls are in the picture whose middle is the target.
double Framing::distanceFor(const Camera& camera, Vec3d target, double aspect) const {
  double distance = 0;
  for (const auto& [aside, tangent] : {std::pair(camera.right, camera.tangent * aspect), std::pair(camera.up, camera.tangent)}) {
    for (const double side : {1.0, -1.0}) {
      const Vec3d plane = side * aside - (kMargin * tangent) * camera.forward;
      distance = std::max(distance, (reachAlong(balls_, plane) - dot(target, plane)) / (kMargin * tangent));
    }
  }
  return distance;
}

Camera Framing::camera(const CameraChoice& choice, double aspect, double time) const {
  const Vec3d up = verticalOf(scene_);
  if (choice.eye) return lookAt(*choice.eye, choice.target.value_or(middle()), choice.up.value_or(up), choice.fov);
  const auto forwardAt = [&](double angle) {
    const double about = angle * (kPi / 180), above = choice.elevation * (kPi / 180);
    return rotate(turnFromY(up), Vec3d{-std::cos(above) * std::sin(about), -std::sin(above), -std::cos(above) * std::cos(about)});
  };
  if (choice.period == 0 && !choice.target) return fitted(forwardAt(choice.angle), choice, aspect);
  const Vec3d target = choice.target.value_or(middle());
  const auto seenFrom = [&](double angle, double distance) {
    const Vec3d forward = forwardAt(angle);
    return lookAt(target - distance * forward, target, choice.up.value_or(up), choice.fov);
  };
  double distance = choice.distance.value_or(0);
  if (!choice.distance) {
    // An orbit keeps its distance, from which everything is in the picture wherever it is.
    const int views = choice.period > 0 ? kViewsOfAnOrbit : 1;
    for (int k = 0; k < views; ++k) {
      const Camera view = seenFrom(choice.angle + 360.0 * k / views, 1);
      distance = std::max(distance, distanceFor(view, target, aspect));
    }
  }
  const double turns = choice.period > 0 ? time / choice.period : 0;
  return seenFrom(choice.angle + 360 * (turns - std::floor(turns)), distance);
}

Camera frameBodies(const Scene& scene, const std::vector<BodyState>& states, double aspect, const CameraChoice& choice) {
  Framing framing(scene);
  framing.add(states);
  return framing.camera(choice, aspect);
}

}  // namespace cairn::v0
