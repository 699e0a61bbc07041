// rain: limp people fall on standing rings, after a scene of the benchmark that comes with Box3D. There they are made and taken away in the course
// of the run; here those that come later start higher up.
#include "scenes/jointed_figure.hpp"

#include <cairn/mesh.hpp>

#include <memory>

namespace cairn::v0::scenes {
namespace {

constexpr int kParts = 14, kJoints = 13;
constexpr double kCell = 15;    // side of a cell of the ground [m]
constexpr double kRoom = 1.05;  // from one of a cell's people to the next, who reach 0.49 m from their middles [m]
constexpr int kAbreast = 3;     // people of a cell at one height
constexpr double kLowest = 20, kLater = 2,
                 kNext = 2.5;  // height of the first feet, how much higher those of the next row of cells and above each other are [m]
// Of the rings that fall [m]: above the middles of the cells, below the first people.
constexpr double kFirstRing = 6, kRingPitch = 0.55;
constexpr int64_t kRingsOfCell = 20;
constexpr double kRolling = 0.2;                  // rolling and torsional friction, as a part of the radius
constexpr double kFrequency = 1, kDamping = 0.7;  // of a joint's spring for its two bodies [Hz], [-]

// --- people ----------------------------------------------------------------------------------------------------

class Person {
 public:
  // Parts of one group do not collide: of each person the thighs.
  Person(Scene& scene, int64_t number, const Posed& pose) : scene_(scene), figure_(scene, fmt::format("person-{}", number), pose), number_(number) {}

  void add() {
    addTrunk();
    for (const double side : {1.0, -1.0}) addLimbs(side);
  }

 private:
  int part(const char* name, Vec3d from, Vec3d to, double radius) {
    ShapeDef capsule = capsuleAlong(from, to, radius);
    capsule.material.rollingFriction = capsule.material.torsionalFriction = kRolling * radius;
    return figure_.bone(name, 0.5 * (from + to), {capsule});
  }

  // Limits, a spring back to `rest`, and friction [N m], which lets limbs hang without swinging for long.
  JointDef& joint(JointType type, int a, int b, Vec3d place, double friction, Figure::Range bend, Figure::Range twist = {0, 0},
                  Figure::Range sideways = {0, 0}) {
    JointDef& joint = figure_.joint(type, a, b, place, bend, twist, sideways);
    const auto inertia = [&](int body) {
      const Sym3<double> i = massProperties(scene_.bodies[size_t(body)]).inertia;
      return (i.xx + i.yy + i.zz) / 3;
    };
    const double both = inertia(a) * inertia(b) / (inertia(a) + inertia(b)), turns = 2 * kPi * kFrequency;
    const size_t last = type == JointType::Hinge ? 3 : 5;
    for (size_t axis = 3; axis <= last; ++axis) {
      joint.axes[axis].friction = friction;
      joint.axes[axis].stiffness = turns * turns * both;
      joint.axes[axis].damping = 2 * kDamping * turns * both;
    }
    return joint;
  }

  void addTrunk() {
    pelvis_ = part("pelvis", {0.07, 1.012, -0.044}, {-0.07, 1.012, -0.044}, 0.13);
    const int waist = part("waist", {0.06, 1.166, -0.03}, {-0.06, 1.166, -0.03}, 0.12);
    const int belly = part("belly", {0.08, 1.286, -0.043}, {-0.08, 1.286, -0.043}, 0.1);
    chest_ = part("chest", {0.11, 1.436, -0.081}, {-0.11, 1.436, -0.081}, 0.145);
    const int neck = part("neck", {0, 1.592, -0.045}, {0, 1.645, -0.016}, 0.07);
    const int head = part("head", {0, 1.709, 0.021}, {0, 1.768, 0.008}, 0.0975);
    joint(JointType::Point, pelvis_, waist, {0, 1.117, -0.034}, 5, {-25, 25}, {-15, 15}, {-25, 25});
    joint(JointType::Point, waist, belly, {0, 1.202, -0.027}, 5, {-25, 25}, {-15, 15}, {-25, 25});
    joint(JointType::Point, belly, chest_, {0, 1.314, -0.028}, 5, {-15, 15}, {-10, 10}, {-15, 15});
    joint(JointType::Point, chest_, neck, {0, 1.576, -0.056}, 4, {-45, 45}, {-15, 15}, {-45, 45});
    joint(JointType::Point, neck, head, {0, 1.656, -0.002}, 2, {-15, 15}, {-15, 15}, {-15, 15});
  }

