// links, hooks, bolts: bodies that are not convex, solid meshes of the generators.
#include "scenes/scene_library.hpp"

#include <cairn/mesh.hpp>

#include <cmath>
#include <string>

namespace cairn::v0::scenes {
namespace {

std::shared_ptr<const TriangleMesh> generated(const std::string& name) { return std::make_shared<const TriangleMesh>(loadMesh(name)); }

// --- links: rings in a hanging chain -------------------------------------------------------------------------------

constexpr double kMajor = 0.1, kMinor = 0.025;   // of a ring [m]
constexpr double kTaut = 2 * (kMajor - kMinor);  // from middle to middle [m]

void links(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("rings");
  const ShapeDef shape = ShapeDef::solidMesh(generated("torus:major=0.1,minor=0.025,around=26,tube=16"), 0.002);
  const double half = std::sqrt(0.5);
  for (int64_t n = 0; n <= count; ++n) {
    BodyDef body;
    body.name = n == 0 ? "hook" : "";
    if (n == 0) body.type = BodyType::Static;
    body.pose.p = {0, -0.9995 * kTaut * double(n), 0};
    // Upright, each across the one above.
    body.pose.q = n % 2 == 0 ? Quatd{half, 0, 0, half} : Quatd{0.5, 0.5, -0.5, 0.5};
    body.shapes.push_back(shape);
    scene.add(std::move(body));
  }
}

// --- hooks: a bowl of what hooks into each other -------------------------------------------------------------------

// Four gentle slopes around a floor.
void addBowl(double width, Scene& scene) {
  BodyDef bowl;
  bowl.name = "bowl";
  bowl.type = BodyType::Static;
  bowl.shapes.push_back(ShapeDef::halfSpace());
  const SinCos<double> lean = sinCos(kPi / 5);  // of half of it, from upright: the slopes rise by 18 degrees
  const double h = std::sqrt(0.5);
  for (int side = 0; side < 4; ++side) {
    ShapeDef slope = ShapeDef::halfSpace();
    const double cosines[] = {1, 0, -1, 0};
    slope.localPose.p = {0.5 * width * cosines[side], 0, -0.5 * width * cosines[(side + 3) % 4]};
    const Vec3d halves[] = {{0, 1, 0}, {h, h, 0}, {1, 0, 0}, {h, -h, 0}};  // sine and cosine of half the turn
    // Up turned inward by a right angle less what it leans, then about the bowl's axis.
    const Quatd inward = Quatd{0, 0, h, h} * Quatd{0, 0, -lean.sine, lean.cosine};
    slope.localPose.q = normalized(Quatd{0, halves[side].x, 0, halves[side].y} * inward);
    bowl.shapes.push_back(slope);
  }
  scene.add(std::move(bowl));
}

void hooks(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count");
  const double pitch = 0.75;
  int64_t side = 2;
  while (2 * side * side * side < count) ++side;
  addBowl(pitch * double(side) + 0.6, scene);
  const ShapeDef kinds[2] = {ShapeDef::solidMesh(generated("jack:core=0.07,reach=0.3,cells=12"), 0.008),
                             ShapeDef::solidMesh(generated("hook:radius=0.06,bend=0.18,leg=0.25,around=12,along=12"), 0.008)};
  Random random;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t i = n % side, k = n / side % side, layer = n / side / side;
    BodyDef body;
    // Spelled out one by one: the order of the draws is part of the scene.
    body.pose.p.x = (double(i) - 0.5 * double(side - 1)) * pitch + random.symmetric(0.03);
    body.pose.p.y = 0.6 + pitch * double(layer);
    body.pose.p.z = (double(k) - 0.5 * double(side - 1)) * pitch + random.symmetric(0.03);
    const double x = random.symmetric(1), y = random.symmetric(1), z = random.symmetric(1);
    body.pose.q = normalized(Quatd{x, y, z, 1});
    body.shapes.push_back(kinds[n % 2]);
    scene.add(std::move(body));
  }
}

// --- bolts: nuts that turn down under their weight ------------------------------------------------------------------

constexpr double kDiameter = 0.1, kThreadPitch = 0.015;  // of a thread [m]

void bolts(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count"), side = static_cast<int64_t>(std::ceil(std::sqrt(double(count))));
  const double friction = arguments.real("friction"), pitch = 2.5 * kDiameter;
  const std::string thread = ":diameter=0.1,pitch=0.015,flats=0.16,around=72,rows=16";
  ShapeDef bolt = ShapeDef::solidMesh(generated("bolt" + thread + ",head=0.064"), 0.002);
  ShapeDef nut = ShapeDef::solidMesh(generated("nut" + thread + ",clearance=0.001"), 0.002);
  bolt.material.friction = nut.material.friction = friction;
  for (int64_t n = 0; n < count; ++n) {
    const Vec3d place{pitch * double(n % side), 0, pitch * double(n / side)};
    BodyDef fixed, turning;
    fixed.type = BodyType::Static;
    fixed.name = "bolt-" + std::to_string(n);
    fixed.pose.p = place;
    fixed.shapes.push_back(bolt);
    turning.name = "nut-" + std::to_string(n);
    turning.pose.p = place + Vec3d{0, 11 * kThreadPitch, 0};
    turning.shapes.push_back(nut);
    scene.add(std::move(fixed));
    scene.add(std::move(turning));
  }
}

}  // namespace

std::vector<Generator> solidGenerators() {
  return {
      Generator("links", "a hanging chain of rings, solid meshes that nothing but contact holds", {whole("rings", "that hang", 20, 1, 1e6)})
          .bodies([](const Arguments& a) { return 1 + a.real("rings"); })
          .filledBy(links),
      Generator("hooks", "jacks and hooks, solid meshes, fall into a bowl", {whole("count", "bodies", 100, 1, kMaxBodies)})
          .bodies([](const Arguments& a) { return 1 + a.real("count"); })
          .filledBy(hooks),
      Generator("bolts", "nuts on bolts, solid meshes, that turn down where friction is low",
                {whole("count", "nuts", 4, 1, 1e6), real("friction", "of the threads", "0.005", 0, 10)})
          .bodies([](const Arguments& a) { return 2 * a.real("count"); })
          .filledBy(bolts),
  };
}

}  // namespace cairn::v0::scenes
