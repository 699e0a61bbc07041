// terrain: bodies of every shape on hills.
#include "scenes/scene_library.hpp"

#include <cairn/height_field.hpp>
#include <cairn/mesh.hpp>

#include <algorithm>
#include <string>

namespace cairn::v0::scenes {
namespace {

constexpr double kPitch = 0.9;     // of the grid that bodies fall from [m]
constexpr double kRolling = 0.02;  // rolling and torsional friction [m]: what is round comes to rest on slopes that it would not stay on otherwise

// Of about 0.5 m, each in its cell however it is turned.
ShapeDef shapeOnHills(int64_t index) {
  switch (index % 7) {
    case 0:
      return ShapeDef::box({0.25, 0.2, 0.3});
    case 1:
      return ShapeDef::sphere(0.25);
    case 2:
      return ShapeDef::capsule(0.15, 0.2);
    case 3:
      return ShapeDef::ellipsoid({0.3, 0.2, 0.25});
    case 4:
      return ShapeDef::hull({{0.3, 0, 0}, {-0.3, 0.05, 0}, {0, 0.3, 0}, {0.05, -0.25, 0}, {0, 0, 0.3}, {0, 0.05, -0.3}, {0.2, 0.2, 0.2}});
    case 5:
      return ShapeDef::cylinder(0.2, 0.25);
    default:
      return ShapeDef::cone(0.25, 0.25);
  }
}

// The hills as a field: their mesh goes through its columns one by one, which are at the same z as rows here.
HeightField heightsOf(const TriangleMesh& hills, double size, int cells) {
  HeightField field;
  field.rows = field.columns = cells + 1;
  field.spacing = {size / cells, size / cells};
  for (int row = 0; row <= cells; ++row) {
    for (int column = 0; column <= cells; ++column)
      field.heights.push_back(hills.vertices[static_cast<size_t>(column) * static_cast<size_t>(cells + 1) + static_cast<size_t>(row)].y);
  }
  return field;
}

void terrain(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count");
  const double size = arguments.real("size"), height = arguments.real("height");
  std::string hills = "terrain";
  char separator = ':';
  for (const char* const name : {"size", "height", "cells", "seed"}) {
    hills += separator + std::string(name) + "=" + arguments.value(name).text;
    separator = ',';
  }
  BodyDef ground;
  ground.name = "ground";
  ground.type = BodyType::Static;
  TriangleMesh mesh = loadMesh(hills);
  if (arguments.choice("ground") == "heights") {
    ground.shapes.push_back(ShapeDef::heightField(heightsOf(mesh, size, int(arguments.whole("cells")))));
  } else {
    ground.shapes.push_back(ShapeDef::mesh(std::move(mesh)));
  }
  scene.add(std::move(ground));
  const double half = 0.5 * size, thick = 0.5, low = -0.5 * height - 1, high = 0.5 * height + 3;
  const double middle = 0.5 * (low + high), reach = 0.5 * (high - low);
  addStaticBox(scene, "wall+x", {half + thick, middle, 0}, {thick, reach, half + 2 * thick});
  addStaticBox(scene, "wall-x", {-half - thick, middle, 0}, {thick, reach, half + 2 * thick});
  addStaticBox(scene, "wall+z", {0, middle, half + thick}, {half, reach, thick});
  addStaticBox(scene, "wall-z", {0, middle, -half - thick}, {half, reach, thick});

  const int64_t side = std::max<int64_t>(int64_t((size - 1) / kPitch), 1);
  Random random;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t i = n % side, k = n / side % side, layer = n / side / side;
    BodyDef body;
    // Spelled out one by one: the order of the draws is part of the scene.
    body.pose.p.x = (double(i) - 0.5 * double(side - 1)) * kPitch + random.symmetric(0.05);
    body.pose.p.y = 0.5 * height + 0.6 + kPitch * double(layer);
    body.pose.p.z = (double(k) - 0.5 * double(side - 1)) * kPitch + random.symmetric(0.05);
    const double x = random.symmetric(1), y = random.symmetric(1), z = random.symmetric(1);
    body.pose.q = normalized(Quatd{x, y, z, 1});
    body.shapes.push_back(shapeOnHills(n));
    scene.add(std::move(body));
  }
  for (BodyDef& body : scene.bodies) {
    for (ShapeDef& shape : body.shapes) shape.material.rollingFriction = shape.material.torsionalFriction = kRolling;
  }
}

double countAndGround(const Arguments& arguments) { return 5 + arguments.real("count"); }

}  // namespace

std::vector<Generator> landscapeGenerators() {
  return {
      Generator(
          "terrain", "bodies of every shape fall on hills between four walls",
          {whole("count", "bodies", 500, 1, kMaxBodies), real("size", "of a side of the ground [m]", "20", 2, 1e4),
           real("height", "between valleys and tops at most [m]", "2", 0, 100), whole("cells", "along a side, of two triangles each", 64, 1, 2000),
           whole("seed", "of the hills", 1, 0, 1e9), choice("ground", "a triangle mesh or a height field", {"mesh", "heights"})})
          .bodies(countAndGround)
          .filledBy(terrain),
  };
}

}  // namespace cairn::v0::scenes