  // +1: the left ones.
  void addLimbs(double side) {
    const auto at = [side](double x, double y, double z) { return Vec3d{side * x, y, z}; };
    const bool left = side > 0;
    const int thigh = part(left ? "thigh-left" : "thigh-right", at(0.121, 0.952, -0.041), at(0.101, 0.557, -0.032), 0.09);
    const int calf = part(left ? "calf-left" : "calf-right", at(0.101, 0.537, -0.036), at(0.098, 0.108, -0.111), 0.075);
    scene_.bodies[size_t(thigh)].shapes[0].filter.group = int32_t(-number_);
    joint(JointType::Point, pelvis_, thigh, at(0.09, 0.986, -0.035), 5, {-60, 30}, {-10, 10}, {-10, 10});
    joint(JointType::Hinge, thigh, calf, at(0.101, 0.527, -0.037), 5, {-5, 45});

    const int upper = part(left ? "upper-arm-left" : "upper-arm-right", at(0.204, 1.484, -0.116), at(0.301, 1.254, -0.118), 0.075);
    const int lower = part(left ? "lower-arm-left" : "lower-arm-right", at(0.306, 1.243, -0.118), at(0.414, 0.983, -0.015), 0.05);
    JointDef& shoulder = joint(JointType::Point, chest_, upper, at(0.204, 1.484, -0.116), 5, {-85, 35}, {-5, 5},
                               left ? Figure::Range{-25, 95} : Figure::Range{-95, 25});
    // Half raised, and a little to the front.
    shoulder.axes[3].rest = -25 * (kPi / 180);
    shoulder.axes[5].rest = side * 35 * (kPi / 180);
    joint(JointType::Hinge, upper, lower, at(0.306, 1.243, -0.118), 5, {-60, 5});
  }

  Scene& scene_;
  Figure figure_;
  int64_t number_;
  int pelvis_ = -1, chest_ = -1;
};

// --- ground ----------------------------------------------------------------------------------------------------

// A square and a ring that stands upright, half of it below.
void addCell(Scene& scene, Vec3d middle, const ShapeDef& floor, const ShapeDef& ring) {
  BodyDef cell;
  cell.type = BodyType::Static;
  cell.pose.p = middle;
  cell.shapes = {floor, ring};
  scene.add(std::move(cell));
}

ShapeDef uprightRing() {
  ShapeDef ring = ShapeDef::mesh(loadMesh("torus:major=3.75,minor=1,around=16,tube=16"));
  const double half = squareRoot(0.5);
  ring.localPose.q = {half, 0, 0, half};
  return ring;
}

void rain(const Arguments& arguments, Scene& scene) {
  const int64_t side = arguments.whole("side"), people = arguments.whole("people"), rings = arguments.whole("rings");
  scene.gravity = {0, -10, 0};
  scene.defaultSteps = 400;
  if (rings > kRingsOfCell * side * side) arguments.reject("rings", fmt::format("must be at most {} times the cells, is {}", kRingsOfCell, rings));
  const auto place = [&](int64_t k) { return kCell * (double(k) - 0.5 * double(side - 1)); };
  const ShapeDef floor = ShapeDef::mesh(loadMesh("terrain:size=15,height=0,cells=8")), ring = uprightRing();
  for (int64_t i = 0; i < side; ++i)
    for (int64_t j = 0; j < side; ++j) addCell(scene, {place(i), 0, place(j)}, floor, ring);

  Random random;
  for (int64_t i = 0; i < side; ++i)
    for (int64_t j = 0; j < side; ++j)
      for (int64_t n = 0; n < people; ++n) {
        const Vec3d feet{place(i) + kRoom * (double(n % kAbreast) - 1), kLowest + kLater * double(i) + kNext * double(n / kAbreast), place(j)};
        const SinCos<double> turn = sinCos(0.5 * random.symmetric(kPi));
        Person(scene, (i * side + j) * people + n + 1, {feet, {0, turn.sine, 0, turn.cosine}}).add();
      }
  if (rings == 0) return;
  const ShapeDef solid = ShapeDef::solidMesh(std::make_shared<const TriangleMesh>(loadMesh("torus:major=0.5,minor=0.12,around=26,tube=16")), 0.012);
  for (int64_t n = 0; n < rings; ++n) {
    const int64_t cell = n % (side * side), above = n / (side * side);
    BodyDef body;
    body.name = fmt::format("ring-{}", n + 1);
    body.pose.p = {place(cell / side), kFirstRing + kRingPitch * double(above), place(cell % side)};
    const double x = random.symmetric(0.1), z = random.symmetric(0.1);
    body.pose.q = normalized(Quatd{x, 0, z, 1});
    body.shapes = {solid};
    scene.add(std::move(body));
  }
}

double cellsOf(const Arguments& arguments) { return arguments.real("side") * arguments.real("side"); }

}  // namespace

std::vector<Generator> rainGenerators() {
  return {
      Generator("rain", "after Box3D's: limp people of 14 capsules fall on rings, meshes that stand on a ground of meshes",
                {whole("side", "cells of the ground a side, with a ring each", 4, 1, 1000), whole("people", "that fall on each cell", 3, 1, 1e6),
                 whole("rings", "that fall with them: solid meshes, which are dear", 0, 0, 1e6)})
          .bodies([](const Arguments& a) { return cellsOf(a) * (1 + kParts * a.real("people")) + a.real("rings"); })
          .joints([](const Arguments& a) { return cellsOf(a) * kJoints * a.real("people"); })
          .filledBy(rain),
  };
}

}  // namespace cairn::v0::scenes
