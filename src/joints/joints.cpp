#include "src/joints/joints.hpp"

#include "kernels/joints/joint_math.hpp"
#include "kernels/rows/rows.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

struct Locks {
  int linear, angular;
};

Locks locksOf(const JointDef& def) {
  switch (def.type) {
    case JointType::Distance:
    case JointType::Gear:
    case JointType::BlackBox:
      return {0, 0};
    default: {
      const std::array<bool, 6> free = freeAxes(def);
      Locks locks{0, 0};
      for (int k = 0; k < 3; ++k) {
        if (!free[static_cast<size_t>(k)]) locks.linear |= 1 << k;
        if (!free[static_cast<size_t>(k) + 3]) locks.angular |= 1 << k;
      }
      return locks;
    }
  }
}

// What the joint allows, limits too, for the distance from it.
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

// Of a joint with two free turns: how far their axes are from a right angle, or an angle from its limits.
double crossedError(const JointDef& def, int lockedAngular, Quat<double> q, Vec3d angles) {
  const joint::Crossing<double> pair = joint::crossingOf(lockedAngular, rotationMatrix(identityQuat<double>()), rotationMatrix(q));
  double worst = std::abs(std::asin(std::clamp(dot(pair.onA, pair.onB), -1.0, 1.0)));
  for (int k = 0; k < 3; ++k) {
    const std::optional<std::array<double, 2>>& limits = def.axes[static_cast<size_t>(k) + 3].limits;
    if (limits) worst = std::max({worst, (*limits)[0] - component(angles, k), component(angles, k) - (*limits)[1]});
  }
  return worst;
}

BodyPose<double> poseOf(const BodyState& body, Vec3d centre) { return {body.pose.p + rotate(body.pose.q, centre), 0, body.pose.q}; }

template <class T> Pose<T> frameFromCentre(const Posed& frame, Vec3d centre) {
  return {convert<T>(frame.p - centre), normalized(convert<T>(normalized(frame.q)))};
}

}  // namespace

// --- coming and going ----------------------------------------------------------------------------------------------

template <class T> JointId Joints<T>::add(const JointDef& def, BodyId bodyA, BodyId bodyB, const std::string& place) {
  const int a = state_.slotOf(bodyA), b = state_.slotOf(bodyB);
  if (a == b) throw InvalidInput(place, "a joint must have two bodies, both are '" + state_.name(a) + "'");
  if (!state_.dynamic(a) && !state_.dynamic(b)) {
    throw InvalidInput(place, text("'{}' and '{}' are both not dynamic: there is nothing to join", state_.name(a), state_.name(b)));
  }
  requireFunctorRunsOn(queue_.target, def, place);
  const int slot = free_.empty() ? static_cast<int>(joints_.size()) : *free_.begin();
  if (!def.name.empty() && !slotByName_.emplace(def.name, slot).second) {
    throw InvalidInput("joint '" + def.name + "'", "there is a joint of this name already");
  }
  if (free_.empty()) {
    joints_.emplace_back();
  } else {
    free_.erase(free_.begin());
  }
  Joint& joint = joints_[static_cast<size_t>(slot)];
  joint.def = def;
  joint.bodyA = bodyA;
  joint.bodyB = bodyB;
  joint.alive = true;
  joint.broken = joint.acted = false;
  joint.firstRow = joint.rowCount = 0;
  ++alive_;
  changed_ = true;
  return {slot, joint.generation};
}

template <class T> int Joints<T>::slotOf(JointId id) const {
  if (id.index < 0 || id.index >= static_cast<int>(joints_.size()) || !joints_[static_cast<size_t>(id.index)].alive ||
      joints_[static_cast<size_t>(id.index)].generation != id.generation) {
    throw InvalidInput(text("joint id {}.{}", id.index, id.generation), "no such joint: it was removed, or belongs to another World");
  }
  return id.index;
}

template <class T> std::string Joints<T>::nameOfSlot(int slot) const {
  const std::string& given = joints_[static_cast<size_t>(slot)].def.name;
  return given.empty() ? "joint-" + std::to_string(slot) : given;
}

