// A tank (Weinstein, Teran and Fedkiw 2006, section VII, figures 4 and 7): two treads, each a closed loop of 34 links on hinges, lie around a front
// and a back gear that motors drive; a middle gear turns freely on a twist joint; a lid and a gun on hinges. The paper attaches the links that are
// near a driven gear to it, step by step: that is done while the scene runs, by whoever drives. Without it friction moves the treads.
#include "scenes/scene_library.hpp"

#include <fmt/format.h>

namespace cairn::v0::scenes {
namespace {

// Gears are prisms of twelve sides, and the pins of the links that lie on one are the corners of another such prism around it: six links go around
// half a gear, eleven from gear to gear, 2 (6 + 11) = 34.
constexpr int kSides = 12, kWrapped = kSides / 2, kStraight = 11, kLinks = 2 * (kWrapped + kStraight);
constexpr double kPitch = 0.25, kHalfThickness = 0.03, kHalfTread = 0.2;         // of the links [m]
constexpr double kAxles = kStraight * kPitch, kTreadZ = 0.95, kHalfGear = 0.18;  // distance of front and back axle; middle of a tread [m]
constexpr double kHullHalfLength = 1.45, kHullHalfWidth = 0.7, kHullLow = 0.3, kHullHigh = 0.95;  // [m]
constexpr Vec3d kLeft{0, 0, -1}, kRight{0, 0, 1};  // the tank looks along +x; rotation about the left drives forwards, about the right lifts the nose

struct Tread {
  double pinRadius = 0.5 * kPitch / sinCos(kPi / kSides).sine;
  double axleHeight = pinRadius + kHalfThickness;                             // so that the lower links lie on the ground
  double apothem = pinRadius * sinCos(kPi / kSides).cosine - kHalfThickness;  // of the gears: their sides touch the links

