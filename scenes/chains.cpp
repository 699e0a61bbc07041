// Chains and pendulums: what joints alone do. Nothing collides with anything.
#include "scenes/scene_library.hpp"

#include <fmt/format.h>

namespace cairn::v0::scenes {
namespace {

constexpr Vec3d kAcross{0, 0, 1};  // the axis of planar chains' hinges

int addAnchor(Scene& scene, Vec3d position, double half) {
  const int anchor = addStaticBox(scene, "anchor", position, {half, half, half});
  collideWithNothing(scene.bodies[size_t(anchor)]);
  return anchor;
}

int addLink(Scene& scene, std::string name, Posed pose, Vec3d halfExtents) {
  const int link = addBox(scene, pose.p, halfExtents);
  scene.bodies[size_t(link)].pose.q = pose.q;
  scene.bodies[size_t(link)].name = std::move(name);
  collideWithNothing(scene.bodies[size_t(link)]);
  return link;
}

// By Newton's method from above, which falls until it is as near as doubles come: the C library's may differ from machine to machine.
double cubeRoot(double a) {
  double x = maxOf(a, 1.0);
  for (;;) {
    const double next = (2 * x + a / (x * x)) / 3;
    if (!(next < x)) return x;
    x = next;
  }
}

// --- chain -----------------------------------------------------------------------------------------------------
// Links of 0.5 x 0.2 x 0.2 m (20 kg) on point joints, a cube of the same density at the end. Impulses have to travel through all links to the heavy
// end, which is what iterative solvers are worst at.
void makeChain(Scene& scene, int64_t links, double endMassRatio, bool across) {
  constexpr double kLength = 0.5, kThickness = 0.2;  // [m]
  const double top = 10 + kLength * double(links);
  const auto node = [&](int64_t i) {  // where link i begins
    return across ? Vec3d{kLength * double(i), top, 0} : Vec3d{0, top - kLength * double(i), 0};
  };
  int previous = addAnchor(scene, node(0), 0.1);
  const auto hang = [&](std::string name, int64_t i, double halfLength, double halfThickness) {
    const Vec3d middle = node(i) + (across ? Vec3d{halfLength, 0, 0} : Vec3d{0, -halfLength, 0});
    const Vec3d half = across ? Vec3d{halfLength, halfThickness, halfThickness} : Vec3d{halfThickness, halfLength, halfThickness};
    const int body = addLink(scene, std::move(name), {middle, {0, 0, 0, 1}}, half);
    addJoint(scene, JointType::Point, previous, body, {node(i), {0, 0, 0, 1}});
    previous = body;
  };
  for (int64_t i = 0; i < links; ++i) hang("", i, 0.5 * kLength, 0.5 * kThickness);
  const double half = 0.5 * cubeRoot(kLength * kThickness * kThickness * endMassRatio);
  hang("end", links, half, half);
  scene.defaultSteps = 300;
}

void chain(const Arguments& arguments, Scene& scene) {
  makeChain(scene, arguments.whole("links"), arguments.real("end-mass-ratio"), arguments.choice("direction") == "across");
}

// --- pendulums -------------------------------------------------------------------------------------------------

// Rods of 1 m and 10 kg in a row, each at its angle from the vertical [rad]. In the plane z = 0: hinges keep them there, point joints need locked
// degrees of freedom for that. Both at once would leave rows that nothing can move.
void makePendulum(Scene& scene, int64_t links, JointType type, double (*angle)(const Arguments&, int64_t), const Arguments& arguments) {
  constexpr double kLength = 1, kHalfThickness = 0.05;  // [m]
  Vec3d pivot{0, double(links) * kLength + 1, 0};
  int previous = addAnchor(scene, pivot, 0.2);
  for (int64_t i = 0; i < links; ++i) {
    const Quatd rotation = aboutZ(angle(arguments, i));
    const Vec3d down = rotate(rotation, {0, -1, 0});
    const int link =
        addLink(scene, fmt::format("link-{}", i + 1), {pivot + 0.5 * kLength * down, rotation}, {kHalfThickness, 0.5 * kLength, kHalfThickness});
    if (type == JointType::Point) {
      scene.bodies[size_t(link)].lockTranslation = {false, false, true};
      scene.bodies[size_t(link)].lockRotation = {true, true, false};
    }
    addJoint(scene, type, previous, link, hingeFrame(pivot, kAcross));
    pivot = pivot + kLength * down;
    previous = link;
  }
  scene.defaultSteps = 600;
}

void pendulum(const Arguments& arguments, Scene& scene) {
  const JointType type = arguments.choice("joint") == "hinge" ? JointType::Hinge : JointType::Point;
  makePendulum(
      scene, arguments.whole("links"), type, [](const Arguments& a, int64_t) { return a.real("angle") * (kPi / 180); }, arguments);
}

void doublePendulum(const Arguments& arguments, Scene& scene) {
  makePendulum(
      scene, 2, JointType::Hinge, [](const Arguments& a, int64_t i) { return a.real(i == 0 ? "first" : "second") * (kPi / 180); }, arguments);
}

// Cline and Pai 2003, section VI A: links of 100 mm, one end hinged to the world, all in a horizontal line. Planar by locked degrees of freedom,
// which make hinges of point joints. How thick their links are the paper does not say; 20 mm here.
void clinePaiChain(const Arguments& arguments, Scene& scene) {
  constexpr double kLength = 0.1;  // [m]
  int previous = addAnchor(scene, {0, 0, 0}, 0.01);
  for (int64_t i = 0; i < arguments.whole("links"); ++i) {
    const Vec3d pivot{kLength * double(i), 0, 0};
    const int link = addLink(scene, fmt::format("link-{}", i + 1), {pivot + Vec3d{0.5 * kLength, 0, 0}, {0, 0, 0, 1}}, {0.5 * kLength, 0.01, 0.01});
    scene.bodies[size_t(link)].lockTranslation = {false, false, true};
    scene.bodies[size_t(link)].lockRotation = {true, true, false};
    addJoint(scene, JointType::Point, previous, link, {pivot, {0, 0, 0, 1}});
    previous = link;
  }
  scene.defaultSteps = 600;
}

double oneMoreThanLinks(const Arguments& a) { return 1 + a.real("links"); }
double asManyAsLinks(const Arguments& a) { return a.real("links"); }
double bodiesOf100(const Arguments&) { return 102.0; }
double jointsOf100(const Arguments&) { return 101.0; }

}  // namespace

std::vector<Generator> chainGenerators() {
  return {
      Generator(
          "chain", "links of 0.5 m and 20 kg on point joints with a heavy cube at the end; nothing collides",
          {whole("links", "besides the cube", 100, 1, kMaxBodies), real("end-mass-ratio", "mass of the cube over a link's [-]", "100", 1e-6, 1e9),
           choice("direction", "of the chain at the start", {"down", "across"})})
          .bodies([](const Arguments& a) { return 2 + a.real("links"); })
          .joints([](const Arguments& a) { return 1 + a.real("links"); })
          .filledBy(chain),
      Generator("chain-100", "the chain of 100 links with 100 times a link's mass at the end, hanging down", {})
          .bodies(bodiesOf100)
          .joints(jointsOf100)
          .filledBy([](const Arguments&, Scene& scene) { makeChain(scene, 100, 100, false); }),
      Generator("chain-100h", "the same chain, held out horizontally at the start", {})
          .bodies(bodiesOf100)
          .joints(jointsOf100)
          .filledBy([](const Arguments&, Scene& scene) { makeChain(scene, 100, 100, true); }),
      Generator("pendulum", "rods of 1 m and 10 kg in a row, planar, without friction",
                {whole("links", "rods", 1, 1, 1e6), choice("joint", "point joints with locked degrees of freedom, or hinges", {"hinge", "point"}),
                 real("angle", "of the rods from hanging down at the start [degrees]", "90", -180, 180)})
          .bodies(oneMoreThanLinks)
          .joints(asManyAsLinks)
          .filledBy(pendulum),
      Generator("double-pendulum", "two rods of 1 m on hinges, without friction",
                {real("first", "angle of the upper rod from hanging down at the start [degrees]", "120", -180, 180),
                 real("second", "angle of the lower rod from hanging down at the start [degrees]", "150", -180, 180)})
          .bodies([](const Arguments&) { return 3.0; })
          .joints([](const Arguments&) { return 2.0; })
          .filledBy(doublePendulum),
      Generator("cline-pai-chain", "planar links of 100 mm, one end hinged to the world, horizontal at the start (Cline and Pai)",
                {whole("links", "links", 6, 1, 1e6)})
          .bodies(oneMoreThanLinks)
          .joints(asManyAsLinks)
          .filledBy(clinePaiChain),
  };
}

}  // namespace cairn::v0::scenes
