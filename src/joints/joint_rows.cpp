#include "src/joints/joint_rows.hpp"

#include "kernels/joints/joint_math.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cairn::v0 {
namespace {

constexpr double kUnlimited = 1e30;  // fits a float

template <class T> AxisRow<T> axisRow(int axis, AxisRowKind kind) {
  AxisRow<T> row{};
  row.axis = axis;
  row.kind = kind;
  row.ratio = T(1);
  return row;
}

// The rows of one axis. Limits come last: a sweep's last word on an axis.
template <class T> void addRowsOf(const JointAxis& axis, int index, std::vector<AxisRow<T>>& rows) {
  if (axis.stiffness > 0 || axis.damping > 0) {
    AxisRow<T> spring = axisRow<T>(index, kSpringRow);
    spring.target = T(axis.rest);
    spring.stiffness = T(axis.stiffness);
    spring.damping = T(axis.damping);
    rows.push_back(spring);
  }
  if (axis.friction > 0) {
    AxisRow<T> friction = axisRow<T>(index, kVelocityRow);
    friction.maxForce = T(axis.friction);
    rows.push_back(friction);
  }
  if (axis.motor != JointMotor::Off) {
    AxisRow<T> motor = axisRow<T>(index, axis.motor == JointMotor::Velocity ? kVelocityRow : kPositionRow);
    motor.target = T(axis.target);
    motor.maxForce = T(std::min(axis.maxForce, kUnlimited));
    rows.push_back(motor);
  }
  if (axis.limits) {
    AxisRow<T> limit = axisRow<T>(index, kLimitRow);
    limit.low = T((*axis.limits)[0]);
    limit.high = T((*axis.limits)[1]);
    rows.push_back(limit);
  }
}

}  // namespace

template <class T> std::vector<AxisRow<T>> axisRowsOf(const JointDef& def) {
  std::vector<AxisRow<T>> rows;
  if (def.type == JointType::Gear) {
    rows.push_back(axisRow<T>(0, kGearRow));
    rows.back().ratio = T(def.ratio);
    return rows;
  }
  if (def.type == JointType::Distance) {
    rows.push_back(axisRow<T>(0, kDistanceRow));
    rows.back().low = T(def.minDistance);
    rows.back().high = T(std::min(def.maxDistance, kUnlimited));
    return rows;
  }
  for (int axis = 0; axis < 6; ++axis) addRowsOf(def.axes[static_cast<size_t>(axis)], axis, rows);
  return rows;
}

template std::vector<AxisRow<float>> axisRowsOf(const JointDef&);
template std::vector<AxisRow<double>> axisRowsOf(const JointDef&);

