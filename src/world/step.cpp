// The stages of a step, in their order. How a step flows: src/README.md.
#include "kernels/joints/joint_islands.hpp"
#include "kernels/joints/torn_joints.hpp"
#include "src/joints/joint_solve.hpp"
#include "src/world/simulation_of.hpp"

#include <algorithm>
#include <exception>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr int kNoSlotByte = 0x7f, kNoSlot = 0x7f7f7f7f;  // beyond all slots

// Joints come after the manifolds. Without any manifolds, as the host knows, they are the first.
template <class T> FirstPlace firstJoint(const StepContext<T>& step) {
  return step.manifolds.count > 0 ? FirstPlace(step.manifolds.found, step.manifolds.count) : FirstPlace();
}

}  // namespace

template <class T> void SimulationOf<T>::step() {
  collectEnqueued();
  if (flight_.anyArrived(queue_)) land();
  jointRows_.update(joints_, state_, settings_.jointSolver);
  const bool planned = canPlan();
  if (!planned) settle();
  begin(planned);
  try {
    if (planned && settings_.cudaGraph) {
      runRecorded();
    } else {
      runStages();
    }
    finish();
  } catch (const DeviceError&) {
    undo(true);
    throw;
  } catch (...) {
    undo(false);
    throw;
  }
  if (!planned) makePlan();
  if (enqueued_.captured) settle();  // a graph of the caller's may launch more steps, which nobody tells from this one
}

// Puts back what a refused step has changed. A device that has failed may not be able to: the exception that is under way says what happened first.
template <class T> void SimulationOf<T>::undo(bool deviceFailed) {
  planned_ = false;
  while (rowsServed_.size() > static_cast<size_t>(flight_.queued())) rowsServed_.pop_back();
  std::exception_ptr error;
  const auto attempt = [&error](const auto& restore) {
    try {
      restore();
    } catch (const DeviceError&) {
      if (!error) error = std::current_exception();
    }
  };
  attempt([this] { state_.restore(); });
  attempt([this] { jointRows_.restore(state_); });
  attempt([this] { sleep_.giveMassesBack(queue_, state_.velocities.data(), state_.inertias.data()); });
  if (error && !deviceFailed) std::rethrow_exception(error);
}

