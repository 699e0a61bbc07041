#include "src/render/open_mesh.hpp"
#include "src/render/picture.hpp"
#include "src/render/stage.hpp"
#include "tests/support/files.hpp"
#include "tests/support/pixels.hpp"

#include <cairn/cairn.hpp>
#include <cairn/height_field.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace cairn {
namespace {

using test::freshPath;
using test::Pixels;
using test::readPng;

TEST(Picture, ShowsBodiesInColourGroundAndSky) {
  const Scene scene = loadScene("pyramid:base=6");
  const World world(scene);
  const std::string path = freshPath("cairn-picture.png");
  PictureSettings settings;
  settings.width = 160;
  settings.height = 90;
  writePicture(world, scene, path, settings);
  const Pixels pixels = readPng(path);
  ASSERT_EQ(pixels.width, 160);
  ASSERT_EQ(pixels.height, 90);
  std::set<int> hues;
  int coloured = 0;
  for (size_t i = 0; i + 2 < pixels.rgb.size(); i += 3) {
    const int r = pixels.rgb[i], g = pixels.rgb[i + 1], b = pixels.rgb[i + 2];
    hues.insert(r / 16 * 256 + g / 16 * 16 + b / 16);
    if (std::max({r, g, b}) - std::min({r, g, b}) > 40) ++coloured;
  }
  EXPECT_GT(hues.size(), 30u);
  EXPECT_GT(coloured, 160 * 90 / 20);  // the pyramid fills a good part of it
  std::filesystem::remove(path);
}

TEST(Picture, WhatTheCameraIsInIsNotInTheWay) {
  for (const BodyType type : {BodyType::Static, BodyType::Dynamic}) {
    Scene scene = loadScene("tower:height=3");
    BodyDef around;
    around.type = type;
    around.shapes = {ShapeDef::box({20, 20, 20})};
    around.pose.p = {30, 21, 0};  // beside the tower
    scene.add(around);
    const World world(scene);
    PictureSettings settings;
    settings.width = 96;
    settings.height = 54;
    CameraChoice choice;
    choice.eye = Vec3d{12, 2, 0};
    choice.target = Vec3d{0, 1.5, 0};
    const Picture picture = Renderer(scene, settings).draw(world, frameBodies(scene, world.states(), 96.0 / 54, choice));
    std::set<int> hues;
    for (size_t i = 0; i + 2 < picture.rgb.size(); i += 3)
      hues.insert(picture.rgb[i] / 16 * 256 + picture.rgb[i + 1] / 16 * 16 + picture.rgb[i + 2] / 16);
    if (type == BodyType::Static) {
      EXPECT_GT(hues.size(), 20u);  // the tower, the ground and the sky
    }
  }
}

TEST(Picture, TheCameraHasTheBodiesInView) {
  const Scene scene = loadScene("tower:height=30");
  const World world(scene);
  const double aspect = 16.0 / 9;
  const Camera camera = frameBodies(scene, world.states(), aspect);
  for (const BodyState& state : world.states()) {
    if (state.pose.p.y < 0) continue;  // the ground
    const Vec3d d = state.pose.p - camera.eye;
    const double depth = dot(d, camera.forward);
    ASSERT_GT(depth, 0);
    EXPECT_LT(std::abs(dot(d, camera.up)) / depth, camera.tangent);
    EXPECT_LT(std::abs(dot(d, camera.right)) / depth, camera.tangent * aspect);
  }
}

// How much of the picture's width or height the bodies take, whichever is more.
double partFilled(const char* name) {
  const Scene scene = loadScene(name);
  const World world(scene);
  const double aspect = 16.0 / 9;
  const Camera camera = frameBodies(scene, world.states(), aspect);
  Vec3d low{1, 1, 0}, high{-1, -1, 0};
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    const Vec3d d = world.states()[i].pose.p - camera.eye;
    const double depth = camera.tangent * dot(d, camera.forward);
    const Vec3d at{dot(d, camera.right) / depth / aspect, dot(d, camera.up) / depth, 0};
    low = {std::min(low.x, at.x), std::min(low.y, at.y), 0};
    high = {std::max(high.x, at.x), std::max(high.y, at.y), 0};
  }
  EXPECT_GT(std::min(low.x, low.y), -1) << name;
  EXPECT_LT(std::max(high.x, high.y), 1) << name;
  return 0.5 * std::max(high.x - low.x, high.y - low.y);
}

