// A Simulation in one precision: the stages of a step with what they own, and what is kept between steps. The steps are in step.cpp, the queries in
// queries.cpp, the problems that are exported in problem_queries.cpp.
#pragma once

#include "kernels/runtime/owned_queue.hpp"
#include "kernels/runtime/recorded_work.hpp"
#include "src/collide/broad_phase.hpp"
#include "src/collide/contact_tracking.hpp"
#include "src/collide/continuous_collision.hpp"
#include "src/collide/narrow_phase.hpp"
#include "src/collide/ray_cast.hpp"
#include "src/collide/sensors.hpp"
#include "src/collide/shape_cast.hpp"
#include "src/graph/colour_packs.hpp"
#include "src/graph/contact_graph.hpp"
#include "src/graph/contact_levels.hpp"
#include "src/joints/joint_errors.hpp"
#include "src/joints/joint_rows.hpp"
#include "src/joints/joint_set.hpp"
#include "src/joints/joint_state.hpp"
#include "src/problems/contact_export.hpp"
#include "src/rows/overflow.hpp"
#include "src/rows/rolling_friction.hpp"
#include "src/rows/rows.hpp"
#include "src/rows/turning_rows.hpp"
#include "src/solve/contact_events.hpp"
#include "src/solve/residual.hpp"
#include "src/solve/solve.hpp"
#include "src/state/sleep.hpp"
#include "src/state/state.hpp"
#include "src/state/step_context.hpp"
#include "src/world/environment_set.hpp"
#include "src/world/simulation.hpp"
#include "src/world/step_flight.hpp"

#include <deque>

namespace cairn::v0 {

// What the launches of a planned step depend on: while it is the same, they are the same, to the last argument.
struct StepKey {
  std::array<int, kStepCounts> rooms{};
  uint64_t allocations = 0;
  int stepsRead = 0;  // so far: such a step may swap arrays
  bool forces = false, rowsServe = false;