template <class T> void Joints<T>::remove(JointId id) {
  const int slot = slotOf(id);
  Joint& joint = joints_[static_cast<size_t>(slot)];
  if (!joint.def.name.empty()) slotByName_.erase(joint.def.name);
  const uint32_t generation = joint.generation + 1;
  joint = Joint{};
  joint.generation = generation;
  free_.insert(slot);
  --alive_;
  changed_ = true;
}

template <class T> void Joints<T>::removeOf(int bodySlot) {
  for (size_t slot = 0; slot < joints_.size(); ++slot) {
    const Joint& joint = joints_[slot];
    if (joint.alive && (joint.bodyA.index == bodySlot || joint.bodyB.index == bodySlot)) remove({static_cast<int>(slot), joint.generation});
  }
}

template <class T> void Joints<T>::setMotor(JointId id, int axis, JointMotor motor, double target, double maxForce) {
  const auto slot = static_cast<size_t>(slotOf(id));
  JointDef def = joints_[slot].def;
  const std::string place = "joint '" + nameOfSlot(static_cast<int>(slot)) + "'";
  if (axis < 0 || axis > 5) throw InvalidInput(place, text("axis must be a whole number from 0 to 5, is {}", axis));
  JointAxis& own = def.axes[static_cast<size_t>(axis)];
  own.motor = motor;
  own.target = target;
  own.maxForce = maxForce;
  validate(def, place);
  const std::vector<AxisRow<T>> before = rowsOf(joints_[slot].def), after = rowsOf(def);
  joints_[slot].def = def;
  if (changed_ || before.size() != after.size()) {
    changed_ = true;
    return;
  }
  // The same rows with other numbers: a vehicle's motors change every step, its equations' structure does not.
  const auto first = static_cast<size_t>(joints_[slot].firstRow);
  for (size_t r = 0; r < after.size(); ++r) {
    hostRows_[first + r] = after[r];
    axisRows_.write(queue_, first + r, after[r]);
  }
  preparedRows_ = false;
}

// --- reading -------------------------------------------------------------------------------------------------------

template <class T> std::vector<JointId> Joints<T>::ids() const {
  std::vector<JointId> ids;
  for (size_t slot = 0; slot < joints_.size(); ++slot) {
    if (joints_[slot].alive) ids.push_back({static_cast<int>(slot), joints_[slot].generation});
  }
  return ids;
}

template <class T> JointId Joints<T>::find(const std::string& name) const {
  const auto found = slotByName_.find(name);
  if (found != slotByName_.end()) return {found->second, joints_[static_cast<size_t>(found->second)].generation};
  for (size_t slot = 0; slot < joints_.size(); ++slot) {
    if (joints_[slot].alive && joints_[slot].def.name.empty() && nameOfSlot(static_cast<int>(slot)) == name) {
      return {static_cast<int>(slot), joints_[slot].generation};
    }
  }
  throw InvalidInput("joint '" + name + "'", "there is no joint of this name");
}

template <class T> JointState Joints<T>::stateOf(const Joint& joint, const BodyPose<double>& a, const BodyPose<double>& b, T phase,
                                                 const JointReaction<T>& reaction, double dt) const {
  JointRecord<double> record{};
  record.frameA = frameFromCentre<double>(joint.def.frameA, state_.centreOf(joint.bodyA.index));
  record.frameB = frameFromCentre<double>(joint.def.frameB, state_.centreOf(joint.bodyB.index));
  const joint::State<double> s = joint::stateOf(joint::framesOf(record, a, b));
  JointState out{joint.def.type, joint.bodyA, joint.bodyB, joint.broken, {0, 0, 0, 0, 0, 0}, 0, 0, {0, 0, 0}, {0, 0, 0}};
  if (joint.def.type == JointType::Gear) {
    out.coordinates[0] = double(phase);
    out.angularError = std::abs(double(phase));
  } else {
    const Locks locks = locksOf(joint.def);
    const Vec3d angles = joint::coordinateAngles(locks.angular, s.q);
    out.coordinates = {s.x.x, s.x.y, s.x.z, angles.x, angles.y, angles.z};
    joint::State<double> allowed;
    if (joint.def.type == JointType::BlackBox) {
      const JointPose pose = allowedPose(joint.def, {s.x, s.q});
      allowed = {pose.offset, normalized(pose.rotation)};
    } else {
      allowed = joint::project(freedomOf(joint.def), s);
    }
    out.error = length(s.x - allowed.x);
    out.angularError = joint.def.type == JointType::Distance ? 0 : angleOf(conjugate(allowed.q) * s.q);
    if (joint::countBits(locks.angular) == 1 && joint.def.type != JointType::BlackBox)
      out.angularError = crossedError(joint.def, locks.angular, s.q, angles);
    if (joint.def.type == JointType::Distance) out.coordinates = {length(s.x), 0, 0, 0, 0, 0};
  }
  out.force = (1 / dt) * convert<double>(reaction.linear);
  out.torque = (1 / dt) * convert<double>(reaction.angular);
  return out;
}

