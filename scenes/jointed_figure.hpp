// Bodies on joints with limits, placed as they stand: skeletons and people.
#pragma once

#include "scenes/scene_library.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace cairn::v0::scenes {

// Built from places on a standing figure: x to its left, y up, z forwards, the origin between its feet. `pose` takes that to the world.
class Figure {
 public:
  struct Range {
    double low, high;  // [degrees]
  };

  Figure(Scene& scene, std::string name, Posed pose) : scene_(scene), name_(std::move(name)), pose_(pose) {}

  int bone(const char* name, Vec3d origin, std::vector<ShapeDef> shapes) {
    BodyDef body;
    body.name = fmt::format("{}-{}", name_, name);
    body.pose = {transform(pose_, origin), pose_.q};
    for (ShapeDef& shape : shapes) shape.localPose.p = shape.localPose.p - origin;
    body.shapes = std::move(shapes);
    return scene_.add(std::move(body));
  }

  // Rotations about x bend (positive: the upper bone goes forwards, the lower one backwards), those about y twist, those about z go sideways. The
  // reference is good until the next joint.
  JointDef& joint(JointType type, int a, int b, Vec3d place, Range bend, Range twist = {0, 0}, Range sideways = {0, 0}) {
    JointDef& joint = addJoint(scene_, type, a, b, {transform(pose_, place), pose_.q});
    const auto limit = [&](int axis, Range range) { joint.axes[size_t(axis)].limits = {{range.low * (kPi / 180), range.high * (kPi / 180)}}; };
    limit(3, bend);
    if (type != JointType::Hinge) limit(4, twist);
    if (type == JointType::Point) limit(5, sideways);
    return joint;
  }

 private:
  Scene& scene_;
  std::string name_;
  Posed pose_;
};

}  // namespace cairn::v0::scenes
