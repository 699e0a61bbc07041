#include "src/joints/joint_state.hpp"

#include "src/joints/black_boxes.hpp"
#include "src/joints/joint_errors.hpp"

#include <cmath>

namespace cairn::v0 {
namespace {

// The state that the joint leads to.
joint::State<double> allowedState(const JointDef& def, const JointGauge& gauge, const joint::State<double>& state) {
  if (def.type != JointType::BlackBox) return joint::allowedState(gauge, state);
  const JointPose pose = allowedPose(def, {state.x, state.q});
  return {pose.offset, pose.rotation};
}

void measure(const JointDef& def, const JointGauge& gauge, const joint::State<double>& state, JointState& out) {
  const joint::Errors errors = joint::errorsOf(gauge, state, allowedState(def, gauge, state));
  out.error = errors.offset;
  out.angularError = errors.turn;
  const Vec3d angles = joint::coordinateAngles(gauge.lockedAngular, state.q);
  out.coordinates = {state.x.x, state.x.y, state.x.z, angles.x, angles.y, angles.z};
  if (def.type == JointType::Distance) out.coordinates = {length(state.x), 0, 0, 0, 0, 0};
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
    const int a = joint.bodyA.index, b = joint.bodyB.index;
    const JointGauge gauge = jointGauge(joint.def, a, b, bodies.centreOf(a), bodies.centreOf(b));
    measure(joint.def, gauge, joint::stateOf(gauge, poses.a, poses.b), out);
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

#define CAIRN_INSTANTIATE(T)                                                                              \
  template JointState jointState(const JointSet&, const JointRows<T>&, const State<T>&, JointId, double); \
  template std::vector<JointState> jointStates(Queue&, const JointSet&, const JointRows<T>&, const State<T>&, double);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
