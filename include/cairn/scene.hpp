// A scene: the plain description from which a World is built. SI units, right-handed, y is up in all scenes of the library.
// As a JSON file: docs/scene-format.md.
#pragma once

#include <cairn/export.hpp>
#include <cairn/math.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cairn {
inline namespace v0 {

using Vec3d = Vec3<double>;
using Quatd = Quat<double>;
using Posed = Pose<double>;
class ProjectionFunctor;
struct HullSource;
struct TriangleMesh;  // <cairn/mesh.hpp>
struct HeightField;   // <cairn/height_field.hpp>

enum class BodyType : int {
  Static,     // never moves
  Kinematic,  // moves with its given velocity, whatever touches it
  Dynamic,    // moves by forces and contacts
};

enum class ShapeType : int {
  Sphere,       // radius, around the shape's origin
  Capsule,      // radius and half height: the segment from (0, -halfHeight, 0) to (0, +halfHeight, 0), inflated by the radius
  Box,          // half extents along the shape's axes
  HalfSpace,    // solid below the plane y = 0 of the shape's frame, outward normal +y; static and kinematic bodies only
  Ellipsoid,    // semi-axes along the shape's axes
  Hull,         // the convex hull of points in the shape's frame
  Cylinder,     // radius and half height: about the shape's y axis, its ends at y = -halfHeight and y = +halfHeight
  Cone,         // radius of its base, which is at y = -halfHeight, and half height: its apex is at (0, +halfHeight, 0)
  Mesh,         // a surface of triangles in the shape's frame; on dynamic bodies it is closed, and solid
  HeightField,  // heights over a grid on the plane y = 0 of the shape's frame, about its origin; static and kinematic bodies only
};

// Two touching shapes mix their materials: friction by the geometric mean, sqrt(mu1 mu2); everything else by the larger.
struct Material {
  double friction = 0.6;     // Coulomb coefficient [-], >= 0
  double restitution = 0.0;  // [-], 0 (plastic) to 1 (elastic)
  // Lengths that times a contact's normal force are the largest moments with which it resists that its bodies turn against each other: spinning about
  // the normal, and rolling about the tangents [m], >= 0. A ball of radius r stays on a slope of the angle atan(rollingFriction / r) at most.
  double torsionalFriction = 0, rollingFriction = 0;
};

// No length, velocity, mass, density or gravity of a scene is larger, in SI units: their products and sums stay finite.
constexpr double kLargestMagnitude = 1e15;

// Two shapes collide if each one's category is in the other's mask; shapes of one group (not 0) always collide if it is
// positive and never if it is negative, whatever category and mask say. Shapes of one body never collide.
struct CollisionFilter {
  uint32_t category = 1;
  uint32_t mask = 0xffffffffu;
  int32_t group = 0;
};

struct ShapeDef {
  ShapeType type = ShapeType::Box;
  Posed localPose{{0, 0, 0}, {0, 0, 0, 1}};  // shape to body [m]
  Vec3d halfExtents{0.5, 0.5, 0.5};          // box; ellipsoid: its semi-axes [m], > 0
  double radius = 0.5;                       // sphere, capsule, cylinder, cone [m], > 0
  double halfHeight = 0.5;                   // capsule, cylinder, cone [m], > 0
  double density = 1000;                     // [kg/m^3], > 0; dynamic bodies take mass and inertia from it
  Material material;
  CollisionFilter filter;
  // The shape touches nothing and has no mass: World::sensorOverlaps says what it overlaps (docs/events.md). Not of a half-space, a mesh or a height
  // field. Density and material do not count.
  bool sensor = false;
  // Hull: four at least, in the shape's frame [m]. Those inside, and in faces and edges that others span, do not count; what is left are at most 64
  // corners. Not in one plane, or nearly so: half the thickness is more than a ten thousandth of the radius.
  std::vector<Vec3d> points;
  // Hull: 0, or 4 to 64: of the hull's corners at most so many are kept, those that lie furthest out. Fewer make contacts faster.
  int maxVertices = 0;
  // Hull: what `hull` has made of the points, which copies share. Points that were changed since are made anew, whenever they are asked for.
  std::shared_ptr<const HullSource> made;
  // Mesh: its vertices [m] and triangles, which copies share. Vertices in one place are one; triangles without area are left out, and one at least
  // has some. It may be open, and anything else that inspectMesh finds: what is in front of a triangle touches it.
  std::shared_ptr<const TriangleMesh> triangles;
  // Mesh: whether triangles are met from both sides; else from outside, where their corners run anticlockwise: what is behind one goes through it.
  bool twoSided = false;
  // Mesh: whether it has an inside, as a dynamic body's must. It is closed then, its triangles agree on what is outside, and it is not two-sided. It
  // has mass by its volume and the density; and a signed distance field, with which it touches other meshes.
  bool solid = false;
  // Mesh that is solid: the smallest cells of the field [m], > 0; 0: a two hundredth of the longest side of its bounds. Parts of other meshes that
  // are thinner than a few cells are not felt, and what is closer to the surface than a tenth of one is.
  double cell = 0;
  // Height field: its samples, which copies share. It is met from above, as a one-sided mesh: what is below its surface goes through it.
  std::shared_ptr<const HeightField> heights;

  CAIRN_API static ShapeDef sphere(double radius);
  CAIRN_API static ShapeDef capsule(double radius, double halfHeight);
  CAIRN_API static ShapeDef box(Vec3d halfExtents);
  CAIRN_API static ShapeDef ellipsoid(Vec3d semiAxes);
  CAIRN_API static ShapeDef halfSpace();
  CAIRN_API static ShapeDef cylinder(double radius, double halfHeight);
  CAIRN_API static ShapeDef cone(double radius, double halfHeight);
  // Never throws for what is wrong with the points: validate and World do.
  CAIRN_API static ShapeDef hull(std::vector<Vec3d> points, int maxVertices = 0);
  // Likewise. Shapes that are made of one pointer are one mesh for a World without being compared.
  CAIRN_API static ShapeDef mesh(TriangleMesh triangles, bool twoSided = false);
  CAIRN_API static ShapeDef mesh(std::shared_ptr<const TriangleMesh> triangles, bool twoSided = false);
  // A mesh with an inside.
  CAIRN_API static ShapeDef solidMesh(TriangleMesh triangles, double cell = 0);
  CAIRN_API static ShapeDef solidMesh(std::shared_ptr<const TriangleMesh> triangles, double cell = 0);
  // Likewise.
  CAIRN_API static ShapeDef heightField(HeightField field);
  CAIRN_API static ShapeDef heightField(std::shared_ptr<const HeightField> field);
};

struct BodyDef {
  std::string name;  // unique in the scene, UTF-8 without control characters; empty: "body-<index>" in messages, and nobody else may be called that
  BodyType type = BodyType::Dynamic;
  Posed pose{{0, 0, 0}, {0, 0, 0, 1}};  // body to world [m]; the quaternion is normalised on the way in and must not be zero
  Vec3d linearVelocity{0, 0, 0};        // of the centre of mass, world [m/s]; both velocities are zero of a static body
  Vec3d angularVelocity{0, 0, 0};       // world [rad/s]
  std::vector<ShapeDef> shapes;         // a dynamic body needs one at least, or mass and inertia of its own
  std::optional<double> mass;           // [kg], > 0: overrides the shapes' density; the inertia scales with it
  // About the centre of mass, along the body's axes [kg m^2]: xx, yy, zz, then the products xy, xz, yz of the matrix (with their sign). Overrides
  // what follows from the shapes, and does not scale with the mass. Positive definite, and no principal moment larger than the other two together.
  std::optional<Sym3<double>> inertia;
  std::optional<Vec3d> centreOfMass;  // in the body's frame [m]: overrides the shapes'; their inertia goes along unchanged
  double gravityScale = 1;            // factor on the scene's gravity [-]
  // A dynamic body slows down by itself: each substep of length h divides its linear velocity by 1 + h linearDamping, its angular one likewise
  // [1/s], >= 0. Axes that are locked keep their velocity.
  double linearDamping = 0, angularDamping = 0;
  std::array<bool, 3> lockTranslation{false, false, false};  // world x, y, z: the velocity of the centre of mass along it stays as it is
  std::array<bool, 3> lockRotation{false, false, false};     // world x, y, z: the angular velocity about it stays as it is
};

// The types of joints between body A (the parent) and body B (the child), by the motions that they leave free: those of Weinstein, Teran and Fedkiw
// 2006, figure 9, with the paper's names (point, twist, rigid, black box), and those that users of the field expect besides. Axes are those of the
// joint's frame on A; a joint is on target if its two frames, one on each body, agree but for the free motions.
enum class JointType : int {
  Point,      // ball and socket: turns
  Hinge,      // a turn about x
  Twist,      // a turn about y, the axis along which capsules and bones lie
  Rigid,      // nothing
  Prismatic,  // slides along x; along x and y; or along all three axes: JointDef::slides
  Planar,     // slides along x and y and turns about z: a magnet on a plate
  Distance,   // everything but the distance of the two origins, which stays within minDistance..maxDistance
  Universal,  // turns about x of A and y of B
  SixDof,     // what JointAxis::free says
  Gear,       // the spin of A about x of its frame plus `ratio` times the spin of B about x of its own stays zero; nothing else
  BlackBox,   // what JointDef::projection or JointDef::projectionFunctor says
};

enum class JointMotor : int {
  Off,
  Velocity,  // towards the velocity `target` [m/s or rad/s]
  Position,  // towards the coordinate `target` [m or rad]
};

// One degree of freedom of a joint: an offset of frame B along x, y, z of frame A [m], or a turn about it [rad]. Everything here acts on axes that
// the joint leaves free; locked ones ignore nothing: values other than the defaults are refused there. Force means a torque for turns.
struct JointAxis {
  bool free = false;  // SixDof only; the other types know
  // [low, high], low <= high; turns within [-pi, pi]. Of three free turns the second stays within [-pi/2, pi/2], which its limits must meet.
  std::optional<std::array<double, 2>> limits;
  JointMotor motor = JointMotor::Off;
  double target = 0;  // of the motor
  // Of the motor [N or N m], >= 0; infinity: whatever it takes, up to a change of the speed of its two bodies by 0.4 maxCorrectionSpeed / forceMixing
  // a substep (27 m/s or rad/s by default): contacts, limits and locked axes win. JointState::force says what it took.
  double maxForce = 0;
  double stiffness = 0;  // of a spring towards `rest` [N/m or N m/rad], >= 0
  double damping = 0;    // [N s/m or N m s/rad], >= 0
  double rest = 0;       // [m or rad]
  double friction = 0;   // largest force that resists the motion [N or N m], >= 0
};

// Frame B as frame A sees it.
struct JointPose {
  Vec3d offset{0, 0, 0};       // [m]
  Quatd rotation{0, 0, 0, 1};  // B to A
};

struct JointDef {
  std::string name;  // unique among the joints, UTF-8 without control characters; empty: "joint-<index>"
  JointType type = JointType::Point;
  int bodyA = -1, bodyB = -1;               // positions in Scene::bodies; one of them at least is dynamic
  Posed frameA{{0, 0, 0}, {0, 0, 0, 1}};    // joint frame to body A's frame [m]
  Posed frameB{{0, 0, 0}, {0, 0, 0, 1}};    // and to body B's
  std::array<JointAxis, 6> axes;            // x, y, z, about x, about y, about z
  int slides = 1;                           // Prismatic: 1 to 3
  double minDistance = 0, maxDistance = 0;  // Distance [m], 0 <= min <= max; infinity: they may go as far apart as they like
  double ratio = 1;                         // Gear, not 0
  // BlackBox, one of the two: the allowed pose for a predicted one. The function is called on the host, from the thread that steps, once a substep
  // and joint; and by reports.
  std::function<JointPose(const JointPose&)> projection;
  // The functor, which makeProjectionFunctor of <cairn/projection_functor.hpp> makes, runs where the World does. Reports ask it on the host.
  std::shared_ptr<const ProjectionFunctor> projectionFunctor;
  double breakImpulse =
      std::numeric_limits<double>::infinity();  // the joint breaks, and acts no longer, once its linear impulse over a step exceeds this [N s], > 0
  bool collide = false;                         // whether the two bodies collide with each other
};

struct Scene {
  std::string name;
  Vec3d gravity{0, -9.81, 0};  // [m/s^2]
  std::vector<BodyDef> bodies;
  std::vector<JointDef> joints;
  int defaultSteps = 1200;  // what `cairn run` does without --steps; > 0

  // Index of the new body in bodies.
  int add(BodyDef body) {
    bodies.push_back(std::move(body));
    return int(bodies.size()) - 1;
  }
  // A joint of two bodies as they lie, on target: both its frames are at this world frame. Joins nothing yet: joints.push_back does.
  // Throws InvalidInput if there are no such bodies, or if frame or bodies have no pose to start from.
  CAIRN_API JointDef joint(JointType type, int bodyA, int bodyB, const Posed& frame) const;
};

// Mass properties of a body from its shapes [kg, m, kg m^2]: centre and inertia about it in the body's frame. Half-spaces, meshes and height fields
// carry no mass, shapes that overlap count each for itself. Throws InvalidInput for points that have no hull. BodyDef::mass, where given, replaces
// the sum and scales the inertia with it; BodyDef::inertia and centreOfMass replace theirs. The type of the body and its locked axes make no
// difference here.
struct MassProperties {
  double mass = 0;
  Vec3d centre{0, 0, 0};
  Sym3<double> inertia{0, 0, 0, 0, 0, 0};
};
CAIRN_API MassProperties massProperties(const BodyDef& body);

// Throws InvalidInput, naming body and field, if a value is out of its range, not finite, or a name is there twice.
// `place` is put before every message (a file's name); empty: the scene's name. Fields are named by their pointer in the JSON form,
// "pile.json: /bodies/3/shapes/0/radius: must be a finite number > 0, is -1 (body 'ball')". Fields that do not apply (a sphere's half
// extents) are not looked at.
CAIRN_API void validate(const Scene& scene, const std::string& place = {});
CAIRN_API void validate(const BodyDef& body, const std::string& place);
// A joint by itself: everything but what its bodies are.
CAIRN_API void validate(const JointDef& joint, const std::string& place);
// The axes that a joint of this type leaves free, x to about z: those that JointAxis may limit or drive. Gear and BlackBox have none.
CAIRN_API std::array<bool, 6> freeAxes(const JointDef& joint);

// The scene behind a name of the command line: a path of a JSON file (docs/scene-format.md), or a generator with parameters,
// "pyramid:base=40". Text that ends in .json or names an existing file is a file. Throws InvalidInput, or CapacityError if the bodies
// that a generator is asked for would not fit into memory.
CAIRN_API Scene loadScene(const std::string& nameOrPath);
// From JSON text; `place` names it in messages. Throws InvalidInput for whatever is wrong, before anything is returned.
CAIRN_API Scene parseScene(const std::string& json, const std::string& place);
// JSON that parseScene reads back to the same scene, bit by bit; fields that do not apply (a sphere's half extents) are left out. Throws
// InvalidInput if the scene is not valid.
CAIRN_API std::string writeScene(const Scene& scene);

struct SceneParameter {
  std::string name;
  std::string meaning;       // with its unit
  std::string defaultValue;  // as it is written on the command line
  std::string range;         // "1 to 1000", "box|sphere"
};
struct SceneGenerator {
  std::string name, summary;
  std::vector<SceneParameter> parameters;
};
// The generators of the library and their parameters, in the order of `cairn scenes`.
CAIRN_API std::vector<SceneGenerator> sceneGenerators();

}  // namespace v0
}  // namespace cairn
