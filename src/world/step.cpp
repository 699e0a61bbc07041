// The stages of a step, in their order, and the queries between steps. How a step flows: src/README.md.
#include "kernels/runtime/owned_queue.hpp"
#include "src/collide/broad_phase.hpp"
#include "src/collide/contact_tracking.hpp"
#include "src/collide/narrow_phase.hpp"
#include "src/collide/ray_cast.hpp"
#include "src/graph/contact_graph.hpp"
#include "src/joints/joint_rows.hpp"
#include "src/joints/joint_set.hpp"
#include "src/joints/joint_state.hpp"
#include "src/problems/acceleration_export.hpp"
#include "src/problems/contact_export.hpp"
#include "src/rows/rows.hpp"
#include "src/rows/stabilization.hpp"
#include "src/solve/residual.hpp"
#include "src/solve/solve.hpp"
#include "src/state/state.hpp"
#include "src/state/step_context.hpp"
#include "src/world/simulation.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace cairn {
namespace {

constexpr int kNoBody = std::numeric_limits<int>::max();

template <class T> ExportedShape exportedShape(const ShapeRecord<T>& shape, const BodyPose<T>& pose) {
  const Quat<double> q = convert<double>(pose.q);
  return {static_cast<ShapeType>(shape.type), convert<double>(shape.size), rotate(q, convert<double>(shape.localPose.p)),
          q * convert<double>(shape.localPose.q)};
}

class Fnv1a {
 public:
  void add(const void* data, size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3ull;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325ull;
};

template <class T> class SimulationOf final : public Simulation {
 public:
  SimulationOf(const Scene& scene, const WorldSettings& settings, Target target)
      : owned_(target, settings.threads), queue_(owned_.queue), settings_(settings), gravity_(scene.gravity), state_(queue_), jointRows_(queue_) {
    state_.add(scene.bodies);
    for (const JointDef& joint : scene.joints) {
      const std::string name = joint.name.empty() ? "joint-" + std::to_string(joints_.count()) : joint.name;
      join(joint, state_.idOf(joint.bodyA), state_.idOf(joint.bodyB), "joint '" + name + "'");
    }
    firstBad_.resize(queue_, 1);
  }

  void step() override {
    jointRows_.update(joints_, state_, settings_.jointSolver);
    state_.backUp();
    jointRows_.backUp();
    try {
      runStages();
      checkFinite();
    } catch (...) {
      state_.restore();
      jointRows_.restore();
      solved_ = false;
      throw;
    }
    tracking_.remember(queue_, manifolds_, state_.shapeSlots(), solve_.impulses());
    if (settings_.frictionStabilization) tracking_.rememberAnchors(queue_, manifolds_, solve_.impulses());
    clock_.mark(queue_, "contact_tracking");
    for (const int slot : jointRows_.finishStep()) joints_.markBroken(slot);
    state_.clearForces();
    ++steps_;
    solved_ = true;
  }

  Target target() const override { return queue_.target; }
  int bodyCount() const override { return state_.bodyCount(); }
  std::vector<BodyId> bodies() const override { return state_.bodies(); }
  BodyId findBody(const std::string& name) const override { return state_.find(name); }
  std::string bodyName(BodyId body) const override { return state_.name(state_.slotOf(body)); }
  BodyId addBody(const BodyDef& body) override { return state_.add(body, steps_); }
  void removeBody(BodyId body) override {
    const int slot = state_.slotOf(body);
    joints_.removeOf(slot);
    state_.remove(body);
  }
  BodyState state(BodyId body) const override { return state_.read(state_.slotOf(body)); }
  std::vector<BodyState> states() const override { return state_.readAll(); }
  void setPose(BodyId body, const Posed& pose) override { state_.setPose(state_.slotOf(body), pose); }
  void setVelocity(BodyId body, Vec3d linear, Vec3d angular) override { state_.setVelocity(state_.slotOf(body), linear, angular); }
  void applyForce(BodyId body, Vec3d force, Vec3d torque) override { state_.addForce(state_.slotOf(body), force, torque); }

  int jointCount() const override { return joints_.count(); }
  std::vector<JointId> joints() const override { return joints_.ids(); }
  JointId findJoint(const std::string& name) const override { return joints_.find(name); }
  std::string jointName(JointId joint) const override { return joints_.name(joints_.slotOf(joint)); }
  JointId addJoint(BodyId a, BodyId b, const JointDef& joint) override {
    return join(joint, a, b, joint.name.empty() ? "new joint" : "joint '" + joint.name + "'");
  }
  void removeJoint(JointId joint) override { joints_.remove(joint); }
  JointState jointState(JointId joint) const override { return cairn::jointState(joints_, jointRows_, state_, joint, settings_.dt); }
  std::vector<JointState> jointStates() const override { return cairn::jointStates(queue_, joints_, jointRows_, state_, settings_.dt); }
  void setMotor(JointId joint, int axis, JointMotor motor, double target, double maxForce) override {
    joints_.setMotor(joint, axis, motor, target, maxForce);
    jointRows_.rewrite(joints_, joints_.slotOf(joint));
  }

  std::vector<Contact> contacts() const override;
  StepReport report() const override;
  std::vector<StageTime> stageTimes() const override;
  std::vector<int> contactLevels() const override;
  std::vector<RayHit> castRays(const std::vector<Ray>& rays) const override;
  ContactProblem contactProblem() const override;
  reference::AccelerationProblem accelerationProblem(double touching, double resting) const override;
  uint64_t stateHash() const override;

 private:
  BroadPhaseInput<T> broadPhaseInput() const {
    return {state_.shapeRecords.data(), state_.shapeSlots(),     state_.poses.data(),
            state_.velocities.data(),   state_.constants.data(), T(settings_.growEnvelope ? settings_.dt : 0),
            T(settings_.envelope)};
  }
  StepContext<T> makeContext() {
    return {queue_,
            scratch_,
            clock_,
            settings_,
            convert<T>(gravity_),
            state_.anyRestitution(),
            state_.anyRound(),
            state_.anyEllipsoid(),
            state_.bodySlots(),
            state_.shapeSlots(),
            state_.poses.data(),
            state_.velocities.data(),
            state_.inertias.data(),
            state_.motions.data(),
            state_.constants.data(),
            state_.shapeRecords.data(),
            state_.forces(),
            {},
            {},
            nullptr,
            nullptr,
            nullptr,
            {},
            nullptr,
            jointRows_.view()};
  }

  JointId join(const JointDef& joint, BodyId a, BodyId b, const std::string& place) {
    requireJoinable(state_, a, b, place);
    requireFunctorRunsOn(queue_.target, joint, place);
    return joints_.add(joint, a, b);
  }

  void runStages() {
    clock_.begin(queue_);
    StepContext<T> step = makeContext();

    step.pairs = state_.anyColliding() ? broadPhase_.update(queue_, scratch_, broadPhaseInput()) : broadPhase_.none(queue_, step.shapeSlots);
    clock_.mark(queue_, "broad_phase");

    step.manifolds = narrowPhase_.update(queue_, scratch_, step.pairs, step.shapes, step.shapeSlots, step.poses, broadPhase_.shapeMargins(),
                                         jointRows_.joinedPairs());
    clock_.mark(queue_, "narrow_phase");

    match(step);
    clock_.mark(queue_, "contact_tracking");

    colour(step);
    step.constraints = constraints_.data();
    solve_.run(step);
    if (step.joints.rowsCurrent) jointRows_.keepRows(state_.touched());

    pairCount_ = step.pairs.pairCount;
    manifolds_ = step.manifolds;
    rowView_ = step.rows;
  }

  // The contact graph, and rows by its colours. Joints among themselves, as they were in the last step, keep both.
  void colour(StepContext<T>& step) {
    const int manifolds = step.manifolds.count, constraints = manifolds + step.joints.count;
    if (step.joints.count > 0 && manifolds == 0 && jointRows_.rowsServe(state_.touched())) {
      step.rows = rows_.build(queue_, scratch_, step.manifolds, constraints_.data(), graph_);
      step.joints.rows = jointRows_.lastLayout();
      step.joints.rowsCurrent = true;
      return;
    }
    constraints_.resize(queue_, static_cast<size_t>(constraints));
    priorities_.resize(queue_, static_cast<size_t>(constraints));
    describeConstraints(queue_, step.manifolds.manifolds, manifolds, step.constants, constraints_.data(), priorities_.data());
    if (step.joints.count > 0) jointRows_.describe(step.constants, constraints_.data() + manifolds, priorities_.data() + manifolds);
    const int maxColours = settings_.solver == Solver::Jacobi ? 0 : settings_.maxColours;
    graph_ = contactGraph_.update(queue_, scratch_, {constraints_.data(), priorities_.data(), constraints, step.bodySlots}, maxColours);
    clock_.mark(queue_, "contact_graph");

    step.rows = rows_.build(queue_, scratch_, step.manifolds, constraints_.data(), graph_);
    clock_.mark(queue_, "rows");
    if (step.joints.count == 0) return;
    step.joints.rows = jointRows_.layout(scratch_, constraints_.data() + manifolds, graph_.colours + manifolds, graph_.colourCount);
    clock_.mark(queue_, "joints");
  }

  void match(StepContext<T>& step) {
    const ManifoldImpulse<T>* impulses = nullptr;
    if (settings_.frictionStabilization) {
      impulses = tracking_.matchWithAnchors(queue_, step.manifolds, step.shapes, steps_, step.poses);
      step.anchors = tracking_.anchors();
    } else if (settings_.warmStart) {
      impulses = tracking_.match(queue_, step.manifolds, step.shapes, steps_);
    }
    if (settings_.warmStart) step.warmStart = impulses;
  }

  void checkFinite() {
    firstBad_.write(queue_, 0, kNoBody);
    findNonFinite(queue_, state_.bodySlots(), state_.constants.data(), state_.poses.data(), state_.velocities.data(), firstBad_.data());
    const int bad = firstBad_.read(queue_, 0);
    if (bad != kNoBody) throw NonFiniteState(state_.name(bad), steps_ + 1);
    clock_.mark(queue_, "integration");
  }

  // Manifolds of the last step that still mean something: both bodies are there.
  struct HostContacts {
    std::vector<Manifold<T>> manifolds;
    std::vector<ManifoldImpulse<T>> impulses;
  };
  HostContacts downloadContacts() const {
    HostContacts host;
    if (!solved_) return host;
    host.manifolds.resize(static_cast<size_t>(manifolds_.count));
    host.impulses.resize(static_cast<size_t>(manifolds_.count));
    downloadBytes(queue_, host.manifolds.data(), manifolds_.manifolds, host.manifolds.size() * sizeof(Manifold<T>));
    downloadBytes(queue_, host.impulses.data(), solve_.impulses(), host.impulses.size() * sizeof(ManifoldImpulse<T>));
    return host;
  }

  // What the next step would start from, without a step: contacts, and bodies with the velocities that their forces give them within h.
  struct Ahead {
    std::vector<Manifold<T>> manifolds;
    std::vector<BodyVelocity<T>> before;  // by slot, without those forces
    std::vector<ExportedBody> bodies;     // by slot
  };
  Ahead lookAhead(double h) const;
  double approachSpeed(const Ahead& ahead, const Manifold<T>& m, int point) const;

  bool stands(const Manifold<T>& m) const {
    return state_.alive(m.bodyA) && state_.alive(m.bodyB) && state_.shapeOwner(m.shapeA) == m.bodyA && state_.shapeOwner(m.shapeB) == m.bodyB;
  }

  mutable OwnedQueue owned_;
  Queue& queue_;  // queries wait for the device, so that a const World still needs it
  mutable PrimitiveScratch scratch_;
  const WorldSettings& settings_;
  Vec3d gravity_;
  int steps_ = 0;
  bool solved_ = false;  // the last step's results below are there

  State<T> state_;
  JointSet joints_;
  JointRows<T> jointRows_;
  BroadPhase<T> broadPhase_;
  NarrowPhase<T> narrowPhase_;
  ContactTracking<T> tracking_;
  ContactGraph contactGraph_;
  Rows<T> rows_;
  Solve<T> solve_;
  StageClock clock_;
  mutable Residual<T> residual_;
  mutable BroadPhase<T> rayBroadPhase_;
  mutable RayCaster<T> rayCaster_;

  Buffer<ConstraintBodies> constraints_;
  Buffer<uint32_t> priorities_;
  Buffer<int> firstBad_;
  mutable Buffer<int> levels_;

  int pairCount_ = 0;
  ManifoldView<T> manifolds_{};
  RowView<T> rowView_{};
  GraphView graph_{};
};

template <class T> std::vector<Contact> SimulationOf<T>::contacts() const {
  const HostContacts host = downloadContacts();
  std::vector<Contact> contacts;
  const std::vector<BodyPose<T>> poses = solved_ ? state_.poses.download(queue_) : std::vector<BodyPose<T>>{};
  for (size_t i = 0; i < host.manifolds.size(); ++i) {
    const Manifold<T>& m = host.manifolds[i];
    if (!stands(m)) continue;
    Vec3<T> t1, t2;
    tangentFrame(m.normal, t1, t2);
    for (int p = 0; p < m.pointCount; ++p) {
      const Vec3<T> lambda = host.impulses[i].points[p];
      contacts.push_back({state_.idOf(m.bodyA), state_.idOf(m.bodyB), state_.shapeIndexInBody(m.shapeA), state_.shapeIndexInBody(m.shapeB),
                          convert<double>(poses[static_cast<size_t>(m.bodyA)].x + m.points[p].rA), convert<double>(m.normal),
                          double(m.points[p].separation), m.points[p].feature, double(lambda.x), convert<double>(lambda.y * t1 + lambda.z * t2)});
    }
  }
  return contacts;
}

template <class T> StepReport SimulationOf<T>::report() const {
  StepReport report;
  report.step = steps_;
  report.time = steps_ * settings_.dt;
  report.bodies = state_.bodyCount();
  report.dynamicBodies = state_.dynamicCount();
  report.shapes = state_.shapeCount();
  residual_.measureBodies(queue_, scratch_, {state_.bodySlots(), state_.poses.data(), state_.velocities.data(), state_.constants.data()}, gravity_,
                          report);
  report.joints = joints_.count();
  const JointErrors errors = jointErrors(queue_, joints_, jointRows_, state_);
  report.jointErrorMax = errors.linear;
  report.jointAngularErrorMax = errors.angular;
  report.memoryBytes = owned_.memory.current;
  report.peakMemoryBytes = owned_.memory.peak;
  if (!solved_) return report;

  report.candidatePairs = pairCount_;
  report.manifolds = manifolds_.count;
  report.colours = graph_.colourCount;
  report.maxDegree = graph_.maxDegree;
  report.tailConstraints = graph_.tailCount;
  report.sweeps = solve_.sweeps();
  const HostContacts host = downloadContacts();
  for (const Manifold<T>& m : host.manifolds) report.contactPoints += m.pointCount;
  SolvedRows<T> solved;
  solved.rows = rowView_;
  solved.manifolds = manifolds_;
  solved.freeVelocities = solve_.freeVelocities();
  solved.solvedVelocities = state_.velocities.data();
  solved.inertias = state_.inertias.data();
  solved.biased = settings_.relaxations == 0;
  solved.restSpeed = normalBias<T>(settings_, settings_.dt / settings_.substeps).restSpeed;
  const ResidualSummary summary = residual_.measure(queue_, scratch_, solved, report.contactPoints);
  report.residualMax = summary.max;
  report.residualRms = summary.rms;
  report.penetrationMax = summary.penetrationMax;
  report.penetrationMean = summary.penetrationMean;
  report.activePoints = summary.activePoints;
  if (summary.worst >= 0) {
    const auto worst = static_cast<size_t>(summary.worst / kMaxManifoldPoints);
    int index = summary.worst % kMaxManifoldPoints;
    for (size_t i = 0; i < worst; ++i) index += stands(host.manifolds[i]) ? host.manifolds[i].pointCount : 0;
    report.residualMaxContact = index;
  }
  report.stages = stageTimes();
  return report;
}

template <class T> std::vector<StageTime> SimulationOf<T>::stageTimes() const {
  std::vector<StageTime> stages;
  for (const auto& [stage, milliseconds] : clock_.read(queue_)) stages.push_back({stage, milliseconds});
  return stages;
}

template <class T> std::vector<int> SimulationOf<T>::contactLevels() const {
  const std::vector<BodyId> ids = state_.bodies();
  std::vector<int> levels(ids.size(), -1);
  if (!solved_ || manifolds_.count == 0) return levels;
  levels_.resize(queue_, static_cast<size_t>(state_.bodySlots()));
  computeLevels(queue_, constraints_.data(), manifolds_.count, state_.bodySlots(), levels_.data());
  const std::vector<int> bySlot = levels_.download(queue_);
  for (size_t i = 0; i < ids.size(); ++i) levels[i] = bySlot[static_cast<size_t>(ids[i].index)];
  return levels;
}

template <class T> std::vector<RayHit> SimulationOf<T>::castRays(const std::vector<Ray>& rays) const {
  for (size_t i = 0; i < rays.size(); ++i) {
    const Ray& ray = rays[i];
    const std::string place = "ray " + std::to_string(i);
    const double length2 = dot(ray.direction, ray.direction);
    if (!std::isfinite(length2) || !std::isfinite(dot(ray.origin, ray.origin))) throw InvalidInput(place, "origin and direction must be finite");
    if (!(length2 > 0)) throw InvalidInput(place, "the direction must not be zero");
    if (!(ray.maxDistance >= 0)) throw InvalidInput(place, "maxDistance must be at least 0");
  }
  const TreeView<T> tree = rayBroadPhase_.updateTree(queue_, scratch_, broadPhaseInput());
  std::vector<RayHit> hits = rayCaster_.cast(queue_, tree, state_.shapeRecords.data(), state_.poses.data(), rays);
  for (RayHit& hit : hits) {
    if (hit.shape < 0) continue;
    const int shape = hit.shape;
    hit.body = state_.idOf(state_.shapeOwner(shape));
    hit.shape = state_.shapeIndexInBody(shape);
  }
  return hits;
}

template <class T> typename SimulationOf<T>::Ahead SimulationOf<T>::lookAhead(double h) const {
  // Stages and bodies of its own: what the last step found stays.
  Ahead ahead;
  BroadPhase<T> broadPhase;
  NarrowPhase<T> narrowPhase;
  const PairView pairs = broadPhase.update(queue_, scratch_, broadPhaseInput());
  const ManifoldView<T> view = narrowPhase.update(queue_, scratch_, pairs, state_.shapeRecords.data(), state_.shapeSlots(), state_.poses.data(),
                                                  broadPhase.shapeMargins(), jointRows_.joinedPairs());
  ahead.manifolds.resize(static_cast<size_t>(view.count));
  downloadBytes(queue_, ahead.manifolds.data(), view.manifolds, ahead.manifolds.size() * sizeof(Manifold<T>));

  const auto slots = static_cast<size_t>(state_.bodySlots());
  ahead.before = state_.velocities.download(queue_);
  Buffer<BodyVelocity<T>> velocities;
  Buffer<BodyInertia<T>> inertias;
  Buffer<BodyMotion<T>> motions;
  velocities.resize(queue_, slots);
  inertias.resize(queue_, slots);
  motions.resize(queue_, slots);
  copyBytes(queue_, velocities.data(), state_.velocities.data(), slots * sizeof(BodyVelocity<T>));
  copyBytes(queue_, inertias.data(), state_.inertias.data(), slots * sizeof(BodyInertia<T>));
  beginStep(queue_, state_.bodySlots(), state_.poses.data(), state_.constants.data(), inertias.data(), motions.data());
  integrateVelocities(queue_, state_.bodySlots(), {state_.poses.data(), state_.constants.data(), inertias.data(), state_.forces(), velocities.data()},
                      T(h), convert<T>(gravity_));
  const std::vector<BodyVelocity<T>> free = velocities.download(queue_);
  const std::vector<BodyInertia<T>> world = inertias.download(queue_);
  for (size_t i = 0; i < slots; ++i) {
    ahead.bodies.push_back(exportedBody(free[i], world[i], state_.alive(static_cast<int>(i)) && state_.dynamic(static_cast<int>(i))));
  }
  return ahead;
}

template <class T> double SimulationOf<T>::approachSpeed(const Ahead& ahead, const Manifold<T>& m, int point) const {
  const auto pointVelocity = [&](int body, Vec3<T> r) {
    const BodyVelocity<T>& u = ahead.before[static_cast<size_t>(body)];
    return convert<double>(u.v) + cross(convert<double>(u.w), convert<double>(r));
  };
  return dot(convert<double>(m.normal), pointVelocity(m.bodyB, m.points[point].rB) - pointVelocity(m.bodyA, m.points[point].rA));
}

template <class T> ContactProblem SimulationOf<T>::contactProblem() const {
  const double h = settings_.dt / settings_.substeps;
  const Ahead ahead = lookAhead(h);
  std::vector<ExportedContact> contacts;
  for (const Manifold<T>& m : ahead.manifolds) {
    for (int p = 0; p < m.pointCount; ++p) {
      const double separation = double(m.points[p].separation), approach = approachSpeed(ahead, m, p);
      const double offset = normalOffset(settings_, h, separation, approach, double(m.restitution));
      contacts.push_back(exportedContact(m, p, offset));
    }
  }
  return assembleContactProblem(ahead.bodies, contacts);
}

template <class T> reference::AccelerationProblem SimulationOf<T>::accelerationProblem(double touching, double resting) const {
  const Ahead ahead = lookAhead(settings_.dt);
  const std::vector<BodyPose<T>> poses = state_.poses.download(queue_);
  const std::vector<BodyConstants<T>> constants = state_.constants.download(queue_);
  const std::vector<ShapeRecord<T>> shapes = state_.shapeRecords.download(queue_);
  const std::vector<BodyForce<T>> forces = state_.downloadForces();
  reference::AccelerationProblem problem;
  std::vector<int> position(poses.size(), -1);
  for (size_t i = 0; i < poses.size(); ++i) {
    if (!state_.alive(static_cast<int>(i))) continue;
    position[i] = static_cast<int>(problem.bodies.size());
    reference::AccelerationBody body;
    body.v = convert<double>(ahead.before[i].v);
    body.w = convert<double>(ahead.before[i].w);
    const ExportedBody& exported = ahead.bodies[i];
    if (exported.dynamic) {
      body.invMass = exported.invMass;
      body.invInertia = exported.invInertia;
      body.inertia = rotated(rotationMatrix(convert<double>(poses[i].q)), convert<double>(constants[i].inertia));
      body.force = double(constants[i].mass * constants[i].gravityScale) * gravity_ + convert<double>(forces[i].force);
      body.torque = convert<double>(forces[i].torque);
    }
    problem.bodies.push_back(body);
  }
  for (const Manifold<T>& m : ahead.manifolds) {
    const ExportedShape a = exportedShape(shapes[static_cast<size_t>(m.shapeA)], poses[static_cast<size_t>(m.bodyA)]);
    const ExportedShape b = exportedShape(shapes[static_cast<size_t>(m.shapeB)], poses[static_cast<size_t>(m.bodyB)]);
    if (a.type == ShapeType::Ellipsoid || b.type == ShapeType::Ellipsoid) {
      const int slot = a.type == ShapeType::Ellipsoid ? m.bodyA : m.bodyB;
      throw InvalidInput("body '" + state_.name(slot) + "'",
                         "an ellipsoid's contact has no acceleration-level row: how its normal turns is not known here");
    }
    for (int p = 0; p < m.pointCount; ++p) {
      const double speed = approachSpeed(ahead, m, p);
      if (double(m.points[p].separation) > touching || speed > resting) continue;
      if (speed < -resting) ++problem.approaching;
      reference::AccelerationContact contact;
      contact.bodyA = position[static_cast<size_t>(m.bodyA)];
      contact.bodyB = position[static_cast<size_t>(m.bodyB)];
      contact.normal = normalizedOr(convert<double>(m.normal), Vec3<double>{0, 1, 0});
      contact.rA = convert<double>(m.points[p].rA);
      contact.rB = convert<double>(m.points[p].rB);
      contact.friction = double(m.friction);
      classifyNormal(a, b, contact);
      problem.contacts.push_back(contact);
    }
  }
  return problem;
}

template <class T> uint64_t SimulationOf<T>::stateHash() const {
  const std::vector<BodyPose<T>> poses = state_.poses.download(queue_);
  const std::vector<BodyVelocity<T>> velocities = state_.velocities.download(queue_);
  Fnv1a hash;
  for (int slot = 0; slot < state_.bodySlots(); ++slot) {
    if (!state_.alive(slot)) continue;
    const auto i = static_cast<size_t>(slot);
    hash.add(&poses[i].x, sizeof poses[i].x);
    hash.add(&poses[i].q, sizeof poses[i].q);
    hash.add(&velocities[i].v, sizeof velocities[i].v);
    hash.add(&velocities[i].w, sizeof velocities[i].w);
  }
  return hash.value();
}

}  // namespace

template <class T> std::unique_ptr<Simulation> makeSimulation(const Scene& scene, const WorldSettings& settings, Target target) {
  return std::make_unique<SimulationOf<T>>(scene, settings, target);
}
template std::unique_ptr<Simulation> makeSimulation<float>(const Scene&, const WorldSettings&, Target);
template std::unique_ptr<Simulation> makeSimulation<double>(const Scene&, const WorldSettings&, Target);

}  // namespace cairn
