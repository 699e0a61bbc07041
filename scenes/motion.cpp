// Scenes with a known course: dominoes, a box on an incline, Newton's cradle, a billiard break.
#include "scenes/scene_library.hpp"

#include <fmt/format.h>

namespace cairn::v0::scenes {
namespace {

void setMaterial(BodyDef& body, double friction, double restitution) {
  for (ShapeDef& shape : body.shapes) shape.material = {friction, restitution};
}

// --- dominoes --------------------------------------------------------------------------------------------------
// A row along +x. The first leans over its lower front edge by 15 degrees, beyond the 11.3 at which it would fall back,
// and not yet far enough to touch the second.
void dominoes(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count");
  const double spacing = arguments.real("spacing");
  const Vec3d half{0.1, 0.5, 0.25};
  addGround(scene, 0.5 * spacing * double(count) + 1);
  const double lean = 15 * (kPi / 180);
  const SinCos<double> a = sinCos(lean);
  for (int64_t i = 0; i < count; ++i) {
    const double x = (double(i) - 0.5 * double(count - 1)) * spacing;
    const int domino = addBox(scene, {x, half.y, 0}, half);
    if (i == 0)
      scene.bodies[size_t(domino)].pose = {{x + half.x - half.x * a.cosine + half.y * a.sine, half.x * a.sine + half.y * a.cosine, 0}, aboutZ(-lean)};
  }
  scene.defaultSteps = 600;
}

// --- incline ---------------------------------------------------------------------------------------------------
// A flat box at rest on a half-space that falls towards -x. Up to tan(angle) = friction it sticks; beyond, it slides with
// g (sin(angle) - friction cos(angle)).
void incline(const Arguments& arguments, Scene& scene) {
  const double angle = arguments.real("angle") * (kPi / 180), friction = arguments.real("friction");
  const Quatd rotation = aboutZ(angle);
  const Vec3d half{0.5, 0.25, 0.5};
  BodyDef slope;
  slope.name = "slope";
  slope.type = BodyType::Static;
  slope.pose.q = rotation;
  slope.shapes.push_back(ShapeDef::halfSpace());
  setMaterial(slope, friction, 0);
  scene.add(std::move(slope));
  BodyDef box;
  box.name = "box";
  box.pose = {rotate(rotation, {0, half.y, 0}), rotation};
  box.shapes.push_back(ShapeDef::box(half));
  setMaterial(box, friction, 0);
  scene.add(std::move(box));
  scene.defaultSteps = 120;
}

// --- Newton's cradle -------------------------------------------------------------------------------------------
// Balls on the x axis that can only move along it: no track, no friction, no gravity. The incoming ones move at `speed`,
// the others rest, a gap between each pair. With restitution 1 as many balls leave on the far side, at the same speed.
// The gap must be longer than what a ball travels in a time step: then the impacts come one after the other, as they do
// between real balls, while Newton's law of impact for all at once would throw the incoming ball back.
void newtonCradle(const Arguments& arguments, Scene& scene) {
  const int64_t balls = arguments.whole("balls"), incoming = arguments.whole("incoming");
  const double speed = arguments.real("speed"), gap = arguments.real("gap");
  if (incoming >= balls) arguments.reject("incoming", fmt::format("must be less than balls ({}), is {}", balls, incoming));
  constexpr double kRadius = 0.25, kRunUp = 1;  // [m]
  for (int64_t i = 0; i < balls; ++i) {
    BodyDef ball;
    ball.name = fmt::format("ball-{}", i + 1);
    ball.pose.p.x = double(i - incoming) * (2 * kRadius + gap) - (i < incoming ? kRunUp : 0);
    ball.linearVelocity.x = i < incoming ? speed : 0;
    ball.shapes.push_back(ShapeDef::sphere(kRadius));
    setMaterial(ball, 0, arguments.real("restitution"));
    ball.lockTranslation = {false, true, true};
    ball.lockRotation = {true, true, true};
    scene.add(std::move(ball));
  }
  scene.defaultSteps = 300;
}

// --- billiard break --------------------------------------------------------------------------------------------
// A table of 2.54 x 1.27 m, fifteen balls in the rack, the cue ball rolling at them along +x. Materials by the mixing rule:
// ball on ball 0.06 and 0.95, ball on cloth sqrt(0.06 * 2/3) = 0.2.
void billiardBreak(const Arguments& arguments, Scene& scene) {
  const double speed = arguments.real("speed"), gap = arguments.real("gap");
  constexpr double kRadius = 0.028575, kMass = 0.17;        // [m], [kg]
  constexpr double kHalfLength = 1.27, kHalfWidth = 0.635;  // of the bed [m]
  constexpr double kRail = 0.05, kRailHalfHeight = 0.05;    // [m]
  const auto addTable = [&](const char* name, Vec3d position, Vec3d half) {
    setMaterial(scene.bodies[size_t(addStaticBox(scene, name, position, half))], 2.0 / 3, 0);
  };
  addTable("bed", {0, -kRail, 0}, {kHalfLength + 2 * kRail, kRail, kHalfWidth + 2 * kRail});
  addTable("rail+x", {kHalfLength + kRail, kRailHalfHeight, 0}, {kRail, kRailHalfHeight, kHalfWidth + 2 * kRail});
  addTable("rail-x", {-kHalfLength - kRail, kRailHalfHeight, 0}, {kRail, kRailHalfHeight, kHalfWidth + 2 * kRail});
  addTable("rail+z", {0, kRailHalfHeight, kHalfWidth + kRail}, {kHalfLength, kRailHalfHeight, kRail});
  addTable("rail-z", {0, kRailHalfHeight, -kHalfWidth - kRail}, {kHalfLength, kRailHalfHeight, kRail});

  const auto addBall = [&](std::string name, double x, double z) {
    BodyDef ball;
    ball.name = std::move(name);
    ball.pose.p = {x, kRadius, z};
    ball.mass = kMass;
    ball.shapes.push_back(ShapeDef::sphere(kRadius));
    setMaterial(ball, 0.06, 0.95);
    return scene.add(std::move(ball));
  };
  const int cue = addBall("cue-ball", -0.5 * kHalfLength, 0);
  scene.bodies[size_t(cue)].linearVelocity.x = speed;
  scene.bodies[size_t(cue)].angularVelocity.z = -speed / kRadius;
  const double pitch = 2 * kRadius + gap, rowPitch = pitch * squareRoot(0.75);
  int number = 0;
  for (int row = 0; row < 5; ++row)
    for (int i = 0; i <= row; ++i) addBall(fmt::format("ball-{}", ++number), 0.5 * kHalfLength + row * rowPitch, (i - 0.5 * row) * pitch);
  scene.defaultSteps = 600;
}

}  // namespace

std::vector<Generator> motionGenerators() {
  return {
      Generator("dominoes", "a row of upright slabs of 0.2 x 1.0 x 0.5 m; the first falls",
                {whole("count", "slabs", 50, 1, kMaxBodies), real("spacing", "between middles [m]", "0.6", 0.5, 0.95)})
          .bodies([](const Arguments& a) { return 1 + a.real("count"); })
          .filledBy(dominoes),
      Generator("incline", "a box on a slope: sticks below atan(friction), slides above",
                {real("angle", "of the slope [degrees]", "20", 0, 89), real("friction", "coefficient [-]", "0.6", 0, 100)})
          .bodies([](const Arguments&) { return 2.0; })
          .filledBy(incline),
      Generator("newton-cradle", "elastic balls in a row, free along x only; as many leave as come in",
                {whole("balls", "balls", 5, 2, 1e6), whole("incoming", "balls that move at first", 1, 1, 1e6),
                 real("speed", "of the incoming balls [m/s]", "2", 0.01, 1000),
                 real("gap", "between balls [m]; longer than speed times time step", "0.05", 0, 100), real("restitution", "[-]", "1", 0, 1)})
          .bodies([](const Arguments& a) { return a.real("balls"); })
          .filledBy(newtonCradle),
      Generator("billiard-break", "the cue ball hits a rack of fifteen on a table of 2.54 x 1.27 m",
                {real("speed", "of the cue ball [m/s]", "8", 0.01, 100), real("gap", "between the rack's balls [m]", "0.0002", 0, 0.01)})
          .bodies([](const Arguments&) { return 21.0; })
          .filledBy(billiardBreak),
  };
}

}  // namespace cairn::v0::scenes