namespace {

template <class T> JointRecord<T> recordOf(const Joint& joint, const State<T>& bodies) {
  const LockedAxes locked = lockedAxes(joint.def);
  JointRecord<T> record{};
  record.frameA = frameFromCentre<T>(joint.def.frameA, bodies.centreOf(joint.bodyA.index));
  record.frameB = frameFromCentre<T>(joint.def.frameB, bodies.centreOf(joint.bodyB.index));
  record.bodyA = joint.bodyA.index;
  record.bodyB = joint.bodyB.index;
  record.flags = (joint.def.type == JointType::BlackBox ? kJointBlackBox : 0) | (joint.def.type == JointType::Gear ? kJointGear : 0);
  record.lockedLinear = locked.linear;
  record.lockedAngular = locked.angular;
  record.component = -1;
  record.breakImpulse = T(joint.def.breakImpulse);
  return record;
}

bool holdsPoint(LockedAxes locked) { return locked.linear == 7 && locked.angular == 0; }
int lockedCount(LockedAxes locked) { return joint::countBits(locked.linear) + joint::countBits(locked.angular); }

// Rows of a joint in the direct solve: its locked axes, and limits as far as there is room.
template <class T> int equationsOf(const JointDef& def, const std::vector<AxisRow<T>>& rows) {
  const int locked = lockedCount(lockedAxes(def));
  if (locked == 0) return 0;
  const auto limits = std::count_if(rows.begin(), rows.end(), [](const AxisRow<T>& row) { return row.kind == kLimitRow; });
  return std::min(locked + static_cast<int>(limits), kSystemRows);
}

uint64_t joinedKey(int a, int b) { return static_cast<uint64_t>(std::min(a, b)) << 32 | static_cast<uint32_t>(std::max(a, b)); }

template <class V> void sortUnique(std::vector<V>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

LockedAxes lockedAxes(const JointDef& def) {
  LockedAxes locked{0, 0};
  if (def.type == JointType::Distance || def.type == JointType::Gear || def.type == JointType::BlackBox) return locked;
  const std::array<bool, 6> free = freeAxes(def);
  for (int k = 0; k < 3; ++k) {
    if (!free[static_cast<size_t>(k)]) locked.linear |= 1 << k;
    if (!free[static_cast<size_t>(k) + 3]) locked.angular |= 1 << k;
  }
  return locked;
}

// --- arrays --------------------------------------------------------------------------------------------------------

// The host's side of the arrays, and what they take over from those before.
template <class T> struct JointRows<T>::Compiled {
  bool anySwept = false, breakable = false;
  bool limited = false;  // some node of the direct solve has rows for limits
  std::vector<RowRange> ranges;
  std::vector<int> live;
  std::vector<JointRecord<T>> records;
  std::vector<AxisRow<T>> axisRows;
  std::vector<JointImpulse<T>> impulses;
  std::vector<JointReaction<T>> reactions;
  std::vector<T> rowImpulses, phases;
  std::vector<uint64_t> joinedKeys;
  std::vector<BlackBox> boxes;
  std::vector<JointEdge> edges;
  SymbolicFactor structure;
};

template <class T> bool JointRows<T>::owns(JointId id) const {
  const auto slot = static_cast<size_t>(id.index);
  return slot < made_.ranges.size() && made_.ranges[slot].generation == id.generation;
}

template <class T> void JointRows<T>::compile(const JointSet& joints, const State<T>& bodies, JointSolver solver, Compiled& out) const {
  const std::vector<T> oldRows = made_.rowImpulses.download(queue_), oldPhases = made_.phases.download(queue_);
  const std::vector<JointImpulse<T>> oldImpulses = made_.impulses.download(queue_);
  const std::vector<JointReaction<T>> oldReactions = made_.reactions.download(queue_);
  const auto slots = static_cast<size_t>(joints.slotCount());
  out.ranges.resize(slots);
  out.records.resize(slots);
  out.impulses.resize(slots);
  out.reactions.resize(slots);
  for (int index = 0; index < joints.slotCount(); ++index) {
    const Joint& joint = joints[index];
    if (!joints.alive(index) || joint.broken) continue;
    const auto slot = static_cast<size_t>(index);
    const std::vector<AxisRow<T>> rows = axisRowsOf<T>(joint.def);
    const JointId id = joints.idOf(index);
    const RowRange before = owns(id) ? made_.ranges[slot] : RowRange{};
    if (before.acted) {
      out.impulses[slot] = oldImpulses[slot];
      out.reactions[slot] = oldReactions[slot];
    }
    // A joint keeps the impulses of its rows as long as it has as many rows as before.
    const bool keeps = before.acted && before.count == static_cast<int>(rows.size());
    for (size_t r = 0; r < rows.size(); ++r) {
      const size_t from = static_cast<size_t>(before.first) + r;
      out.rowImpulses.push_back(keeps ? oldRows[from] : T(0));
      out.phases.push_back(keeps ? oldPhases[from] : T(0));
    }
    out.ranges[slot] = {id.generation, static_cast<int>(out.axisRows.size()), static_cast<int>(rows.size()), before.acted};
    out.records[slot] = recordOf(joint, bodies);
    out.records[slot].firstRow = out.ranges[slot].first;
    out.records[slot].rowCount = out.ranges[slot].count;
    out.axisRows.insert(out.axisRows.end(), rows.begin(), rows.end());
    out.live.push_back(index);
    if (joint.def.type == JointType::BlackBox) out.boxes.push_back({index, joint.def.projectionFunctor, &joint.def.projection});
    if (std::isfinite(joint.def.breakImpulse)) out.breakable = true;
    const int a = joint.bodyA.index, b = joint.bodyB.index;
    const int equations = solver == JointSolver::Direct ? equationsOf(joint.def, rows) : 0;
    out.limited = out.limited || equations > lockedCount(lockedAxes(joint.def));
    out.edges.push_back({index, bodies.dynamic(a) ? a : -1, bodies.dynamic(b) ? b : -1, equations, holdsPoint(lockedAxes(joint.def))});
    if (!joint.def.collide) out.joinedKeys.push_back(joinedKey(a, b));
  }
  sortUnique(out.joinedKeys);
}

// The order of the direct solve, and which joints it leaves to the sweeps.
template <class T> void JointRows<T>::addEquations(const State<T>& bodies, JointSolver solver, Compiled& out) const {
  constexpr int kLocks = kLockTranslationX | kLockTranslationY | kLockTranslationZ | kLockRotationX | kLockRotationY | kLockRotationZ;
  std::vector<int> locks;
  if (solver == JointSolver::Direct) {
    for (const BodyConstants<T>& body : bodies.constants.download(queue_)) locks.push_back(body.flags & kLocks);
  }
  out.structure = makeSymbolicFactor(out.edges, bodies.bodySlots(), locks);
  out.anySwept = !out.structure.leftOut.empty();
  const std::vector<int>& swept = solver == JointSolver::Sweeps ? out.live : out.structure.leftOut;
  for (const int slot : swept) out.records[static_cast<size_t>(slot)].flags |= kJointSwept;
  for (const SystemNode& node : out.structure.nodes) {
    if (node.joint >= 0) out.records[static_cast<size_t>(node.joint)].component = node.component;
  }
}

template <class T> void JointRows<T>::listByBody(const JointSet& joints, Made& made) const {
  std::vector<int> offsets(static_cast<size_t>(made.bodySlots) + 1, 0);
  for (const int slot : made.live) {
    for (const BodyId body : {joints[slot].bodyA, joints[slot].bodyB}) ++offsets[static_cast<size_t>(body.index) + 1];
  }
  for (size_t b = 1; b < offsets.size(); ++b) offsets[b] += offsets[b - 1];
  std::vector<int> sides(made.live.size() * 2), next(offsets.begin(), offsets.end() - 1);
  for (const int slot : made.live) {
    sides[static_cast<size_t>(next[static_cast<size_t>(joints[slot].bodyA.index)]++)] = 2 * slot;
    sides[static_cast<size_t>(next[static_cast<size_t>(joints[slot].bodyB.index)]++)] = 2 * slot + 1;
  }
  made.bodyOffsets.upload(queue_, offsets);
  made.bodySides.upload(queue_, sides);
}

// Bodies that cannot be moved connect nothing.
template <class T> void JointRows<T>::listAssemblies(const JointSet& joints, const State<T>& bodies, Made& made) const {
  std::vector<int> parents(static_cast<size_t>(made.bodySlots));
  std::iota(parents.begin(), parents.end(), 0);
  const auto rootOf = [&parents](int body) {
    while (parents[static_cast<size_t>(body)] != body) {
      int& parent = parents[static_cast<size_t>(body)];
      parent = parents[static_cast<size_t>(parent)];
      body = parent;
    }
    return body;
  };
  for (const int slot : made.live) {
    const int a = joints[slot].bodyA.index, b = joints[slot].bodyB.index;
    if (bodies.dynamic(a) && bodies.dynamic(b)) parents[static_cast<size_t>(rootOf(a))] = rootOf(b);
  }
  for (int body = 0; body < made.bodySlots; ++body) parents[static_cast<size_t>(body)] = rootOf(body);
  made.assemblies.upload(queue_, parents);
}

template <class T> void JointRows<T>::update(const JointSet& joints, const State<T>& bodies, JointSolver solver) {
  // Lists by body grow with the bodies.
  if (made_.jointsRevision == joints.revision() && (made_.live.empty() || made_.bodySlots == bodies.bodySlots())) return;
  Compiled compiled;
  compile(joints, bodies, solver, compiled);
  addEquations(bodies, solver, compiled);

  Made made;
  made.jointsRevision = joints.revision();
  made.serial = made_.serial + 1;
  made.bodySlots = bodies.bodySlots();
  made.anySwept = compiled.anySwept;
  made.breakable = compiled.breakable;
  for (const RowRange& range : compiled.ranges) made.maxRows = std::max(made.maxRows, range.count);
  made.ranges = std::move(compiled.ranges);
  made.live = std::move(compiled.live);
  listByBody(joints, made);
  listAssemblies(joints, bodies, made);
  made.system.build(queue_, compiled.structure, joints.slotCount(), compiled.limited);
  made.records.upload(queue_, compiled.records);
  made.axisRows.upload(queue_, compiled.axisRows);
  made.impulses.upload(queue_, compiled.impulses);
  made.reactions.upload(queue_, compiled.reactions);
  made.rowImpulses.upload(queue_, compiled.rowImpulses);
  made.phases.upload(queue_, compiled.phases);
  made.joinedKeys.upload(queue_, compiled.joinedKeys);
  made.liveOnTarget.upload(queue_, made.live);
  const size_t slots = compiled.records.size();
  made.boxes.build(queue_, compiled.boxes, slots);
  made.laneOfJoint.resize(queue_, slots);
  made.broken.resize(queue_, 1);
  made.savedImpulses.resize(queue_, slots);
  made.savedRowImpulses.resize(queue_, compiled.rowImpulses.size());
  made.savedPhases.resize(queue_, compiled.phases.size());
  made.leans.resize(queue_, 2 * slots);
  made.pulls.resize(queue_, 2 * slots);
  made.stepReactions.resize(queue_, slots);
  synchronize(queue_);  // the last that may throw: the old arrays go now
  made_ = std::move(made);
  dropRows();
}

template <class T> void JointRows<T>::rewrite(const JointSet& joints, int slot) {
  if (made_.jointsRevision != joints.revision() || joints[slot].broken) return;
  const std::vector<AxisRow<T>> rows = axisRowsOf<T>(joints[slot].def);
  const RowRange& range = made_.ranges[static_cast<size_t>(slot)];
  dropRows();
  if (range.count != static_cast<int>(rows.size())) {
    made_.jointsRevision = kNoRevision;
    return;
  }
  for (size_t r = 0; r < rows.size(); ++r) made_.axisRows.write(queue_, static_cast<size_t>(range.first) + r, rows[r]);
}

template <class T> int JointRows<T>::motorRow(const JointSet& joints, int slot, int axis) const {
  const JointDef& def = joints[slot].def;
  if (!owns(joints.idOf(slot)) || axis < 0 || axis > 5 || def.axes[static_cast<size_t>(axis)].motor == JointMotor::Off) return -1;
  const int kind = def.axes[static_cast<size_t>(axis)].motor == JointMotor::Velocity ? kVelocityRow : kPositionRow;
  const std::vector<AxisRow<T>> rows = axisRowsOf<T>(def);
  // Behind the row of its friction, which is of the same kind.
  auto row = static_cast<int>(rows.size()) - 1;
  while (rows[static_cast<size_t>(row)].axis != axis || rows[static_cast<size_t>(row)].kind != kind) --row;
  return made_.ranges[static_cast<size_t>(slot)].first + row;
}

template <class T> JointMemory<T> JointRows<T>::memoryOf(const JointSet& joints, int slot) const {
  JointMemory<T> memory;
  if (!owns(joints.idOf(slot))) return memory;
  const auto index = static_cast<size_t>(slot);
  const RowRange& range = made_.ranges[index];
  if (range.acted) memory.reaction = made_.reactions.read(queue_, index);
  if (phaseOf(joints, slot) >= 0) memory.phase = made_.phases.read(queue_, static_cast<size_t>(phaseOf(joints, slot)));
  return memory;
}

template <class T> int JointRows<T>::phaseOf(const JointSet& joints, int slot) const {
  if (joints[slot].def.type != JointType::Gear || !owns(joints.idOf(slot))) return -1;
  const RowRange& range = made_.ranges[static_cast<size_t>(slot)];
  return range.count > 0 ? range.first : -1;
}

template <class T> std::vector<JointMemory<T>> JointRows<T>::memories(const JointSet& joints) const {
  std::vector<JointMemory<T>> memories(static_cast<size_t>(joints.slotCount()));
  const std::vector<JointReaction<T>> reactions = made_.reactions.download(queue_);
  const std::vector<T> phases = made_.phases.download(queue_);
  for (int slot = 0; slot < joints.slotCount(); ++slot) {
    if (!owns(joints.idOf(slot))) continue;
    const auto index = static_cast<size_t>(slot);
    const RowRange& range = made_.ranges[index];
    if (range.acted) memories[index].reaction = reactions[index];
    if (phaseOf(joints, slot) >= 0) memories[index].phase = phases[static_cast<size_t>(phaseOf(joints, slot))];
  }
  return memories;
}

// --- a step --------------------------------------------------------------------------------------------------------

template <class T> JointStepView<T> JointRows<T>::view() {
  JointStepView<T> view{};
  view.count = static_cast<int>(made_.live.size());
  view.slotCount = static_cast<int>(made_.records.size());
  view.axisRowCount = static_cast<int>(made_.axisRows.size());
  view.anySwept = made_.anySwept;
  view.live = made_.live.data();
  view.liveOnTarget = made_.liveOnTarget.data();
  view.records = made_.records.data();
  view.laneOfJoint = made_.laneOfJoint.data();
  view.impulses = made_.impulses.data();
  view.reactions = made_.stepReactions.data();
  view.axisRows = made_.axisRows.data();
  view.rowImpulses = made_.rowImpulses.data();
  view.phases = made_.phases.data();
  view.leans = made_.leans.data();
  view.pulls = made_.pulls.data();
  view.ofBodies = {made_.bodyOffsets.data(), made_.bodySides.data()};
  view.system = made_.system.view();
  view.boxes = made_.boxes.view();
  return view;
}

template <class T> void JointRows<T>::describe(FirstPlace first, const BodyConstants<T>* constants, ConstraintBodies* constraints,
                                               uint32_t* priorities, int jointsEach) {
  describeJoints(queue_, made_.records.data(), made_.liveOnTarget.data(), rangeFrom(first), constants, constraints, priorities, jointsEach);
}

template <class T> void JointRows<T>::forget(EnvironmentMask mask, int jointsEach) {
  dropRows();
  JointMemories<T> memories{};
  memories.records = made_.records.data();
  memories.impulses = made_.impulses.data();
  memories.reactions = made_.reactions.data();
  memories.rowImpulses = made_.rowImpulses.data();
  memories.phases = made_.phases.data();
  forgetJoints(queue_, static_cast<int>(made_.records.size()), memories, mask, jointsEach);
}

template <class T> JointView<T> JointRows<T>::layout(PrimitiveScratch& scratch, const ConstraintBodies* constraints, const GraphView& graph,
                                                     FirstPlace first, StepCounts* stepCounts, int strip) {
  StepCounts own;
  dropRows();
  const JointList<T> joints{made_.records.data(), made_.liveOnTarget.data(), made_.laneOfJoint.data(), rangeFrom(first), made_.maxRows};
  return tiles_.layOut(queue_, scratch, joints, constraints, graph, countsOr(stepCounts, own), strip);
}

template <class T> void JointRows<T>::backUp(const State<T>& bodies, bool rows) {
  rowsSaved_ = rows && fields().size() > 0;
  inertiasSaved_ = rowsSaved_ || inertiasServe(bodies.revision());
  if (rowsSaved_) {
    savedFields_.resize(queue_, fields().size());
    copyBytes(queue_, savedFields_.data(), fields().data(), fields().size() * sizeof(T));
  }
  if (inertiasSaved_) {
    savedInertias_.resize(queue_, bodies.inertias.size());
    copyBytes(queue_, savedInertias_.data(), bodies.inertias.data(), bodies.inertias.size() * sizeof(BodyInertia<T>));
  }
  copyBytes(queue_, made_.savedImpulses.data(), made_.impulses.data(), made_.impulses.size() * sizeof(JointImpulse<T>));
  copyBytes(queue_, made_.savedRowImpulses.data(), made_.rowImpulses.data(), made_.rowImpulses.size() * sizeof(T));
  copyBytes(queue_, made_.savedPhases.data(), made_.phases.data(), made_.phases.size() * sizeof(T));
}

template <class T> double JointRows<T>::measureWork(PrimitiveScratch& scratch) const {
  const int slots = static_cast<int>(made_.reactions.size());
  if (slots == 0) return 0;
  works_.resize(queue_, size_t(slots));
  work_.resize(queue_, 1);
  collectWorks(queue_, made_.reactions.data(), slots, works_.data());
  reduceSum(queue_, scratch, works_.data(), work_.data(), slots);
  return work_.read(queue_, 0);
}

template <class T> void JointRows<T>::restore(State<T>& bodies) {
  copyBytes(queue_, made_.impulses.data(), made_.savedImpulses.data(), made_.impulses.size() * sizeof(JointImpulse<T>));
  copyBytes(queue_, made_.rowImpulses.data(), made_.savedRowImpulses.data(), made_.rowImpulses.size() * sizeof(T));
  copyBytes(queue_, made_.phases.data(), made_.savedPhases.data(), made_.phases.size() * sizeof(T));
  if (rowsSaved_) copyBytes(queue_, fields().data(), savedFields_.data(), fields().size() * sizeof(T));
  if (inertiasSaved_) copyBytes(queue_, bodies.inertias.data(), savedInertias_.data(), bodies.inertias.size() * sizeof(BodyInertia<T>));
  takeBack(bodies.revision(), rowsSaved_);
  if (inertiasSaved_ && !rowsSaved_) inertiasRevision_ = bodies.revision();
}

template <class T> void JointRows<T>::takeBack(long bodiesRevision, bool rows) {
  dropRows();
  if (!rows) return;
  markAllDirty(queue_, made_.system.view());  // the factor was that of the step that is gone
  keepRows(bodiesRevision);
}

template <class T> void JointRows<T>::countBroken() {
  const int count = static_cast<int>(made_.live.size());
  countBrokenJoints(queue_, made_.records.data(), made_.liveOnTarget.data(), count, made_.stepReactions.data(), made_.broken.data());
}

template <class T> std::vector<int> JointRows<T>::finishStep() {
  std::vector<int> broken;
  if (made_.breakable) {
    countBroken();
    if (made_.broken.read(queue_, 0) != 0) {
      const std::vector<JointRecord<T>> records = made_.records.download(queue_);
      const std::vector<JointReaction<T>> reactions = made_.stepReactions.download(queue_);
      for (const int slot : made_.live) {
        if (isBroken(records[static_cast<size_t>(slot)], reactions[static_cast<size_t>(slot)])) broken.push_back(slot);
      }
    }
  }
  made_.reactions.swap(made_.stepReactions);
  for (const int slot : made_.live) made_.ranges[static_cast<size_t>(slot)].acted = true;
  return broken;
}

template <class T> void JointRows<T>::expectNoneBroken(StepCounts& counts) {
  if (!made_.breakable) return;
  countBroken();
  counts.expect(kExpectedUnbroken, made_.broken.data(), 0, 0);
}

template <class T> void JointRows<T>::settleStep(const StepStatus* status, State<T>& bodies) {
  if (rowsSaved_) {
    copyIfFailed(queue_, status, {fields().data(), savedFields_.data(), fields().size() * sizeof(T)},
                 {bodies.inertias.data(), savedInertias_.data(), bodies.inertias.size() * sizeof(BodyInertia<T>)});
  }
  copyIfFailed(queue_, status, {made_.impulses.data(), made_.savedImpulses.data(), made_.impulses.size() * sizeof(JointImpulse<T>)});
  const size_t rowBytes = made_.rowImpulses.size() * sizeof(T);
  copyIfFailed(queue_, status, {made_.rowImpulses.data(), made_.savedRowImpulses.data(), rowBytes},
               {made_.phases.data(), made_.savedPhases.data(), rowBytes});
  copyIfDone(queue_, status, {made_.reactions.data(), made_.stepReactions.data(), made_.reactions.size() * sizeof(JointReaction<T>)});
}

template class JointRows<float>;
template class JointRows<double>;

}  // namespace cairn::v0