TEST(Picture, TheBodiesFillIt) {
  for (const char* name : {"dominoes", "chain-100", "wall:width=30,height=5"}) EXPECT_GT(partFilled(name), 0.7) << name;
  for (const char* name : {"net", "bridge", "newton-cradle"}) EXPECT_GT(partFilled(name), 0.45) << name;  // with what they hang from
}

// A tower that stands along z under gravity along z, from where its twin along y is seen.
TEST(Picture, UpIsAgainstGravity) {
  Scene scene = loadScene("tower:height=5");
  const double aspect = 16.0 / 9;
  const Camera camera = frameBodies(scene, World(scene).states(), aspect);
  const Quatd turn = turnFromY({0, 0, 1});
  scene.gravity = rotate(turn, scene.gravity);
  for (BodyDef& body : scene.bodies) body.pose = {rotate(turn, body.pose.p), turn * body.pose.q};
  WorldSettings settings;
  settings.precision = Precision::Double;
  const Camera turned = frameBodies(scene, World(scene, settings).states(), aspect);
  EXPECT_NEAR(length(verticalOf(scene) - Vec3d{0, 0, 1}), 0, 1e-12);
  EXPECT_NEAR(length(turned.up - rotate(turn, camera.up)), 0, 1e-6);
  EXPECT_NEAR(length(turned.eye - rotate(turn, camera.eye)), 0, 1e-4);
  EXPECT_NEAR(length(rotate(turnFromY({0, -1, 0}), Vec3d{0, 1, 0}) - Vec3d{0, -1, 0}), 0, 1e-12);
}

Ray rayAt(const Camera& camera, Vec3d point) {
  Ray ray;
  ray.origin = camera.eye;
  ray.direction = normalizedOr(point - camera.eye, camera.forward);
  return ray;
}

TEST(Picture, AWallBeforeTheBodiesDoesNotHideThemAndTheOthersAreCutOffAboveThem) {
  const Scene scene = loadScene("pile:count=1000,shape=box");
  World world(scene);
  world.step(200);
  const Camera camera = frameBodies(scene, world.states(), 16.0 / 9);
  Stage stage(scene);
  stage.set(world, camera);
  std::vector<Ray> rays;
  for (const BodyState& state : world.states()) rays.push_back(rayAt(camera, state.pose.p));
  const std::vector<RayHit> straight = world.castRays(rays), seen = stage.world().castRays(rays);
  int hidden = 0, stillHidden = 0;
  const auto isFixed = [&](int body) { return body >= 0 && scene.bodies[static_cast<size_t>(body)].type != BodyType::Dynamic; };
  for (size_t i = 0; i < rays.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    hidden += isFixed(straight[i].body.index) ? 1 : 0;
    stillHidden += isFixed(stage.bodyOf(seen[i])) ? 1 : 0;
  }
  EXPECT_GT(hidden, 100);
  EXPECT_LT(stillHidden, 10);  // behind what is left of the wall
  // The top of a wall behind is not there.
  const Vec3d above = world.state(world.findBody("wall-z")).pose.p + Vec3d{0, 0.9 * scene.bodies[4].shapes[0].halfExtents.y, 0};
  ASSERT_GT(above.y, stage.top());
  EXPECT_NE(world.castRays({rayAt(camera, above)})[0].body.index, -1);
  EXPECT_EQ(stage.bodyOf(stage.world().castRays({rayAt(camera, above)})[0]), -1);
}

TEST(Picture, APostBeforeTheBodiesStaysWhole) {
  Scene scene = loadScene("wall:width=12,height=6");
  BodyDef post;
  post.type = BodyType::Static;
  post.shapes.push_back(ShapeDef::box({0.1, 3, 0.1}));
  post.pose.p = {1, 3, 4};
  const int index = scene.add(post);
  const World world(scene);
  const Camera camera = frameBodies(scene, world.states(), 16.0 / 9);
  Stage stage(scene);
  stage.set(world, camera);
  for (const double y : {0.1, 3.0, 5.9}) {
    EXPECT_EQ(stage.bodyOf(stage.world().castRays({rayAt(camera, {1, y, 4})})[0]), index) << y;
  }
}

