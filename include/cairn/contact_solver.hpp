// ContactSolver: the contacts and joints of someone else's simulator, solved where they lie.
//
// The caller finds contacts; the solver changes velocities and impulses in place, in the caller's own arrays, on the caller's stream. It does what
// one substep of a World does with its rows: the same kernels, the same bits on CUDA and on the CPU. Poses are the caller's to move.
// docs/contact-solver.md shows it at work.
#pragma once

#include <cairn/export.hpp>
#include <cairn/field.hpp>
#include <cairn/settings.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cairn {
inline namespace v0 {

struct JointDef;  // <cairn/scene.hpp>

// Bodies. All fields but those that are called optional must be there. Body i of the contacts is item i.
template <class T> struct SolverBodies {
  int count = 0;
  Field<const T, 3> position;        // centre of mass, world [m]
  Field<const T, 4> orientation;     // unit quaternion x, y, z, w: body to world. Optional: without it inverseInertia is in world axes
  Field<const T> inverseMass;        // [1/kg], >= 0; 0, with an inverse inertia of 0: contacts do not move the body
  Field<const T, 6> inverseInertia;  // about the centre of mass, in the body's axes: xx, yy, zz, xy, xz, yz [1/(kg m^2)]; positive semidefinite
  Field<T, 3> linearVelocity;        // of the centre of mass [m/s]; in and out
  Field<T, 3> angularVelocity;       // world [rad/s]; in and out
  Field<T, 3> linearMove;            // optional, out: the velocities to move the body with. They have the correction of penetrations in them,
  Field<T, 3> angularMove;           // optional, out: which the relaxing sweeps take out of the others again [m/s], [rad/s]
};

// Contact points. Consecutive points of the same bodies with the same normal, friction and restitution, to the bit, are solved as one manifold of up
// to four: callers that have manifolds list their points one after the other.
template <class T> struct SolverContacts {
  int count = 0;                 // of the arrays; with `counted` an upper bound that is not looked at
  const int* counted = nullptr;  // optional: how many there are, in the backend's memory, read when the work runs
  Field<const int, 2> bodies;    // A and B; -1: the world, which nothing moves
  Field<const T, 3> point;       // midway between the surfaces, world [m]
  Field<const T, 3> normal;      // from A to B, world; of length 1 to within 0.0005
  Field<const T> separation;     // along the normal [m], negative is penetration
  Field<const T> friction;       // [-], >= 0
  Field<const T> restitution;    // optional [-], 0 to 1: approach speeds above settings.restitutionThreshold are reflected first, by 16 more
                                 // sweeps, whose impulses are not among those that come out
  Field<T> normalImpulse;        // optional [N s]: to start from (with settings.warmStart), and the result
  Field<T, 3> frictionImpulse;   // optional, on B, in the contact's plane, world [N s]: likewise
};

// What an axis row of a joint does, on one degree of freedom that the joint leaves free: as JointAxis has it (docs/joints.md).
enum SolverRowKind : int {
  kSolverLimit,          // low <= coordinate <= high
  kSolverVelocityMotor,  // towards the velocity `target` with at most maxForce; friction is one with the target 0
  kSolverPositionMotor,  // towards the coordinate `target` with at most maxForce
  kSolverSpring,         // stiffness and damping, towards `target`
  kSolverDistance,       // low <= distance of the frames' origins <= high; of a joint that locks nothing
  kSolverGear,           // the spin of A about x of its frame plus `ratio` times that of B stays zero; likewise
};

// Axis rows of all joints, those of a joint one after the other. Units are those of the axis: m, N and N s, or rad, N m and N m s. Fields that are
// not there count as 0, a ratio as 1; infinities of low, high and maxForce as no bound.
template <class T> struct SolverJointRows {
  int count = 0;
  Field<const int> axis;                                           // 0, 1, 2: along x, y, z of frame A; 3, 4, 5: about them
  Field<const int> kind;                                           // a SolverRowKind
  Field<const T> low, high, target, maxForce, stiffness, damping;  // low <= high, the last three >= 0
  Field<const T> ratio;                                            // gears
  Field<const T> phase;                                            // gears: how far they have run out of step so far [rad]
  Field<T> impulse;                                                // optional: to start from, and the result
};

// Joints. Frame B is seen from frame A; both lie in their bodies, those of the world in the world.
template <class T> struct SolverJoints {
  int count = 0;
  Field<const int, 2> bodies;   // A and B; -1: the world
  Field<const T, 3> anchorA;    // origin of the joint frame, from the body's centre of mass, in the body's axes [m]; of the world: in the world
  Field<const T, 3> anchorB;    //
  Field<const T, 4> frameA;     // joint frame to body, x, y, z, w. Optional: the body's axes
  Field<const T, 4> frameB;     //
  Field<const int> locked;      // bits 0 to 5: the translations along x, y, z of frame A, and the turns about them, that the joint does not allow
  Field<const int, 2> rows;     // optional: its first axis row, and how many it has
  SolverJointRows<T> axisRows;  //
  Field<T, 3> linearImpulse;    // optional, of the locked translations, on B, in the axes of frame A [N s]: to start from, and the result
  Field<T, 3> angularImpulse;   // optional, of the locked turns [N m s]: likewise
};

// One axis row, as a list of them may have it.
struct SolverJointRow {
  int axis = 0, kind = kSolverLimit;
  double low = 0, high = 0, target = 0, maxForce = 0, stiffness = 0, damping = 0, ratio = 1;
};

// A World's joint as a solver's: what it locks, and its axis rows, in a World's order. Frames, less the bodies' centres of mass, are the caller's to
// fill in. Throws InvalidInput for a joint that is not valid, or a black box.
CAIRN_API int lockedBits(const JointDef& joint);
CAIRN_API std::vector<SolverJointRow> axisRows(const JointDef& joint);

// How many of each a call may have, 0 to 2^27.
struct ContactCapacity {
  int bodies = 0;
  int contacts = 0;  // points
  int joints = 0;
  int jointRows = 0;    // axis rows of all joints
  int rowsOfJoint = 0;  // axis rows of one joint
  // Manifolds and joints for which none of settings.maxColours colours is left: those of bodies that touch more than that. With 0 no sweep looks for
  // any, which spares two launches each on CUDA; a call that finds more than this is refused
  int overflow = 0;
};

// Why a call was refused, as bits of ContactSolverStatus::flags. A refused call leaves the caller's arrays as they were.
enum ContactSolverFlag : int {
  kSolverContactCapacity = 1,   // more contacts than there is room for: contactsNeeded, contactsAvailable
  kSolverOverflowCapacity = 2,  // more manifolds without a colour: overflowNeeded, overflowAvailable
  kSolverNotFinite = 4,         // a number is infinite or NaN: badBody, badContact, badJoint or badJointRow says where
  kSolverBodyIndex = 8,         // a contact or joint of a body that is not there, or of a body with itself
  kSolverBadNormal = 16,        // a normal whose length is not 1: badContact
  kSolverOutOfRange = 32,       // negative mass, inertia or friction, restitution beyond 0 to 1, a quaternion whose length is not 1; of joints: a row
                                // that is not there, on a locked axis, of no kind, or with numbers out of range
  kSolverResultNotFinite = 64,  // the velocities would become infinite or NaN: badBody
};

// What a call did, in the backend's memory.
struct ContactSolverStatus {
  int flags;  // 0: done
  int contactsNeeded, contactsAvailable;
  int overflowNeeded, overflowAvailable;
  int badBody, badContact, badJoint, badJointRow;  // the first of each; -1: none
  int manifolds, colours;                          // this and what follows: 0 of a refused call, whose residual is -1
  int sweeps;                                      // iterations and relaxations
  float residual;       // natural-map residual of the contact problem, scaled as StepReport::residualMax [-]; -1: not measured
  float velocityScale;  // that it is scaled by [m/s]
};

// Memory that a call works in, on the solver's backend. The caller's: it may be given to other work behind the call on the same stream.
struct SolverWorkspace {
  void* data = nullptr;  // aligned to 256 bytes
  size_t bytes = 0;      // >= ContactSolver::workspaceBytes()
};

template <class T> struct ContactSolverCall {
  SolverBodies<T> bodies;
  SolverContacts<T> contacts;
  SolverJoints<T> joints;
  ContactSolverStatus* status = nullptr;  // optional, in the backend's memory
  bool measureResidual = false;           // a pass over all points more
};

class CAIRN_API ContactSolver {
 public:
  // The settings are those of a World whose substep the call is: h = dt / substeps, iterations, relaxations, normalPasses, overRelaxation, warmStart,
  // the normal stabilization with its numbers, jointStabilization with jointErrorReduction, jointSweeps, maxCorrectionSpeed, restitutionThreshold,
  // maxColours, envelope, and solver Pgs or Jacobi; backend, device, threads and precision. Joints are solved by sweeps, as JointSolver::Sweeps does.
  // What is about shapes and whole steps does not count. Throws InvalidInput for a capacity or setting out of range,
  // a tolerance, friction stabilization, position corrections, shock propagation or another solver; DeviceError where the backend cannot be had.
  explicit ContactSolver(const ContactCapacity& capacity, const WorldSettings& settings = {});
  ~ContactSolver();
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;

  const ContactCapacity& capacity() const;
  const WorldSettings& settings() const;
  Backend backend() const;  // Cpu or Cuda: what Auto became; whose memory all pointers of a call are in
  int device() const;       // its number, as CUDA counts devices; -1 on the CPU

  // How much workspace a call needs, whatever its contacts are. On the CPU 0: the solver has memory of its own, which grows in the first calls.
  size_t workspaceBytes() const;

  // The solver's own, for callers who have none: made by the first call of this, which may wait for the device and cannot be captured, and gone with
  // the solver. What works in it goes to one stream. On the CPU it is none. Throws CapacityError.
  SolverWorkspace ownWorkspace();

  // One call. On CUDA it is queued on `stream`, a cudaStream_t of the solver's device (null: the default stream): it allocates nothing, waits for
  // nothing, and is legal while the stream is captured; a captured call does the same with what the arrays hold when the graph runs. On the CPU the
  // stream does not count, and the call is done when it returns.
  //
  // The result's bits depend on the numbers in the arrays, the order of contacts and joints, and the settings alone: not on the backend, threads,
  // strides, capacities, or what was solved before.
  //
  // Throws InvalidInput, with nothing queued, for what the host can see: the other precision, more bodies than the capacity, a field that is missing
  // or not aligned, a stride of 0 where the call writes, a workspace that is too small. All else is in the status. Throws DeviceError where a launch
  // fails. A solver is used by one thread at a time; others beside it share nothing.
  void enqueue(void* stream, const SolverWorkspace& workspace, const ContactSolverCall<float>& call);
  void enqueue(void* stream, const SolverWorkspace& workspace, const ContactSolverCall<double>& call);
  // The same on the CPU. Throws InvalidInput on CUDA.
  void solve(const ContactSolverCall<float>& call);
  void solve(const ContactSolverCall<double>& call);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v0
}  // namespace cairn
