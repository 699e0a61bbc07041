// Shots at a plate: a body of some shape that flies at it, and what comes of it.
#pragma once

#include "tests/support/flat_meshes.hpp"
#include "tests/support/height_fields.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace cairn::test {

enum class Missile { Sphere, Cube, Capsule, Rod, Ellipsoid, Slab, Dumbbell, Hull, Cylinder, Coin, Cone, Angle };
constexpr Missile kMissiles[] = {Missile::Sphere,   Missile::Cube, Missile::Capsule,  Missile::Rod,  Missile::Ellipsoid, Missile::Slab,
                                 Missile::Dumbbell, Missile::Hull, Missile::Cylinder, Missile::Coin, Missile::Cone,      Missile::Angle};

inline std::string nameOf(Missile missile) {
  const char* const names[] = {"Sphere", "Cube", "Capsule", "Rod", "Ellipsoid", "Slab", "Dumbbell", "Hull", "Cylinder", "Coin", "Cone", "Angle"};
  return names[static_cast<int>(missile)];
}

struct Shot {
  Missile missile = Missile::Sphere;
  BodyType target = BodyType::Static;
  double size = 0.1;       // of the missile where it is thinnest [m]
  double thickness = 0.1;  // of the plate [m]
  double speed = 10;       // towards each other [m/s]
  double spin = 0;         // [rad/s]
  double angle = 0;        // off the plate's normal [rad]
  double restitution = 0;
  int place = 0;  // of 50 along the way of one step
  // Instead of the plate's box: its twelve triangles; one sheet of 128 in its middle, met from above or from both sides; a level height field there.
  // The plate is not dynamic.
  enum class Plate { Box, Solid, Sheet, TwoSided, Field } plate = Plate::Box;
};

struct ShotOutcome {
  bool passed = false;
  double speedBefore = 0, speedAfter = 0;   // of the missile against the plate [m/s]
  double energyBefore = 0, mostEnergy = 0;  // of what can move, seen from a kinematic plate [J]
};

constexpr double kPlateHalfWidth = 2;  // [m]

inline std::vector<ShapeDef> shapesOf(const Shot& shot) {
  const double s = shot.size;
  switch (shot.missile) {
    case Missile::Sphere:
      return {ShapeDef::sphere(s / 2)};
    case Missile::Cube:
      return {ShapeDef::box({s / 2, s / 2, s / 2})};
    case Missile::Capsule:
      return {ShapeDef::capsule(s / 2, s / 2)};
    case Missile::Rod:
      return {ShapeDef::capsule(s / 2, 10 * s)};
    case Missile::Ellipsoid:
      return {ShapeDef::ellipsoid({s / 2, s, 0.7 * s})};
    case Missile::Slab:
      return {ShapeDef::box({s / 2, 2 * s, 3 * s})};
    case Missile::Cylinder:
      return {ShapeDef::cylinder(s / 2, s)};
    case Missile::Coin:
      return {ShapeDef::cylinder(2 * s, s / 2)};
    case Missile::Cone:
      return {ShapeDef::cone(s, 1.5 * s)};
    case Missile::Hull:
      return {ShapeDef::hull(gem(7, 12, {0.6 * s, 0.8 * s, s}))};
    case Missile::Angle:
      return {ShapeDef::solidMesh(angleMesh(3 * s, s), 0.25 * s)};
    default: {
      std::vector<ShapeDef> ends{ShapeDef::sphere(s / 2), ShapeDef::box({s / 2, s / 2, s / 2})};
      ends[0].localPose.p = {0, 2 * s, 0};
      ends[1].localPose.p = {0, -s, 0};
      return ends;
    }
  }
}

