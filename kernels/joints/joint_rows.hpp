// Joint rows: joints as the sweeps read them, in tiles by colour, beside those of contacts. See joint_rows.cu.
//
// A joint's locked axes are one block of up to three translations and one of up to three rotations. Each block has the inverse of its effective
// inverse mass, restricted to the locked directions: a 3 x 3 matrix in world axes, so that a sweep need not know which axes are locked. Limits,
// motors, springs and friction of free axes, distances and gears are rows of one number. Equations: README.md.
#pragma once

#include "kernels/joints/joint_projection.hpp"
#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/state/environments.hpp"
#include "kernels/state/views.hpp"

#include <cairn/projection_functor.hpp>

namespace cairn::v0 {

// --- records -----------------------------------------------------------------------------------------------------

enum JointFlags : int {
  kJointSwept = 1,     // left to the sweeps
  kJointBlackBox = 2,  // its target is the user's
  kJointGear = 4,      // a row of it has a phase
};

// By joint slot. Frames are in the bodies' centre-of-mass frames.
template <class T> struct JointRecord {
  Pose<T> frameA, frameB;
  int bodyA, bodyB;  // slots
  int flags;
  int lockedLinear;        // bits 0..2: the axes of frame A along which the translation is zero
  int lockedAngular;       // bits 0..2: the rotations that are zero, as joint_projection.hpp counts them
  int firstRow, rowCount;  // of its AxisRows
  int component;           // of the direct solve; -1: none
  T breakImpulse;          // [N s]
};

// A frame of the joint of each lane, records[index(lane)]: that on B or that on A, a choice for each lane. By eight numbers at a time, of which the
// last one is what lies behind.
template <class V, class T, class Index, class OnB>
CAIRN_HD inline Pose<V> jointFrames(const JointRecord<T>* records, const Index& index, const OnB& onB) {
  constexpr int kNumbers = sizeof(Pose<T>) / sizeof(T);
  static_assert(kNumbers == 7 && sizeof(JointRecord<T>) >= (2 * kNumbers + 1) * sizeof(T));
  V n[8];
  LaneTraits<V>::eightOf([&](int lane) { return reinterpret_cast<const T*>(records + index(lane)) + (onB(lane) ? kNumbers : 0); }, n);
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
}

enum AxisRowKind : int {
  kLimitRow,     // low <= coordinate <= high
  kVelocityRow,  // motor, and friction (target 0)
  kPositionRow,  // servo
  kSpringRow,
  kDistanceRow,  // low <= distance <= high
  kGearRow,
};

// One scalar row of a joint: something that acts on its axis 0..5. Units by kind: m or rad, N or N m.
template <class T> struct AxisRow {
  int axis, kind;
  T low, high;           // limits
  T target, maxForce;    // motors and friction: velocity or coordinate, largest force
  T stiffness, damping;  // springs, towards `target`
  T ratio;               // gears
};

// Impulses of the last substep that the next one starts from: of the locked axes, in A's joint frame.
template <class T> struct JointImpulse { Vec3<T> linear, angular; };
// Sums over a step, world axes, on body B at the origin of frame B [N s], [N m s]; and the work of the axis rows on both bodies [J]. Locked axes do
// none.
template <class T> struct JointReaction {
  Vec3<T> linear, angular;
  T work;
};

// --- rows in tiles -----------------------------------------------------------------------------------------------

// Fields of a lane: those of the two blocks, then kAxisFields for each axis row. Vectors take three fields, symmetric matrices six; all are in world
// axes.
constexpr int kJointArmA = 0;            // from A's centre of mass to the origin of frame B [m]
constexpr int kJointArmB = 3;            // from B's centre of mass to the same point [m]
constexpr int kJointLinearMass = 6;      // inverse of the effective inverse mass along the locked translations, Sym3 [kg]
constexpr int kJointAngularMass = 12;    // along the locked rotations, Sym3 [kg m^2]
constexpr int kJointLinearError = 18;    // translation of frame B from frame A, whose locked part is to vanish [m]
constexpr int kJointAngularError = 21;   // rotation vector by which locked axes are off [rad]
constexpr int kJointLinear = 24;         // impulse on B [N s]
constexpr int kJointAngular = 27;        // angular impulse on B [N m s]
constexpr int kJointSoftness = 30;       // part of the impulse that leaks off in a biased sweep
constexpr int kJointErrorFraction = 31;  // JointBias::errorFraction, or 1
constexpr int kJointFirstLinearError = 32, kJointFirstAngularError = 35;  // as the step began
// Where the direct solve alone acts nobody asks how the step began: there lies what joints have borne in it so far, impulse and angular impulse on B.
constexpr int kJointBorne = kJointFirstLinearError;
constexpr int kJointRotated = 38;    // 1: the bodies rotate, and the joint is made anew in each substep of this step
constexpr int kJointActive = 39;     // 1: a distance, a gear, a range of one number or a black box: only making it anew keeps it true
constexpr int kJointOffTarget = 40;  // scratch of a pack, from which each lane is looked at by itself
constexpr int kJointFirstArmA = 41, kJointFirstArmB = 44;  // as the step began
constexpr int kJointFields = 47;

constexpr int kAxisLinear = 0;                // direction of a translation; zero for rotations
constexpr int kAxisAngularA = 3;              // Jacobian of A's angular velocity, negated
constexpr int kAxisAngularB = 6;              // Jacobian of B's
constexpr int kAxisMass = 9;                  // inverse of the effective inverse mass
constexpr int kAxisBias = 10;                 // with stabilization
constexpr int kAxisPlainBias = 11;            // without
constexpr int kAxisSoftness = 12;             // part of the impulse that a spring's compliance takes off
constexpr int kAxisLow = 13, kAxisHigh = 14;  // bounds of the impulse [N s or N m s]
constexpr int kAxisImpulse = 15;
constexpr int kAxisSide = 16;           // -1: the row's sign is reversed, for an upper bound; 0: the row is inactive, all its fields are zero
constexpr int kAxisLimitSoftness = 17;  // part of a violated limit's impulse that leaks off in a biased sweep, as contacts' does
// What is moved along with the bodies where the joint is not made anew: the gap of a limit [m or rad], the biases of a spring or servo.
constexpr int kAxisFirst = 18;    // as the step began
constexpr int kAxisFollows = 19;  // 1: a limit's; negative: minus what a spring's or servo's biases change by a unit of the coordinate [1/s]; 0: none
constexpr int kAxisFields = 20;

template <class T> struct JointView : TileView {
  T* fields;
  const int* tileRows;       // [tileCount] most axis rows of a lane of the tile
  const int* tileRotations;  // [tileCount] 1: some lane has locked rotations
  const int* joint;          // [tileCount * kTileLanes] joint slot; -1: empty lane
};

template <class T> CAIRN_HD inline T* jointLaneFields(const JointView<T>& joints, int lane, int strip) {
  return joints.fields + laneStart(joints, lane, strip, kJointFields + kAxisFields * joints.tileRows[lane / kTileLanes]);
}

// The fields of one lane as scalars, whatever the strip: for kernels that take one joint at a time.
template <class T> struct JointLane {
  T* fields;
  int strip;

  CAIRN_HD JointLane(const JointView<T>& joints, int lane) : fields(jointLaneFields(joints, lane, joints.strip)), strip(joints.strip) {}
  CAIRN_HD T& of(int field) const { return fields[field * strip]; }
  CAIRN_HD Vec3<T> vectorOf(int field) const { return {of(field), of(field + 1), of(field + 2)}; }
  CAIRN_HD void putVector(int field, Vec3<T> v) const {
    of(field) = v.x;
    of(field + 1) = v.y;
    of(field + 2) = v.z;
  }
  CAIRN_HD void putSym(int field, Sym3<T> m) const {
    of(field) = m.xx;
    of(field + 1) = m.yy;
    of(field + 2) = m.zz;
    of(field + 3) = m.xy;
    of(field + 4) = m.xz;
    of(field + 5) = m.yz;
  }
  CAIRN_HD void clear(int field, int end) const {
    for (; field < end; ++field) of(field) = T(0);
  }
  // The fields of an axis row.
  CAIRN_HD static int base(int row) { return kJointFields + row * kAxisFields; }
  CAIRN_HD T& at(int row, int field) const { return of(base(row) + field); }
  CAIRN_HD Vec3<T> vector(int row, int field) const { return vectorOf(base(row) + field); }
};

// The stabilization of joints in one substep; chosen by src/solve/stabilization.cpp.
template <class T> struct JointBias {
  T h;              // [s]
  T rate;           // fraction of an error that is taken back within a substep, by h [1/s]
  T maxSpeed;       // largest speed that an error is taken back with [m/s]
  T maxTurnSpeed;   // the same of turns [rad/s]
  T softness;       // of joints that are left to sweeps: part of the impulse that leaks off in a sweep
  T servoRate;      // of position motors [1/s]
  T errorFraction;  // part of their error that such joints ask back: sweeps that start from old impulses and ask for all of it ring
  T step;           // the whole step [s]
  T motorReach;     // change of speed of its bodies that a motor brings about within a substep at most [m/s]
  T turnReach;      // the same of turns [rad/s]
  T lever;          // where a turn by a radian counts as much as an offset: leverOf in src/joints/joint_stabilization.cpp [m]
};

// --- launches ----------------------------------------------------------------------------------------------------

// What joints keep from step to step, by slot and by axis row.
template <class T> struct JointMemories {
  const JointRecord<T>* records;
  JointImpulse<T>* impulses;
  JointReaction<T>* reactions;
  T* rowImpulses;
  T* phases;
};
// Nothing is kept by the joints of masked environments.
template <class T> void forgetJoints(Queue& queue, int slots, const JointMemories<T>& memories, EnvironmentMask mask, int jointsEach);

// Constraint k of the live joint live[k]: its bodies, and priorities above all manifolds', so that joints are coloured first. jointsEach: joints of
// an environment, in each of which a joint has the same priority; 0: there are none.
template <class T> void describeJoints(Queue& queue, const JointRecord<T>* joints, const int* live, const TileRange& range,
                                       const BodyConstants<T>* constants, ConstraintBodies* constraints, uint32_t* priorities, int jointsEach = 0);

// The joints with most to do first.
template <class T> void jointKeys(Queue& queue, const JointRecord<T>* joints, const int* live, const TileKeys& keys);

// The lanes of joints, beside TileView.
struct JointLanes {
  int* jointOfLane;
  int* tileRows;
  int* tileRotations;
  int* laneOfJoint;
};
// Lanes to joints.
template <class T> void fillJointTiles(Queue& queue, const JointRecord<T>* joints, const int* live, const TileFill& tiles, const JointLanes& lanes);

constexpr double kUnknownPull = 1e30;  // fits a float

template <class T> struct JointInputs {
  const JointRecord<T>* records;
  const AxisRow<T>* axisRows;
  JointImpulse<T>* impulses;  // by joint
  T* rowImpulses;             // by axis row
  T* phases;                  // of gears, by axis row [rad]
  const T* leans;             // by joint, of A and of B (findLeans)
  T* pulls;                   // by joint, on A and on B: how stiff it may make the body (joint_turns.hpp); null: nobody asks
  // Where the direct solve alone acts impulses are in the lanes alone until the step ends. Null: `impulses` are those of the last substep.
  const int* laneOfJoint;
  JointView<T> lanes;
  const JointTarget<T>* targets;  // by joint; null: there is no black box
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  const BodyInertia<T>* inertias;
  const T* partCounts;  // null: no overflow constraints
  const int* asleep;    // by body: joints of those that sleep remember what they remembered; null: all are awake
};

// What a step finds out about components, which are bodies that hang together by joints.
enum ComponentNotes : int {
  kComponentInContact = 1,  // contacts are among its bodies'
  kComponentAsleep = 2,     // its bodies sleep: no solve acts on it
  kComponentTurnsFast = 4,  // a body of it has turned by more than kSlowTurn a substep
  kComponentStiffened = 8,  // a body of it swings faster than substeps can follow
};
struct JointComponents {
  const int* ofBody = nullptr;  // by slot; -1: none
  int* notes = nullptr;         // by component; null: nobody asks

