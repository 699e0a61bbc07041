#include "kernels/runtime/owned_queue.hpp"
#include "src/scene/scene_checks.hpp"
#include "src/scene/text.hpp"
#include "src/world/environment_set.hpp"
#include "src/world/rolling_checks.hpp"
#include "src/world/simulation.hpp"
#include "src/world/snapshot.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

void requireFinite(Vec3d a, const char* what) {
  if (!std::isfinite(a.x) || !std::isfinite(a.y) || !std::isfinite(a.z)) throw InvalidInput(what, "must be finite");
}

void requirePose(const Posed& pose) {
  requireFinite(pose.p, "pose.p");
  requireFinite({pose.q.x, pose.q.y, pose.q.z}, "pose.q");
  if (!std::isfinite(pose.q.w)) throw InvalidInput("pose.q", "must be finite");
  if (pose.q.x == 0 && pose.q.y == 0 && pose.q.z == 0 && pose.q.w == 0) throw InvalidInput("pose.q", "must not be zero");
}

void requireAsMany(const char* what, size_t count, size_t bodies) {
  if (count != bodies) throw InvalidInput(what, "must be as many as the bodies, " + std::to_string(bodies) + ", are " + std::to_string(count));
}

// Checks what `set` gives a body as a scene's field would be. The body has so many shapes that the last one has this position.
template <class Set> void requireField(const std::string& body, const Set& set, int shape = 0) {
  BodyDef probe;
  probe.shapes.resize(static_cast<size_t>(shape < 0 || shape > 1000 ? 0 : shape) + 1);
  set(probe);
  validate(probe, "body '" + body + "'");
}

void requireGravity(Vec3d gravity, const char* call) {
  Scene probe;
  probe.gravity = gravity;
  validate(probe, call);
}

// What is found out while bodies are made has a pointer from `source` for its place.
template <class Make> void naming(const std::string& source, const Make& make) {
  try {
    make();
  } catch (const InvalidInput& flaw) {
    if (flaw.place[0] != '/') throw;
    throw InvalidInput(source + ": " + flaw.place, flaw.reason);
  }
}

}  // namespace

struct World::Impl {
  WorldSettings settings;
  std::unique_ptr<Simulation> simulation;
  double leftOver = 0;  // of stepBy [s]

  // On the target that the settings ask for.
  void start(const Scene& scene, int environments = 0) {
    const Target target = chooseTarget(settings.backend, settings.device);
    const DeviceScope scope(target == Target::Cuda ? settings.device : kCurrentDevice);
    simulation = settings.precision == Precision::Double ? makeSimulation<double>(scene, settings, target, environments)
                                                         : makeSimulation<float>(scene, settings, target, environments);
  }

  // Its device is current, and what others have left behind forgotten, until the end of the expression that asks it for something.
  class Entered {
   public:
    explicit Entered(Simulation& simulation) : scope_(simulation.device()), simulation_(simulation) {
      if (simulation.target() == Target::Cuda) forgetForeignErrors();
    }
    Simulation* operator->() const { return &simulation_; }

   private:
    DeviceScope scope_;
    Simulation& simulation_;
  };
  Entered entered() { return Entered(*simulation); }
  // With all steps done.
  Entered settled() {
    entered()->settle();
    return entered();
  }

  ~Impl() {
    if (!simulation) return;
    try {
      const DeviceScope scope(simulation->device());
      simulation.reset();
    } catch (const DeviceError&) {
      // A device that cannot be made current has failed, and its memory is gone with it.
    }
  }
};

