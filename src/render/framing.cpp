#include "src/render/framing.hpp"

#include "src/render/body_reach.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr double kFarFraction = 0.005;  // of the bodies that each side of the picture may lose, where there are many
constexpr double kFar = 0.4;            // beyond the others, of their own reach from the middle: so far are those
constexpr size_t kMany = 50;            // bodies
constexpr double kMargin = 0.86;        // of the picture that bodies may reach into
constexpr int kViewsOfAnOrbit = 24;
constexpr double kLongRow = 0.2;  // of its width, that a row is high in the picture at most: it is seen from nearer its end

Vec3d forwardFrom(Vec3d up, double angle, double elevation) {
  const double about = angle * (kPi / 180), above = elevation * (kPi / 180);
  return rotate(turnFromY(up), Vec3d{-std::cos(above) * std::sin(about), -std::sin(above), -std::cos(above) * std::cos(about)});
}

// Whether it is one of few, no larger than the others and among them: what a chain hangs on.
bool isAmong(const std::vector<BodyBall>& balls, const BodyBall& one) {
  if (balls.size() > kMany || !(one.radius > 0)) return false;
  bool meets = false;
  double largest = 0;
  for (const BodyBall& ball : balls) {
    meets = meets || length(ball.centre - one.centre) < ball.radius + one.radius;
    largest = std::max(largest, ball.radius);
  }
  return meets && one.radius < 1.01 * largest;
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
  std::sort(reaches.begin(), reaches.end());
  if (balls.size() <= kMany) return reaches.back();
  // Those that lie with the others count, however few they are; those that are far from them do not.
  const auto within = static_cast<size_t>((1 - kFarFraction) * static_cast<double>(reaches.size() - 1));
  const double usual = reaches[within], far = usual + kFar * (usual - reaches[reaches.size() / 2]);
  size_t last = within;
  while (last + 1 < reaches.size() && reaches[last + 1] <= far) ++last;
  return reaches[last];
}

void Framing::add(const std::vector<BodyState>& states) {
  const std::vector<BodyBall> balls = ballsOfDynamicBodies(scene_, states);
  // Corners are tighter than balls, where there are few bodies.
  const auto addCorners = [&](size_t i, std::vector<BodyBall>& into) {
    for (const ShapeDef& shape : scene_.bodies[i].shapes) {
      if (shape.sensor) continue;
      const Posed& body = states[i].pose;
      const Posed pose{transform(body, shape.localPose.p), normalized(body.q * shape.localPose.q)};
      const bool isBox = shape.type == ShapeType::Box;
      for (int k = 0; k < (isBox ? 8 : 1); ++k) {
        const Vec3d h = isBox ? shape.halfExtents : Vec3d{0, 0, 0};
        const Vec3d corner{(k & 1) != 0 ? h.x : -h.x, (k & 2) != 0 ? h.y : -h.y, (k & 4) != 0 ? h.z : -h.z};
        into.push_back({transform(pose, corner), isBox ? 0 : ownReachOf(shape)});
      }
    }
  };
  if (balls.size() > kMany) {
    balls_.insert(balls_.end(), balls.begin(), balls.end());
  } else {
    for (size_t i = 0; i < scene_.bodies.size() && i < states.size(); ++i) {
      if (scene_.bodies[i].type == BodyType::Dynamic) addCorners(i, balls_);
    }
  }
  if (balls.empty()) return;
  double size = 0;
  for (const BodyBall& ball : balls) size = std::max(size, length(ball.centre - balls[0].centre) + ball.radius);
  std::vector<bool> joined(scene_.bodies.size(), false);
  for (const JointDef& joint : scene_.joints) {
    for (const int body : {joint.bodyA, joint.bodyB}) joined[static_cast<size_t>(body)] = true;
  }
  for (size_t i = 0; i < scene_.bodies.size() && i < states.size(); ++i) {
    const BodyDef& body = scene_.bodies[i];
    if (body.type == BodyType::Dynamic || !(joined[i] || isAmong(balls, {states[i].pose.p, reachOf(body)}))) continue;
    const auto small = [&](const ShapeDef& shape) { return shape.type != ShapeType::HalfSpace && reachOf(shape) < size; };
    if (std::all_of(body.shapes.begin(), body.shapes.end(), small)) addCorners(i, held_);
  }
}

double Framing::reach(Vec3d direction) const {
  double most = reachAlong(balls_, direction);
  for (const BodyBall& ball : held_) most = std::max(most, dot(ball.centre, direction) + ball.radius * length(direction));
  return most;
}