template <class T> JointState Joints<T>::state(JointId id, double dt) const {
  const auto slot = static_cast<size_t>(slotOf(id));
  const Joint& joint = joints_[slot];
  const bool known = joint.acted && !joint.broken && slot < reactions_.size();
  T phase = T(0);
  if (joint.def.type == JointType::Gear && joint.rowCount > 0 && static_cast<size_t>(joint.firstRow) < phases_.size()) {
    phase = phases_.read(queue_, static_cast<size_t>(joint.firstRow));
  }
  return stateOf(joint, poseOf(state_.read(joint.bodyA.index), state_.centreOf(joint.bodyA.index)),
                 poseOf(state_.read(joint.bodyB.index), state_.centreOf(joint.bodyB.index)), phase,
                 known ? reactions_.read(queue_, slot) : JointReaction<T>{}, dt);
}

template <class T> std::vector<JointState> Joints<T>::states(double dt) const {
  std::vector<JointState> out;
  if (alive_ == 0) return out;
  const std::vector<BodyPose<T>> poses = state_.poses.download(queue_);
  const std::vector<JointReaction<T>> reactions = reactions_.download(queue_);
  const std::vector<T> phases = phases_.download(queue_);
  const auto pose = [&](BodyId body) {
    const BodyPose<T>& p = poses[static_cast<size_t>(body.index)];
    return BodyPose<double>{convert<double>(p.x), 0, convert<double>(p.q)};
  };
  for (size_t slot = 0; slot < joints_.size(); ++slot) {
    const Joint& joint = joints_[slot];
    if (!joint.alive) continue;
    const auto row = static_cast<size_t>(joint.firstRow);
    const T phase = joint.def.type == JointType::Gear && joint.rowCount > 0 && row < phases.size() ? phases[row] : T(0);
    out.push_back(stateOf(joint, pose(joint.bodyA), pose(joint.bodyB), phase,
                          joint.acted && !joint.broken && slot < reactions.size() ? reactions[slot] : JointReaction<T>{}, dt));
  }
  return out;
}

template <class T> JointErrors Joints<T>::errors() const {
  JointErrors worst;
  for (const JointState& s : states(1)) {
    if (s.broken) continue;
    worst.offset = std::max(worst.offset, s.error);
    worst.turn = std::max(worst.turn, s.angularError);
  }
  return worst;
}

// --- arrays --------------------------------------------------------------------------------------------------------