// The stage follows the World and the camera, whatever walls it has to cut anew.
TEST(Picture, AStageIsSetAgain) {
  const Scene scene = loadScene("pile:count=60,shape=box");
  World world(scene);
  Stage again(scene);
  for (const double angle : {29.0, 200.0, -60.0}) {
    world.step(20);
    CameraChoice choice;
    choice.angle = angle;
    const Camera camera = frameBodies(scene, world.states(), 16.0 / 9, choice);
    Stage fresh(scene);
    fresh.set(world, camera);
    again.set(world, camera);
    std::vector<Ray> rays;
    for (const BodyState& state : world.states()) rays.push_back(rayAt(camera, state.pose.p));
    const std::vector<RayHit> one = fresh.world().castRays(rays), other = again.world().castRays(rays);
    for (size_t i = 0; i < rays.size(); ++i) {
      EXPECT_EQ(fresh.bodyOf(one[i]), again.bodyOf(other[i])) << i;
      EXPECT_EQ(one[i].distance, other[i].distance) << i;
    }
  }
}

PictureSettings smallPicture() {
  PictureSettings settings = PictureSettings().forFilm();
  settings.width = 96;
  settings.height = 54;
  return settings;
}

TEST(Picture, IsTheSameOnAnyNumberOfThreadsAndDrawnAgain) {
  const Scene scene = loadScene("pile:count=60,shape=mixed");
  std::vector<Picture> pictures;
  for (const int threads : {1, 2, 5}) {
    WorldSettings settings;
    settings.threads = threads;
    World world(scene, settings);
    world.step(10);
    const Renderer renderer(scene, smallPicture());
    const Camera camera = frameBodies(scene, world.states(), smallPicture().aspect());
    pictures.push_back(renderer.draw(world, camera));
    pictures.push_back(renderer.draw(world, camera));
  }
  for (const Picture& picture : pictures) EXPECT_EQ(picture.rgb, pictures[0].rgb);
}

// One sphere, whose picture is rounder than its pixels are: shades between its own and the sky's along the edge.
TEST(Picture, EdgesAreSmooth) {
  Scene scene;
  BodyDef ball;
  ball.shapes.push_back(ShapeDef::sphere(1));
  scene.add(ball);
  const World world(scene);
  PictureSettings settings = smallPicture();
  const auto shades = [&](int edgeRays) {
    settings.edgeRays = edgeRays;
    const Picture picture = Renderer(scene, settings).draw(world, frameBodies(scene, world.states(), settings.aspect()));
    std::set<std::array<unsigned char, 3>> colours;
    for (size_t i = 0; i < picture.rgb.size(); i += 3) colours.insert({picture.rgb[i], picture.rgb[i + 1], picture.rgb[i + 2]});
    return colours.size();
  };
  EXPECT_GT(shades(8), shades(0) + 30);
}

// An arch's stones are two boxes each, and where these meet there is a ledge thinner than a pixel in a corner three pixels wide: a line, and no row
// of dots.
TEST(Picture, WhatIsThinnerThanAPixelIsALine) {
  const Scene scene = loadScene("arch");
  const World world(scene);
  PictureSettings settings;
  settings.width = 320;
  settings.height = 180;
  const Picture picture = Renderer(scene, settings).draw(world, lookAt({6, 4.5, 3.5}, {2.96, 2.25, 0.2}, {0, 1, 0}, 6.3));
  std::vector<int> darkest;  // of eleven pixels across the line, along it
  for (int x = 140; x < 300; ++x) {
    const int middle = 108 - (x - 107) * 98 / 208;
    darkest.push_back(255);
    for (int y = middle - 5; y <= middle + 5; ++y) darkest.back() = std::min(darkest.back(), int(picture.rgb[3 * static_cast<size_t>(y * 320 + x)]));
  }
  int dots = 0;  // every eight pixels, where there are any
  for (size_t k = 4; k < darkest.size(); ++k) dots += std::abs(darkest[k] - darkest[k - 4]);
  EXPECT_LT(dots, 5 * 156);
}

