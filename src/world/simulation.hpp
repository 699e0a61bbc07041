// One World in one precision. World (src/world/world.cpp) holds the one that its settings ask for.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/environments.hpp"

#include <cairn/contact_problem.hpp>
#include <cairn/reference.hpp>
#include <cairn/world.hpp>
#include <cairn/world_arrays.hpp>

#include <memory>

namespace cairn::v0 {

class SnapshotReader;
class SnapshotWriter;

// How steps were taken (src/world/planned_steps.cpp).
struct StepsTaken {
  int read = 0;      // with numbers that the host has read
  int planned = 0;   // queued without waiting, those that were done again too
  int replayed = 0;  // of the planned ones, those launched from a recording
  int repeated = 0;  // planned ones that did not keep to their plan, and those queued behind them
};

class Simulation {
 public:
  virtual ~Simulation() = default;
  // May return before the step is done. Whoever asks for anything else settles first.
  virtual void step() = 0;
  // Waits for the steps so far, does those again that did not keep to their plan, and throws what they throw.
  virtual void settle() = 0;
  // Queues a step that is not done again: see enqueued_steps.cpp. Others settle first.
  virtual void enqueueStep() = 0;
  virtual uint64_t arraysVersion() const = 0;
  virtual void makeRoom(const StepRoom& room) = 0;
  virtual void keepArrays(bool on) = 0;
  virtual StepsTaken stepsTaken() const = 0;
  virtual Target target() const = 0;
  virtual int device() const = 0;  // on CUDA; else kCurrentDevice

  virtual int bodyCount() const = 0;
  virtual std::vector<BodyId> bodies() const = 0;
  virtual BodyId findBody(const std::string& name) const = 0;
  virtual std::string bodyName(BodyId body) const = 0;
  virtual BodyId addBody(const BodyDef& body) = 0;
  virtual void removeBody(BodyId body) = 0;
  virtual BodyState state(BodyId body) const = 0;
  virtual std::vector<BodyState> states() const = 0;
  virtual void setPose(BodyId body, const Posed& pose) = 0;
  virtual void setVelocity(BodyId body, Vec3d linear, Vec3d angular) = 0;
  virtual void applyForce(BodyId body, Vec3d force, Vec3d torque) = 0;

  virtual void setPoses(const std::vector<BodyId>& bodies, const std::vector<Posed>& poses) = 0;
  virtual void setVelocities(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& linear, const std::vector<Vec3d>& angular) = 0;
  virtual void applyForces(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& forces, const std::vector<Vec3d>& torques) = 0;
  virtual void applyImpulse(BodyId body, Vec3d impulse, Vec3d angularImpulse) = 0;
  virtual Vec3d centreOfMass(BodyId body) const = 0;
  virtual void setMaterial(BodyId body, int shape, const Material& material) = 0;
  virtual void setFilter(BodyId body, int shape, const CollisionFilter& filter) = 0;
  virtual void setGravityScale(BodyId body, double scale) = 0;
  virtual void setMass(BodyId body, double mass) = 0;
  virtual void setInertia(BodyId body, const Sym3<double>& inertia) = 0;
  virtual void setCentreOfMass(BodyId body, Vec3d centre) = 0;
  virtual void setDamping(BodyId body, double linear, double angular) = 0;
  virtual void setType(BodyId body, BodyType type) = 0;
  virtual BodyType type(BodyId body) const = 0;
  virtual bool asleep(BodyId body) const = 0;
  virtual std::vector<unsigned char> asleep() const = 0;
  virtual void wake(BodyId body) = 0;
  virtual uint64_t userData(BodyId body) const = 0;
  virtual void setUserData(BodyId body, uint64_t data) = 0;
  virtual Vec3d gravity() const = 0;
  virtual void setGravity(Vec3d gravity) = 0;
  // Environments (environment_set.cpp). Throw InvalidInput where there are none, or not this one.
  virtual EnvironmentLayout environments() const = 0;
  virtual void requireEnvironment(int environment) const = 0;
  virtual Vec3d gravityOf(int environment) const = 0;
  virtual void setGravityOf(int environment, Vec3d gravity) = 0;
  virtual void resetEnvironments(const std::vector<unsigned char>& mask) = 0;
  virtual void resetOnTarget(const unsigned char* mask) = 0;
  virtual void enqueueReset(const unsigned char* mask) = 0;
  virtual std::vector<EnvironmentReport> environmentReports() const = 0;
  virtual uint64_t stateHashOf(int environment) const = 0;

