// The records that stages hand to each other. Plain data, on the queue's target.
//
// Bodies and shapes live in slots: a removed one leaves its slot empty (flags 0, body -1) until it is taken again.
#pragma once

#include "kernels/runtime/record.hpp"

#include <cairn/math.hpp>

namespace cairn::v0 {

// --- bodies ----------------------------------------------------------------------------------------------------
// Pose, velocity and inertia records are 8 scalars each, so that one gather is one aligned 32-byte access in float.

// Frame at the centre of mass, axes of the body's frame.
template <class T> struct alignas(8 * sizeof(T)) BodyPose {
  Vec3<T> x;  // centre of mass, world [m]
  T spare;
  Quat<T> q;  // body to world
};

// Velocities and the inverse masses of the x and y axes: the nine inverse-mass numbers (three differ only where a translation is locked)
// and the six velocities fill this record and BodyInertia with one to spare.
template <class T> struct alignas(8 * sizeof(T)) BodyVelocity {
  Vec3<T> v;  // of the centre of mass [m/s]
  T invMassX;
  Vec3<T> w;  // [rad/s]
  T invMassY;
};

// World frame; zero for static and kinematic bodies and along locked axes.
template <class T> struct alignas(8 * sizeof(T)) BodyInertia {
  Sym3<T> invInertia;  // [1/(kg m^2)]
  T invMassZ;
  T spare;
};

// Pose records of 8 scalars: the motion since the collision pass (dp, drive, dq).
template <class T> struct alignas(8 * sizeof(T)) BodyMotion {
  Vec3<T> dp;
  T drive;  // of this step: body_drive.hpp
  Quat<T> dq;
};

// What a position lacks for want of digits: the centre of mass is at x + left. About half a unit of x's last place at most.
template <class T> struct alignas(4 * sizeof(T)) PositionRemainder {
  Vec3<T> left;  // [m]
  T spare;
};

enum BodyFlags : int {
  kBodyAlive = 1,
  kBodyDynamic = 2,
  kBodyKinematic = 4,  // neither: static
  kLockTranslationX = 8,
  kLockTranslationY = 16,
  kLockTranslationZ = 32,
  kLockRotationX = 64,
  kLockRotationY = 128,
  kLockRotationZ = 256,
  kBodyIsotropic = 512,  // inertia is a multiple of the unit matrix: spheres, cubes
};

// The part of a body that does not change while it lives.
template <class T> struct BodyConstants {
  Sym3<T> inertia;  // about the centre of mass, body frame [kg m^2]
  Sym3<T> invInertia;
  T mass, gravityScale;
  Beside<T, int> flags;
};

// --- shapes ----------------------------------------------------------------------------------------------------
// The values of ShapeType; those of hulls and meshes are in hull_view.hpp and mesh_view.hpp.
constexpr int kSphere = 0, kCapsule = 1, kBox = 2, kHalfSpace = 3, kEllipsoid = 4, kCylinder = 6, kCone = 7;
constexpr int kSensor = 1 << 8;  // beside the type of a shape that touches nothing

CAIRN_HD inline bool isRevolved(int type) { return type == kCylinder || type == kCone; }

template <class T> struct ShapeRecord {
  Pose<T> localPose;  // shape to the body's centre-of-mass frame
  // Box: half extents; sphere: (radius, -, -); capsule: (radius, half height, -); half-space: unused; ellipsoid: semi-axes; hull: radii of the balls
  // about its centre of mass, where its frame is, that lie in it and that it lies in; cylinder and cone: (radius, half height, radius of the largest
  // ball in it); mesh: zero, since a surface has no inside.
  Vec3<T> size;
  int type;  // with kSensor, if it is one: it has no bounds then, and no stage of a step meets it; of a hull or mesh with its number (hull_view.hpp,
             // mesh_view.hpp)
  int body;  // slot; -1: empty
  Beside<T, int> indexInBody;  // position in BodyDef::shapes
  T friction, restitution;
  T boundingRadius;  // of the shape about the body's centre of mass [m]; 0 for half-spaces
  uint32_t category, mask;
  int group;
  int birthStep;  // step before which the slot held another shape or none: older manifolds are not this shape's
};

template <class T> CAIRN_HD inline bool isSensor(const ShapeRecord<T>& shape) { return (shape.type & kSensor) != 0; }

// --- collide ---------------------------------------------------------------------------------------------------

// Set in the slot of a shape on a static or kinematic body where such numbers are to sort behind those of dynamic bodies' shapes.
constexpr int kFixedBit = 1 << 30;

// Candidate pairs in CSR form by shape A: for shape slot a the partners are partner[offsets[a] .. offsets[a + 1]).
// A is always on a dynamic body; B is on a static or kinematic body, or on a dynamic one with a larger slot. Partners ascend by (dynamic first,
// slot).
struct PairView {
  const int* offsets;  // [shapeSlots + 1]
  const int* shapeA;   // [pairCount]
  const int* shapeB;   // [pairCount]
  int pairCount;       // of a planned step (src/state/step_counts.hpp): an upper bound
  // The number itself, on the target; null: pairCount. It may be more than fits: offsets lead beyond the end of the arrays then.
  const int* pairsFound = nullptr;
};

// Pairs of bodies that a joint keeps from colliding: smaller slot << 32 | larger slot, ascending.
struct JoinedPairs {
  const uint64_t* keys;
  int count;
};

constexpr int kMaxManifoldPoints = 4;

template <class T> struct ManifoldPoint {
  Vec3<T> rA;    // from A's centre of mass to the point midway between the surfaces, world axes [m]
  T separation;  // along the normal [m], negative is penetration
  Vec3<T> rB;    // from B's centre of mass to the same point [m]
  Beside<T, uint32_t> feature;
};

template <class T> struct Manifold {
  int shapeA, shapeB;
  int bodyA, bodyB;           // slots
  Vec3<T> normal;             // unit, from A to B
  Beside<T, int> pointCount;  // 1..4
  T friction, restitution;    // mixed
  ManifoldPoint<T> points[kMaxManifoldPoints];
};

// The separation of all points of a manifold whose shapes have parted within the step (rows/turning_rows.cu): nothing closes it [m].
constexpr double kGoneGap = 1e17;
template <class T> CAIRN_HD inline bool isGone(const Manifold<T>& m) { return m.points[0].separation >= T(kGoneGap); }

// Compacted, in the order of the pairs, those of a pair with a mesh behind one another; CSR by shape A.
template <class T> struct ManifoldView {
  const Manifold<T>* manifolds;  // [count]
  const int* offsets;            // [shapeSlots + 1]
  int count;                     // of a planned step: an upper bound
  const int* found = nullptr;    // the number itself, on the target; null: count. Maybe more than fits
  bool runs = false;             // whether a pair may have several, behind one another: pairs with a mesh do
};

// Impulses of a manifold's points: (normal, tangent 1, tangent 2) in the frame of tangentFrame(normal) [N s].
template <class T> struct ManifoldImpulse { Vec3<T> points[kMaxManifoldPoints]; };

// --- graph -----------------------------------------------------------------------------------------------------

// A constraint is an edge between two bodies; manifolds come first, joints after them.
struct ConstraintBodies {
  int bodyA, bodyB;  // slots; ~slot (negative) for a body that takes no impulses (static, kinematic)
};

}  // namespace cairn::v0