TEST(Picture, ColoursByWhatBodiesDo) {
  const Scene scene = loadScene("dominoes:count=4");
  WorldSettings worldSettings;
  worldSettings.sleeping = true;
  World world(scene, worldSettings);
  world.step(30);
  const auto colours = [&](const char* by) {
    const Colouring colouring = parseColouring("--colour-by", by);
    return coloursOf(numbersOf(world, scene, colouring.by), scene, colouring);
  };
  const auto brightness = [](Vec3<float> c) { return c.x + c.y + c.z; };
  for (const char* by : {"body", "speed", "force", "island", "asleep", "graph", "speed=0.001", "force=1e12"})
    EXPECT_EQ(colours(by).size(), scene.bodies.size());
  const Vec3<float> fast = rampColour(1);
  EXPECT_EQ(brightness(colours("speed=1e-9")[1]), brightness(fast));  // the first domino falls
  EXPECT_EQ(brightness(colours("force=1e12")[1]), brightness(rampColour(0)));
  EXPECT_EQ(brightness(colours("speed")[0]), brightness(colours("body")[0]));  // the ground keeps its own
  for (const char* bad : {"", "colour", "speed=", "speed=0", "speed=-1", "speed=x", "island=3", "force=1e300"}) {
    EXPECT_THROW(parseColouring("--colour-by", bad), InvalidInput) << bad;
  }
}

// A box without a lid that is one mesh: from the front and a little aside, two of its walls stand before the ball.
TEST(Picture, AMeshThatIsAContainerIsOpened) {
  TriangleMesh box;
  for (int k = 0; k < 8; ++k) box.vertices.push_back({(k & 1) != 0 ? 2.0 : -2.0, (k & 2) != 0 ? 3.0 : 0.0, (k & 4) != 0 ? 2.0 : -2.0});
  box.triangles = {{0, 1, 5}, {0, 5, 4}};  // the floor
  const std::array<std::array<int32_t, 4>, 4> walls{{{0, 1, 3, 2}, {5, 4, 6, 7}, {4, 0, 2, 6}, {1, 5, 7, 3}}};
  for (const auto& w : walls) {
    box.triangles.push_back({w[0], w[1], w[2]});
    box.triangles.push_back({w[0], w[2], w[3]});
  }
  MeshView view;
  view.centre = {0, 1, 0};
  view.eye = {8, 4, 20};
  view.extent[0] = {1, 0, 0};
  view.extent[1] = {0, 1, 0};
  view.extent[2] = {0, 0, 1};
  view.vertical = {0, 1, 0};
  view.low = 0.1;
  const std::vector<bool> hides = hidingTriangles(box, view);
  EXPECT_EQ(hides, (std::vector<bool>{false, false, false, false, true, true, false, false, true, true}));  // z = 2 and x = 2
  EXPECT_EQ(withoutTriangles(box, hides).triangles.size(), 6u);
  view.extent[0] = {5, 0, 0};  // what lies beside the bodies is no container of theirs
  EXPECT_EQ(hidingTriangles(box, view), std::vector<bool>(10, false));

  Scene scene;
  BodyDef container, ball;
  container.type = BodyType::Static;
  container.shapes = {ShapeDef::mesh(box, true)};
  ball.shapes = {ShapeDef::sphere(1)};
  ball.pose.p = {0, 1, 0};
  scene.add(container);
  scene.add(ball);
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  const World world(scene, settings);
  Stage stage(scene);
  for (const Vec3d& eye : {Vec3d{8, 4, 20}, Vec3d{-8, 4, 20}, Vec3d{8, 4, 20}}) {
    stage.set(world, lookAt(eye, {0, 1, 0}, {0, 1, 0}, 30));
    const std::vector<RayHit> hits = stage.world().castRays({{eye, Vec3d{0, 1, 0} - eye}, {{0, 1, 1.1}, {-eye.x, 0, 0}}});
    EXPECT_EQ(stage.bodyOf(hits[0]), 1);
    EXPECT_EQ(stage.bodyOf(hits[1]), 0);  // the wall across stays
    EXPECT_EQ(stage.surfaceOf(stage.shown(0).shapes[0]), scene.bodies[0].shapes[0].triangles.get());
  }
}

