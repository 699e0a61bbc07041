// Scenes of the papers' experiments (docs/experiments.md): planar ones are three-dimensional with locked degrees of freedom.
#include "scenes/scene_library.hpp"

#include <cmath>

namespace cairn::v0::scenes {
namespace {

// Motion in the x-y plane.
void makePlanar(BodyDef& body) {
  body.lockTranslation = {false, false, true};
  body.lockRotation = {true, true, false};
}

BodyDef halfSpace(const char* name, Vec3d position, double angle, double friction) {
  BodyDef body;
  body.name = name;
  body.type = BodyType::Static;
  body.pose = {position, aboutZ(angle)};
  body.shapes = {ShapeDef::halfSpace()};
  body.shapes[0].material = {friction, 0};
  return body;
}

// The planar papers give masses by area. Two small boxes that collide with nothing carry the mass, as far from the centre as gives them the moment of
// the elliptic disk, m (a^2 + b^2)/4. The shape that collides weighs next to nothing.
void giveDiskMass(BodyDef& body, double a, double b, double densityPerArea) {
  body.shapes[0].density = 1e-9;
  const double half = 0.05, distance = std::sqrt(0.25 * (a * a + b * b) - 2 * half * half / 3);
  for (const double side : {-1.0, 1.0}) {
    ShapeDef carrier = ShapeDef::box({half, half, half});
    carrier.localPose.p.x = side * distance;
    carrier.filter = {0, 0, 0};
    body.shapes.push_back(carrier);
  }
  body.mass = densityPerArea * kPi * a * b;
}

// Anitescu and Hart 2004, section 6.
void ellipse(const Arguments& arguments, Scene& scene) {
  scene.add(halfSpace("table", {0, 0, 0}, 0, 0.3));
  BodyDef body;
  body.name = "ellipse";
  body.pose.p = {0, arguments.real("height"), 0};
  body.angularVelocity = {0, 0, arguments.real("spin")};
  body.shapes = {ShapeDef::ellipsoid({4, 2, 2})};
  body.shapes[0].material = {0.3, 0};
  giveDiskMass(body, 4, 2, 10);
  makePlanar(body);
  scene.add(body);
  scene.defaultSteps = 1200;
}

// The same section: 21 disks of radius 3, six at the bottom, between two slanted walls that leave room for all of them side by side.
void cannonball(const Arguments& arguments, Scene& scene) {
  constexpr double kRadius = 3, kRowHeight = 5.196152422706632, kSlant = kPi / 3;
  const int64_t rows = arguments.whole("rows");
  const double wall = arguments.real("wall");
  scene.add(halfSpace("table", {0, 0, 0}, 0, 0.2));
  scene.add(halfSpace("left-wall", {-wall, 0, 0}, -kSlant, 0.2));
  scene.add(halfSpace("right-wall", {wall, 0, 0}, kSlant, 0.2));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < rows - row; ++i) {
      BodyDef disk;
      disk.pose.p = {(double(i) - 0.5 * double(rows - row - 1)) * 2 * kRadius, kRadius + double(row) * kRowHeight, 0};
      disk.shapes = {ShapeDef::sphere(kRadius)};
      disk.shapes[0].material = {0.2, 0};
      giveDiskMass(disk, kRadius, kRadius, 10);
      makePlanar(disk);
      scene.add(disk);
    }
  }
  scene.defaultSteps = 1200;
}

// Cline and Pai 2003, section VI: rectangles of the size of their links, in a box of floor and walls.
void rectangles(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count");
  const double halfWidth = 0.15 + 0.08 * double(count);
  scene.add(halfSpace("floor", {0, 0, 0}, 0, 0.5));
  scene.add(halfSpace("left-wall", {-halfWidth, 0, 0}, -kPi / 2, 0.5));
  scene.add(halfSpace("right-wall", {halfWidth, 0, 0}, kPi / 2, 0.5));
  for (int64_t i = 0; i < count; ++i) {
    BodyDef body;
    body.pose.p = {(double(i) - 0.5 * double(count - 1)) * 0.14, 0.08, 0};
    body.shapes = {ShapeDef::box({0.05, 0.03, 0.03})};
    body.shapes[0].material = {0.5, 0};
    makePlanar(body);
    scene.add(body);
  }
  scene.defaultSteps = 600;
}

}  // namespace

std::vector<Generator> experimentGenerators() {
  return {
      Generator(
          "ellipse", "a planar ellipse of semi-axes 4 m and 2 m dropped on a table (Anitescu and Hart)",
          {real("height", "of its centre at the start [m]", "8", 2, 1000), real("spin", "angular velocity at the start [rad/s]", "3", -100, 100)})
          .bodies([](const Arguments&) { return 2.0; })
          .filledBy(ellipse),
      Generator("cannonball", "a planar pyramid of disks on a table between slanted walls (Anitescu and Hart)",
                {whole("rows", "disks at the bottom", 6, 1, 12), real("wall", "foot of the walls from the middle [m]", "80", 20, 1000)})
          .bodies([](const Arguments& arguments) {
            const double rows = double(arguments.whole("rows"));
            return 3 + 0.5 * rows * (rows + 1);
          })
          .filledBy(cannonball),
      Generator("rectangles", "planar rectangles of 100 mm x 60 mm between walls, to be pushed about (Cline and Pai)",
                {whole("count", "rectangles", 1, 1, 100)})
          .bodies([](const Arguments& arguments) { return 3 + double(arguments.whole("count")); })
          .filledBy(rectangles),
  };
}

}  // namespace cairn::v0::scenes