  CAIRN_HD void note(int body, ComponentNotes what) const {
    if (notes != nullptr && ofBody[body] >= 0) atomicOrInt(notes + ofBody[body], what);
  }
};

// Joints by body in CSR: entries 2 joint + side (1: it is the joint's B), ascending.
struct JointsOfBodies {
  const int* offsets;  // [bodySlots + 1]
  const int* sides;
  JointComponents components{};
};
// How much a pull of 1 N turns a body back by a joint's arm, whichever way the body is turned, as a part of its inertia [1/(N s^2)]. A joint's
// impulse times h times this is at least its part in the body's stiffness.
template <class T>
void findLeans(Queue& queue, const JointRecord<T>* joints, const int* live, int count, const BodyConstants<T>* constants, T* leans);
// Geometric stiffness: bodies whose joints would make them swing faster than h can follow get more inertia.
template <class T> void stiffenBodies(Queue& queue, int bodySlots, const JointsOfBodies& of, const JointInputs<T>& in, T h, BodyInertia<T>* inertias);
// After the bodies have turned: their inertias anew, and the same. Angular momentum stays, so that bodies with more inertia slow down. Notes
// who does.
template <class T> void followTurns(Queue& queue, int bodySlots, const JointsOfBodies& of, const JointInputs<T>& in, T h,
                                    const BodyConstants<T>* constants, BodyInertia<T>* inertias, BodyVelocity<T>* velocities);
// The lanes' impulses back to the joints. With `reactions` (null: not yet) onto the step's sums, and gears' phases move on by h.
template <class T> void collectJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, JointReaction<T>* reactions, T h);
// The same at the end of a step in which the direct solve alone has acted: impulses, and the step's reactions as their lanes have summed them up.
template <class T> void collectStep(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, JointReaction<T>* reactions, int substeps);
// Within such a step, before the bodies move by h: impulses in the lanes are turned with A, and how hard joints pull is found (JointInputs::pulls).
template <class T> void turnImpulses(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, T h);
// The joints' works, by slot.
template <class T> void collectWorks(Queue& queue, const JointReaction<T>* reactions, int slots, double* works);
// Impulses of the locked axes (by joint, world axes) to the lanes.
template <class T> void storeJointImpulses(Queue& queue, const JointView<T>& view, const JointImpulse<T>* impulses);
// A joint that had to bear more over the step than it can.
template <class T> CAIRN_HD inline bool isBroken(const JointRecord<T>& joint, const JointReaction<T>& reaction) {
  return length(reaction.linear) > joint.breakImpulse;
}
template <class T>
void countBrokenJoints(Queue& queue, const JointRecord<T>* records, const int* live, int count, const JointReaction<T>* reactions, int* broken);

}  // namespace cairn::v0