template <class T> void SimulationOf<T>::runStages() {
  clock_.begin(queue_);
  StepContext<T> step = makeContext();
  const auto mark = [this](const char* stage) { clock_.mark(queue_, stage); };

  if (!state_.anyColliding()) counts_.know(StepCount::Pairs, 0);
  step.pairs = state_.anyColliding() ? broadPhase_.update(queue_, scratch_, broadPhaseInput(), &counts_) : broadPhase_.none(queue_, step.shapeSlots);
  mark("broad_phase");

  step.manifolds =
      narrowPhase_.update(queue_, scratch_, step.pairs, placedShapes(broadPhase_), jointRows_.joinedPairs(), &counts_, sweptBodies(broadPhase_));
  mark("narrow_phase");

  matchContacts(step);
  mark("contact_tracking");

  if (sleep_.on()) chooseSleepers(step);

  // Joints go other ways where nothing touches.
  if (step.joints.count > 0 && step.manifolds.count > 0 && !step.environments.any())
    counts_.expect(kExpectedContacts, step.manifolds.found, 1, std::numeric_limits<int>::max());
  // Joints among themselves, as they were at the end of the last step, keep their colours and rows: not where some sleep, and others wake.
  const bool mayKeep = step.jointsAlone() && !sleep_.on();
  step.joints.rowsCurrent = mayKeep && jointRows_.rowsServe(state_.revision());
  step.joints.inertiasCurrent = mayKeep && jointRows_.inertiasServe(state_.revision());
  if (!step.joints.rowsCurrent) {
    colour(step);
    mark("contact_graph");
  }
  step.constraints = constraints_.data();

  layOutRows(step);
  step.overflow = overflow_.build(queue_, scratch_, step.rows, step.joints.rows, step.bodySlots);
  const bool inertiasServe = step.joints.rowsCurrent || step.joints.inertiasCurrent;
  beginStep(queue_, step.bodySlots, step.poses, step.constants, inertiasServe ? nullptr : step.inertias, step.motions, state_.remainders.data());
  rows_.fill(step);
  if (step.anyRolling) rolling_.fill(step, state_.rolling());
  turningRows_.begin(step, sweptBodies(broadPhase_), narrowPhase_.anyFast());
  step.turning = turningRows_.turning();
  mark("rows");

  beginJoints(step);
  if (step.joints.inertiasCurrent) jointRows_.putRowsBack();
  if (step.joints.count > 0) mark("joints");

  solve_.begin(step, counts_);
  solve_.chooseCarrying(step);
  if (settings_.contactEvents) contactEvents_.begin(step);
  const IntegrateVelocity<T> accelerate = velocityPass(step);
  const IntegratePosition<T> move = solve_.carrying(positionPass(step));
  const bool bySweeps = !step.anyDamping && solve_.integratesBodies(step);
  const bool asTheyAre = step.turning == nullptr && !rows_.follows(step) && !settings_.contactEvents;
  const bool atOnce = bySweeps && asTheyAre && solve_.runAtOnce(step, accelerate, move);
  for (int substep = 1; !atOnce && substep <= settings_.substeps; ++substep) {
    const bool last = substep == settings_.substeps;
    const IntegrateVelocity<T> forces = solve_.carrying(step, substep, accelerate);
    solve_.leaveTurning(step, substep);
    turningRows_.update(step, substep == 1, narrowPhase_.manifolds());
    if (substep > 1) rows_.follow(step, step.turning);
    if (!bySweeps) integrateVelocities(queue_, forces);
    dampBodies(step, substep == 1);
    mark("integration");

    solve_.updateTargets(step);
    solve_.reflectImpacts(step);
    predictJoints(step, step.h);
    solve_.solveBiased(step, substep, bySweeps ? forces : IntegrateVelocity<T>{});
    collectJointImpulses(step, step.h);
    solve_.propagateShocks(step);
    mark("solve");

    if (!bySweeps) integratePositions(queue_, move);
    // Joints' rows are made at the poses that the next step begins with.
    if (last && step.joints.count > 0) roundPositions(step);
    if (!last && followsWay(step)) continuous_.note(queue_, step.poses, step.bodySlots, substep, settings_.substeps);
    solve_.endShocks(step);
    mark("integration");

    followBodies(step, step.h, substep);
    turningRows_.follow(step, narrowPhase_.manifolds());
    if (step.joints.count > 0) mark("joints");

    solve_.relax(step, last, bySweeps ? move : IntegratePosition<T>{});
    collectJointReactions(step, step.h, last);
    if (settings_.contactEvents) contactEvents_.addSubstep(step);
    mark("solve");
  }
  turningRows_.end(step);
  solve_.correctPositions(step);
  if (step.joints.count == 0) roundPositions(step);
  solve_.collectContactImpulses(step);
  mark("solve");

  keepFromPassing(step);
  mark("integration");

  if (settings_.contactEvents) contactEvents_.find(step, state_.savedPoses(), state_.savedVelocities());
  requireSound(step);
  remember(step);
  mark("contact_tracking");
}

template <class T> void SimulationOf<T>::roundPositions(StepContext<T>& step) {
  v0::roundPositions(queue_, step.bodySlots, state_.savedPoses(), step.motions, step.poses, state_.remainders.data());
}

template <class T> BroadPhaseInput<T> SimulationOf<T>::broadPhaseInput() const {
  BroadPhaseInput<T> input{};
  input.shapes = state_.shapeRecords.data();
  input.shapeSlots = state_.shapeSlots();
  input.poses = state_.poses.data();
  input.velocities = state_.velocities.data();
  input.constants = state_.constants.data();
  input.dt = T(settings_.growEnvelope ? settings_.dt : 0);
  input.envelope = T(settings_.envelope);
  input.environments = environments_.ofShapes();
  input.geometry = state_.geometry();
  input.compounds = state_.anyCompound();
  return input;
}

template <class T> PlacedShapes<T> SimulationOf<T>::placedShapes(const BroadPhase<T>& broadPhase) const {
  PlacedShapes<T> placed{};
  placed.records = state_.shapeRecords.data();
  placed.slots = state_.shapeSlots();
  placed.poses = state_.poses.data();
  placed.margins = broadPhase.shapeMargins();
  placed.geometry = state_.geometry();
  placed.bodySlots = state_.bodySlots();
  placed.reducible = state_.anyReducible();
  placed.tracked = tracking_.memory();
  placed.stepsDone = stepsForBirths();
  return placed;
}