// Round containers touch the sides of the box around the bodies in four places alone: each wall towards the eye is one that hides.
TEST(Picture, ARoundMeshIsOpenedWholly) {
  TriangleMesh tube;
  constexpr int kSides = 24;
  for (int k = 0; k < kSides; ++k) {
    const SinCos<double> angle = sinCos(2 * kPi * k / kSides);
    for (const double y : {0.0, 3.0}) tube.vertices.push_back({2 * angle.cosine, y, 2 * angle.sine});
  }
  for (int k = 0; k < kSides; ++k) {
    const int32_t a = 2 * k, b = 2 * ((k + 1) % kSides);
    tube.triangles.push_back({a, a + 1, b + 1});
    tube.triangles.push_back({a, b + 1, b});
  }
  MeshView view;
  view.centre = {0, 1, 0};
  view.extent[0] = {2, 0, 0};
  view.extent[1] = {0, 1, 0};
  view.extent[2] = {0, 0, 2};
  view.vertical = {0, 1, 0};
  view.low = 0.1;
  for (const double direction : {0.0, 0.8, 2.2}) {
    const SinCos<double> angle = sinCos(direction);
    view.eye = {40 * angle.cosine, 4, 40 * angle.sine};
    const std::vector<bool> hides = hidingTriangles(tube, view);
    EXPECT_GE(std::count(hides.begin(), hides.end(), true), kSides - 4) << direction;  // of two each: half of them
    EXPECT_LE(std::count(hides.begin(), hides.end(), true), kSides) << direction;
  }
}

// Under the rim of a ground that is a sheet nothing is seen of the sky; surfaces of other kinds stay as they are.
TEST(Picture, GroundHasSides) {
  HeightField hills;
  hills.rows = hills.columns = 3;
  hills.spacing = {1, 1};
  hills.heights = {0.5, 0.2, 0.1, 0.3, 0.6, 0.2, 0.4, 0.1, 0.3};
  const TriangleMesh sheet = triangulated(hills), solid = withSides(sheet, {0, 1, 0});
  EXPECT_EQ(solid.triangles.size(), sheet.triangles.size() + 2 * 8);
  EXPECT_EQ(withSides(solid, {0, 1, 0}).triangles.size(), solid.triangles.size());
  EXPECT_EQ(withSides(sheet, {0, -1, 0}).triangles.size(), sheet.triangles.size());
  Scene scene;
  BodyDef ground, ball;
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::heightField(hills)};
  ball.shapes = {ShapeDef::sphere(0.2)};
  ball.pose.p = {0, 1, 0};
  scene.add(ground);
  scene.add(ball);
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  const World world(scene, settings);
  Stage stage(scene);
  const Vec3d eye{5, 1, 0.2};
  stage.set(world, lookAt(eye, {0, 0.2, 0}, {0, 1, 0}, 30));
  const Ray below{eye, Vec3d{1, 0.05, 0.1} - eye};
  EXPECT_EQ(stage.bodyOf(world.castRays({below})[0]), -1);
  EXPECT_EQ(stage.bodyOf(stage.world().castRays({below})[0]), 0);
  EXPECT_EQ(stage.surfaceOf(stage.shown(0).shapes[0]), scene.bodies[0].shapes[0].heights.get());
}

TEST(Picture, ContainersAreSeenThrough) {
  const Scene scene = loadScene("pile:count=300,shape=box");
  World world(scene);
  world.step(10);
  const std::string path = freshPath("cairn-container.png");
  PictureSettings settings;
  settings.width = 96;
  settings.height = 54;
  writePicture(world, scene, path, settings);
  const Pixels pixels = readPng(path);
  int coloured = 0;
  for (size_t i = 0; i + 2 < pixels.rgb.size(); i += 3) {
    const int r = pixels.rgb[i], g = pixels.rgb[i + 1], b = pixels.rgb[i + 2];
    if (std::max({r, g, b}) - std::min({r, g, b}) > 25) ++coloured;
  }
  EXPECT_GT(coloured, 96 * 54 / 20);
  std::filesystem::remove(path);
}

TEST(Picture, ACannotWriteIsSaidWithTheFile) {
  const Scene scene = loadScene("tower:height=2");
  const World world(scene);
  PictureSettings settings;
  settings.width = 8;
  settings.height = 8;
  try {
    writePicture(world, scene, "/nonexistent/picture.png", settings);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.place, "/nonexistent/picture.png");
  }
  settings.width = 0;
  EXPECT_THROW(writePicture(world, scene, freshPath("cairn-none.png"), settings), InvalidInput);
}

}  // namespace
}  // namespace cairn
