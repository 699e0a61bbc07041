#include "src/solve/caller_pass.hpp"

#include "kernels/joints/joint_passes.hpp"
#include "src/joints/joint_solve.hpp"
#include "src/joints/joint_stabilization.hpp"
#include "src/solve/stabilization.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// Bounds that no call within the capacity goes beyond. Contacts take most room where each point is a manifold.
std::array<int, kStepCounts> roomsFor(const ContactCapacity& capacity) {
  std::array<int, kStepCounts> rooms{};
  const auto room = [&rooms](StepCount which) -> int& { return rooms[static_cast<size_t>(which)]; };
  room(StepCount::Manifolds) = capacity.contacts;
  room(StepCount::LeftOver) = capacity.contacts + capacity.joints;
  room(StepCount::ContactFields) = static_cast<int>(mostContactFields(capacity.contacts, 1));
  room(StepCount::ContactOverflow) = tilesFor(capacity.overflow);
  room(StepCount::ContactWidest) = tilesFor(capacity.contacts);
  room(StepCount::JointOverflow) = tilesFor(capacity.overflow);
  room(StepCount::JointWidest) = tilesFor(capacity.joints);
  return rooms;
}

}  // namespace

template <class T> void CallerPass<T>::readBodies(Queue& queue, const SolverBodies<T>& bodies) {
  const auto slots = static_cast<size_t>(bodies.count) + 1;  // the world is the last
  poses_.resize(queue, slots);
  velocities_.resize(queue, slots);
  inertias_.resize(queue, slots);
  motions_.resize(queue, slots);
  constants_.resize(queue, slots);
  cairn::readBodies(queue, bodies, {poses_.data(), velocities_.data(), inertias_.data(), motions_.data(), constants_.data()}, state_.data());
}

template <class T> CallerJointRecords<T> CallerPass<T>::jointRecords() {
  return {records_.data(), jointImpulses_.data(), live_.data(), axisRows_.data(), rowImpulses_.data(), phases_.data()};
}

template <class T> void CallerPass<T>::readJoints(Queue& queue, const CallerArrays<T>& caller, const ContactCapacity& capacity) {
  const int count = caller.joints.count;
  joints_ = {};
  if (count == 0) return;
  const auto joints = static_cast<size_t>(count), rows = static_cast<size_t>(caller.joints.axisRows.count);
  records_.resize(queue, joints);
  jointImpulses_.resize(queue, joints);
  live_.resize(queue, joints);
  laneOfJoint_.resize(queue, joints);
  axisRows_.resize(queue, rows);
  rowImpulses_.resize(queue, rows);
  phases_.resize(queue, rows);
  cairn::readJoints(queue, caller, capacity, jointRecords(), state_.data());

  const int slots = caller.bodies.count + 1;
  jointOffsets_.resize(queue, static_cast<size_t>(slots) + 1);
  jointSides_.resize(queue, 2 * joints);
  sideKeys_.resize(queue, 2 * joints);
  jointOffsets_.fillZero(queue);
  listJointSides(queue, records_.data(), count, slots, {sideKeys_.data(), jointSides_.data(), jointOffsets_.data()});
  sortByKey(queue, scratch_, sideKeys_.data(), jointSides_.data(), 2 * count);
  exclusiveScan(queue, scratch_, jointOffsets_.data(), jointOffsets_.data(), slots);

  joints_.count = count;
  joints_.axisRowCount = caller.joints.axisRows.count;
  joints_.anySwept = true;
  joints_.liveOnTarget = live_.data();
  joints_.records = records_.data();
  joints_.laneOfJoint = laneOfJoint_.data();
  joints_.impulses = jointImpulses_.data();
  joints_.axisRows = axisRows_.data();
  joints_.rowImpulses = rowImpulses_.data();
  joints_.phases = phases_.data();
  joints_.ofBodies = {jointOffsets_.data(), jointSides_.data()};
}

// On the CPU `found_` says how many manifolds there are; else it has a bound and where the number lies.
template <class T> void CallerPass<T>::readContacts(Queue& queue, const CallerArrays<T>& caller, int most) {
  const auto room = static_cast<size_t>(most);
  places_.resize(queue, room + 1);
  checkContacts(queue, caller, most, state_.data(), places_.data());
  if (queue.target == Target::Cpu && state_.read(queue, 0).refused()) most = 0;
  exclusiveScan(queue, scratch_, places_.data(), places_.data(), most);
  manifoldCount_ = places_.data() + most;
  found_ = {};
  found_.count = counts_.bound(queue, StepCount::Manifolds, manifoldCount_);
  if (found_.count > 0) found_.found = manifoldCount_;
  manifolds_.resize(queue, static_cast<size_t>(found_.count));
  impulses_.resize(queue, static_cast<size_t>(found_.count));
  firstContact_.resize(queue, static_cast<size_t>(found_.count));
  found_.manifolds = manifolds_.data();
  readManifolds(queue, caller, most, state_.data(), places_.data(), {manifolds_.data(), impulses_.data(), firstContact_.data(), constants_.data()});
}

template <class T> StepContext<T> CallerPass<T>::contextOf(Queue& queue, const WorldSettings& settings, const ContactSolverCall<T>& call) {
  StepContext<T> step(queue, scratch_, settings);
  step.anyRestitution = bool(call.contacts.restitution);
  step.bodySlots = call.bodies.count + 1;
  step.poses = poses_.data();
  step.velocities = velocities_.data();
  step.inertias = inertias_.data();
  step.motions = motions_.data();
  step.constants = constants_.data();
  step.manifolds = found_;
  step.impulses = impulses_.data();
  step.joints = joints_;
  step.warmStart = settings.warmStart ? impulses_.data() : nullptr;
  return step;
}