// Without grown envelopes contacts are what they are at the step's beginning, as the papers have it: nothing is swept.
template <class T> SweptBodies<T> SimulationOf<T>::sweptBodies(const BroadPhase<T>& broadPhase) const {
  SweptBodies<T> swept{};
  if (!settings_.growEnvelope || !state_.anyColliding()) return swept;
  swept.velocities = state_.velocities.data();
  swept.constants = state_.constants.data();
  swept.bounds = broadPhase.bounds();
  swept.margins = broadPhase.shapeMargins();
  swept.fastShapes = broadPhase.fastShapes();
  swept.dt = T(settings_.dt);
  swept.envelope = T(settings_.envelope);
  swept.gravity = environments_.field(queue_, gravity_);
  swept.geometry = state_.geometry();
  swept.assemblies = jointRows_.assemblies();
  swept.jointOffsets = jointRows_.jointOffsets();
  return swept;
}

template <class T> StepContext<T> SimulationOf<T>::makeContext() {
  StepContext<T> step(queue_, scratch_, settings_);
  step.gravity = environments_.field(queue_, gravity_);
  step.environments = environments_.layout();
  // Several in one environment: each is as it would be alone.
  const bool solidsMeet = state_.solidBodies() > std::max(step.environments.count, 1);
  if (step.relaxations > 0 && solidsMeet) step.relaxations = std::max(step.relaxations, settings_.solidRelaxations);
  step.anyRestitution = environments_.any() ? environments_.anyRestitution() : state_.anyRestitution();
  step.anyRolling = environments_.any() ? environments_.anyRolling() : state_.anyRolling();
  step.anyRound = state_.anyRound();
  step.anyEllipsoid = state_.anyEllipsoid();
  step.anyDamping = state_.damping() != nullptr;
  step.anyJoints = joints_.count() > 0;
  step.bodySlots = state_.bodySlots();
  step.shapeSlots = state_.shapeSlots();
  step.poses = state_.poses.data();
  step.velocities = state_.velocities.data();
  step.inertias = state_.inertias.data();
  step.motions = state_.motions.data();
  step.constants = state_.constants.data();
  step.shapes = state_.shapeRecords.data();
  step.geometry = state_.geometry();
  step.forces = state_.forces();
  step.joints = jointRows_.view();
  return step;
}

template <class T> void SimulationOf<T>::chooseSleepers(StepContext<T>& step) {
  sleep_.beginIslands(step);
  const JointStepView<T>& joints = step.joints;
  if (joints.count > 0)
    joinByJoints(queue_, JoiningJoints<T>{joints.records, joints.axisRows, joints.liveOnTarget, joints.count}, sleep_.islands(step));
  sleep_.choose(step);
}

// No shape is newer than a plan.
template <class T> int SimulationOf<T>::stepsForBirths() const { return counts_.planned() ? std::numeric_limits<int>::max() : steps_; }

template <class T> void SimulationOf<T>::matchContacts(StepContext<T>& step) {
  tracking_.reserve(queue_, step.manifolds.count, step.shapeSlots);
  step.impulses = tracking_.impulses();
  const ManifoldImpulse<T>* impulses = nullptr;
  int* const predecessors = step.anyRolling ? rolling_.predecessors(queue_, step.manifolds.count) : nullptr;
  const int stepsDone = stepsForBirths();
  if (settings_.frictionStabilization) {
    impulses = tracking_.matchWithAnchors(queue_, step.manifolds, step.shapes, stepsDone, step.poses, predecessors);
    step.anchors = tracking_.anchors();
  } else if (settings_.warmStart) {
    impulses = tracking_.match(queue_, step.manifolds, step.shapes, stepsDone, predecessors);
  }
  if (settings_.warmStart) step.warmStart = impulses;
}