World::World(const Scene& scene, const WorldSettings& settings) : impl_(std::make_unique<Impl>()) {
  validate(settings);
  validate(scene);
  requireRollingSolver(scene.bodies, settings);
  impl_->settings = settings;
  naming(sourceOf(scene), [&] { impl_->start(scene); });
}
World::World(const Scene& scene, int environments, const WorldSettings& settings) : impl_(std::make_unique<Impl>()) {
  validate(settings);
  validate(scene);
  requireRollingSolver(scene.bodies, settings);
  requireEnvironments(scene, environments, settings);
  impl_->settings = settings;
  naming(sourceOf(scene), [&] { impl_->start(replicated(scene, environments), environments); });
}
World::World(const Snapshot& snapshot, const WorldSettings& execution) : impl_(std::make_unique<Impl>()) {
  validate(execution);
  SnapshotReader from = openSnapshot(snapshot);
  impl_->settings = readSnapshotSettings(from, execution, impl_->leftOver);
  impl_->start({});
  impl_->entered()->load(from);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

void World::step() { impl_->entered()->step(); }
void World::step(int count) {
  if (count < 0) throw InvalidInput("step", "must be at least 0, is " + std::to_string(count));
  for (int k = 0; k < count; ++k) step();
}
int World::stepBy(double seconds) {
  constexpr double kMostSteps = 1e9;
  const double dt = impl_->settings.dt;
  if (!(seconds >= 0 && seconds <= kMostSteps * dt)) throw InvalidInput("stepBy", "must be from 0 to 1e9 time steps [s], is " + textOf(seconds));
  // A thousandth of a step is rounding: sixty times 1/60 are sixty steps.
  constexpr double kRounding = 1e-3;
  impl_->leftOver += seconds;
  const int steps = static_cast<int>(std::floor(impl_->leftOver / dt + kRounding));
  for (int k = 0; k < steps; ++k) {
    step();
    impl_->leftOver -= dt;
  }
  return steps;
}

void World::wait() const { impl_->settled(); }

const WorldSettings& World::settings() const { return impl_->settings; }
Backend World::backend() const { return impl_->simulation->target() == Target::Cuda ? Backend::Cuda : Backend::Cpu; }
int World::threads() const {
  if (impl_->simulation->target() == Target::Cuda) return 0;
  return impl_->settings.threads > 0 ? impl_->settings.threads : defaultThreads();
}
int World::device() const { return impl_->simulation->target() == Target::Cuda ? impl_->simulation->device() : -1; }
std::string World::deviceName() const {
  if (impl_->simulation->target() == Target::Cuda) return cudaDeviceName(impl_->simulation->device());
  return "CPU, " + std::to_string(threads()) + (threads() == 1 ? " thread" : " threads");
}

int World::bodyCount() const { return impl_->simulation->bodyCount(); }
std::vector<BodyId> World::bodies() const { return impl_->simulation->bodies(); }
BodyId World::findBody(const std::string& name) const { return impl_->simulation->findBody(name); }
std::string World::bodyName(BodyId body) const { return impl_->simulation->bodyName(body); }
BodyId World::addBody(const BodyDef& body) {
  const std::string place = body.name.empty() ? "new body" : "body '" + body.name + "'";
  validate(body, place);
  requireRollingSolver(std::vector<BodyDef>{body}, impl_->settings);
  BodyId id;
  naming(place, [&] { id = impl_->settled()->addBody(body); });
  return id;
}
void World::removeBody(BodyId body) { impl_->settled()->removeBody(body); }
BodyState World::state(BodyId body) const { return impl_->settled()->state(body); }
std::vector<BodyState> World::states() const { return impl_->settled()->states(); }
void World::setPose(BodyId body, const Posed& pose) {
  requirePose(pose);
  impl_->settled()->setPose(body, pose);
}
void World::setVelocity(BodyId body, Vec3d linear, Vec3d angular) {
  requireFinite(linear, "linear velocity");
  requireFinite(angular, "angular velocity");
  impl_->settled()->setVelocity(body, linear, angular);
}
void World::applyForce(BodyId body, Vec3d force, Vec3d torque) {
  requireFinite(force, "force");
  requireFinite(torque, "torque");
  impl_->settled()->applyForce(body, force, torque);
}

void World::applyForceAt(BodyId body, Vec3d force, Vec3d point) {
  requireFinite(force, "force");
  requireFinite(point, "point");
  const auto simulation = impl_->settled();
  simulation->applyForce(body, force, cross(point - simulation->centreOfMass(body), force));
}
void World::applyImpulse(BodyId body, Vec3d impulse, Vec3d angularImpulse) {
  requireFinite(impulse, "impulse");
  requireFinite(angularImpulse, "angular impulse");
  impl_->settled()->applyImpulse(body, impulse, angularImpulse);
}
void World::applyImpulseAt(BodyId body, Vec3d impulse, Vec3d point) {
  requireFinite(impulse, "impulse");
  requireFinite(point, "point");
  const auto simulation = impl_->settled();
  simulation->applyImpulse(body, impulse, cross(point - simulation->centreOfMass(body), impulse));
}
void World::setPoses(const std::vector<BodyId>& bodies, const std::vector<Posed>& poses) {
  requireAsMany("poses", poses.size(), bodies.size());
  for (const Posed& pose : poses) requirePose(pose);
  impl_->settled()->setPoses(bodies, poses);
}
void World::setVelocities(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& linear, const std::vector<Vec3d>& angular) {
  requireAsMany("linear velocities", linear.size(), bodies.size());
  requireAsMany("angular velocities", angular.size(), bodies.size());
  for (const Vec3d v : linear) requireFinite(v, "linear velocity");
  for (const Vec3d w : angular) requireFinite(w, "angular velocity");
  impl_->settled()->setVelocities(bodies, linear, angular);
}
void World::applyForces(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& forces, const std::vector<Vec3d>& torques) {
  requireAsMany("forces", forces.size(), bodies.size());
  if (!torques.empty()) requireAsMany("torques", torques.size(), bodies.size());
  for (const Vec3d force : forces) requireFinite(force, "force");
  for (const Vec3d torque : torques) requireFinite(torque, "torque");
  impl_->settled()->applyForces(bodies, forces, torques);
}

void World::setMaterial(BodyId body, int shape, const Material& material) {
  const auto simulation = impl_->settled();
  requireField(
      simulation->bodyName(body), [&](BodyDef& probe) { probe.shapes.back().material = material; }, shape);
  requireRollingSolver(material, impl_->settings);
  simulation->setMaterial(body, shape, material);
}
void World::setFilter(BodyId body, int shape, const CollisionFilter& filter) { impl_->settled()->setFilter(body, shape, filter); }
void World::setGravityScale(BodyId body, double scale) {
  const auto simulation = impl_->settled();
  requireField(simulation->bodyName(body), [&](BodyDef& probe) { probe.gravityScale = scale; });
  simulation->setGravityScale(body, scale);
}
void World::setMass(BodyId body, double mass) {
  const auto simulation = impl_->settled();
  requireField(simulation->bodyName(body), [&](BodyDef& probe) { probe.mass = mass; });
  simulation->setMass(body, mass);
}
void World::setInertia(BodyId body, const Sym3<double>& inertia) {
  const auto simulation = impl_->settled();
  requireField(simulation->bodyName(body), [&](BodyDef& probe) { probe.inertia = inertia; });
  simulation->setInertia(body, inertia);
}
void World::setCentreOfMass(BodyId body, Vec3d centre) {
  const auto simulation = impl_->settled();
  requireField(simulation->bodyName(body), [&](BodyDef& probe) { probe.centreOfMass = centre; });
  simulation->setCentreOfMass(body, centre);
}
void World::setDamping(BodyId body, double linear, double angular) {
  const auto simulation = impl_->settled();
  requireField(simulation->bodyName(body), [&](BodyDef& probe) {
    probe.linearDamping = linear;
    probe.angularDamping = angular;
  });
  simulation->setDamping(body, linear, angular);
}
void World::setType(BodyId body, BodyType type) {
  const auto simulation = impl_->settled();
  requireField(simulation->bodyName(body), [&](BodyDef& probe) { probe.type = type; });
  simulation->setType(body, type);
}
BodyType World::type(BodyId body) const { return impl_->simulation->type(body); }
Vec3d World::gravity() const { return impl_->simulation->gravity(); }
void World::setGravity(Vec3d gravity) {
  requireGravity(gravity, "setGravity");
  impl_->settled()->setGravity(gravity);
}
void World::setTimeStep(double dt) {
  WorldSettings probe = impl_->settings;
  probe.dt = dt;
  validate(probe);
  impl_->settled()->endTimeStep();
  impl_->settings.dt = dt;
}
bool World::asleep(BodyId body) const { return impl_->settled()->asleep(body); }
std::vector<unsigned char> World::asleep() const { return impl_->settled()->asleep(); }
void World::wake(BodyId body) { impl_->settled()->wake(body); }
uint64_t World::userData(BodyId body) const { return impl_->simulation->userData(body); }
void World::setUserData(BodyId body, uint64_t data) { impl_->simulation->setUserData(body, data); }

void World::enqueueStep() { impl_->entered()->enqueueStep(); }
uint64_t World::arraysVersion() const { return impl_->simulation->arraysVersion(); }
void World::makeRoom(const StepRoom& room) {
  constexpr int kMost = 1 << 27;
  const auto require = [](const char* name, int value) {
    if (value < 0 || value > kMost) {
      throw InvalidInput(std::string("room.") + name, "must be 0 to " + std::to_string(kMost) + ", is " + std::to_string(value));
    }
  };
  require("pairs", room.pairs);
  require("contacts", room.contacts);
  require("fastShapes", room.fastShapes);
  impl_->settled()->makeRoom(room);
}
void World::keepArrays(bool on) { impl_->simulation->keepArrays(on); }
template <class T> WorldArrays<T> World::arrays() {
  WorldArrays<T> arrays;
  impl_->settled()->read(arrays);
  return arrays;
}
template <class T> BodyInputs<T> World::writeBodies() {
  BodyInputs<T> inputs;
  impl_->entered()->write(inputs);
  return inputs;
}
template <class T> ForceInputs<T> World::writeForces() {
  ForceInputs<T> inputs;
  impl_->entered()->write(inputs);
  return inputs;
}
template <class T> MotorInputs<T> World::writeMotors() {
  MotorInputs<T> inputs;
  impl_->entered()->write(inputs);
  return inputs;
}
int World::motorRow(JointId joint, int axis) const { return impl_->settled()->motorRow(joint, axis); }
void World::measureJoints() { impl_->entered()->measureJoints(); }

#define CAIRN_INSTANTIATE(T)                              \
  template CAIRN_API WorldArrays<T> World::arrays();      \
  template CAIRN_API BodyInputs<T> World::writeBodies();  \
  template CAIRN_API ForceInputs<T> World::writeForces(); \
  template CAIRN_API MotorInputs<T> World::writeMotors();
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

int World::jointCount() const { return impl_->simulation->jointCount(); }
std::vector<JointId> World::joints() const { return impl_->simulation->joints(); }
JointId World::findJoint(const std::string& name) const { return impl_->simulation->findJoint(name); }
std::string World::jointName(JointId joint) const { return impl_->simulation->jointName(joint); }
JointId World::addJoint(BodyId bodyA, BodyId bodyB, const JointDef& joint) {
  validate(joint, joint.name.empty() ? "new joint" : "joint '" + joint.name + "'");
  return impl_->settled()->addJoint(bodyA, bodyB, joint);
}
void World::removeJoint(JointId joint) { impl_->settled()->removeJoint(joint); }
JointState World::jointState(JointId joint) const { return impl_->settled()->jointState(joint); }
std::vector<JointState> World::jointStates() const { return impl_->settled()->jointStates(); }
void World::setMotor(JointId joint, int axis, JointMotor motor, double target, double maxForce) {
  impl_->settled()->setMotor(joint, axis, motor, target, maxForce);
}

void World::setLimits(JointId joint, int axis, const std::optional<std::array<double, 2>>& limits) {
  impl_->settled()->setLimits(joint, axis, limits);
}

std::vector<Contact> World::contacts() const { return impl_->settled()->contacts(); }
std::vector<Contact> World::contactsOf(BodyId body) const { return impl_->settled()->contactsOf(body); }
size_t World::contacts(Contact* into, size_t room) const { return impl_->settled()->contacts(into, room); }
std::vector<ContactEvent> World::contactEvents() const { return impl_->settled()->contactEvents(); }
size_t World::contactEvents(ContactEvent* into, size_t room) const {
  const std::vector<ContactEvent> events = contactEvents();
  std::copy_n(events.begin(), std::min(room, events.size()), into);
  return events.size();
}
std::vector<SensorOverlap> World::sensorOverlaps() const { return impl_->settled()->sensorOverlaps(); }
StepReport World::report() const { return impl_->settled()->report(); }
std::vector<StageTime> World::stageTimes() const { return impl_->settled()->stageTimes(); }
std::vector<int> World::contactLevels() const { return impl_->settled()->contactLevels(); }
std::vector<RayHit> World::castRays(const std::vector<Ray>& rays) const { return impl_->settled()->castRays(rays); }
std::vector<ShapeHit> World::castShapes(const std::vector<ShapeCast>& casts) const { return impl_->settled()->castShapes(casts); }
QueryHits<RayHit> World::castRaysAll(const std::vector<Ray>& rays) const { return impl_->settled()->castRaysAll(rays); }
QueryHits<ShapeHit> World::castShapesAll(const std::vector<ShapeCast>& casts) const { return impl_->settled()->castShapesAll(casts); }
QueryHits<Overlap> World::overlapShapes(const std::vector<OverlapQuery>& queries) const { return impl_->settled()->overlapShapes(queries); }
reference::AccelerationProblem World::accelerationProblem(double touching, double resting) const {
  if (!(touching >= 0)) throw InvalidInput("touching", "must be >= 0");
  if (!(resting >= 0)) throw InvalidInput("resting", "must be >= 0");
  return impl_->settled()->accelerationProblem(touching, resting);
}
ContactProblem World::contactProblem() const { return impl_->settled()->contactProblem(); }
uint64_t World::stateHash() const { return impl_->settled()->stateHash(); }

int World::environmentCount() const { return impl_->simulation->environments().count; }
BodyId World::bodyOf(int environment, int body) const {
  impl_->simulation->requireEnvironment(environment);
  const int each = impl_->simulation->environments().bodies;
  if (body < 0 || body >= each) throw InvalidInput("body", "must be from 0 to " + std::to_string(each - 1) + ", is " + std::to_string(body));
  return {environment * each + body, 0};
}
int World::environmentOf(BodyId body) const {
  impl_->simulation->requireEnvironment(0);
  impl_->simulation->bodyName(body);
  return body.index / impl_->simulation->environments().bodies;
}
Vec3d World::gravityOf(int environment) const {
  impl_->simulation->requireEnvironment(environment);
  return impl_->simulation->gravityOf(environment);
}
void World::setGravityOf(int environment, Vec3d gravity) {
  requireGravity(gravity, "setGravityOf");
  impl_->settled()->setGravityOf(environment, gravity);
}
void World::resetEnvironments(const std::vector<unsigned char>& mask) { impl_->settled()->resetEnvironments(mask); }
void World::resetEnvironmentsOnTarget(const unsigned char* mask) {
  if (mask == nullptr) throw InvalidInput("mask", "must not be null");
  impl_->settled()->resetOnTarget(mask);
}
void World::enqueueReset(const unsigned char* mask) {
  if (mask == nullptr) throw InvalidInput("mask", "must not be null");
  impl_->entered()->enqueueReset(mask);
}
std::vector<EnvironmentReport> World::environmentReports() const { return impl_->settled()->environmentReports(); }
uint64_t World::stateHashOf(int environment) const { return impl_->settled()->stateHashOf(environment); }

Snapshot World::save() const {
  const auto simulation = impl_->settled();
  return writeSnapshot(*impl_->simulation, impl_->settings, impl_->leftOver);
}

}  // namespace cairn::v0
