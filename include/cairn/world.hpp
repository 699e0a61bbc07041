// World: steps a scene.
#pragma once

#include <cairn/contact_problem.hpp>
#include <cairn/export.hpp>
#include <cairn/report.hpp>
#include <cairn/scene.hpp>
#include <cairn/settings.hpp>
#include <cairn/world_arrays.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace cairn {
inline namespace v0 {

namespace reference {
struct AccelerationProblem;  // <cairn/reference.hpp>
}

// Stable handle of a body: stays valid, and is never given out again, when other bodies come and go. It is good in its own World alone; in another
// one it may name another body.
struct BodyId {
  int32_t index = -1;
  uint32_t generation = 0;
  friend bool operator==(BodyId a, BodyId b) { return a.index == b.index && a.generation == b.generation; }
  friend bool operator!=(BodyId a, BodyId b) { return !(a == b); }
};

// Stable handle of a joint, as BodyId is of a body.
struct JointId {
  int32_t index = -1;
  uint32_t generation = 0;
  friend bool operator==(JointId a, JointId b) { return a.index == b.index && a.generation == b.generation; }
  friend bool operator!=(JointId a, JointId b) { return !(a == b); }
};

struct JointState {
  JointType type;
  BodyId bodyA, bodyB;
  bool broken;  // by its breakImpulse: it acts no longer, and stays to be read until it is removed
  // The pose of frame B in frame A, as the bodies are now: translations [m], then rotations [rad]. If one rotation alone is free, it is the twist
  // about that axis in [-pi, pi]; else the angles a, b, c of Rx(a) Ry(b) Rz(c). With two free rotations two such triples exist, and the one with the
  // smaller locked angle is given. Distance: the distance, then zeros. Gear: its phase error [rad], then zeros.
  std::array<double, 6> coordinates;
  double error;         // distance from the nearest allowed pose: offset [m]
  double angularError;  // [rad]
  // The joint's force and torque on body B at its frame's origin, the mean of the last step, world; body A bears the opposite.
  Vec3d force;   // [N]
  Vec3d torque;  // [N m]
};

struct BodyState {
  Posed pose;             // of the body's frame [m]
  Vec3d linearVelocity;   // of the centre of mass [m/s]
  Vec3d angularVelocity;  // [rad/s]
};

struct Contact {
  BodyId bodyA, bodyB;
  int shapeA, shapeB;     // position in the body's shapes
  Vec3d point;            // world, midway between the surfaces [m]
  Vec3d normal;           // unit, from A to B
  double separation;      // [m], negative is penetration
  uint32_t feature;       // identifies the point within its shape pair from step to step
  double normalImpulse;   // over the last substep [N s], >= 0
  Vec3d frictionImpulse;  // over the last substep, on B, in the contact plane [N s]
};

enum class ContactPhase : int {
  Begin,    // the two shapes touch, and did not in the step before
  Persist,  // they did
  End,      // they touched in the step before; or the one of them whose body is gone did
};

// What two shapes do in a step (docs/events.md). They touch if a point of theirs carries an impulse in it, or does not gap when it begins.
struct ContactEvent {
  BodyId bodyA, bodyB;  // A has the smaller index: not always that of Contact
  int shapeA, shapeB;   // position in the body's shapes
  ContactPhase phase;
  bool hit;              // the impulse is above WorldSettings::hitThreshold
  double impulse;        // along the normal, of all points over all substeps of the step [N s], >= 0; 0 of an End, as all that follows
  double approachSpeed;  // along the normal, of the fastest point when the step begins [m/s]; 0: they part
  Vec3d point;           // where they touch: on one of the surfaces, world, at the step's end [m]; of several points the mean by their impulses
  Vec3d normal;          // unit, from A to B
};

// A shape that a sensor (ShapeDef::sensor) overlaps.
struct SensorOverlap {
  BodyId sensorBody;
  int sensorShape;  // position in the body's shapes
  BodyId body;
  int shape;
};

// Which shapes a query sees.
struct QueryFilter {
  std::optional<CollisionFilter> collision;  // those that a shape with this filter collides with; none: all
  BodyId ignored;                            // but for the shapes of this body; index -1: there is none
  int environment = -1;                      // the only one that it sees; -1: all of them
};

struct Ray {
  Vec3d origin;                                                  // [m]
  Vec3d direction;                                               // any length but 0; distances are in metres whatever the length
  double maxDistance = std::numeric_limits<double>::infinity();  // [m]
  QueryFilter filter{};
};

struct RayHit {
  BodyId body;            // index -1: nothing was hit
  int shape = -1;         // position in the body's shapes
  double distance = 0;    // [m]; 0 if the origin is inside the shape
  Vec3d normal{0, 0, 0};  // outward surface normal at the hit; against the ray if the origin is inside
};

// A shape somewhere: what touches it? Any type but a half-space; density and material do not count, and of filters `filter` alone.
struct OverlapQuery {
  ShapeDef shape;
  Posed pose{{0, 0, 0}, {0, 0, 0, 1}};  // of the frame that ShapeDef::localPose is in [m]
  QueryFilter filter{};
};

struct Overlap {
  BodyId body;
  int shape = -1;  // position in the body's shapes
};

// A shape that is moved along a line without turning, as in OverlapQuery from its pose on.
struct ShapeCast {
  ShapeDef shape;
  Posed pose{{0, 0, 0}, {0, 0, 0, 1}};                           // at the start [m]
  Vec3d direction;                                               // any length but 0; distances are in metres whatever the length
  double maxDistance = std::numeric_limits<double>::infinity();  // [m]
  QueryFilter filter{};
};

struct ShapeHit {
  BodyId body;            // index -1: nothing was hit
  int shape = -1;         // position in the body's shapes
  double distance = 0;    // at which the shapes first touch [m]; 0 if they do at the start
  Vec3d point{0, 0, 0};   // where they touch, world [m]; the centre of the shape that is cast if they overlap at the start
  Vec3d normal{0, 0, 0};  // unit, outward of what was hit; against the direction if they overlap at the start
};

// Of several queries: those of query i are hits[offsets[i] .. offsets[i + 1]).
template <class Hit> struct QueryHits {
  std::vector<Hit> hits;
  std::vector<size_t> offsets;  // one more than there are queries
};

// A World as bytes, to go on from later or elsewhere: World::save makes it. What they mean is known to the library alone, and says its version.
struct Snapshot {
  std::vector<std::byte> bytes;
};

class CAIRN_API World {
 public:
  // Throws InvalidInput, DeviceError or CapacityError.
  explicit World(const Scene& scene, const WorldSettings& settings = {});
  // Many environments: so many copies of the scene that never meet, wherever they lie, in one step. What happens in each has the same bits however
  // many others there are. Its body number k has index environment * scene.bodies.size() + k, and "@" and the environment behind its name; joints
  // likewise. Bodies and joints stay those of the scene. Throws InvalidInput too for less than one, for a scene without bodies, and for settings that
  // look at the World as a whole: docs/environments.md.
  World(const Scene& scene, int environments, const WorldSettings& settings = {});
  // Goes on where a World was saved: bodies and joints with their ids and names, forces that were applied, and every further step have the bits that
  // they would have had there. `execution` says where to run (backend, threads, device, stream, cudaGraph, stageTimes), nothing else of it counts:
  // the other settings are those of the World that was saved. Results of its last step (contacts, report) are not there before the next one. Throws
  // InvalidInput for bytes that save() did not write, are cut short or damaged, or have a format that this version does not read.
  explicit World(const Snapshot& snapshot, const WorldSettings& execution = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // Advances by settings().dt. Throws NonFiniteState, TornJoint, CapacityError, DeviceError or std::bad_alloc and then leaves the state as it was
  // before the step; InvalidInput likewise for a black box that answers no finite pose.
  //
  // On CUDA a step is queued, and the call returns before it is done. What it would throw is thrown by wait() or by whatever else asks this World for
  // something, with the state as it was before that step; steps queued behind it have not been done then.
  void step();
  void step(int count);        // throws InvalidInput for a negative count
  void step(double) = delete;  // seconds are for stepBy
  // Advances by as many steps as fit into these seconds and what earlier calls have left over: a frame's time in, whole steps out. Returns how many
  // steps were taken. Throws InvalidInput for what is negative, not finite, or more than a billion steps.
  int stepBy(double seconds);
  // Returns when all steps are done.
  void wait() const;

  const WorldSettings& settings() const;
  Backend backend() const;  // Cpu or Cuda: what Auto became
  int threads() const;      // CPU threads that steps run on; 0 on CUDA
  std::string deviceName() const;
  int device() const;  // its number, as CUDA counts devices; -1 on the CPU

  // Bodies, between steps. Ids of a scene's bodies are handed out in its order: body i has index i.
  int bodyCount() const;
  std::vector<BodyId> bodies() const;              // by index
  BodyId findBody(const std::string& name) const;  // throws InvalidInput if there is none
  std::string bodyName(BodyId body) const;
  BodyId addBody(const BodyDef& body);
  void removeBody(BodyId body);
  BodyState state(BodyId body) const;
  std::vector<BodyState> states() const;         // in the order of bodies()
  void setPose(BodyId body, const Posed& pose);  // throws InvalidInput for what the World's precision does not hold
  // [m/s], [rad/s], world. Throws InvalidInput for a static body, but for zero, and for what the World's precision does not hold.
  void setVelocity(BodyId body, Vec3d linear, Vec3d angular);
  // Acts during the next step only, at the centre of mass; several calls add up. [N], [N m], world. Throws InvalidInput for a body that is not
  // dynamic.
  void applyForce(BodyId body, Vec3d force, Vec3d torque = {0, 0, 0});

  // The force acts at a point of the world [m] instead: with a torque about the centre of mass where that is now.
  void applyForceAt(BodyId body, Vec3d force, Vec3d point);
  // Changes velocities at once: an impulse at the centre of mass [N s] and an angular one [N m s], or one at a point of the world [m]. Axes that are
  // locked keep their velocity. Throws InvalidInput for a body that is not dynamic.
  void applyImpulse(BodyId body, Vec3d impulse, Vec3d angularImpulse = {0, 0, 0});
  void applyImpulseAt(BodyId body, Vec3d impulse, Vec3d point);
  // The same for many bodies at once, item by item: what one call does for one. The lists must be as long as that of the bodies; torques may be left
  // out. On a device each is one copy instead of one a body. Throw InvalidInput as the calls for one do, with nothing changed.
  void setPoses(const std::vector<BodyId>& bodies, const std::vector<Posed>& poses);
  void setVelocities(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& linear, const std::vector<Vec3d>& angular);
  void applyForces(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& forces, const std::vector<Vec3d>& torques = {});

  // What a scene has said, changed between steps: every further step is one of a World that was made so, with what contacts remember. Ranges are
  // those of the scene's fields, whose messages they throw as InvalidInput. `shape`: position in the body's shapes.
  void setMaterial(BodyId body, int shape, const Material& material);
  void setFilter(BodyId body, int shape, const CollisionFilter& filter);
  void setGravityScale(BodyId body, double scale);
  void setMass(BodyId body, double mass);  // [kg], > 0, of a dynamic body; its inertia scales with it
  // Of a dynamic body, as BodyDef has them. With another centre of mass the body goes on as it lies and moves: the velocity is the one of that point,
  // and the inertia, about the new centre, stays what it was.
  void setInertia(BodyId body, const Sym3<double>& inertia);    // [kg m^2]
  void setCentreOfMass(BodyId body, Vec3d centre);              // in the body's frame [m]
  void setDamping(BodyId body, double linear, double angular);  // [1/s], >= 0
  // The body goes on as it lies and moves, a static one from rest, and keeps its joints. Static and kinematic bodies move about their origin instead
  // of their centre of mass: where the two differ, the velocity is taken over at the new point. Throws InvalidInput for a dynamic body that would
  // have no mass and inertia (BodyDef::shapes, mass, inertia) or a half-space, and where a joint would be left between two bodies of which none is
  // dynamic.
  void setType(BodyId body, BodyType type);
  BodyType type(BodyId body) const;
  Vec3d gravity() const;
  void setGravity(Vec3d gravity);  // [m/s^2]
  // [s], > 0: settings().dt from the next step on. Impulses to start from are those of steps of the old length: stacks need some steps to settle
  // again.
  void setTimeStep(double dt);
  // Whether it slept in the last step (WorldSettings::sleeping) and was not woken since; of all, in the order of bodies(): 1 or 0.
  bool asleep(BodyId body) const;
  std::vector<unsigned char> asleep() const;
  // From the next step on it is awake for sleepTime at least, and so is whatever touches it. Changes of a body, and forces on it, wake it by
  // themselves.
  void wake(BodyId body);
  // 64 bits of the caller's with a body; 0 at first. Nothing looks at them.
  uint64_t userData(BodyId body) const;
  void setUserData(BodyId body, uint64_t data);

  // --- in the caller's pipeline: docs/device.md ---
  // Queues a step on the World's stream that asks the host nothing, within the room that earlier steps have left (makeRoom: more), and does not wait.
  // A step that does not fit, or that would throw, changes nothing, nor do those enqueued behind it: EnqueuedStatus says so on the device at once,
  // wait() and whatever else asks this World for something throw StepRefused, NonFiniteState or TornJoint. It is not done again, since what the
  // caller has written for it is gone: step() takes it, with as much room as it needs. Forces that were to act in a refused step are forgotten.
  //
  // The stream of the settings may be in a capture of the caller's (cudaStreamBeginCapture): then the step is part of that graph, and done once for
  // each launch of it. Behind such launches the World finds out how many there were when it is asked for something. The graph serves while
  // arraysVersion() stays what it was. Throws InvalidInput within a capture for a World that has no plan yet or steps under way (step(), then wait(),
  // go before it), asks the host within a step (callbacks, Lemke's method), or has joints that would go on from other rows in each launch.
  //
  // On the CPU, and on a device as long as there is no plan, it is step().
  void enqueueStep();
  // Changes when addresses of arrays(), or a graph that enqueueStep is in, serve no longer: after bodies, joints and what they are made of have
  // changed, after step() where it has needed more room; while a pose or velocity that the host has set is new to the joints.
  uint64_t arraysVersion() const;
  // At least so much for all steps to come. Throws InvalidInput for a negative number or one above 2^27. On the CPU it has no effect.
  void makeRoom(const StepRoom& room);

  // While on, memory behind the addresses of arrays() and the inputs stays what it is where steps or changes of joints would give it back: it is
  // nobody else's, but no longer the World's arrays either, as arraysVersion() says. Off: it is given back.
  void keepArrays(bool on);

  // What there is to read. Waits for the steps so far, and copies what the arrays need beside the state. Throws InvalidInput for the other precision.
  template <class T> WorldArrays<T> arrays();
  // What the caller's kernels may write, for the next step alone: called before each. Queues little (forces are set to 0 first) and waits for nothing
  // but steps of step(). Static bodies must keep their velocity of zero; what is not finite has the step refused. Throw InvalidInput for the other
  // precision.
  template <class T> BodyInputs<T> writeBodies();
  template <class T> ForceInputs<T> writeForces();
  // Targets and bounds of motors stay what they were written to until setMotor, or until joints come, go or break. Only motors that are on have an
  // item.
  template <class T> MotorInputs<T> writeMotors();
  int motorRow(JointId joint, int axis) const;  // throws InvalidInput for an axis without a motor
  // Queues a kernel that finds the coordinates of JointArrays for the bodies as they are then. After arrays(), which makes room for them.
  void measureJoints();

  // Joints, between steps. Ids of a scene's joints are handed out in its order.
  int jointCount() const;
  std::vector<JointId> joints() const;               // by index, broken ones too
  JointId findJoint(const std::string& name) const;  // throws InvalidInput if there is none
  std::string jointName(JointId joint) const;
  JointId addJoint(BodyId bodyA, BodyId bodyB, const JointDef& joint);  // bodyA and bodyB of the JointDef do not count
  void removeJoint(JointId joint);                                      // removeBody removes the body's joints
  JointState jointState(JointId joint) const;
  std::vector<JointState> jointStates() const;  // in the order of joints()
  // Changes an axis' motor. Throws InvalidInput for an axis that is not free.
  void setMotor(JointId joint, int axis, JointMotor motor, double target, double maxForce);

  // Changes an axis' limits; none: it has none. Throws InvalidInput for an axis that is not free, and for limits that the joint cannot have.
  void setLimits(JointId joint, int axis, const std::optional<std::array<double, 2>>& limits);

  // Results of the last step.
  std::vector<Contact> contacts() const;
  std::vector<Contact> contactsOf(BodyId body) const;
  // Into memory of the caller's: the first `room` of contacts(). Returns how many there are.
  size_t contacts(Contact* into, size_t room) const;
  // Which contacts began, persisted and ended in the last step, by body A, body B, shape A, shape B; the same on every backend. Those of bodies that
  // were removed since are there too; that they end is part of the step to come. None before the first step, and after one that was refused. Throws
  // InvalidInput unless WorldSettings::contactEvents asks for them.
  std::vector<ContactEvent> contactEvents() const;
  // Into memory of the caller's: the first `room` of them. Returns how many there are.
  size_t contactEvents(ContactEvent* into, size_t room) const;
  StepReport report() const;
  // The report's stage times alone: cheap, waits for the step to be done. Empty before the first step, and after one that was launched as a CUDA
  // graph. Throws InvalidInput unless WorldSettings::stageTimes asks for them.
  std::vector<StageTime> stageTimes() const;
  // For each dynamic body in the order of bodies(): its level in the contact graph (0: touches a static or kinematic body, ...; -1: none reachable or
  // not dynamic).
  std::vector<int> contactLevels() const;

  // Batch queries against the current poses, on the World's device. Each answers for all its items in one call, and throws InvalidInput, with the
  // item's number, for values that are not finite or out of range and for a body to ignore that is not there.
  //
  // The nearest hit of each ray and of each shape that is cast; of those at the same distance the shape in the smallest slot.
  std::vector<RayHit> castRays(const std::vector<Ray>& rays) const;
  std::vector<ShapeHit> castShapes(const std::vector<ShapeCast>& casts) const;
  // All that a ray or a shape meets on its way, each shape once, where it is met first: by distance, then by body and shape.
  QueryHits<RayHit> castRaysAll(const std::vector<Ray>& rays) const;
  QueryHits<ShapeHit> castShapesAll(const std::vector<ShapeCast>& casts) const;
  // All shapes that touch or overlap a shape, by body and shape. What is nearer than a ten-millionth of the sizes counts as touching.
  QueryHits<Overlap> overlapShapes(const std::vector<OverlapQuery>& queries) const;

  // All that the World's sensors overlap or touch at the current poses, by sensor (body, then shape), then by body and shape. A sensor sees what its
  // filter collides with, static bodies too, but neither its own body nor other sensors; the others see no sensors.
  std::vector<SensorOverlap> sensorOverlaps() const;

  // The contact problem (joints are not in it) that the next step's first substep solves (formulas section 2.3), from the bodies as they are now: M,
  // H, f, w with six dofs a dynamic body in the order of bodies() and the contacts in the order in which the next contacts() lists them. Gaps,
  // stabilization and restitution are part of w. `condensed` makes the local form of it.
  ContactProblem contactProblem() const;

  // The acceleration-level problem (formulas section 2.1) of the bodies as they are now, with gravity and the forces of applyForce, for
  // reference::solveAccelerations. Contacts: separated by at most `touching` [m] and moving apart by at most `resting` [m/s]. Throws InvalidInput for
  // negative or NaN limits, and for an ellipsoid, a hull, a cylinder or a cone in contact.
  reference::AccelerationProblem accelerationProblem(double touching = 1e-4, double resting = 1e-2) const;

  // FNV-1a over the bits of all poses and velocities, in the order of bodies().
  uint64_t stateHash() const;

  // Environments, between steps; 0: the World was made without. The calls below throw InvalidInput then, and for an environment that there is not.
  int environmentCount() const;
  BodyId bodyOf(int environment, int body) const;  // by its position in the scene
  int environmentOf(BodyId body) const;
  Vec3d gravityOf(int environment) const;
  void setGravityOf(int environment, Vec3d gravity);  // [m/s^2]; setGravity is for all of them, and ends what this has set
  // Those whose item is not 0 go back to how the World was made: poses, velocities, contacts and joints that remember nothing and are whole, no
  // forces applied. They go on with the bits of a fresh World, and the others with their own. What bodies and joints are made of stays as it was set.
  // The mask has an item for each environment.
  void resetEnvironments(const std::vector<unsigned char>& mask);
  // The same with a mask where the World runs: of a device, on CUDA. It may go once the call returns, on CUDA once the device has come there.
  void resetEnvironmentsOnTarget(const unsigned char* mask);
  // The same on the World's stream, between enqueued steps: waits for nothing, and is legal within a capture of the caller's, where each launch of
  // the graph reads the mask anew. Behind an enqueued step that was refused it changes nothing either. It comes before writeForces(), whose forces it
  // would set to 0 in the environments of the mask. Throws InvalidInput while a joint is broken: resetEnvironments makes such joints whole.
  void enqueueReset(const unsigned char* mask);
  std::vector<EnvironmentReport> environmentReports() const;  // by environment
  uint64_t stateHashOf(int environment) const;                // of its bodies, as stateHash() of a World of that scene alone

  // All that further steps depend on: bodies, joints, what contacts and joints remember of the last step, settings. On either backend, to be gone on
  // from on either. Throws InvalidInput if there are black boxes, whose functions no bytes can hold.
  Snapshot save() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v0
}  // namespace cairn