template <class T> void SimulationOf<T>::colour(StepContext<T>& step) {
  const int joints = step.joints.count, constraints = step.manifolds.count + joints;
  constraints_.resize(queue_, static_cast<size_t>(constraints));
  priorities_.resize(queue_, static_cast<size_t>(constraints));
  describeConstraints(queue_, step.manifolds, step.constants, constraints_.data(), priorities_.data(), step.environments.shapes);
  if (joints > 0) jointRows_.describe(firstJoint(step), step.constants, constraints_.data(), priorities_.data(), step.environments.joints);
  const int maxColours = settings_.solver == Solver::Jacobi ? 0 : settings_.maxColours;
  ConstraintGraph graph{constraints_.data(), priorities_.data(), constraints, step.bodySlots, firstJoint(step).at, joints, step.environments.bodies};
  graph.cold = !settings_.warmStart;
  graph_ = contactGraph_.update(queue_, scratch_, graph, maxColours, &counts_);
  layoutGraph_ = mayRegroup(step) ? colourPacks_.regroup(queue_, graph, graph_, packLanes<T>(queue_)) : graph_;
}

// Not where sums over lanes are taken, nor where what a row comes to depends on those it has a tile with: fast bodies find contacts anew, as many as
// the tile has room for. Joints have packs of their own in the same colours.
template <class T> bool SimulationOf<T>::mayRegroup(const StepContext<T>& step) const {
  return queue_.target == Target::Cpu && settings_.solver == Solver::Pgs && step.joints.count == 0 && !narrowPhase_.anyFast() &&
         !step.geometry.meshes.solids.any();
}

// Contacts first, then joints: that is their order in the graph.
template <class T> void SimulationOf<T>::layOutRows(StepContext<T>& step) {
  step.rows = rows_.build(queue_, scratch_, step.manifolds, step.constraints, layoutGraph_, &counts_, 0, step.asleep);
  if (step.joints.count == 0) return;
  step.joints.rows =
      step.joints.rowsCurrent ? jointRows_.lastLayout() : jointRows_.layout(scratch_, step.constraints, layoutGraph_, firstJoint(step), &counts_);
}

template <class T> IntegrateVelocity<T> SimulationOf<T>::velocityPass(const StepContext<T>& step) const {
  IntegrateVelocity<T> pass;
  pass.bodies = {step.poses, step.constants, step.motions, step.inertias, step.forces, step.velocities};
  pass.h = T(step.h);
  pass.gravity = step.gravity;
  pass.turning = step.turning;
  pass.count = step.bodySlots;
  return pass;
}

template <class T> void SimulationOf<T>::dampBodies(const StepContext<T>& step, bool first) {
  if (state_.damping() == nullptr) return;
  const DampedBodies<T> bodies{state_.damping(), step.constants, step.poses, step.velocities, state_.dampingWork()};
  dampVelocities(queue_, step.bodySlots, bodies, T(step.h), first);
}

template <class T> IntegratePosition<T> SimulationOf<T>::positionPass(const StepContext<T>& step) const {
  IntegratePosition<T> pass;
  pass.bodies = {step.velocities, step.poses, step.motions};
  pass.h = T(step.h);
  pass.limits = {T(settings_.maxLinearSpeed), T(settings_.maxAngularSpeed)};
  pass.count = step.bodySlots;
  return pass;
}

// Joints' rows that were made at the poses of the last substep serve no longer where bodies have been put back.
template <class T> void SimulationOf<T>::keepFromPassing(StepContext<T>& step) {
  if (!mayPass()) return;
  FinishedStep<T> finished{};
  finished.shapes = step.shapes;
  finished.bodySlots = step.bodySlots;
  finished.bounded = broadPhase_.boundedShapes(step.shapeSlots);
  finished.joined = jointRows_.joinedPairs();
  PathsTaken<T>& paths = finished.bodies.paths;
  paths.before = state_.savedPoses();
  paths.after = step.poses;
  paths.velocities = step.velocities;
  paths.constants = step.constants;
  paths.assemblies = jointRows_.assemblies();
  paths.jointOffsets = jointRows_.jointOffsets();
  paths.geometry = step.geometry;
  paths.dt = T(settings_.dt);
  finished.bodies.poses = step.poses;
  finished.bodies.velocities = step.velocities;
  finished.bodies.gravity = step.gravity;
  const int* putBack = continuous_.update(queue_, finished, counts_);
  if (putBack == nullptr || !step.joints.rowsCurrent) return;
  // The plan has it that they serve.
  if (counts_.planned()) return counts_.expect(kExpectedUnswept, putBack, 0, 0);
  int bodies = 0;
  downloadBytes(queue_, &bodies, putBack, sizeof bodies);
  if (bodies == 0) return;
  step.joints.rowsCurrent = false;
  jointRows_.dropRows();
}