template <class T> std::vector<AxisRow<T>> Joints<T>::rowsOf(const JointDef& def) {
  std::vector<AxisRow<T>> rows;
  const auto add = [&](int axis, AxisRowKind kind) -> AxisRow<T>& {
    rows.push_back({axis, kind, T(0), T(0), T(0), T(0), T(0), T(0), T(1)});
    return rows.back();
  };
  if (def.type == JointType::Gear) {
    add(0, kGearRow).ratio = T(def.ratio);
    return rows;
  }
  if (def.type == JointType::Distance) {
    AxisRow<T>& row = add(0, kDistanceRow);
    row.low = T(def.minDistance);
    row.high = T(std::min(def.maxDistance, 1e30));
    return rows;
  }
  for (int axis = 0; axis < 6; ++axis) {
    const JointAxis& own = def.axes[static_cast<size_t>(axis)];
    // Limits last: a sweep's last word on an axis.
    if (own.stiffness > 0 || own.damping > 0) {
      AxisRow<T>& row = add(axis, kSpringRow);
      row.target = T(own.rest);
      row.stiffness = T(own.stiffness);
      row.damping = T(own.damping);
    }
    if (own.friction > 0) add(axis, kVelocityRow).most = T(own.friction);
    if (own.motor != JointMotor::Off) {
      AxisRow<T>& row = add(axis, own.motor == JointMotor::Velocity ? kVelocityRow : kPositionRow);
      row.target = T(own.target);
      row.most = T(std::min(own.maxForce, 1e30));
    }
    if (own.limits) {
      AxisRow<T>& row = add(axis, kLimitRow);
      row.low = T((*own.limits)[0]);
      row.high = T((*own.limits)[1]);
    }
  }
  return rows;
}

template <class T> JointRecord<T> Joints<T>::record(const Joint& joint) const {
  const Locks locks = locksOf(joint.def);
  int flags = 0;
  if (joint.broken) flags |= kJointBroken;
  if (joint.def.type == JointType::BlackBox) flags |= kJointBlackBox;
  return {frameFromCentre<T>(joint.def.frameA, state_.centreOf(joint.bodyA.index)),
          frameFromCentre<T>(joint.def.frameB, state_.centreOf(joint.bodyB.index)),
          joint.bodyA.index,
          joint.bodyB.index,
          flags,
          locks.linear,
          locks.angular,
          joint.firstRow,
          joint.rowCount,
          -1,
          T(joint.def.breakImpulse)};
}

// Rows of the joint in the direct solve: its locked axes, and limits that push as far as there is room.
template <class T> int Joints<T>::equationsOf(const JointRecord<T>& record, const std::vector<AxisRow<T>>& rows) {
  const int locks = joint::countBits(record.lockedLinear) + joint::countBits(record.lockedAngular);
  if (locks == 0) return 0;
  const auto limits = std::count_if(rows.begin(), rows.end(), [](const AxisRow<T>& row) { return row.kind == kLimitRow; });
  return std::min(locks + static_cast<int>(limits), kSystemRows);
}

