#include "src/joints/joint_state.hpp"

#include "kernels/joints/joint_math.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

// The ranges of a joint's degrees of freedom, limits included.
joint::Freedom<double> freedomOf(const JointDef& def) {
  if (def.type == JointType::Distance) return joint::distanceJoint(joint::Range<double>{def.minDistance, def.maxDistance});
  joint::Freedom<double> freedom = joint::rigidJoint<double>();
  const std::array<bool, 6> free = freeAxes(def);
  for (size_t k = 0; k < 6; ++k) {
    if (!free[k]) continue;
    joint::Range<double>& range = k < 3 ? freedom.linear[k] : freedom.angular[k - 3];
    range = def.axes[k].limits ? joint::Range<double>{(*def.axes[k].limits)[0], (*def.axes[k].limits)[1]} : joint::freeRange<double>();
  }
  return freedom;
}

double angleOf(Quat<double> q) { return 2 * std::atan2(std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z), std::abs(q.w)); }

// The angular error of a joint with two free rotations: its two axes are off their right angle, or an angle is beyond its limits; the larger counts.
double crossedError(const JointDef& def, int lockedAngular, Quat<double> q, Vec3d angles) {
  const joint::Crossing<double> pair = joint::crossingOf(lockedAngular, rotationMatrix(identityQuat<double>()), rotationMatrix(q));
  double worst = std::abs(std::asin(std::clamp(dot(pair.onA, pair.onB), -1.0, 1.0)));
  for (int k = 0; k < 3; ++k) {
    const std::optional<std::array<double, 2>>& limits = def.axes[static_cast<size_t>(k) + 3].limits;
    if (limits) worst = std::max({worst, (*limits)[0] - component(angles, k), component(angles, k) - (*limits)[1]});
  }
  return worst;
}

// The state that the joint's projection leads to.
joint::State<double> allowedState(const JointDef& def, const joint::State<double>& state) {
  if (def.type != JointType::BlackBox) return joint::project(freedomOf(def), state);
  const JointPose pose = allowedPose(def, {state.x, state.q});
  return {pose.offset, normalized(pose.rotation)};
}

void measure(const JointDef& def, const joint::State<double>& state, JointState& out) {
  const int lockedAngular = lockedAxes(def).angular;
  const Vec3d angles = joint::coordinateAngles(lockedAngular, state.q);
  const joint::State<double> allowed = allowedState(def, state);
  out.coordinates = {state.x.x, state.x.y, state.x.z, angles.x, angles.y, angles.z};
  out.error = length(state.x - allowed.x);
  out.angularError = angleOf(conjugate(allowed.q) * state.q);
  if (def.type == JointType::Distance) {
    out.coordinates = {length(state.x), 0, 0, 0, 0, 0};
    out.angularError = 0;
  } else if (joint::countBits(lockedAngular) == 1 && def.type != JointType::BlackBox) {
    out.angularError = crossedError(def, lockedAngular, state.q, angles);
  }
}

struct BodyPoses {
  BodyPose<double> a, b;
};

template <class T> JointState stateOf(const Joint& joint, const State<T>& bodies, const BodyPoses& poses, const JointMemory<T>& memory, double dt) {
  JointState out{};
  out.type = joint.def.type;
  out.bodyA = joint.bodyA;
  out.bodyB = joint.bodyB;
  out.broken = joint.broken;
  if (joint.def.type == JointType::Gear) {
    out.coordinates[0] = double(memory.phase);
    out.angularError = std::abs(double(memory.phase));
  } else {
    JointRecord<double> record{};
    record.frameA = frameFromCentre<double>(joint.def.frameA, bodies.centreOf(joint.bodyA.index));
    record.frameB = frameFromCentre<double>(joint.def.frameB, bodies.centreOf(joint.bodyB.index));
    measure(joint.def, joint::stateOf(joint::framesOf(record, poses.a, poses.b)), out);
  }
  if (joint.broken) return out;
  out.force = (1 / dt) * convert<double>(memory.reaction.linear);
  out.torque = (1 / dt) * convert<double>(memory.reaction.angular);
  return out;
}

}  // namespace

template <class T> JointState jointState(const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies, JointId id, double dt) {
  const int slot = joints.slotOf(id);
  const Joint& joint = joints[slot];
  const auto poseOf = [&](BodyId body) {
    const Posed pose = bodies.read(body.index).pose;
    return BodyPose<double>{pose.p + rotate(pose.q, bodies.centreOf(body.index)), 0, pose.q};
  };
  return stateOf(joint, bodies, BodyPoses{poseOf(joint.bodyA), poseOf(joint.bodyB)}, rows.memoryOf(joints, slot), dt);
}

template <class T>
std::vector<JointState> jointStates(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies, double dt) {
  std::vector<JointState> out;
  if (joints.count() == 0) return out;
  const std::vector<BodyPose<T>> poses = bodies.poses.download(queue);
  const std::vector<JointMemory<T>> memories = rows.memories(joints);
  const auto poseOf = [&](BodyId body) {
    const BodyPose<T>& pose = poses[static_cast<size_t>(body.index)];
    return BodyPose<double>{convert<double>(pose.x), 0, convert<double>(pose.q)};
  };
  for (int slot = 0; slot < joints.slotCount(); ++slot) {
    if (!joints.alive(slot)) continue;
    const Joint& joint = joints[slot];
    out.push_back(stateOf(joint, bodies, BodyPoses{poseOf(joint.bodyA), poseOf(joint.bodyB)}, memories[static_cast<size_t>(slot)], dt));
  }
  return out;
}

template <class T> JointErrors jointErrors(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies) {
  JointErrors worst;
  for (const JointState& state : jointStates(queue, joints, rows, bodies, 1)) {
    if (state.broken) continue;
    worst.linear = std::max(worst.linear, state.error);
    worst.angular = std::max(worst.angular, state.angularError);
  }
  return worst;
}

#define CAIRN_INSTANTIATE(T)                                                                                           \
  template JointState jointState(const JointSet&, const JointRows<T>&, const State<T>&, JointId, double);              \
  template std::vector<JointState> jointStates(Queue&, const JointSet&, const JointRows<T>&, const State<T>&, double); \
  template JointErrors jointErrors(Queue&, const JointSet&, const JointRows<T>&, const State<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
