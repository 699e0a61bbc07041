// Scenes and settings on another scale: lengths, times and masses in other units, with the same gravity.
#pragma once

#include <cairn/height_field.hpp>
#include <cairn/mesh.hpp>
#include <cairn/scene.hpp>
#include <cairn/settings.hpp>

#include <cmath>
#include <memory>
#include <utility>

namespace cairn::test {

// Lengths times `length`, times by its root, so that accelerations stay, and masses by its cube, so that densities do. With a power of 4 every factor
// is a power of 2, and a scaled number has the same digits.
struct Scale {
  double length, time, mass;

  explicit Scale(double lengths) : length(lengths), time(std::sqrt(lengths)), mass(lengths * lengths * lengths) {}
  double speed() const { return length / time; }
  double force() const { return mass; }
};

inline WorldSettings scaled(WorldSettings s, const Scale& by) {
  s.dt *= by.time;
  s.slop *= by.length;
  s.maxCorrectionSpeed *= by.speed();
  s.softFrequency /= by.time;
  s.slipTolerance *= by.length;
  s.maxPositionCorrection *= by.length;
  s.envelope *= by.length;
  s.restitutionThreshold *= by.speed();
  s.maxLinearSpeed *= by.speed();
  s.maxAngularSpeed /= by.time;
  return s;
}

inline ShapeDef scaled(ShapeDef shape, const Scale& by) {
  shape.localPose.p = by.length * shape.localPose.p;
  shape.halfExtents = by.length * shape.halfExtents;
  shape.radius *= by.length;
  shape.halfHeight *= by.length;
  shape.cell *= by.length;
  shape.material.torsionalFriction *= by.length;
  shape.material.rollingFriction *= by.length;
  for (Vec3d& point : shape.points) point = by.length * point;
  if (shape.triangles) {
    TriangleMesh mesh = *shape.triangles;
    for (Vec3d& vertex : mesh.vertices) vertex = by.length * vertex;
    shape.triangles = std::make_shared<const TriangleMesh>(std::move(mesh));
  }
  if (shape.heights) {
    HeightField field = *shape.heights;
    for (double& spacing : field.spacing) spacing *= by.length;
    for (double& height : field.heights) height *= by.length;
    shape.heights = std::make_shared<const HeightField>(std::move(field));
  }
  return shape;
}

inline BodyDef scaled(BodyDef body, const Scale& by) {
  body.pose.p = by.length * body.pose.p;
  body.linearVelocity = by.speed() * body.linearVelocity;
  body.angularVelocity = (1 / by.time) * body.angularVelocity;
  for (ShapeDef& shape : body.shapes) shape = scaled(shape, by);
  if (body.mass) *body.mass *= by.mass;
  return body;
}

// `lever`: 1 for offsets, the length for turns, whose coordinates have no unit.
inline JointAxis scaled(JointAxis axis, const Scale& by, bool turns) {
  const double coordinate = turns ? 1 : by.length, force = by.force() * (turns ? by.length : 1);
  if (axis.limits) axis.limits = {{(*axis.limits)[0] * coordinate, (*axis.limits)[1] * coordinate}};
  axis.target *= axis.motor == JointMotor::Velocity ? coordinate / by.time : coordinate;
  axis.maxForce *= force;
  axis.stiffness *= force / coordinate;
  axis.damping *= force / coordinate * by.time;
  axis.rest *= coordinate;
  axis.friction *= force;
  return axis;
}

inline JointDef scaled(JointDef joint, const Scale& by) {
  joint.frameA.p = by.length * joint.frameA.p;
  joint.frameB.p = by.length * joint.frameB.p;
  for (size_t k = 0; k < joint.axes.size(); ++k) joint.axes[k] = scaled(joint.axes[k], by, k >= 3);
  joint.minDistance *= by.length;
  joint.maxDistance *= by.length;
  joint.breakImpulse *= by.force() * by.time;
  if (joint.projection) {
    joint.projection = [allowed = joint.projection, by](const JointPose& pose) {
      const JointPose answer = allowed({(1 / by.length) * pose.offset, pose.rotation});
      return JointPose{by.length * answer.offset, answer.rotation};
    };
  }
  return joint;
}

inline Scene scaled(Scene scene, const Scale& by) {
  for (BodyDef& body : scene.bodies) body = scaled(body, by);
  for (JointDef& joint : scene.joints) joint = scaled(joint, by);
  return scene;
}

}  // namespace cairn::test
