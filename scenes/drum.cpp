// A rotating drum: one kinematic compound body, thousands of small dynamic ones inside.
#include "scenes/scene_library.hpp"

namespace cairn::v0::scenes {
namespace {

constexpr int kStaves = 36;                   // of the drum's shell
constexpr double kHalfWall = 0.1;             // half the thickness of staves and ends [m]
constexpr double kCell = 0.24;                // pitch of the bodies at the start [m]
constexpr double kBody = 0.1;                 // half extent of the boxes, radius of the spheres [m]
constexpr double kBar = 0.06, kBarGap = 0.1;  // of the open end's grating [m]: narrower than the thinnest body (0.12 m)
constexpr double kDiagonal = 0.1733;          // largest distance of a point of a body from its centre [m]

// Staves around the z axis and two ends. The end at +z is a grating, so that one sees into the drum.
BodyDef makeDrum(double radius, double halfLength) {
  BodyDef drum;
  drum.name = "drum";
  drum.type = BodyType::Kinematic;
  const auto addShape = [&](Posed pose, Vec3d half) {
    ShapeDef box = ShapeDef::box(half);
    box.localPose = pose;
    drum.shapes.push_back(box);
  };
  // Neighbouring staves touch along their outer edges and overlap within.
  const double halfWidth = (radius + 2 * kHalfWall) * (sinCos(kPi / kStaves).sine / sinCos(kPi / kStaves).cosine);
  for (int i = 0; i < kStaves; ++i) {
    const double angle = 2 * kPi * i / kStaves;
    const SinCos<double> a = sinCos(angle);
    const double r = radius + kHalfWall;
    addShape({{r * a.cosine, r * a.sine, 0}, aboutZ(angle)}, {kHalfWall, halfWidth, halfLength + 2 * kHalfWall});
  }
  // Upright bars over the whole disc, each as long as the disc is high at its inner edge.
  const double rim = radius + kHalfWall, pitch = kBar + kBarGap;
  const auto addEnd = [&](double z, double barWidth) {
    const int bars = int(2 * rim / pitch) + 1;
    for (int i = 0; i < bars; ++i) {
      const double x = (i - 0.5 * (bars - 1)) * pitch;
      const double innerEdge = maxOf(0.0, absOf(x) - 0.5 * barWidth);
      addShape({{x, 0, z}, {0, 0, 0, 1}}, {0.5 * barWidth, squareRoot(rim * rim - innerEdge * innerEdge), kHalfWall});
    }
  };
  addEnd(-halfLength - kHalfWall, pitch);
  addEnd(halfLength + kHalfWall, kBar);
  return drum;
}

// The drum is as long as its radius, and the bodies' cells fill half of it; a grid within the shell is filled from below.
void drum(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count");
  const std::string& kind = arguments.choice("shape");
  const ShapeDef shapes[3] = {ShapeDef::box({kBody, kBody, kBody}), ShapeDef::sphere(kBody), ShapeDef::capsule(0.06, 0.04)};
  // Places are those at least a body's diagonal within the walls.
  const auto columns = [](double halfWidth) { return int64_t(2 * maxOf(0.0, halfWidth - kDiagonal) / kCell) + 1; };
  const auto roomFor = [&](double radius) {
    int64_t places = 0;
    for (double y = -radius + kDiagonal; y < radius - kDiagonal; y += kCell) {
      const double chord2 = (radius - kDiagonal) * (radius - kDiagonal) - y * y;
      if (chord2 >= 0) places += columns(squareRoot(chord2) + kDiagonal) * columns(0.5 * radius);
    }
    return places;
  };
  double radius = 0.8;
  while (roomFor(radius) < 2 * count) radius *= 1.02;
  const double height = radius + 1;

  addGround(scene, radius);
  BodyDef shell = makeDrum(radius, 0.5 * radius);
  shell.pose.p.y = height;
  shell.angularVelocity.z = arguments.real("speed");
  scene.add(std::move(shell));

  Random random;
  int64_t n = 0;
  for (double y = -radius + kDiagonal; n < count; y += kCell) {
    const double chord2 = (radius - kDiagonal) * (radius - kDiagonal) - y * y;
    if (chord2 < 0) continue;
    const int64_t nx = columns(squareRoot(chord2) + kDiagonal), nz = columns(0.5 * radius);
    for (int64_t k = 0; k < nz; ++k)
      for (int64_t i = 0; i < nx && n < count; ++i, ++n) {
        BodyDef body;
        body.pose.p.x = (double(i) - 0.5 * double(nx - 1)) * kCell + random.symmetric(0.01);
        body.pose.p.y = height + y + random.symmetric(0.01);
        body.pose.p.z = (double(k) - 0.5 * double(nz - 1)) * kCell + random.symmetric(0.01);
        body.shapes.push_back(kind == "box" ? shapes[0] : kind == "sphere" ? shapes[1] : kind == "capsule" ? shapes[2] : shapes[n % 3]);
        scene.add(std::move(body));
      }
  }
}

}  // namespace

std::vector<Generator> drumGenerators() {
  return {
      Generator("drum", "a drum turning about the horizontal, half full of small bodies",
                {whole("count", "bodies in the drum", 3000, 1, kMaxBodies), real("speed", "of the drum [rad/s]", "0.6", -100, 100),
                 choice("shape", "of the bodies", {"mixed", "box", "sphere", "capsule"})})
          .bodies([](const Arguments& a) { return 2 + a.real("count"); })
          .filledBy(drum),
  };
}

}  // namespace cairn::v0::scenes