  bool operator==(const StepKey& other) const {
    return rooms == other.rooms && allocations == other.allocations && stepsRead == other.stepsRead && forces == other.forces &&
           rowsServe == other.rowsServe;
  }
};

template <class T> class SimulationOf final : public Simulation {
 public:
  SimulationOf(const Scene& scene, int environments, const WorldSettings& settings, Target target);

  void step() override;
  void settle() override;
  void enqueueStep() override;
  uint64_t arraysVersion() const override;
  void makeRoom(const StepRoom& room) override;
  void keepArrays(bool on) override {
    owned_.memory.held = on ? &held_ : nullptr;
    if (!on) held_.clear();
  }
  StepsTaken stepsTaken() const override { return taken_; }

  Target target() const override { return queue_.target; }
  int device() const override { return queue_.device; }
  int bodyCount() const override { return state_.bodyCount(); }
  std::vector<BodyId> bodies() const override { return state_.bodies(); }
  BodyId findBody(const std::string& name) const override { return state_.find(name); }
  std::string bodyName(BodyId body) const override { return state_.name(state_.slotOf(body)); }
  BodyId addBody(const BodyDef& body) override {
    environments_.requireFixed("addBody");
    planned_ = false;
    const long before = revision();
    const BodyId added = state_.add(body, steps_);
    sleep_.wake(queue_, state_.slotOf(added), before, revision());
    return added;
  }
  void removeBody(BodyId body) override {
    environments_.requireFixed("removeBody");
    const int slot = state_.slotOf(body);
    if (settings_.contactEvents) endContactsOf(slot);
    planned_ = false;
    joints_.removeOf(slot);
    state_.remove(body);
  }
  BodyState state(BodyId body) const override { return state_.read(state_.slotOf(body)); }
  std::vector<BodyState> states() const override { return state_.readAll(); }
  void setPose(BodyId body, const Posed& pose) override {
    const int slot = state_.slotOf(body);
    stirring({slot}, state_.dynamic(slot), [&] { state_.setPose(slot, pose); });
  }
  void setVelocity(BodyId body, Vec3d linear, Vec3d angular) override {
    const int slot = state_.slotOf(body);
    stirring({slot}, true, [&] { state_.setVelocity(slot, linear, angular); });
  }
  bool asleep(BodyId body) const override;
  std::vector<unsigned char> asleep() const override;
  void wake(BodyId body) override { sleep_.wake(queue_, state_.slotOf(body)); }
  void applyForce(BodyId body, Vec3d force, Vec3d torque) override { state_.addForce(state_.slotOf(body), force, torque); }

  // What they are made of, and many at once: changes.cpp.
  void setPoses(const std::vector<BodyId>& bodies, const std::vector<Posed>& poses) override;
  void setVelocities(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& linear, const std::vector<Vec3d>& angular) override;
  void applyForces(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& forces, const std::vector<Vec3d>& torques) override;
  void applyImpulse(BodyId body, Vec3d impulse, Vec3d angularImpulse) override;
  Vec3d centreOfMass(BodyId body) const override { return state_.centreOfMass(state_.slotOf(body)).p; }
  void setMaterial(BodyId body, int shape, const Material& material) override;
  void setFilter(BodyId body, int shape, const CollisionFilter& filter) override;
  void setGravityScale(BodyId body, double scale) override;
  void setMass(BodyId body, double mass) override;
  void setInertia(BodyId body, const Sym3<double>& inertia) override;
  void setCentreOfMass(BodyId body, Vec3d centre) override;
  void setDamping(BodyId body, double linear, double angular) override;
  void setType(BodyId body, BodyType type) override;
  BodyType type(BodyId body) const override { return state_.type(state_.slotOf(body)); }
  uint64_t userData(BodyId body) const override { return state_.userData(state_.slotOf(body)); }
  void setUserData(BodyId body, uint64_t data) override { state_.setUserData(state_.slotOf(body), data); }
  Vec3d gravity() const override { return gravity_; }
  void setGravity(Vec3d gravity) override;
  void endTimeStep() override;

  // Environments: environment_set.cpp.
  EnvironmentLayout environments() const override { return environments_.layout(); }
  void requireEnvironment(int environment) const override { environments_.require(environment); }
  Vec3d gravityOf(int environment) const override { return environments_.gravityOf(environment, gravity_); }
  void setGravityOf(int environment, Vec3d gravity) override;
  void resetEnvironments(const std::vector<unsigned char>& mask) override;
  void resetOnTarget(const unsigned char* mask) override;
  void enqueueReset(const unsigned char* mask) override;
  std::vector<EnvironmentReport> environmentReports() const override;
  uint64_t stateHashOf(int environment) const override;

  int jointCount() const override { return joints_.count(); }
  std::vector<JointId> joints() const override { return joints_.ids(); }
  JointId findJoint(const std::string& name) const override { return joints_.find(name); }
  std::string jointName(JointId joint) const override { return joints_.name(joints_.slotOf(joint)); }
  JointId addJoint(BodyId a, BodyId b, const JointDef& joint) override {
    environments_.requireFixed("addJoint");
    planned_ = false;
    return join(joint, a, b, joint.name.empty() ? "new joint" : "joint '" + joint.name + "'");
  }
  void removeJoint(JointId joint) override {
    environments_.requireFixed("removeJoint");
    planned_ = false;
    joints_.remove(joint);
  }
  JointState jointState(JointId joint) const override { return cairn::jointState(joints_, jointRows_, state_, joint, settings_.dt); }
  std::vector<JointState> jointStates() const override { return cairn::jointStates(queue_, joints_, jointRows_, state_, settings_.dt); }
  void setMotor(JointId joint, int axis, JointMotor motor, double target, double maxForce) override;

  void setLimits(JointId joint, int axis, const std::optional<std::array<double, 2>>& limits) override;

  // Arrays where they lie: arrays.cpp.
  using Simulation::read;
  using Simulation::write;
  void read(WorldArrays<T>& arrays) override;
  void write(BodyInputs<T>& inputs) override;
  void write(ForceInputs<T>& inputs) override;
  void write(MotorInputs<T>& inputs) override;
  int motorRow(JointId joint, int axis) const override;
  void measureJoints() override;

  std::vector<Contact> contacts() const override;
  std::vector<Contact> contactsOf(BodyId body) const override;
  size_t contacts(Contact* into, size_t room) const override;
  // Contact events and sensors: event_queries.cpp.
  std::vector<ContactEvent> contactEvents() const override;
  std::vector<SensorOverlap> sensorOverlaps() const override;
  StepReport report() const override;
  std::vector<StageTime> stageTimes() const override;
  std::vector<int> contactLevels() const override;
  // Against the poses as they are: shape_queries.cpp.
  std::vector<RayHit> castRays(const std::vector<Ray>& rays) const override;
  std::vector<ShapeHit> castShapes(const std::vector<ShapeCast>& casts) const override;
  QueryHits<RayHit> castRaysAll(const std::vector<Ray>& rays) const override;
  QueryHits<ShapeHit> castShapesAll(const std::vector<ShapeCast>& casts) const override;
  QueryHits<Overlap> overlapShapes(const std::vector<OverlapQuery>& queries) const override;
  ContactProblem contactProblem() const override;
  reference::AccelerationProblem accelerationProblem(double touching, double resting) const override;
  uint64_t stateHash() const override;
  void save(SnapshotWriter& to) override { archive(to); }
  void load(SnapshotReader& from) override { archive(from); }
  const MemoryMeter& memory() const override { return owned_.memory; }

 private:
  JointId join(const JointDef& joint, BodyId a, BodyId b, const std::string& place);
  template <class Change> void changeJoint(JointId joint, const Change& change);
  // What has come, gone or been moved: bodies and joints.
  long revision() const { return state_.revision() + joints_.revision(); }
  // A change of these bodies alone, which wakes them and whatever they touch. `local`: nobody else needs to know.
  template <class Change> void stirring(const std::vector<int>& slots, bool local, const Change& change) {
    const long before = revision();
    change();
    for (const int slot : slots) {
      if (local && sleep_.on()) sleep_.wake(queue_, slot, before, revision());
    }
  }
  std::vector<int> slotsOf(const std::vector<BodyId>& bodies) const;
  Vec3d gravityAt(int slot) const { return environments_.gravityOf(environments_.of(slot), gravity_); }
  double time() const { return timeBefore_ + (steps_ - stepsBefore_) * settings_.dt; }
  template <class Archive> void archive(Archive& a);  // snapshot.cpp

  // --- a step (step.cpp) ---
  void runStages();
  void undo(bool deviceFailed);
  BroadPhaseInput<T> broadPhaseInput() const;
  SweptBodies<T> sweptBodies(const BroadPhase<T>& broadPhase) const;
  PlacedShapes<T> placedShapes(const BroadPhase<T>& broadPhase) const;
  int stepsForBirths() const;  // done before this one, against which shapes' birth steps are read
  StepContext<T> makeContext();
  void chooseSleepers(StepContext<T>& step);
  void matchContacts(StepContext<T>& step);
  void colour(StepContext<T>& step);
  bool mayRegroup(const StepContext<T>& step) const;
  void layOutRows(StepContext<T>& step);
  IntegrateVelocity<T> velocityPass(const StepContext<T>& step) const;
  void dampBodies(const StepContext<T>& step, bool first);
  IntegratePosition<T> positionPass(const StepContext<T>& step) const;
  // Whether what is fast is swept.
  bool mayPass() const { return settings_.growEnvelope && state_.anyColliding(); }
  void roundPositions(StepContext<T>& step);
  void keepFromPassing(StepContext<T>& step);
  // Whether joined bodies that are put back go along the poses of the substeps, at which the direct solve has their joints on target. Sweeps alone
  // have not, and pass limits by more within a step than at its ends.
  bool followsWay(const StepContext<T>& step) const { return step.joints.count > 0 && settings_.jointSolver == JointSolver::Direct && mayPass(); }
  void requireSound(const StepContext<T>& step);
  void remember(const StepContext<T>& step);
  void finish();

  // --- steps that nobody waits for (planned_steps.cpp) ---
  bool canPlan() const;
  void begin(bool planned);
  void makePlan();
  void land();
  void forgetLanded();
  void takeBack(int steps);
  StepKey keyOfStep() const;
  void runRecorded();

  // --- steps that are not done again (enqueued_steps.cpp) ---
  void queueUnfollowed(const ForeignRecording& capture);
  void collectEnqueued();
  [[noreturn]] void refuseEnqueued(const StepStatus& status);

  void resetWhole(EnvironmentMask mask);  // environment_set.cpp

  // --- arrays where they lie (arrays.cpp) ---
  void beginWriting(const ForeignRecording& capture);
  BodyArrays<T> bodyArrays();
  ContactArrays<T> contactArrays();
  JointArrays<T> jointArrays();

  // --- queries (queries.cpp) ---
  EnergyBalance energyBalance() const;
  void reportContacts(StepReport& report) const;
  SolvedRows<T> solvedRows() const;
  uint64_t hashOf(int firstSlot, int endSlot) const;
  int countContactPoints(int manifolds, const ShapeRecord<T>* shapes) const;
  template <class Wanted, class Do> void forContacts(const Wanted& wanted, const Do& act) const;
  // Of rays and shapes (shape_queries.cpp).
  void requireFilter(const QueryFilter& filter, const std::string& place) const;
  void requireRays(const std::vector<Ray>& rays) const;
  void requireCasts(const std::vector<ShapeCast>& casts) const;
  CastBodies<T> castBodies() const;
  template <class Hit> void nameShape(Hit& hit) const;
  // A manifold of the last step is current while its bodies and shapes are there, and touch or are near.
  bool isCurrent(const Manifold<T>& m) const {
    return !isGone(m) && state_.alive(m.bodyA) && state_.alive(m.bodyB) && state_.shapeOwner(m.shapeA) == m.bodyA &&
           state_.shapeOwner(m.shapeB) == m.bodyB;
  }

  // --- contact events (event_queries.cpp) ---
  template <class Archive> void archiveEvents(Archive& a);
  void readEvents() const;
  void endContactsOf(int slot);

  // --- exported problems (problem_queries.cpp) ---
  // The start of the next step, without a step: contacts, and bodies with the velocities that their forces give them within h.
  struct Prediction {
    std::vector<Manifold<T>> manifolds;
    std::vector<BodyVelocity<T>> before;  // by slot, without those forces
    std::vector<ExportedBody> bodies;     // by slot
  };
  Prediction predict(double h) const;
  void findContacts(Prediction& prediction) const;
  void findVelocities(double h, Prediction& prediction) const;
  std::vector<int> exportBodies(const Prediction& prediction, reference::AccelerationProblem& problem) const;

  HeldMemory held_;  // outlives the Buffers
  mutable OwnedQueue owned_;
  Queue& queue_;  // queries wait for the device, so that a const World still needs it
  mutable PrimitiveScratch scratch_;
  const WorldSettings& settings_;
  Vec3d gravity_;
  int steps_ = 0;
  int stepsBefore_ = 0;    // the last change of the time step
  double timeBefore_ = 0;  // likewise [s]

  State<T> state_;
  JointSet joints_;
  JointRows<T> jointRows_;
  Environments<T> environments_;
  BroadPhase<T> broadPhase_{true};
  NarrowPhase<T> narrowPhase_;
  ContactTracking<T> tracking_;
  ContinuousCollision<T> continuous_;
  Sleep<T> sleep_;
  ContactEvents<T> contactEvents_;
  // The last step's, once somebody has asked for them or a body has gone, and those that have ended with a body since.
  mutable std::vector<ContactEvent> eventsOnHost_, ended_;
  mutable int eventsOf_ = -1;  // steps that were done then
  int endedAfter_ = -1;        // likewise
  StepCounts counts_;
  StepFlight flight_;
  StepsTaken taken_;
  bool planned_ = false;         // the last step has left a plan for the next
  StepKey plannedKey_;           // of the last planned step
  std::deque<bool> rowsServed_;  // of the queued steps: the joints' rows of the step before served them
  int forcedStep_ = -1;          // the last planned step that took up forces
  ContactGraph contactGraph_;
  Rows<T> rows_;
  RollingFriction<T> rolling_;
  TurningRows<T> turningRows_;
  Overflow<T> overflow_;
  Solve<T> solve_;
  StageClock clock_;
  mutable Residual<T> residual_;
  mutable JointErrorGauges<T> jointGauges_;
  mutable BroadPhase<T> rayBroadPhase_;
  mutable RayCaster<T> rayCaster_;
  mutable ShapeCaster<T> shapeCaster_;
  mutable Sensors<T> sensors_;

  Buffer<ConstraintBodies> constraints_;  // of the step's graph: the manifolds', then the joints'
  Buffer<uint32_t> priorities_;
  ColourPacks colourPacks_;
  GraphView graph_{};        // of contactGraph_, valid until its next update: a step may keep the last one's
  GraphView layoutGraph_{};  // the same for rows: with colours or, on a CPU, with groups of colourPacks_
  Buffer<int> firstBad_;     // a body's slot and a joint's, of those that a step must not end with
  mutable ContactLevels levels_;
  mutable Buffer<int> pointCounts_;

  // Results of the last step, for the queries: views of what narrowPhase_ and rows_ own, valid until the next step begins. Not there before the
  // first step, and after one that was refused.
  struct LastStep {
    bool done = false;
    bool settled = false;         // the numbers are read, not bounds
    long bodies = 0, joints = 0;  // their revisions at its end
    int pairCount = 0;
    ManifoldView<T> manifolds{};
    RowView<T> rows{};
    RollingView<T> rolling{};
  };
  LastStep last_;

  // Steps of enqueueStep since the host last looked.
  struct Enqueued {
    bool any = false;                // some may have been done
    bool captured = false;           // some graph of the caller's may launch some at any time
    unsigned long long capture = 0;  // the last one that a step is in
    bool rowsServed = false;         // the joints' rows of the step before served all of them
    bool written = false;            // bodies' states, by the caller, before the step that comes
    LastStep last;                   // what the host notes once one is done
  };
  Enqueued enqueued_;
  Buffer<Vec3<T>> localCentres_;  // for arrays(): by body slot
  long centresRevision_ = -1;     // of the bodies
  int contactsOnHost_ = 0;        // for arrays() on the CPU, where it points to it: of the last step

  // A planned step as a CUDA graph.
  struct Recording {
    RecordedWork work;
    StepKey key;     // of the steps that it does
    StepKey before;  // of the last step that was not launched from it
    LastStep last;   // what the host notes after each
    bool keepsRows = false;
  };
  Recording recording_;
};

}  // namespace cairn::v0
