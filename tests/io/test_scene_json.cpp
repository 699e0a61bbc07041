// Scene files: what is read, and every message for what is wrong. The way there and back: test_scene_json_round_trip.cpp.
#include "tests/support/expect.hpp"
#include "tests/support/fuzz.hpp"

#include <cairn/error.hpp>
#include <cairn/scene.hpp>

#include <gtest/gtest.h>
#include <cairn_test_paths.hpp>

#include <filesystem>
#include <fstream>
#include <limits>

namespace cairn {
namespace {

std::string messageOf(const std::string& text) {
  return test::messageOf([&] { parseScene(text, "s.json"); });
}

// A scene with this body only, or this shape only.
std::string body(const std::string& text) { return R"({"bodies": [)" + text + "]}"; }
std::string shape(const std::string& text) { return R"({"bodies": [{"name": "b", "shapes": [)" + text + "]}]}"; }

constexpr const char* kBall = R"({"type": "sphere", "radius": 1})";

// --- reading ---------------------------------------------------------------------------------------------------

TEST(SceneJson, DefaultsAreThoseOfTheDefinitions) {
  const Scene scene = parseScene(body(std::string(R"({"shapes": [)") + kBall + "]}"), "s.json");
  EXPECT_EQ(scene.name, "");
  EXPECT_EQ(scene.gravity.y, -9.81);
  EXPECT_EQ(scene.defaultSteps, Scene().defaultSteps);
  ASSERT_EQ(scene.bodies.size(), 1u);
  const BodyDef& b = scene.bodies[0];
  EXPECT_EQ(b.type, BodyType::Dynamic);
  EXPECT_EQ(b.pose.q.w, 1);
  EXPECT_FALSE(b.mass);
  EXPECT_EQ(b.gravityScale, 1);
  EXPECT_EQ(b.shapes[0].density, 1000);
  EXPECT_EQ(b.shapes[0].material.friction, 0.6);
  EXPECT_EQ(b.shapes[0].filter.mask, 0xffffffffu);
  EXPECT_TRUE(parseScene(R"({"bodies": []})", "s.json").bodies.empty());
}

TEST(SceneJson, EveryKeyArrives) {
  const Scene scene = parseScene(R"({
    "version": 1, "name": "all", "gravity": [1, -2, 3.5], "default_steps": 77,
    "materials": {"ice": {"friction": 0.02}, "ball": {"friction": 0.3, "restitution": 0.9}},
    "bodies": [
      {"name": "ground", "type": "static", "shapes": [{"type": "half_space", "position": [0, -1, 0], "orientation": [0, 0, 1, 5], "material": "ice"}]},
      {"name": "arm", "type": "kinematic", "position": [1, 2, 3], "orientation": [0.5, 0.5, 0.5, 0.5],
       "linear_velocity": [4, 5, 6], "angular_velocity": [7, 8, 9], "shapes": []},
      {"name": "thing", "type": "dynamic", "mass": 12.5, "gravity_scale": 0.25,
       "lock_translation": [true, false, true], "lock_rotation": [false, true, false],
       "shapes": [
         {"type": "box", "half_extents": [0.1, 0.2, 0.3], "density": 700, "material": "ball", "filter": {"category": 6, "mask": 4294967295, "group": -2}},
         {"type": "capsule", "radius": 0.4, "half_height": 0.5, "filter": {"mask": 9}},
         {"type": "sphere", "radius": 0.6}]}]})",
                                 "s.json");
  EXPECT_EQ(scene.name, "all");
  EXPECT_EQ(scene.gravity.z, 3.5);
  EXPECT_EQ(scene.defaultSteps, 77);
  ASSERT_EQ(scene.bodies.size(), 3u);
  const ShapeDef& ground = scene.bodies[0].shapes[0];
  EXPECT_EQ(ground.type, ShapeType::HalfSpace);
  EXPECT_EQ(ground.localPose.p.y, -1);
  EXPECT_EQ(ground.localPose.q.w, 5);
  EXPECT_EQ(ground.material.friction, 0.02);
  EXPECT_EQ(ground.material.restitution, 0);
  const BodyDef& arm = scene.bodies[1];
  EXPECT_EQ(arm.type, BodyType::Kinematic);
  EXPECT_EQ(arm.pose.p.z, 3);
  EXPECT_EQ(arm.pose.q.x, 0.5);
  EXPECT_EQ(arm.linearVelocity.y, 5);
  EXPECT_EQ(arm.angularVelocity.x, 7);
  const BodyDef& thing = scene.bodies[2];
  EXPECT_EQ(*thing.mass, 12.5);
  EXPECT_EQ(thing.gravityScale, 0.25);
  EXPECT_EQ(thing.lockTranslation, (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(thing.lockRotation, (std::array<bool, 3>{false, true, false}));
  EXPECT_EQ(thing.shapes[0].halfExtents.z, 0.3);
  EXPECT_EQ(thing.shapes[0].density, 700);
  EXPECT_EQ(thing.shapes[0].material.restitution, 0.9);
  EXPECT_EQ(thing.shapes[0].filter.category, 6u);
  EXPECT_EQ(thing.shapes[0].filter.group, -2);
  EXPECT_EQ(thing.shapes[1].radius, 0.4);
  EXPECT_EQ(thing.shapes[1].halfHeight, 0.5);
  EXPECT_EQ(thing.shapes[1].filter.mask, 9u);
  EXPECT_EQ(thing.shapes[2].radius, 0.6);
}

// --- bad input -------------------------------------------------------------------------------------------------

TEST(SceneJson, SyntaxErrorsNameLineAndColumn) {
  EXPECT_EQ(messageOf("{\n  \"bodies\": [,]\n}"), "s.json:2:14: syntax error while parsing value - unexpected ','; expected '[', '{', or a literal");
  EXPECT_EQ(messageOf("{\"bodies\": []"), "s.json:1:14: syntax error while parsing object - unexpected end of input; expected '}'");
  EXPECT_EQ(messageOf(""), "s.json:1:1: syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(messageOf("{\"bodies\": []} x").substr(0, 17), "s.json:1:16: synt");
  EXPECT_EQ(messageOf("{\"gravity\": [0, NaN, 0]}").substr(0, 13), "s.json:1:17: ");
  EXPECT_EQ(messageOf("// a comment\n{}").substr(0, 12), "s.json:1:1: ");
  EXPECT_EQ(messageOf("{\"name\": \"a\nb\"}").substr(0, 8), "s.json:1");  // a bare line break in a string
  EXPECT_EQ(messageOf("{\"name\": \"\xff\"}").substr(0, 12), "s.json:1:11:");
  EXPECT_EQ(
      messageOf(std::string(100000, '[')), "s.json: " + [] {
        std::string pointer;
        for (int i = 0; i < 64; ++i) pointer += "/0";
        return pointer;
      }() + ": is nested deeper than 64");
}

TEST(SceneJson, EveryMistakeHasItsMessage) {
  const std::pair<std::string, std::string> cases[] = {
      // The file as a whole.
      {"[]", "s.json: must be an object, is an array of 0"},
      {"{}", "s.json: /bodies: is missing"},
      {R"({"bodies": {}})", "s.json: /bodies: must be an array of bodies, is an object"},
      {R"({"bodies": [], "version": 2})", "s.json: /version: must be 1, is 2"},
      {R"({"bodies": [], "gravty": [0, 0, 0]})",
       "s.json: /gravty: is no key of this object; there are version, name, gravity, default_steps, materials, bodies, joints"},
      {R"({"bodies": [], "bo\ndies/~": 1})",
       "s.json: /bo?dies~1~0: is no key of this object; there are version, name, gravity, default_steps, materials, bodies, joints"},
      {R"({"bodies": [], "name": 3})", "s.json: /name: must be a string, is 3"},
      {R"({"bodies": [], "name": "a\nb"})", "s.json: /name: must not contain control characters"},
      {R"({"bodies": [], "gravity": [0, 1]})", "s.json: /gravity: must be an array of 3 numbers, is an array of 2"},
      {R"({"bodies": [], "gravity": -9.81})", "s.json: /gravity: must be an array of 3 numbers, is -9.81"},
      {R"({"bodies": [], "gravity": [0, "down", 0]})", "s.json: /gravity/1: must be a number, is \"down\""},
      {R"({"bodies": [], "gravity": [0, null, 0]})", "s.json: /gravity/1: must be a number, is null"},
      {R"({"bodies": [], "gravity": [0, -1e999, 0]})", "s.json: /gravity/1: -1e999 is beyond the range of a double"},
      {R"({"bodies": [], "default_steps": 0})", "s.json: /default_steps: must be a whole number from 1 to 2147483647, is 0"},
      {R"({"bodies": [], "default_steps": 1.5})", "s.json: /default_steps: must be a whole number from 1 to 2147483647, is 1.5"},
      {R"({"bodies": [], "default_steps": 18446744073709551615})",
       "s.json: /default_steps: must be a whole number from 1 to 2147483647, is 18446744073709551615"},
      {R"({"bodies": [], "bodies": []})", "s.json: /bodies: is there twice; keys of an object must be unique"},
      // Materials.
      {R"({"bodies": [], "materials": []})", "s.json: /materials: must be an object of materials, is an array of 0"},
      {R"({"bodies": [], "materials": {"ice": {"friction": -0.1}}})", "s.json: /materials/ice/friction: must be a finite number >= 0, is -0.1"},
      {R"({"bodies": [], "materials": {"ice": {"restitution": 1.01}}})", "s.json: /materials/ice/restitution: must be a number from 0 to 1, is 1.01"},
      {R"({"bodies": [], "materials": {"ice": {"restitution": -1}}})", "s.json: /materials/ice/restitution: must be a number from 0 to 1, is -1"},
      {R"({"bodies": [], "materials": {"ice": {"mu": 1}}})",
       "s.json: /materials/ice/mu: is no key of this object; there are friction, restitution, torsional_friction, "
       "rolling_friction"},
      {R"({"bodies": [], "materials": {"ice": {"friction": "low"}}})", "s.json: /materials/ice/friction: must be a number, is \"low\""},
      {R"({"bodies": [], "materials": {"ice": 1}})", "s.json: /materials/ice: must be an object, is 1"},
      {R"({"bodies": [], "materials": {"ice": {}, "a": {}, "ice": {}}})", "s.json: /materials/ice: is there twice; keys of an object must be unique"},
      // Bodies.
      {body("7"), "s.json: /bodies/0: must be an object, is 7"},
      {body("{}"), "s.json: /bodies/0/shapes: a dynamic body needs one shape at least, or mass and inertia of its own (body 'body-0')"},
      {body("{\"inertia\": [1, 2]}"), "s.json: /bodies/0/inertia: must be an array of 3 or 6 numbers, is an array of 2"},
      {body("{\"inertia\": [1, 2, \"3\"]}"), "s.json: /bodies/0/inertia/2: must be a number, is \"3\""},
      {body("{\"centre_of_mass\": 1}"), "s.json: /bodies/0/centre_of_mass: must be an array of 3 numbers, is 1"},
      {body(R"({"type": "fixed"})"), "s.json: /bodies/0/type: must be one of static, kinematic, dynamic, is \"fixed\""},
      {body(R"({"type": 1})"), "s.json: /bodies/0/type: must be one of static, kinematic, dynamic, is 1"},
      {body(R"({"pos": [0, 0, 0]})"),
       "s.json: /bodies/0/pos: is no key of this object; there are name, type, position, orientation, linear_velocity, angular_velocity, mass, "
       "inertia, centre_of_mass, linear_damping, angular_damping, gravity_scale, lock_translation, lock_rotation, shapes"},
      {body(R"({"type": "static", "orientation": [0, 0, 0, 0]})"),
       "s.json: /bodies/0/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (body 'body-0')"},
      {body(R"({"type": "static", "orientation": [0, 0, 1]})"), "s.json: /bodies/0/orientation: must be an array of 4 numbers, is an array of 3"},
      {body(R"({"type": "static", "mass": -1, "name": "m"})"), "s.json: /bodies/0/mass: must be a finite number > 0, is -1 (body 'm')"},
      {body(R"({"type": "static", "mass": 0})"), "s.json: /bodies/0/mass: must be a finite number > 0, is 0 (body 'body-0')"},
      {body(R"({"type": "static", "mass": null})"), "s.json: /bodies/0/mass: must be a number, is null"},
      {body(R"({"type": "static", "mass": "1"})"), "s.json: /bodies/0/mass: must be a number, is \"1\""},
      {body(R"({"type": "static", "lock_rotation": [true, 1, false]})"),
       "s.json: /bodies/0/lock_rotation: must be an array of 3 booleans, is [true,1,false]"},
      {body(R"({"type": "static", "lock_rotation": true})"), "s.json: /bodies/0/lock_rotation: must be an array of 3 booleans, is true"},
      {body(R"({"type": "static", "shapes": 1})"), "s.json: /bodies/0/shapes: must be an array of shapes, is 1"},
      {body(R"({"type": "static", "name": "a"}, {"type": "static"}, {"type": "static", "name": "a"})"),
       "s.json: /bodies/2/name: is the name of an earlier body as well; names must be unique (body 'a')"},
      {body(R"({"type": "static", "mass": 1, "mass": 2})"), "s.json: /bodies/0/mass: is there twice; keys of an object must be unique"},
      {body(R"({"type": "static"}, {"position": [0, 2e308, 0]})"), "s.json: /bodies/1/position/1: 2e308 is beyond the range of a double"},
      // Shapes.
      {shape("{}"), "s.json: /bodies/0/shapes/0/type: is missing"},
      {shape("[]"), "s.json: /bodies/0/shapes/0: must be an object, is an array of 0"},
      {shape(R"({"type": "ellipsoid"})"), "s.json: /bodies/0/shapes/0/semi_axes: is missing"},
      {shape(R"({"type": "ellipsoid", "semi_axes": [1, 0, 2]})"),
       "s.json: /bodies/0/shapes/0/semi_axes: must be three finite numbers > 0, is [1, 0, 2] (body 'b')"},
      {shape(R"({"type": "ellipsoid", "radius": 1})"),
       "s.json: /bodies/0/shapes/0/radius: is no key of this object; there are type, position, orientation, semi_axes, density, material, filter, "
       "sensor"},
      {shape(R"({"type": "torus"})"),
       "s.json: /bodies/0/shapes/0/type: must be one of sphere, capsule, box, half_space, ellipsoid, hull, cylinder, cone, mesh, height_field, is "
       "\"torus\""},
      {shape(R"({"type": "hull"})"), "s.json: /bodies/0/shapes/0/points: is missing"},
      {shape(R"({"type": "hull", "points": 7})"), "s.json: /bodies/0/shapes/0/points: must be an array of points, is 7"},
      {shape(R"({"type": "hull", "points": [[1, 2], [1, 2, 3]]})"),
       "s.json: /bodies/0/shapes/0/points/0: must be an array of 3 numbers, is an array of 2"},
      {shape(R"({"type": "hull", "points": [[0, 0, 0], [1, 0, null]]})"), "s.json: /bodies/0/shapes/0/points/1/2: must be a number, is null"},
      {shape(R"({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]})"),
       "s.json: /bodies/0/shapes/0/points: must be four at least, are 3 (body 'b')"},
      {shape(R"({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "max_vertices": 2})"),
       "s.json: /bodies/0/shapes/0/max_vertices: must be 0 or a whole number from 4 to 64, is 2 (body 'b')"},
      {shape(R"({"type": "mesh"})"), "s.json: /bodies/0/shapes/0: a mesh has a file, a generator, or vertices and triangles: one of the three"},
      {shape(R"({"type": "mesh", "file": "a.obj", "generator": "torus"})"),
       "s.json: /bodies/0/shapes/0: a mesh has a file, a generator, or vertices and triangles: one of the three"},
      {shape(R"({"type": "mesh", "generator": "torus", "triangles": []})"), "s.json: /bodies/0/shapes/0/triangles: does not go with generator"},
      {shape(R"({"type": "mesh", "generator": "torus:major=0"})"),
       "s.json: /bodies/0/shapes/0/generator: torus: major: must be a number from 1e-06 to 1000000, is '0'"},
      {shape(R"({"type": "mesh", "generator": "torus", "scale": 0})"),
       "s.json: /bodies/0/shapes/0/scale: must be a number > 0 and at most 1000000000000000, is 0"},
      {shape(R"({"type": "mesh", "vertices": [[0, 0, 0]]})"), "s.json: /bodies/0/shapes/0/triangles: is missing"},
      {shape(R"({"type": "mesh", "vertices": [[0, 0, 0]], "triangles": 7})"),
       "s.json: /bodies/0/shapes/0/triangles: must be an array of triangles, is 7"},
      {shape(R"({"type": "mesh", "vertices": [[0, 0, 0]], "triangles": [[0, 0]]})"),
       "s.json: /bodies/0/shapes/0/triangles/0: must be an array of 3 numbers of vertices, is an array of 2"},
      {shape(R"({"type": "mesh", "vertices": [[0, 0, 0]], "triangles": [[0, 0, 1.5]]})"),
       "s.json: /bodies/0/shapes/0/triangles/0/2: must be the number of a vertex, is 1.5"},
      {shape(R"({"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 0, 1]], "triangles": [[0, 2, 1]]})"),
       "s.json: /bodies/0/shapes/0/solid: must be true of a mesh on a dynamic body, is false: a surface alone has no inside and no mass (body 'b')"},
      {shape(R"({"type": "mesh", "solid": true, "vertices": [[0, 0, 0], [1, 0, 0], [0, 0, 1]], "triangles": [[0, 2, 1]]})"),
       "s.json: /bodies/0/shapes/0/triangles: must enclose what is inside of a solid mesh; the mesh is open: 3 of its edges have one triangle (body "
       "'b')"},
      {shape(R"({"type": "mesh", "cell": 0.1, "vertices": [[0, 0, 0], [1, 0, 0], [0, 0, 1]], "triangles": [[0, 2, 1]]})"),
       "s.json: /bodies/0/shapes/0/cell: is for a mesh that is solid"},
      {body(R"({"type": "static", "shapes": [{"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 0, 1]], "triangles": [[0, 2, 3]]}]})"),
       "s.json: /bodies/0/shapes/0/triangles: must have corners from 0 to 2, number 0 has 3 (body 'body-0')"},
      {body(R"({"type": "static", "shapes": [{"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "triangles": [[0, 1, 2]]}]})"),
       "s.json: /bodies/0/shapes/0/triangles: must have an area, none of 1 has (body 'body-0')"},
      {body(R"({"type": "static", "shapes": [{"type": "mesh", "vertices": [[0, 0, 0]], "triangles": []}]})"),
       "s.json: /bodies/0/shapes/0/triangles: must be one at least, are none (body 'body-0')"},
      {body(R"({"type": "static", "shapes": [{"type": "mesh", "generator": "torus", "sensor": true}]})"),
       "s.json: /bodies/0/shapes/0/sensor: is no key of this object; there are type, position, orientation, file, generator, scale, vertices, "
       "triangles, "
       "two_sided, solid, cell, density, material, filter"},
      {shape(R"({"type": "height_field", "heights": [[0, 0], [0, 0]]})"), "s.json: /bodies/0/shapes/0/spacing: is missing"},
      {shape(R"({"type": "height_field", "spacing": 1, "heights": [[0, 0], [0, 0]]})"),
       "s.json: /bodies/0/shapes/0/spacing: must be an array of 2 numbers, is 1"},
      {shape(R"({"type": "height_field", "spacing": [1, 1]})"), "s.json: /bodies/0/shapes/0: a height field has heights or a file: one of the two"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "file": "a.png", "heights": []})"),
       "s.json: /bodies/0/shapes/0: a height field has heights or a file: one of the two"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "height": [0, 1], "heights": []})"),
       "s.json: /bodies/0/shapes/0/height: does not go with heights"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "file": "a.png"})"), "s.json: /bodies/0/shapes/0/height: is missing"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "file": "a.png", "height": [2, 1]})"),
       "s.json: /bodies/0/shapes/0/height: must be two numbers in order and at most 1000000000000000 in size, is [2, 1]"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "file": 7, "height": [1, 2]})"),
       "s.json: /bodies/0/shapes/0/file: must be a string, is 7"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "file": "none.png", "height": [1, 2]})"),
       "s.json: /bodies/0/shapes/0/file: none.png: cannot be opened: No such file or directory"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "heights": [0, 0]})"),
       "s.json: /bodies/0/shapes/0/heights: must be an array of rows of numbers, is an array of 2"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "heights": [[0, 0], [0, 0, 0]]})"),
       "s.json: /bodies/0/shapes/0/heights/1: must have 2 numbers as the first row has, has 3"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "heights": [[0, 0], [0, null]]})"),
       "s.json: /bodies/0/shapes/0/heights/1/1: must be a number, is null"},
      {shape(R"({"type": "height_field", "spacing": [1, 1], "heights": [[0, 0], [0, 0]]})"),
       "s.json: /bodies/0/shapes/0/type: height_field must be on a static or kinematic body, is on a dynamic one (body 'b')"},
      {body(R"({"type": "static", "shapes": [{"type": "height_field", "spacing": [1, 1], "heights": []}]})"),
       "s.json: /bodies/0/shapes/0/heights: must be two rows and two columns at least, are 0 and 0 (body 'body-0')"},
      {body(R"({"type": "static", "shapes": [{"type": "height_field", "spacing": [1, 0], "heights": [[0, 0], [0, 0]]}]})"),
       "s.json: /bodies/0/shapes/0/spacing: must be two finite numbers > 0, is [1, 0] (body 'body-0')"},
      {body(R"({"type": "static", "shapes": [{"type": "height_field", "spacing": [1, 1], "heights": [[0, 2e15], [0, 0]]}]})"),
       "s.json: /bodies/0/shapes/0/heights: must be finite and at most 1000000000000000 in size, that of row 0 and column 1 is 2000000000000000 "
       "(body 'body-0')"},
      {body(R"({"type": "static", "shapes": [{"type": "height_field", "density": 1}]})"),
       "s.json: /bodies/0/shapes/0/density: is no key of this object; there are type, position, orientation, spacing, heights, file, height, "
       "material, filter"},
      {shape(R"({"type": "box"})"), "s.json: /bodies/0/shapes/0/half_extents: is missing"},
      {shape(R"({"type": "sphere"})"), "s.json: /bodies/0/shapes/0/radius: is missing"},
      {shape(R"({"type": "capsule", "radius": 1})"), "s.json: /bodies/0/shapes/0/half_height: is missing"},
      {shape(R"({"type": "half_space"})"),
       "s.json: /bodies/0/shapes/0/type: half_space must be on a static or kinematic body, is on a dynamic one (body 'b')"},
      {shape(R"({"type": "sphere", "half_extents": [1, 1, 1], "radius": 1})"),
       "s.json: /bodies/0/shapes/0/half_extents: is no key of this object; there are type, position, orientation, radius, density, material, filter, "
       "sensor"},
      {shape(R"({"type": "sphere", "radius": 0})"), "s.json: /bodies/0/shapes/0/radius: must be a finite number > 0, is 0 (body 'b')"},
      {shape(R"({"type": "capsule", "radius": 1, "half_height": -1})"),
       "s.json: /bodies/0/shapes/0/half_height: must be a finite number > 0, is -1 (body 'b')"},
      {shape(R"({"type": "box", "half_extents": [1, -1, 1]})"),
       "s.json: /bodies/0/shapes/0/half_extents: must be three finite numbers > 0, is [1, -1, 1] (body 'b')"},
      {shape(R"({"type": "box", "half_extents": [1, 1e-200, 1e-200]})"),
       "s.json: /bodies/0/shapes: size and density give a mass of 0 kg; it or its moments are beyond the range of a double (body 'b')"},
      {shape(R"({"type": "box", "half_extents": [1, 1e16, 1]})"),
       "s.json: /bodies/0/shapes/0/half_extents: must be at most 1000000000000000 in size, is 1e+16 (body 'b')"},
      {shape(R"({"type": "sphere", "radius": 1, "density": 0})"), "s.json: /bodies/0/shapes/0/density: must be a finite number > 0, is 0 (body 'b')"},
      {shape(R"({"type": "sphere", "radius": 1, "material": "ice"})"),
       "s.json: /bodies/0/shapes/0/material: there is no material \"ice\", the scene has none"},
      {R"({"materials": {"wood": {}, "steel": {}}, "bodies": [{"shapes": [{"type": "sphere", "radius": 1, "material": "ice"}]}]})",
       "s.json: /bodies/0/shapes/0/material: there is no material \"ice\"; there are steel, wood"},
      {shape(R"({"type": "sphere", "radius": 1, "material": {"friction": 1}})"),
       "s.json: /bodies/0/shapes/0/material: must be a string, is an object"},
      {shape(R"({"type": "sphere", "radius": 1, "filter": {"category": -1}})"),
       "s.json: /bodies/0/shapes/0/filter/category: must be a whole number from 0 to 4294967295, is -1"},
      {shape(R"({"type": "sphere", "radius": 1, "filter": {"mask": 4294967296}})"),
       "s.json: /bodies/0/shapes/0/filter/mask: must be a whole number from 0 to 4294967295, is 4294967296"},
      {shape(R"({"type": "sphere", "radius": 1, "filter": {"group": 1.5}})"),
       "s.json: /bodies/0/shapes/0/filter/group: must be a whole number from -2147483648 to 2147483647, is 1.5"},
      {shape(R"({"type": "sphere", "radius": 1, "filter": {"groups": 1}})"),
       "s.json: /bodies/0/shapes/0/filter/groups: is no key of this object; there are category, mask, group"},
      {shape(R"({"type": "sphere", "radius": 1, "orientation": [0, 0, 0, 0]})"),
       "s.json: /bodies/0/shapes/0/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (body 'b')"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(messageOf(text), message) << text;
}

