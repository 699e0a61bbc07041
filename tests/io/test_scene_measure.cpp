// Drift, heights and escapes from poses alone.
#include "src/io/scene_measure.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

BodyDef body(BodyType type, ShapeDef shape, Vec3d position) {
  BodyDef def;
  def.type = type;
  def.shapes = {shape};
  def.pose.p = position;
  return def;
}
BodyState at(Vec3d position) { return {{position, {0, 0, 0, 1}}, {0, 0, 0}, {0, 0, 0}}; }

// A floor of 20 m x 20 m with its top at y = 0.
Scene onFloor(std::vector<Vec3d> bodies) {
  Scene scene;
  scene.add(body(BodyType::Static, ShapeDef::box({10, 0.5, 10}), {0, -0.5, 0}));
  for (const Vec3d& p : bodies) scene.add(body(BodyType::Dynamic, ShapeDef::sphere(0.5), p));
  return scene;
}

int escaped(const Scene& scene, Vec3d where) {
  std::vector<BodyState> states;
  for (const BodyDef& def : scene.bodies) states.push_back(at(def.type == BodyType::Dynamic ? where : def.pose.p));
  return measureScene(scene, states).escapedBodies;
}

TEST(SceneMeasure, NothingHasMovedAtTheStart) {
  const Scene scene = onFloor({{1, 2, 3}, {0, 5, 0}});
  const SceneMeasure measure = measureScene(scene, {at({0, -0.5, 0}), at({1, 2, 3}), at({0, 5, 0})});
  EXPECT_EQ(measure.driftMax, 0);
  EXPECT_EQ(measure.heightRatioMin, 1);
  EXPECT_EQ(measure.escapedBodies, 0);
}

TEST(SceneMeasure, DriftIsHorizontalAndHeightIsTheWorst) {
  const Scene scene = onFloor({{1, 2, 3}, {0, 5, 0}});
  const SceneMeasure measure = measureScene(scene, {at({0, -0.5, 0}), at({1, 4, 3}), at({3, 2, 4})});
  EXPECT_DOUBLE_EQ(measure.driftMax, 5);
  EXPECT_DOUBLE_EQ(measure.heightRatioMin, 0.4);
}

TEST(SceneMeasure, HeightsBelowTheOriginDoNotCount) {
  Scene scene = onFloor({{0, -3, 0}, {0, 4, 0}});
  const SceneMeasure measure = measureScene(scene, {at({0, -0.5, 0}), at({0, -30, 0}), at({0, 8, 0})});
  EXPECT_DOUBLE_EQ(measure.heightRatioMin, 2);
}

TEST(SceneMeasure, EscapesBelowAndBesideWhatIsFixed) {
  const Scene scene = onFloor({{0, 1, 0}});
  EXPECT_EQ(escaped(scene, {0, 100, 0}), 0);  // up is open
  EXPECT_EQ(escaped(scene, {10.9, 1, -10.9}), 0);
  EXPECT_EQ(escaped(scene, {11.1, 1, 0}), 1);
  EXPECT_EQ(escaped(scene, {0, 1, -11.1}), 1);
  EXPECT_EQ(escaped(scene, {0, -1.9, 0}), 0);
  EXPECT_EQ(escaped(scene, {0, -2.1, 0}), 1);
}

TEST(SceneMeasure, AHalfSpaceAsGroundHasNoEdge) {
  Scene scene = onFloor({{0, 1, 0}});
  scene.add(body(BodyType::Static, ShapeDef::halfSpace(), {0, -5, 0}));
  EXPECT_EQ(escaped(scene, {1e6, 1, 0}), 0);
  EXPECT_EQ(escaped(scene, {0, -5.9, 0}), 0);
  EXPECT_EQ(escaped(scene, {0, -6.1, 0}), 1);
}

TEST(SceneMeasure, AHalfSpaceAsWallCarriesNobody) {
  Scene scene = onFloor({{0, 1, 0}});
  BodyDef wall = body(BodyType::Static, ShapeDef::halfSpace(), {-10, 0, 0});
  const double r = squareRoot(0.5);
  wall.pose.q = {0, 0, -r, r};  // solid below x = -10
  scene.add(wall);
  EXPECT_EQ(escaped(scene, {-10.5, 1, 0}), 0);
  EXPECT_EQ(escaped(scene, {-11.5, 1, 0}), 1);
  EXPECT_EQ(escaped(scene, {0, -3, 0}), 1);  // past the floor's underside
}

TEST(SceneMeasure, WhoHangsBelowFromTheStartDoesNotEscape) {
  const Scene scene = onFloor({{0, -4, 0}});
  EXPECT_EQ(escaped(scene, {0, -4, 0}), 0);
  EXPECT_EQ(escaped(scene, {0.1, -4.1, 0}), 0);
}

TEST(SceneMeasure, WithoutAnythingFixedNobodyEscapes) {
  Scene scene;
  scene.add(body(BodyType::Dynamic, ShapeDef::sphere(1), {0, 0, 0}));
  EXPECT_EQ(escaped(scene, {1e9, -1e9, 0}), 0);
}

TEST(SceneMeasure, FixedBodiesAreNotMeasured) {
  Scene scene = onFloor({});
  const SceneMeasure measure = measureScene(scene, {at({50, -50, 0})});
  EXPECT_EQ(measure.driftMax, 0);
  EXPECT_EQ(measure.escapedBodies, 0);
}

}  // namespace
}  // namespace cairn
