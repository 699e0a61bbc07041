// The stages of a step, in their order. How a step flows: src/README.md.
#include "src/joints/joint_solve.hpp"
#include "src/world/simulation_of.hpp"

#include <limits>

namespace cairn {
namespace {

constexpr int kNoBody = std::numeric_limits<int>::max();

}  // namespace

template <class T> void SimulationOf<T>::step() {
  jointRows_.update(joints_, state_, settings_.jointSolver);
  state_.backUp();
  jointRows_.backUp();
  last_.done = false;
  try {
    runStages();
  } catch (...) {
    state_.restore();
    jointRows_.restore();
    throw;
  }
}

template <class T> void SimulationOf<T>::runStages() {
  clock_.begin(queue_);
  StepContext<T> step = makeContext();
  const auto mark = [this](const char* stage) { clock_.mark(queue_, stage); };

  step.pairs = state_.anyColliding() ? broadPhase_.update(queue_, scratch_, broadPhaseInput()) : broadPhase_.none(queue_, step.shapeSlots);
  mark("broad_phase");

  step.manifolds = narrowPhase_.update(queue_, scratch_, step.pairs, step.shapes, step.shapeSlots, step.poses, broadPhase_.shapeMargins(),
                                       jointRows_.joinedPairs());
  mark("narrow_phase");

  matchContacts(step);
  mark("contact_tracking");

  // Joints among themselves, as they were at the end of the last step, keep their colours and rows.
  step.joints.rowsCurrent = step.joints.count > 0 && step.manifolds.count == 0 && jointRows_.rowsServe(state_.revision());
  if (!step.joints.rowsCurrent) {
    colour(step);
    mark("contact_graph");
  }
  step.constraints = constraints_.data();

  layOutRows(step);
  step.overflow = overflow_.build(queue_, scratch_, step.rows, step.joints.rows, step.bodySlots);
  beginStep(queue_, step.bodySlots, step.poses, step.constants, step.joints.rowsCurrent ? nullptr : step.inertias, step.motions);
  rows_.fill(step);
  mark("rows");

  beginJoints(step);
  if (step.joints.count > 0) mark("joints");

  solve_.begin(step);
  for (int substep = 1; substep <= settings_.substeps; ++substep) {
    const bool last = substep == settings_.substeps;
    integrateVelocities(queue_, step.bodySlots, {step.poses, step.constants, step.inertias, step.forces, step.velocities}, T(step.h), step.gravity);
    mark("integration");

    solve_.updateTargets(step);
    solve_.reflectImpacts(step);
    predictJoints(step, step.h);
    solve_.solveBiased(step, last);
    collectJointImpulses(step, step.h, false);
    solve_.propagateShocks(step);
    mark("solve");

    moveBodies(step);
    solve_.endShocks(step);
    mark("integration");

    followBodies(step, step.h, last);
    if (step.joints.count > 0) mark("joints");

    solve_.relax(step, last);
    collectJointImpulses(step, step.h, true);
    mark("solve");
  }
  solve_.correctPositions(step);
  solve_.collectContactImpulses(step);
  mark("solve");

  requireFinite(step);
  remember(step);
  mark("contact_tracking");
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
  return input;
}

template <class T> StepContext<T> SimulationOf<T>::makeContext() {
  StepContext<T> step(queue_, scratch_, settings_);
  step.gravity = convert<T>(gravity_);
  step.anyRestitution = state_.anyRestitution();
  step.anyRound = state_.anyRound();
  step.anyEllipsoid = state_.anyEllipsoid();
  step.bodySlots = state_.bodySlots();
  step.shapeSlots = state_.shapeSlots();
  step.poses = state_.poses.data();
  step.velocities = state_.velocities.data();
  step.inertias = state_.inertias.data();
  step.motions = state_.motions.data();
  step.constants = state_.constants.data();
  step.shapes = state_.shapeRecords.data();
  step.forces = state_.forces();
  step.joints = jointRows_.view();
  return step;
}

template <class T> void SimulationOf<T>::matchContacts(StepContext<T>& step) {
  tracking_.reserve(queue_, step.manifolds.count, step.shapeSlots);
  const ManifoldImpulse<T>* impulses = nullptr;
  if (settings_.frictionStabilization) {
    impulses = tracking_.matchWithAnchors(queue_, step.manifolds, step.shapes, steps_, step.poses);
    step.anchors = tracking_.anchors();
  } else if (settings_.warmStart) {
    impulses = tracking_.match(queue_, step.manifolds, step.shapes, steps_);
  }
  if (settings_.warmStart) step.warmStart = impulses;
}

template <class T> void SimulationOf<T>::colour(StepContext<T>& step) {
  const int manifolds = step.manifolds.count, constraints = manifolds + step.joints.count;
  constraints_.resize(queue_, static_cast<size_t>(constraints));
  priorities_.resize(queue_, static_cast<size_t>(constraints));
  describeConstraints(queue_, step.manifolds.manifolds, manifolds, step.constants, constraints_.data(), priorities_.data());
  if (step.joints.count > 0) jointRows_.describe(step.constants, constraints_.data() + manifolds, priorities_.data() + manifolds);
  const int maxColours = settings_.solver == Solver::Jacobi ? 0 : settings_.maxColours;
  graph_ = contactGraph_.update(queue_, scratch_, {constraints_.data(), priorities_.data(), constraints, step.bodySlots}, maxColours);
}

// Contacts first, then joints: that is their order in the graph.
template <class T> void SimulationOf<T>::layOutRows(StepContext<T>& step) {
  const int manifolds = step.manifolds.count;
  step.rows = rows_.build(queue_, scratch_, step.manifolds, step.constraints, graph_);
  if (step.joints.count == 0) return;
  step.joints.rows = step.joints.rowsCurrent
                         ? jointRows_.lastLayout()
                         : jointRows_.layout(scratch_, step.constraints + manifolds, graph_.colours + manifolds, graph_.colourCount);
}

template <class T> void SimulationOf<T>::moveBodies(StepContext<T>& step) {
  const SpeedLimits<T> limits{T(settings_.maxLinearSpeed), T(settings_.maxAngularSpeed)};
  integratePositions(queue_, step.bodySlots, {step.constants, step.velocities, step.poses, step.motions}, T(step.h), limits);
}

template <class T> void SimulationOf<T>::requireFinite(const StepContext<T>& step) {
  firstBad_.write(queue_, 0, kNoBody);
  findNonFinite(queue_, step.bodySlots, step.constants, step.poses, step.velocities, firstBad_.data());
  const int bad = firstBad_.read(queue_, 0);
  if (bad != kNoBody) throw NonFiniteState(state_.name(bad), steps_ + 1);
}

// Keeps what the next step and the queries need of this one. Room for it has been made by now; the joints' bookkeeping, which may still need some,
// comes first.
template <class T> void SimulationOf<T>::remember(const StepContext<T>& step) {
  for (const int slot : jointRows_.finishStep()) joints_.markBroken(slot);
  if (step.joints.rowsCurrent) jointRows_.keepRows(state_.revision());
  tracking_.remember(queue_, step.manifolds, step.constants, step.shapeSlots, solve_.impulses());
  if (settings_.frictionStabilization) tracking_.rememberAnchors(queue_, step.manifolds, solve_.impulses());
  state_.clearForces();
  ++steps_;
  last_.done = true;
  last_.pairCount = step.pairs.pairCount;
  last_.manifolds = step.manifolds;
  last_.rows = step.rows;
}

template void SimulationOf<float>::step();
template void SimulationOf<double>::step();
template BroadPhaseInput<float> SimulationOf<float>::broadPhaseInput() const;
template BroadPhaseInput<double> SimulationOf<double>::broadPhaseInput() const;

}  // namespace cairn