// Throws for what no further step could go on from.
template <class T> void SimulationOf<T>::requireSound(const StepContext<T>& step) {
  int* const firstBody = firstBad_.data();
  int* const firstJoint = firstBody + 1;
  fillBytes(queue_, firstBody, kNoSlotByte, 2 * sizeof(int));
  findNonFinite(queue_, step.bodySlots, step.constants, step.poses, step.velocities, firstBody);
  const bool anyJoints = step.joints.count > 0;
  if (anyJoints) {
    const JointedBodies<T> bodies{state_.savedPoses(), step.poses, step.velocities, step.joints.boxes.targets, T(step.h), T(settings_.dt)};
    findTornJoints(queue_, step.joints.liveOnTarget, step.joints.count, step.joints.records, bodies, firstJoint);
  }
  if (counts_.planned()) {
    counts_.expect(kExpectedFinite, firstBody, kNoSlot, kNoSlot);
    if (anyJoints) counts_.expect(kExpectedWhole, firstJoint, kNoSlot, kNoSlot);
    return;
  }
  const int body = firstBad_.read(queue_, 0);
  if (body != kNoSlot) throw NonFiniteState(state_.name(body), steps_ + 1, environments_.of(body));
  const int joint = anyJoints ? firstBad_.read(queue_, 1) : kNoSlot;
  if (joint == kNoSlot) return;
  if (joints_[joint].def.type == JointType::BlackBox) {
    throw InvalidInput("joint '" + joints_.name(joint) + "': projection", "must answer a finite pose; the step was undone");
  }
  throw TornJoint(joints_.name(joint), steps_ + 1, environments_.of(joints_[joint].bodyA.index));
}

// Keeps what the next step and the queries need of this one. Room for it has been made by now; the joints' bookkeeping, which may still need some,
// comes first. The status of a planned step says on the device whether there is anything to keep.
template <class T> void SimulationOf<T>::remember(const StepContext<T>& step) {
  const StepStatus* status = counts_.planned() ? flight_.status() : nullptr;
  if (status == nullptr) {
    for (const int slot : jointRows_.finishStep()) joints_.markBroken(slot);
  } else {
    if (step.joints.count > 0) jointRows_.expectNoneBroken(counts_);
    checkStep(queue_, counts_.assumptions(), flight_.status());
    state_.restoreIfFailed(status);
    if (step.joints.count > 0) jointRows_.settleStep(status, state_);
  }
  if (step.joints.rowsCurrent && !sleep_.on()) jointRows_.keepRows(state_.revision());
  sleep_.end(step, state_.constants.data(), status);
  tracking_.remember(queue_, step.manifolds, state_.constants.data(), step.shapeSlots, step.impulses, status);
  if (settings_.frictionStabilization) tracking_.rememberAnchors(queue_, step.manifolds, step.impulses, status);
  if (step.anyRolling) {
    rolling_.remember(step, status);
  } else {
    rolling_.forget();
  }
  if (settings_.contactEvents) contactEvents_.remember(queue_, status);
  last_.done = true;
  last_.settled = status == nullptr;
  last_.pairCount = step.pairs.pairCount;
  last_.manifolds = step.manifolds;
  last_.rows = step.rows;
  last_.rolling = step.rolling;
}

// The host's side of a step's end, the same for steps that are launched from a recording.
template <class T> void SimulationOf<T>::finish() {
  if (counts_.planned()) flight_.follow(queue_);
  state_.clearForces();
  last_.bodies = state_.revision();
  last_.joints = joints_.revision();
  if (queue_.target == Target::Cpu) contactsOnHost_ = last_.manifolds.count;
  ++steps_;
}

template void SimulationOf<float>::step();
template void SimulationOf<double>::step();

template BroadPhaseInput<float> SimulationOf<float>::broadPhaseInput() const;
template BroadPhaseInput<double> SimulationOf<double>::broadPhaseInput() const;
template PlacedShapes<float> SimulationOf<float>::placedShapes(const BroadPhase<float>&) const;
template PlacedShapes<double> SimulationOf<double>::placedShapes(const BroadPhase<double>&) const;
template SweptBodies<float> SimulationOf<float>::sweptBodies(const BroadPhase<float>&) const;
template SweptBodies<double> SimulationOf<double>::sweptBodies(const BroadPhase<double>&) const;

}  // namespace cairn::v0