inline Scene sceneOf(const Shot& shot) {
  std::mt19937 random(static_cast<unsigned>(shot.place * 7919 + int(shot.speed) * 31 + int(shot.size * 1e4) + int(shot.thickness * 1e5) * 17 +
                                            int(shot.missile) * 101 + int(shot.target) * 1009));
  std::uniform_real_distribution<double> uniform(-1, 1);
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef plate = bodyAt({0, 0, 0}, ShapeDef::box({kPlateHalfWidth, shot.thickness / 2, kPlateHalfWidth}));
  if (shot.plate == Shot::Plate::Solid) plate.shapes = {ShapeDef::mesh(boxMesh({kPlateHalfWidth, shot.thickness / 2, kPlateHalfWidth}))};
  if (shot.plate == Shot::Plate::Sheet || shot.plate == Shot::Plate::TwoSided) {
    plate.shapes = {ShapeDef::mesh(flatPatch(2 * kPlateHalfWidth, 8), shot.plate == Shot::Plate::TwoSided)};
  }
  if (shot.plate == Shot::Plate::Field)
    plate.shapes = {ShapeDef::heightField(fieldOf(9, 9, {kPlateHalfWidth / 4, kPlateHalfWidth / 4}, [](double, double) { return 0.0; }))};
  plate.type = shot.target;
  // Most of the speed is a kinematic plate's.
  const double plateSpeed = shot.target == BodyType::Kinematic ? 0.7 * shot.speed : 0, ownSpeed = shot.speed - plateSpeed;
  plate.linearVelocity = {0, plateSpeed, 0};

  BodyDef missile;
  missile.shapes = shapesOf(shot);
  const double reach = shot.missile == Missile::Rod ? 10.6 * shot.size : 3.8 * shot.size;
  const double perStep = shot.speed * std::cos(shot.angle) / 60;
  const double height = shot.thickness / 2 + reach + 1e-3 + (shot.place + 0.37) / 50 * perStep;
  missile.pose.p = {-std::tan(shot.angle) * height * ownSpeed / shot.speed + 0.1 * uniform(random), height, 0.1 * uniform(random)};
  const Quatd turned{uniform(random), uniform(random), uniform(random), uniform(random)};
  if (shot.place % 3 != 0) missile.pose.q = normalized(turned);
  missile.linearVelocity = {ownSpeed * std::sin(shot.angle), -ownSpeed * std::cos(shot.angle), 0};
  const Vec3d axis{uniform(random), uniform(random), uniform(random)};
  missile.angularVelocity = shot.place % 5 == 0 ? Vec3d{0, 0, shot.spin} : (shot.spin / length(axis)) * axis;
  scene.bodies = {plate, missile};
  for (BodyDef& body : scene.bodies) {
    for (ShapeDef& shape : body.shapes) shape.material.restitution = shot.restitution;
  }
  return scene;
}

// Whether the missile's centre goes through the plate on its way from one step to the next, both moving evenly.
inline bool goesThrough(const Posed& plateFrom, const Posed& plateTo, Vec3d from, Vec3d to) {
  constexpr int kParts = 32;
  const Quatd dq = plateTo.q * conjugate(plateFrom.q);
  const double sign = dq.w < 0 ? -1 : 1, sine = std::sqrt(dq.x * dq.x + dq.y * dq.y + dq.z * dq.z);
  const double perSine = sine > 1e-12 ? 2 * std::atan2(sine, sign * dq.w) / sine : 2;
  const Vec3d turn = (sign * perSine) * Vec3d{dq.x, dq.y, dq.z};
  Vec3d last = inverseTransform(plateFrom, from);
  for (int k = 1; k <= kParts; ++k) {
    const double t = double(k) / kParts;
    const Posed plate{plateFrom.p + t * (plateTo.p - plateFrom.p), quatFromRotationVector(t * turn) * plateFrom.q};
    const Vec3d now = inverseTransform(plate, from + t * (to - from));
    if (last.y > 0 && now.y <= 0 && std::abs(now.x) < kPlateHalfWidth && std::abs(now.z) < kPlateHalfWidth) return true;
    last = now;
  }
  return false;
}

inline ShotOutcome shoot(const Shot& shot, const WorldSettings& settings, int steps = 12) {
  const Scene scene = sceneOf(shot);
  World world(scene, settings);
  const std::vector<BodyId> ids = world.bodies();
  const Vec3d frame = shot.target == BodyType::Kinematic ? scene.bodies[0].linearVelocity : Vec3d{0, 0, 0};
  const bool plateMoves = shot.target == BodyType::Dynamic;
  const MassProperties missile = massProperties(scene.bodies[1]), plate = plateMoves ? massProperties(scene.bodies[0]) : MassProperties{};
  const auto energyOf = [&](const BodyState& body, const MassProperties& of) {
    const Vec3d v = body.linearVelocity - frame;
    const Sym3<double> inertia = rotated(rotationMatrix(body.pose.q), of.inertia);
    return 0.5 * of.mass * dot(v, v) + 0.5 * dot(body.angularVelocity, inertia * body.angularVelocity);
  };
  const auto energy = [&] { return energyOf(world.state(ids[1]), missile) + (plateMoves ? energyOf(world.state(ids[0]), plate) : 0); };
  const auto speed = [&] { return length(world.state(ids[1]).linearVelocity - world.state(ids[0]).linearVelocity); };
  ShotOutcome outcome;
  outcome.energyBefore = energy();
  outcome.speedBefore = speed();
  for (int k = 0; k < steps; ++k) {
    const Posed plateBefore = world.state(ids[0]).pose;
    const Vec3d before = transform(world.state(ids[1]).pose, missile.centre);
    world.step();
    const Vec3d after = transform(world.state(ids[1]).pose, missile.centre);
    outcome.passed = outcome.passed || goesThrough(plateBefore, world.state(ids[0]).pose, before, after);
    outcome.mostEnergy = std::max(outcome.mostEnergy, energy());
  }
  outcome.speedAfter = speed();
  return outcome;
}

}  // namespace cairn::test