template <class T> void Joints<T>::update(JointSolver solver) {
  // Lists by body grow with the bodies.
  if (!changed_ && (live_.empty() || builtSlots_ == state_.bodySlots())) return;
  const std::vector<T> oldRows = rowImpulses_.download(queue_), oldPhases = phases_.download(queue_);
  std::vector<JointImpulse<T>> impulses = impulses_.download(queue_);
  const size_t known = impulses.size();
  impulses.resize(joints_.size(), JointImpulse<T>{});
  std::vector<T> rowImpulses, phases;
  std::vector<JointRecord<T>> records(joints_.size());
  std::vector<JointEdge> edges;
  bool limited = false;
  std::vector<uint64_t> joined;
  std::vector<typename BlackBoxes<T>::Box> boxes;
  live_.clear();
  hostRows_.clear();
  breakable_ = false;
  for (size_t slot = 0; slot < joints_.size(); ++slot) {
    Joint& joint = joints_[slot];
    if (!joint.alive || joint.broken) {
      impulses[slot] = {};
      continue;
    }
    if (!joint.acted) impulses[slot] = {};
    const int index = static_cast<int>(slot), a = joint.bodyA.index, b = joint.bodyB.index;
    const std::vector<AxisRow<T>> rows = rowsOf(joint.def);
    for (size_t r = 0; r < rows.size(); ++r) {
      // A joint keeps what its rows knew as long as there are as many of them.
      const bool keeps = joint.acted && slot < known && joint.rowCount == static_cast<int>(rows.size());
      const size_t from = static_cast<size_t>(joint.firstRow) + r;
      rowImpulses.push_back(keeps ? oldRows[from] : T(0));
      phases.push_back(keeps ? oldPhases[from] : T(0));
    }
    joint.firstRow = static_cast<int>(hostRows_.size());
    joint.rowCount = static_cast<int>(rows.size());
    hostRows_.insert(hostRows_.end(), rows.begin(), rows.end());
    records[slot] = record(joint);
    live_.push_back(index);
    if (joint.def.type == JointType::BlackBox) boxes.push_back({index, joint.def.projectionFunctor});
    if (std::isfinite(joint.def.breakImpulse)) breakable_ = true;
    const int equations = solver == JointSolver::Direct ? equationsOf(records[slot], rows) : 0;
    limited = limited || equations > joint::countBits(records[slot].lockedLinear) + joint::countBits(records[slot].lockedAngular);
    edges.push_back({index, state_.dynamic(a) ? a : -1, state_.dynamic(b) ? b : -1, equations});
    if (!joint.def.collide) joined.push_back(static_cast<uint64_t>(std::min(a, b)) << 32 | static_cast<uint32_t>(std::max(a, b)));
  }
  listByBody();
  constexpr int kLocks = kLockTranslationX | kLockTranslationY | kLockTranslationZ | kLockRotationX | kLockRotationY | kLockRotationZ;
  std::vector<int> locks;
  if (solver == JointSolver::Direct) {
    for (const BodyConstants<T>& body : state_.constants.download(queue_)) locks.push_back(body.flags & kLocks);
  }
  const Elimination elimination = makeElimination(edges, state_.bodySlots(), locks);
  system_.build(queue_, elimination, limited);
  sweptCount_ = static_cast<int>(elimination.leftOut.size());
  for (const int slot : elimination.leftOut) records[static_cast<size_t>(slot)].flags |= kJointSwept;
  if (solver == JointSolver::Sweeps) {
    for (const int slot : live_) records[static_cast<size_t>(slot)].flags |= kJointSwept;
  }
  for (const SystemNode& node : elimination.nodes) {
    if (node.joint >= 0) records[static_cast<size_t>(node.joint)].component = node.component;
  }
  std::sort(joined.begin(), joined.end());
  joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
  joinedCount_ = static_cast<int>(joined.size());

  records_.upload(queue_, records);
  axisRows_.upload(queue_, hostRows_);
  impulses_.upload(queue_, impulses);
  rowImpulses_.upload(queue_, rowImpulses);
  phases_.upload(queue_, phases);
  joinedKeys_.upload(queue_, joined);
  liveOnTarget_.upload(queue_, live_);
  blackBoxes_.build(queue_, boxes, joints_.size());
  laneOfJoint_.resize(queue_, joints_.size());
  broken_.resize(queue_, 1);
  savedImpulses_.resize(queue_, impulses.size());
  savedRowImpulses_.resize(queue_, rowImpulses.size());
  savedPhases_.resize(queue_, phases.size());
  reactions_.resize(queue_, joints_.size());
  changed_ = preparedRows_ = false;
  builtSlots_ = state_.bodySlots();
}

template <class T> void Joints<T>::listByBody() {
  std::vector<int> offsets(static_cast<size_t>(state_.bodySlots()) + 1, 0);
  for (const int slot : live_) {
    const Joint& joint = joints_[static_cast<size_t>(slot)];
    for (const BodyId body : {joint.bodyA, joint.bodyB}) ++offsets[static_cast<size_t>(body.index) + 1];
  }
  for (size_t b = 1; b < offsets.size(); ++b) offsets[b] += offsets[b - 1];
  std::vector<int> sides(live_.size() * 2), next(offsets.begin(), offsets.end() - 1);
  for (const int slot : live_) {
    const Joint& joint = joints_[static_cast<size_t>(slot)];
    sides[static_cast<size_t>(next[static_cast<size_t>(joint.bodyA.index)]++)] = 2 * slot;
    sides[static_cast<size_t>(next[static_cast<size_t>(joint.bodyB.index)]++)] = 2 * slot + 1;
  }
  bodyOffsets_.upload(queue_, offsets);
  bodySides_.upload(queue_, sides);
}

// --- a step --------------------------------------------------------------------------------------------------------