TEST(SceneJson, FilesThatCannotBeRead) {
  const auto message = [](const std::string& path) { return test::messageOf([&] { loadScene(path); }); };
  EXPECT_EQ(message("/no/such/place/scene.json"), "/no/such/place/scene.json: cannot be opened: No such file or directory");
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "cairn-folder.json";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(message(folder.string()), folder.string() + ": is a folder, not a scene file");
  std::filesystem::remove(folder);
}

// Damaged files are refused with one line or read as something valid, and nothing else happens.
TEST(SceneJson, DamagedFilesAreRefusedOrValid) {
  test::expectDamagedScenesRefusedOrValid(writeScene(loadScene(std::string(CAIRN_SOURCE_DIR) + "/scenes/playground.json")), 0, 99);
}

// --- files -----------------------------------------------------------------------------------------------------

TEST(SceneJson, WritesOnlyWhatIsValid) {
  Scene scene;
  scene.gravity.x = std::numeric_limits<double>::infinity();
  EXPECT_THROW(writeScene(scene), InvalidInput);
  Scene named;
  named.name = "\xff";
  EXPECT_THROW(writeScene(named), InvalidInput);
}

TEST(SceneJson, FilesOfTheLibraryLoad) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(CAIRN_SOURCE_DIR) / "scenes")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    const Scene scene = loadScene(entry.path().string());
    EXPECT_EQ(scene.name, entry.path().stem().string());
    EXPECT_GT(scene.bodies.size(), 1u);
    ++files;
  }
  EXPECT_GE(files, 2);
}

// A file without a name in it is called after itself.
TEST(SceneJson, AFileNamesItsScene) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "cairn-nameless.json";
  std::ofstream(path) << R"({"bodies": []})";
  EXPECT_EQ(loadScene(path.string()).name, "cairn-nameless");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace cairn