Vec3d Framing::middle() const {
  const auto along = [&](Vec3d axis) { return 0.5 * (reach(axis) - reach(-axis)); };
  return {along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
}

// A plane through the eye bounds the picture on each side. All balls are within two opposite ones if the eye is at most so far forward, and then it
// is in the middle between them; the narrower pair decides.
Camera Framing::fitted(Vec3d forward, const CameraChoice& choice, double aspect) const {
  Camera camera = lookAt({0, 0, 0}, forward, choice.up.value_or(verticalOf(scene_)), choice.fov);
  const auto fit = [&](Vec3d aside, double tangent) {
    const double high = reach(aside - tangent * camera.forward), low = reach(-1.0 * aside - tangent * camera.forward);
    return std::pair(0.5 * (high - low), -0.5 * (high + low) / tangent);  // the eye's coordinates aside and forward
  };
  const auto [x, forwardByWidth] = fit(camera.right, kMargin * camera.tangent * aspect);
  const auto [y, forwardByHeight] = fit(camera.up, kMargin * camera.tangent);
  double back = std::min(forwardByWidth, forwardByHeight);
  if (choice.distance) back = 0.5 * (reach(camera.forward) - reach(-camera.forward)) - *choice.distance;
  camera.eye = x * camera.right + y * camera.up + back * camera.forward;
  return camera;
}

// The least from which all balls are in the picture whose middle is the target.
double Framing::distanceFor(const Camera& camera, Vec3d target, double aspect) const {
  double distance = 0;
  for (const auto& [aside, tangent] : {std::pair(camera.right, camera.tangent * aspect), std::pair(camera.up, camera.tangent)}) {
    for (const double side : {1.0, -1.0}) {
      const Vec3d plane = side * aside - (kMargin * tangent) * camera.forward;
      distance = std::max(distance, (reach(plane) - dot(target, plane)) / (kMargin * tangent));
    }
  }
  return distance;
}

// A long row is a thin line from its side: from nearer its end what is in front is large.
double Framing::bestAngle(const CameraChoice& choice, double aspect) const {
  const auto view = [&](double angle) { return fitted(forwardFrom(verticalOf(scene_), angle, choice.elevation), choice, aspect); };
  const Camera usual = view(kAngle);
  const auto extent = [&](Vec3d axis) { return reach(axis) + reach(-axis); };
  if (balls_.empty() || extent(usual.up) > kLongRow * extent(usual.right)) return kAngle;
  double best = kAngle, most = 0;
  for (const double angle : {kAngle, 50.0, 66.0, -kAngle, -50.0, -66.0, 0.0}) {
    const Camera camera = view(angle);
    double area = 0;
    for (const BodyBall& ball : balls_) {
      const double depth = dot(ball.centre - camera.eye, camera.forward);
      if (depth > 0) area += 1 / (depth * depth);
    }
    if (area > 1.1 * most) {
      most = area;
      best = angle;
    }
  }
  return best;
}

Camera Framing::camera(const CameraChoice& choice, double aspect, double time) const {
  const Vec3d up = verticalOf(scene_);
  if (choice.eye) return lookAt(*choice.eye, choice.target.value_or(middle()), choice.up.value_or(up), choice.fov);
  const auto forwardAt = [&](double from) { return forwardFrom(up, from, choice.elevation); };
  if (choice.period == 0 && !choice.target) return fitted(forwardAt(choice.angle.value_or(bestAngle(choice, aspect))), choice, aspect);
  const double angle = choice.angle.value_or(kAngle);
  const Vec3d target = choice.target.value_or(middle());
  const auto seenFrom = [&](double from, double distance) {
    const Vec3d forward = forwardAt(from);
    return lookAt(target - distance * forward, target, choice.up.value_or(up), choice.fov);
  };
  double distance = choice.distance.value_or(0);
  if (!choice.distance) {
    // An orbit keeps its distance, from which everything is in the picture wherever it is.
    const int views = choice.period > 0 ? kViewsOfAnOrbit : 1;
    for (int k = 0; k < views; ++k) {
      const Camera view = seenFrom(angle + 360.0 * k / views, 1);
      distance = std::max(distance, distanceFor(view, target, aspect));
    }
  }
  const double turns = choice.period > 0 ? time / choice.period : 0;
  return seenFrom(angle + 360 * (turns - std::floor(turns)), distance);
}

Camera frameBodies(const Scene& scene, const std::vector<BodyState>& states, double aspect, const CameraChoice& choice) {
  Framing framing(scene);
  framing.add(states);
  return framing.camera(choice, aspect);
}

}  // namespace cairn::v0