template <class T> void Joints<T>::describe(const BodyConstants<T>* constants, ConstraintBodies* constraints, uint32_t* priorities) {
  describeJoints(queue_, records_.data(), liveOnTarget_.data(), liveCount(), constants, constraints, priorities);
}

template <class T>
JointView<T> Joints<T>::layout(PrimitiveScratch& scratch, const ConstraintBodies* constraints, const int* colours, int colourCount, int strip) {
  const TileKeys keys = tiles_.begin(queue_, colours, colourCount, liveCount(), strip);
  JointView<T> view{};
  if (liveCount() > 0) {
    jointKeys(queue_, records_.data(), liveOnTarget_.data(), liveCount(), keys);
    const TileFill fill = tiles_.sort(queue_, scratch, constraints);
    const auto tileCount = static_cast<size_t>(fill.tileCount);
    jointOfLane_.resize(queue_, tiles_.laneCount());
    tileRows_.resize(queue_, tileCount);
    tileTurns_.resize(queue_, tileCount);
    const JointLanes lanes{jointOfLane_.data(), tileRows_.data(), tileTurns_.data(), laneOfJoint_.data()};
    fillJointTiles(queue_, records_.data(), liveOnTarget_.data(), fill, lanes);
    fields_.resize(queue_, tiles_.end(queue_, scratch));
    view.fields = fields_.data();
    view.tileRows = tileRows_.data();
    view.tileTurns = tileTurns_.data();
    view.joint = jointOfLane_.data();
  }
  static_cast<TileView&>(view) = tiles_.view();
  return view;
}

template <class T> JointInputs<T> Joints<T>::inputs() {
  return {records_.data(),  axisRows_.data(),
          impulses_.data(), rowImpulses_.data(),
          phases_.data(),   blackBoxes_.empty() ? nullptr : blackBoxes_.targets(),
          nullptr,          nullptr,
          nullptr,          nullptr};
}

template <class T> void Joints<T>::forgetImpulses() {
  impulses_.fillZero(queue_);
  rowImpulses_.fillZero(queue_);
}

template <class T> void Joints<T>::beginStep() {
  if (live_.empty()) return;
  reactions_.fillZero(queue_);
}

template <class T> void Joints<T>::predict(T h) {
  blackBoxes_.predict(queue_, records_.data(), state_.poses.data(), state_.velocities.data(), h,
                      [this](int slot, const JointPose& predicted) { return joints_[static_cast<size_t>(slot)].def.projection(predicted); });
}

template <class T> void Joints<T>::backUp() {
  copyBytes(queue_, savedImpulses_.data(), impulses_.data(), impulses_.size() * sizeof(JointImpulse<T>));
  copyBytes(queue_, savedRowImpulses_.data(), rowImpulses_.data(), rowImpulses_.size() * sizeof(T));
  copyBytes(queue_, savedPhases_.data(), phases_.data(), phases_.size() * sizeof(T));
}

template <class T> void Joints<T>::restore() {
  copyBytes(queue_, impulses_.data(), savedImpulses_.data(), impulses_.size() * sizeof(JointImpulse<T>));
  copyBytes(queue_, rowImpulses_.data(), savedRowImpulses_.data(), rowImpulses_.size() * sizeof(T));
  copyBytes(queue_, phases_.data(), savedPhases_.data(), phases_.size() * sizeof(T));
  preparedRows_ = false;
}

template <class T> void Joints<T>::finishStep() {
  for (const int slot : live_) joints_[static_cast<size_t>(slot)].acted = true;
  if (!breakable_) return;
  breakJoints(queue_, records_.data(), liveOnTarget_.data(), liveCount(), reactions_.data(), broken_.data());
  if (broken_.read(queue_, 0) == 0) return;
  const std::vector<JointRecord<T>> records = records_.download(queue_);
  for (const int slot : live_) {
    if ((records[static_cast<size_t>(slot)].flags & kJointBroken) != 0) joints_[static_cast<size_t>(slot)].broken = changed_ = true;
  }
}

template class Joints<float>;
template class Joints<double>;

}  // namespace cairn
