// Regular stacks of boxes: tower, pyramid, wall, and a tower with a heavy top. The first three can be had of hulls that are boxes, to compare with
// them.
#include "scenes/scene_library.hpp"

namespace cairn::v0::scenes {
namespace {

const Vec3d kUnitBox{0.5, 0.5, 0.5};

Parameter shapeOfBoxes() { return choice("shape", "what the boxes are: boxes, or hulls of their corners", {"box", "hull"}); }

// 1 m boxes, one on the other.
void tower(const Arguments& arguments, Scene& scene) {
  const int64_t height = arguments.whole("height");
  const std::string& shape = arguments.choice("shape");
  addGround(scene);
  for (int64_t i = 0; i < height; ++i) addCuboid(scene, shape, {0, 0.5 + double(i), 0}, kUnitBox);
}

// Row i has base - i boxes, side by side at 1.1 m, each over the gap between two of the row below.
void pyramid(const Arguments& arguments, Scene& scene) {
  const int64_t base = arguments.whole("base");
  const std::string& shape = arguments.choice("shape");
  addGround(scene, 0.55 * double(base));
  for (int64_t i = 0; i < base; ++i)
    for (int64_t j = 0; j < base - i; ++j) addCuboid(scene, shape, {(double(j) - 0.5 * double(base - 1 - i)) * 1.1, 0.5 + double(i), 0}, kUnitBox);
}

// Running bond: bricks of 1.0 x 0.5 x 0.5 m at a pitch of 1.03 m; odd rows have one brick less and a half brick at each end, flush with
// the even rows.
void wall(const Arguments& arguments, Scene& scene) {
  const int64_t width = arguments.whole("width"), height = arguments.whole("height");
  const std::string& shape = arguments.choice("shape");
  constexpr double kPitch = 1.03, kHalfBrick = 0.2425;
  addGround(scene, 0.5 * kPitch * double(width));
  const double middle = 0.5 * double(width - 1);
  for (int64_t i = 0; i < height; ++i) {
    const double y = 0.25 + 0.5 * double(i);
    if (i % 2 == 0) {
      for (int64_t j = 0; j < width; ++j) addCuboid(scene, shape, {(double(j) - middle) * kPitch, y, 0}, {0.5, 0.25, 0.25});
      continue;
    }
    for (int64_t j = 0; j < width - 1; ++j) addCuboid(scene, shape, {(double(j) - (middle - 0.5)) * kPitch, y, 0}, {0.5, 0.25, 0.25});
    for (const double end : {-1.0, 1.0}) addCuboid(scene, shape, {end * (middle * kPitch + 0.5 - kHalfBrick), y, 0}, {kHalfBrick, 0.25, 0.25});
  }
}

void massRatio(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count");
  addGround(scene);
  for (int64_t i = 0; i < count; ++i) addBox(scene, {0, 0.5 + double(i), 0}, kUnitBox, i == count - 1 ? 1000 * arguments.real("ratio") : 1000);
}

}  // namespace

std::vector<Generator> stackGenerators() {
  return {
      Generator("tower", "1 m boxes on top of each other", {whole("height", "boxes", 20, 1, kMaxBodies), shapeOfBoxes()})
          .bodies([](const Arguments& a) { return 1 + a.real("height"); })
          .filledBy(tower),
      Generator("pyramid", "1 m boxes, each on two of the row below; base 1413 is about a million",
                {whole("base", "boxes of the lowest row", 40, 1, 1e6), shapeOfBoxes()})
          .bodies([](const Arguments& a) { return 1 + 0.5 * a.real("base") * (a.real("base") + 1); })
          .filledBy(pyramid),
      Generator("wall", "running bond of bricks of 1.0 x 0.5 x 0.5 m, half bricks at the ends",
                {whole("width", "bricks a row", 50, 1, 1e6), whole("height", "rows", 40, 1, 1e6), shapeOfBoxes()})
          .bodies([](const Arguments& a) { return 1 + (a.real("width") + 0.5) * a.real("height"); })
          .filledBy(wall),
      Generator("mass-ratio", "1 m boxes on top of each other, the topmost heavier than the others",
                {whole("count", "boxes", 10, 1, kMaxBodies), real("ratio", "mass of the topmost box over the others' [-]", "1000", 1e-6, 1e9)})
          .bodies([](const Arguments& a) { return 1 + a.real("count"); })
          .filledBy(massRatio),
  };
}

}  // namespace cairn::v0::scenes
