// Scenes of Box3D's own benchmark, built from a description of them in numbers, so that its published times have something to stand beside. Gravity
// is 10 m/s^2 there. Sizes are parameters; the defaults are the benchmark's.
#include "scenes/scene_library.hpp"

namespace cairn::v0::scenes {
namespace {

constexpr double kCubeDensity = 100;  // of the pyramids' 1 m cubes [kg/m^3]

void setGravity(Scene& scene) { scene.gravity = {0, -10, 0}; }

// Cubes of 1 m in a triangle: neighbours and rows touch. `x` is the left end of the lowest row.
void addPyramid(Scene& scene, int64_t base, double x, double z) {
  for (int64_t i = 0; i < base; ++i)
    for (int64_t j = 0; j < base - i; ++j) addBox(scene, {x + 0.5 * double(i + 1) + double(j), 0.5 + double(i), z}, {0.5, 0.5, 0.5}, kCubeDensity);
}

void largePyramid(const Arguments& arguments, Scene& scene) {
  const int64_t base = arguments.whole("base");
  const double half = maxOf(400.0, 0.5 * double(base) + 10);
  setGravity(scene);
  scene.defaultSteps = 200;
  addStaticBox(scene, "ground", {0, -1, 0}, {half, 1, half});
  addPyramid(scene, base, -0.5 * double(base), 0);
}

void manyPyramids(const Arguments& arguments, Scene& scene) {
  const int64_t side = arguments.whole("side"), base = arguments.whole("base");
  setGravity(scene);
  scene.defaultSteps = 100;
  // From pyramid to pyramid: their width and a metre along a row, 152/13 m from row to row.
  const auto leftEnd = [&](int64_t c) { return 0.5 * double((2 * c - side + 1) * (base + 1)) - 0.5 * double(base); };
  const auto plane = [&](int64_t r) { return double((2 * r - side + 1) * 152) / 26; };
  const double half = maxOf(-leftEnd(0), -plane(0)) + 0.5;
  addStaticBox(scene, "ground", {0, -1, 0}, {half, 1, half});
  for (int64_t r = 0; r < side; ++r)
    for (int64_t c = 0; c < side; ++c) addPyramid(scene, base, leftEnd(c), plane(r));
}

// A net of spheres on ball joints that hangs from its uppermost row. Joints between two spheres of that row would act on nothing: they are left out.
void jointGrid(const Arguments& arguments, Scene& scene) {
  const int64_t side = arguments.whole("side");
  setGravity(scene);
  scene.defaultSteps = 100;
  for (int64_t k = 0; k < side; ++k)
    for (int64_t i = 0; i < side; ++i) {
      BodyDef sphere;
      sphere.type = i == 0 ? BodyType::Static : BodyType::Dynamic;
      sphere.pose.p = {double(k), -double(i), 0};
      sphere.shapes.push_back(ShapeDef::sphere(0.4));
      collideWithNothing(sphere);
      const int index = scene.add(std::move(sphere));
      if (i == 0) continue;
      addJoint(scene, JointType::Point, index - 1, index, {{double(k), 0.5 - double(i), 0}, {0, 0, 0, 1}});
      if (k > 0) addJoint(scene, JointType::Point, index - int(side), index, {{double(k) - 0.5, -double(i), 0}, {0, 0, 0, 1}});
    }
}

// --- washer ----------------------------------------------------------------------------------------------------

constexpr int kStaves = 36, kPaddles = 4;
constexpr double kDrumHalfLength = 10, kPaddleRadius = 14, kStaveRadius = 16, kOuterRadius = 18;  // [m]
constexpr double kDegree = kPi / 180;

// The hull of the eight corners of a piece of a ring: chords, not arcs.
ShapeDef wedge(double from, double to, double innerRadius, double outerRadius) {
  std::vector<Vec3d> corners;
  for (const double angle : {from, to}) {
    const SinCos<double> at = sinCos(angle);
    for (const double radius : {innerRadius, outerRadius})
      for (const double z : {-kDrumHalfLength, kDrumHalfLength}) corners.push_back({radius * at.cosine, radius * at.sine, z});
  }
  return ShapeDef::hull(std::move(corners));
}

// Staves are twelve degrees wide, so that neighbours overlap, paddles ten.
void addHulls(BodyDef& drum) {
  for (int i = 0; i < kStaves; ++i) drum.shapes.push_back(wedge((10 * i - 1) * kDegree, (10 * i + 11) * kDegree, kStaveRadius, kOuterRadius));
  for (int i = 0; i < kStaves; i += kStaves / kPaddles) {
    drum.shapes.push_back(wedge(10 * i * kDegree, 10 * (i + 1) * kDegree, kPaddleRadius, kStaveRadius));
  }
}

// Instead of a stave the box upon its inner chord: the same face towards the cubes, and narrower only outside, where the next stave covers the gap.
void addStaveAsBox(BodyDef& drum, int index) {
  const double middle = (10 * index + 5) * kDegree;
  const SinCos<double> half = sinCos(6 * kDegree), at = sinCos(middle);
  const double inner = kStaveRadius * half.cosine, thickness = 0.5 * (kOuterRadius - kStaveRadius) * half.cosine;
  ShapeDef stave = ShapeDef::box({thickness, kStaveRadius * half.sine, kDrumHalfLength});
  stave.localPose = {{(inner + thickness) * at.cosine, (inner + thickness) * at.sine, 0}, aboutZ(middle)};
  drum.shapes.push_back(stave);
}

// Instead of a paddle two boxes: each has one of the two radial faces, and is a tenth thinner than the wedge so that it stays clear of the other.
void addPaddleAsBoxes(BodyDef& drum, int index) {
  const SinCos<double> width = sinCos(10 * kDegree);
  const double halfThickness = 0.5 * 0.9 * kPaddleRadius * width.sine / width.cosine, middleRadius = 0.5 * (kPaddleRadius + kStaveRadius);
  for (const int side : {0, 1}) {
    const double angle = 10 * (index + side) * kDegree, inwards = side == 0 ? halfThickness : -halfThickness;
    const SinCos<double> at = sinCos(angle);
    ShapeDef box = ShapeDef::box({0.5 * (kStaveRadius - kPaddleRadius), halfThickness, kDrumHalfLength});
    box.localPose = {{middleRadius * at.cosine - inwards * at.sine, middleRadius * at.sine + inwards * at.cosine, 0}, aboutZ(angle)};
    drum.shapes.push_back(box);
  }
}

void addBoxes(BodyDef& drum) {
  for (int i = 0; i < kStaves; ++i) addStaveAsBox(drum, i);
  for (int i = 0; i < kStaves; i += kStaves / kPaddles) addPaddleAsBoxes(drum, i);
}

void washer(const Arguments& arguments, Scene& scene) {
  constexpr double kHeight = 21, kPitch = 0.8, kCube = 0.2;  // [m]
  const int64_t side = arguments.whole("side");
  setGravity(scene);
  scene.defaultSteps = 1000;
  addStaticBox(scene, "ground", {0, -1, 0}, {60, 1, 60});
  BodyDef drum;
  drum.name = "drum";
  drum.type = BodyType::Kinematic;
  drum.pose.p.y = kHeight;
  drum.linearVelocity = {0.001, -0.002, 0};
  drum.angularVelocity.z = 25 * kDegree;
  if (arguments.choice("drum") == "hulls") {
    addHulls(drum);
  } else {
    addBoxes(drum);
  }
  scene.add(std::move(drum));
  const double first = -0.5 * kPitch * double(side);
  for (int64_t i = 0; i < side; ++i)
    for (int64_t j = 0; j < side; ++j)
      for (int64_t k = 0; k < side; ++k)
        addBox(scene, {first + kPitch * double(i), kHeight + first + kPitch * double(j), first + kPitch * double(k)}, {kCube, kCube, kCube});
}

// --- convex_pile -----------------------------------------------------------------------------------------------

// Points in a cube of 1 m from the low bits of a linear congruence; those in its ball are thrown onto a sphere of 2 m.
std::vector<Vec3d> rockPoints() {
  constexpr size_t kPoints = 32;
  uint32_t state = 42;
  const auto next = [&] {
    state = 2147001325u * state + 715136305u;
    return double(state % 65536u) / 65535 - 0.5;
  };
  std::vector<Vec3d> points;
  while (points.size() < kPoints) {
    const double x = next(), y = next(), z = next();
    const double distance = length(Vec3d{x, y, z});
    if (distance <= 0.5) points.push_back((2 / distance) * Vec3d{x, y, z});
  }
  return points;
}

void convexPile(const Arguments& arguments, Scene& scene) {
  constexpr double kPitch = 4;  // [m]
  const int64_t side = arguments.whole("side"), layers = arguments.whole("layers");
  setGravity(scene);
  scene.defaultSteps = 500;
  addStaticBox(scene, "ground", {0, -1, 0}, {250, 1, 250});
  const ShapeDef rock = ShapeDef::hull(rockPoints());
  for (int64_t x = 0; x < side; ++x)
    for (int64_t z = 0; z < side; ++z)
      for (int64_t layer = 0; layer < layers; ++layer) {
        BodyDef body;
        body.pose.p = {kPitch * (double(x) - 0.5 * double(side)), 2 + kPitch * double(layer), kPitch * (double(z) - 0.5 * double(side))};
        body.shapes = {rock};
        scene.add(std::move(body));
      }
}

}  // namespace

std::vector<Generator> box3dGenerators() {
  return {
      Generator("large_pyramid", "Box3D's: 1 m cubes of 100 kg, all touching", {whole("base", "cubes of the lowest row", 100, 1, 1e6)})
          .bodies([](const Arguments& a) { return 1 + 0.5 * a.real("base") * (a.real("base") + 1); })
          .filledBy(largePyramid),
      Generator("many_pyramids", "Box3D's: a field of pyramids of 1 m cubes",
                {whole("side", "pyramids a side of the field", 14, 1, 1e4), whole("base", "cubes of the lowest row of each", 10, 1, 1e4)})
          .bodies([](const Arguments& a) { return 1 + a.real("side") * a.real("side") * 0.5 * a.real("base") * (a.real("base") + 1); })
          .filledBy(manyPyramids),
      Generator("joint_grid", "Box3D's: a net of spheres on ball joints hangs from its static upper row; nothing collides",
                {whole("side", "spheres a side of the net", 100, 2, 1e4)})
          .bodies([](const Arguments& a) { return a.real("side") * a.real("side"); })
          .joints([](const Arguments& a) { return (a.real("side") - 1) * (2 * a.real("side") - 1); })
          .filledBy(jointGrid),
      Generator("washer", "Box3D's: cubes of 0.4 m tumble in an open drum with paddles",
                {whole("side", "cubes a side of their block", 20, 1, 24), choice("drum", "what it is made of", {"hulls", "boxes"})})
          .bodies([](const Arguments& a) { return 2 + a.real("side") * a.real("side") * a.real("side"); })
          .filledBy(washer),
      Generator("convex_pile", "Box3D's: a tower of rocks of 2 m, hulls of 32 points, collapses",
                {whole("side", "rocks a side of the tower", 8, 1, 50), whole("layers", "rocks above one another", 80, 1, 1e4)})
          .bodies([](const Arguments& a) { return 1 + a.real("side") * a.real("side") * a.real("layers"); })
          .filledBy(convexPile),
  };
}

}  // namespace cairn::v0::scenes