  // The owner of the settings is about to give them another time step.
  virtual void endTimeStep() = 0;

  virtual int jointCount() const = 0;
  virtual std::vector<JointId> joints() const = 0;
  virtual JointId findJoint(const std::string& name) const = 0;
  virtual std::string jointName(JointId joint) const = 0;
  virtual JointId addJoint(BodyId bodyA, BodyId bodyB, const JointDef& joint) = 0;
  virtual void removeJoint(JointId joint) = 0;
  virtual JointState jointState(JointId joint) const = 0;
  virtual std::vector<JointState> jointStates() const = 0;
  virtual void setMotor(JointId joint, int axis, JointMotor motor, double target, double maxForce) = 0;

  virtual void setLimits(JointId joint, int axis, const std::optional<std::array<double, 2>>& limits) = 0;

  // Arrays where they lie, in this Simulation's precision; throw InvalidInput for the other one. In arrays.cpp.
  virtual void read(WorldArrays<float>& arrays);
  virtual void read(WorldArrays<double>& arrays);
  virtual void write(BodyInputs<float>& inputs);
  virtual void write(BodyInputs<double>& inputs);
  virtual void write(ForceInputs<float>& inputs);
  virtual void write(ForceInputs<double>& inputs);
  virtual void write(MotorInputs<float>& inputs);
  virtual void write(MotorInputs<double>& inputs);
  virtual int motorRow(JointId joint, int axis) const = 0;
  virtual void measureJoints() = 0;

  virtual std::vector<Contact> contacts() const = 0;
  virtual std::vector<Contact> contactsOf(BodyId body) const = 0;
  virtual size_t contacts(Contact* into, size_t room) const = 0;
  virtual std::vector<ContactEvent> contactEvents() const = 0;
  virtual std::vector<SensorOverlap> sensorOverlaps() const = 0;
  virtual StepReport report() const = 0;
  virtual std::vector<StageTime> stageTimes() const = 0;
  virtual std::vector<int> contactLevels() const = 0;
  virtual std::vector<RayHit> castRays(const std::vector<Ray>& rays) const = 0;
  virtual std::vector<ShapeHit> castShapes(const std::vector<ShapeCast>& casts) const = 0;
  virtual QueryHits<RayHit> castRaysAll(const std::vector<Ray>& rays) const = 0;
  virtual QueryHits<ShapeHit> castShapesAll(const std::vector<ShapeCast>& casts) const = 0;
  virtual QueryHits<Overlap> overlapShapes(const std::vector<OverlapQuery>& queries) const = 0;
  virtual ContactProblem contactProblem() const = 0;
  virtual reference::AccelerationProblem accelerationProblem(double touching, double resting) const = 0;
  virtual uint64_t stateHash() const = 0;
  // Everything that further steps depend on, but for the settings. `load` is for a Simulation of an empty scene; where it throws, that is good for
  // nothing.
  virtual void save(SnapshotWriter& to) = 0;
  virtual void load(SnapshotReader& from) = 0;
  virtual const MemoryMeter& memory() const = 0;
};

// Settings have been validated. They stay their owner's, who may change their time step between steps. Instantiated for float and double in
// src/world/step.cpp. Environments: the scene is one of so many copies (src/world/environment_set.hpp); 0: it is itself.
template <class T> std::unique_ptr<Simulation> makeSimulation(const Scene& scene, const WorldSettings& settings, Target target, int environments = 0);

}  // namespace cairn::v0