  // Pin k, from the top of the front gear forwards and down, seen from the middle between the axles.
  Vec3d pin(int k) const {
    const auto around = [&](double x, double angle) {
      const SinCos<double> a = sinCos(angle);
      return Vec3d{x + pinRadius * a.cosine, pinRadius * a.sine, 0};
    };
    k %= kLinks;
    if (k < kWrapped) return around(0.5 * kAxles, kPi * (0.5 - double(k) / kWrapped));
    k -= kWrapped;
    if (k < kStraight) return {0.5 * kAxles - kPitch * k, -pinRadius, 0};
    k -= kStraight;
    if (k < kWrapped) return around(-0.5 * kAxles, kPi * (-0.5 - double(k) / kWrapped));
    k -= kWrapped;
    return {-0.5 * kAxles + kPitch * k, pinRadius, 0};
  }
};

int addNamed(Scene& scene, std::string name, Vec3d position, std::vector<ShapeDef> shapes, double density) {
  BodyDef body;
  body.name = std::move(name);
  body.pose.p = position;
  body.shapes = std::move(shapes);
  for (ShapeDef& shape : body.shapes) shape.density = density;
  return scene.add(std::move(body));
}

void addSide(Scene& scene, int hull, const std::string& side, double z, double speed, double torque) {
  const Tread tread;
  const Vec3d middle{0, tread.axleHeight, z};
  const auto addGear = [&](const char* name, double x) {
    BodyDef gear;
    gear.name = fmt::format("gear-{}-{}", side, name);
    gear.pose.p = middle + Vec3d{x, 0, 0};
    addPrism(gear, kSides, tread.apothem, kHalfGear, 300);
    return scene.add(std::move(gear));
  };
  for (const bool front : {true, false}) {
    const int gear = addGear(front ? "front" : "back", (front ? 0.5 : -0.5) * kAxles);
    JointDef& axle = addJoint(scene, JointType::Hinge, hull, gear, hingeFrame(scene.bodies[size_t(gear)].pose.p, kLeft));
    axle.name = fmt::format("axle-{}-{}", side, front ? "front" : "back");
    axle.axes[3].motor = JointMotor::Velocity;
    axle.axes[3].target = speed * 2 * kPi / (kSides * kPitch);
    axle.axes[3].maxForce = torque;
  }
  const int gear = addGear("middle", 0);
  addJoint(scene, JointType::Twist, hull, gear, twistFrame(middle, kLeft)).name = fmt::format("axle-{}-middle", side);

  const int first = int(scene.bodies.size());
  for (int k = 0; k < kLinks; ++k) {
    const Vec3d from = tread.pin(k), to = tread.pin(k + 1), along = to - from;
    const int link = addNamed(scene, fmt::format("link-{}-{}", side, k + 1), middle + 0.5 * (from + to),
                              {ShapeDef::box({0.48 * kPitch, kHalfThickness, kHalfTread})}, 1500);
    scene.bodies[size_t(link)].pose.q = aboutZ(arcTangent(along.y, along.x));
  }
  for (int k = 0; k < kLinks; ++k)
    addJoint(scene, JointType::Hinge, first + (k + kLinks - 1) % kLinks, first + k, hingeFrame(middle + tread.pin(k), kLeft)).name =
        fmt::format("pin-{}-{}", side, k + 1);
}

void tank(const Arguments& arguments, Scene& scene) {
  constexpr double kTurret = 0.36, kTurretX = -0.1, kTurretHalf = 0.55, kLidHalf = 0.25;  // [m]
  constexpr double kTurretTop = kHullHigh + kTurret, kGunY = kHullHigh + 0.5 * kTurret, kGunX = kTurretX + kTurretHalf;
  addGround(scene);
  const Vec3d centre{0, 0.5 * (kHullLow + kHullHigh), 0};
  const int hull = addNamed(scene, "hull", centre,
                            {ShapeDef::box({kHullHalfLength, 0.5 * (kHullHigh - kHullLow), kHullHalfWidth}),
                             boxAt(Vec3d{kTurretX, kGunY, 0} - centre, {kTurretHalf, 0.5 * kTurret, 0.5})},
                            300);
  const int lid = addNamed(scene, "lid", {kTurretX, kTurretTop + 0.02, 0}, {ShapeDef::box({kLidHalf, 0.02, kLidHalf})}, 1000);
  JointDef& hatch = addJoint(scene, JointType::Hinge, hull, lid, hingeFrame({kTurretX - kLidHalf, kTurretTop + 0.02, 0}, kRight));
  hatch.name = "hatch";
  hatch.axes[3].limits = {{0, 110 * (kPi / 180)}};
  const int gun = addNamed(scene, "gun", {kGunX + 0.65, kGunY, 0}, {capsuleAlong({-0.55, 0, 0}, {0.65, 0, 0}, 0.05)}, 1000);
  JointDef& trunnion = addJoint(scene, JointType::Hinge, hull, gun, hingeFrame({kGunX, kGunY, 0}, kRight));
  trunnion.name = "trunnion";
  trunnion.axes[3].limits = {{-5 * (kPi / 180), 30 * (kPi / 180)}};
  trunnion.axes[3].motor = JointMotor::Position;
  trunnion.axes[3].target = arguments.real("elevation") * (kPi / 180);
  trunnion.axes[3].maxForce = 1000;
  addSide(scene, hull, "left", -kTreadZ, arguments.real("left"), arguments.real("torque"));
  addSide(scene, hull, "right", kTreadZ, arguments.real("right"), arguments.real("torque"));
  scene.defaultSteps = 600;
}

}  // namespace

std::vector<Generator> tankGenerators() {
  return {
      Generator("tank", "a tank with treads of 34 hinged links around driven gears, a lid and a gun (Weinstein et al.)",
                {real("left", "speed of the left tread [m/s]", "1", -20, 20), real("right", "speed of the right tread [m/s]", "1", -20, 20),
                 real("torque", "largest of each driven gear's motor [N m]", "2000", 0, 1e9),
                 real("elevation", "where the gun's motor turns it [degrees]", "10", -5, 30)})
          .bodies([](const Arguments&) { return 4.0 + 2 * (3 + kLinks); })
          .joints([](const Arguments&) { return 2.0 + 2 * (3 + kLinks); })
          .filledBy(tank),
  };
}

}  // namespace cairn::v0::scenes
