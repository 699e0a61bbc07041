#include "src/joints/joint_errors.hpp"

namespace cairn::v0 {
namespace {

JointGaugeKind kindOf(JointType type) {
  switch (type) {
    case JointType::Distance:
      return kGaugeDistance;
    case JointType::Gear:
      return kGaugeGear;
    case JointType::BlackBox:
      return kGaugeBlackBox;
    default:
      return kGaugeAxes;
  }
}

}  // namespace

JointGauge jointGauge(const JointDef& def, int bodyA, int bodyB, Vec3d centreA, Vec3d centreB) {
  JointGauge gauge{};
  gauge.frameA = frameFromCentre<double>(def.frameA, centreA);
  gauge.frameB = frameFromCentre<double>(def.frameB, centreB);
  gauge.bodyA = bodyA;
  gauge.bodyB = bodyB;
  gauge.lockedAngular = lockedAxes(def).angular;
  gauge.kind = kindOf(def.type);
  gauge.phase = -1;
  const bool byAxes = gauge.kind == kGaugeAxes;
  const std::array<bool, 6> free = freeAxes(def);
  for (size_t k = 0; k < 6; ++k) {
    joint::Range<double>& range = k < 3 ? gauge.linear[k] : gauge.angular[k - 3];
    range = byAxes && !free[k] ? joint::lockedRange<double>() : joint::freeRange<double>();
    if (byAxes && free[k] && def.axes[k].limits) range = {(*def.axes[k].limits)[0], (*def.axes[k].limits)[1]};
  }
  if (gauge.kind == kGaugeDistance) gauge.linear[0] = {def.minDistance, def.maxDistance};
  return gauge;
}

template <class T> void JointErrorGauges<T>::update(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies) {
  if (current(joints, rows)) return;
  source_ = {};  // whatever fails below, they are made anew
  std::vector<JointGauge> gauges;
  std::vector<BlackBox> boxes;
  for (int slot = 0; slot < joints.slotCount(); ++slot) {
    const Joint& joint = joints[slot];
    if (!joints.alive(slot) || joint.broken) continue;
    const int a = joint.bodyA.index, b = joint.bodyB.index;
    if (joint.def.type == JointType::BlackBox) {
      boxes.push_back({static_cast<int>(gauges.size()), joint.def.projectionFunctor, &joint.def.projection});
    }
    gauges.push_back(jointGauge(joint.def, a, b, bodies.centreOf(a), bodies.centreOf(b)));
    gauges.back().slot = slot;
    if (joint.def.type == JointType::Gear) gauges.back().phase = rows.phaseOf(joints, slot);
  }
  boxes_.build(queue, boxes, gauges.size());
  offsets_.resize(queue, gauges.size());
  turns_.resize(queue, gauges.size());
  swings_.resize(queue, gauges.size());
  maxima_.resize(queue, 3);
  gauges_.upload(queue, gauges);
  source_ = {joints.revision(), rows.timesMade()};
}

template <class T>
void JointErrorGauges<T>::reserveCoordinates(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies) {
  update(queue, joints, rows, bodies);
  coordinates_.resize(queue, 6 * static_cast<size_t>(joints.slotCount()));
  coordinates_.fillZero(queue);
}
template <class T> void JointErrorGauges<T>::measureCoordinates(Queue& queue, const JointRows<T>& rows, const State<T>& bodies) {
  gaugeCoordinates(queue, gauges_.data(), static_cast<int>(gauges_.size()), bodies.poses.data(), rows.phases(), coordinates_.data());
}

template <class T> JointErrors JointErrorGauges<T>::measure(Queue& queue, PrimitiveScratch& scratch, const JointSet& joints, const JointRows<T>& rows,
                                                            const State<T>& bodies, double h) {
  update(queue, joints, rows, bodies);
  const int count = static_cast<int>(gauges_.size());
  if (count == 0) return {};
  const BlackBoxView<double> boxes = boxes_.view();
  gaugeTargets(queue, gauges_.data(), boxes.joints, boxes.count, bodies.poses.data(), boxes.targets);
  projectBlackBoxes(queue, boxes);
  const SwungBodies<T> swung{bodies.poses.data(), bodies.velocities.data(), bodies.constants.data(), h};
  gaugeJoints(queue, gauges_.data(), count, swung, rows.phases(), boxes.targets, {offsets_.data(), turns_.data(), swings_.data()});
  reduceMax(queue, scratch, offsets_.data(), maxima_.data(), count);
  reduceMax(queue, scratch, turns_.data(), maxima_.data() + 1, count);
  reduceMax(queue, scratch, swings_.data(), maxima_.data() + 2, count);
  const std::vector<MaxAt<double>> maxima = maxima_.download(queue);
  return {maxima[0].value, maxima[1].value, maxima[2].value};
}

template class JointErrorGauges<float>;
template class JointErrorGauges<double>;

}  // namespace cairn::v0