template <class T> void CallerPass<T>::colour(StepContext<T>& step) {
  Queue& queue = step.queue;
  const int joints = step.joints.count, constraints = step.manifolds.count + joints;
  const int* const firstJoint = step.manifolds.found;
  constraints_.resize(queue, static_cast<size_t>(constraints));
  priorities_.resize(queue, static_cast<size_t>(constraints));
  describeConstraints(queue, step.manifolds, step.constants, constraints_.data(), priorities_.data());
  if (joints > 0) {
    describeJoints(queue, step.joints.records, step.joints.liveOnTarget, {firstJoint, nullptr, joints}, step.constants, constraints_.data(),
                   priorities_.data());
  }
  const int maxColours = step.settings.solver == Solver::Jacobi ? 0 : step.settings.maxColours;
  ConstraintGraph graph{constraints_.data(), priorities_.data(), constraints, step.bodySlots, firstJoint, joints};
  graph.cold = !step.settings.warmStart;
  colours_ = graph_.update(queue, scratch_, graph, maxColours, &counts_);
  step.constraints = constraints_.data();
}

template <class T> void CallerPass<T>::layOutRows(StepContext<T>& step, const ContactCapacity& capacity) {
  step.rows = rows_.build(step.queue, scratch_, step.manifolds, step.constraints, colours_, &counts_);
  if (step.joints.count > 0) {
    const TileRange range{step.manifolds.found, nullptr, step.joints.count};
    const JointList<T> list{records_.data(), live_.data(), laneOfJoint_.data(), range, capacity.rowsOfJoint};
    step.joints.rows = jointTiles_.layOut(step.queue, scratch_, list, step.constraints, colours_, counts_);
  }
  step.overflow = overflow_.build(step.queue, scratch_, step.rows, step.joints.rows, step.bodySlots);
  rows_.fill(step);
  if (step.joints.count > 0) prepareJoints(step);
}

template <class T> void CallerPass<T>::prepareJoints(StepContext<T>& step) {
  const JointInputs<T> in = jointInputs(step.joints, step.poses, step.velocities, step.inertias, step.overflow.partCounts);
  stiffenBodies(step.queue, step.bodySlots, step.joints.ofBodies, in, T(step.h), step.inertias);
  cairn::prepareJoints(step.queue, step.joints.rows, in, jointBias<T>(step.settings, step.h));
}

template <class T> void CallerPass<T>::solve(StepContext<T>& step, const ContactSolverCall<T>& call) {
  solve_.begin(step, counts_);
  solve_.updateTargets(step);
  solve_.reflectImpacts(step);
  solve_.solveBiased(step, step.settings.substeps);
  if (call.bodies.linearMove || call.bodies.angularMove) {
    moves_.resize(step.queue, velocities_.size());
    copyBytes(step.queue, moves_.data(), velocities_.data(), velocities_.size() * sizeof(BodyVelocity<T>));
  }
  solve_.relax(step, true);
  solve_.collectContactImpulses(step);
  collectJointImpulses(step, step.h);
}

template <class T> void CallerPass<T>::measureResidual(StepContext<T>& step) {
  if (step.manifolds.count == 0) return noteResidual<T>(step.queue, nullptr, state_.data());
  SolvedRows<T> solved;
  solved.rows = step.rows;
  solved.manifolds = step.manifolds;
  solved.freeVelocities = solve_.freeVelocities();
  solved.solvedVelocities = step.velocities;
  solved.inertias = step.inertias;
  solved.biased = step.settings.relaxations == 0;
  solved.restSpeed = normalBias<T>(step.settings, step.h).restSpeed;
  noteResidual(step.queue, residual_.maxima(step.queue, scratch_, solved), state_.data());
}

template <class T> void CallerPass<T>::run(Queue& queue, const CallSettings& settings, const ContactSolverCall<T>& call) {
  const ContactCapacity& capacity = settings.capacity;
  const bool planned = queue.target == Target::Cuda;
  if (planned) {
    counts_.beginBounded(roomsFor(capacity));
  } else {
    counts_.beginRead();
  }
  state_.resize(queue, 1);
  beginCall(queue, call.contacts, capacity, state_.data());
  readBodies(queue, call.bodies);
  const CallerArrays<T> caller{call.bodies, call.contacts, call.joints, settings.world.warmStart};
  readJoints(queue, caller, capacity);
  readContacts(queue, caller, planned ? capacity.contacts : state_.read(queue, 0).contacts);

  StepContext<T> step = contextOf(queue, settings.world, call);
  colour(step);
  layOutRows(step, capacity);
  solve(step, call);
  if (call.measureResidual) measureResidual(step);

  SolvedCall<T> solved{};
  solved.bodies.velocities = velocities_.data();
  solved.bodies.constants = constants_.data();
  solved.moves = call.bodies.linearMove || call.bodies.angularMove ? moves_.data() : nullptr;
  solved.manifolds = {manifolds_.data(), impulses_.data(), firstContact_.data(), constants_.data()};
  solved.manifoldCount = manifoldCount_;
  solved.manifoldBound = step.manifolds.count;
  solved.colours = colours_.scalars;
  solved.sweeps = solve_.sweeps();
  checkResult(queue, call.bodies.count, solved, state_.data());
  writeJoints(queue, call.joints, jointRecords(), state_.data());
  writeResult(queue, caller, solved, state_.data(), call.status);
}

template class CallerPass<float>;
template class CallerPass<double>;

}  // namespace cairn::v0
