// Magnetic letters on a refrigerator: planar joints (Weinstein, Teran and Fedkiw 2006, section VII and figure 1).
#include "scenes/scene_library.hpp"

#include <fmt/format.h>

namespace cairn::v0::scenes {
namespace {

// Strokes of the letters A to Z on a grid of 4 by 6 units: from x, y to x, y.
const char* const kAlphabet[26] = {
    "0026 2640 1232",           "0006 0636 3633 0343 4340 0040",
    "0006 0646 0040",           "0006 0636 3645 4541 4130 0030",
    "0006 0646 0333 0040",      "0006 0646 0333",
    "0006 0646 0040 4043 2343", "0006 4046 0343",
    "2026 1636 1030",           "4640 0040 0002",
    "0006 0346 0340",           "0006 0040",
    "0006 0623 2346 4640",      "0006 0640 4046",
    "0006 0646 4640 0040",      "0006 0646 4643 0343",
    "0006 0646 4640 0040 2240", "0006 0646 4643 0343 2340",
    "0646 0306 0343 4340 0040", "0646 2026",
    "0006 0040 4046",           "0620 2046",
    "0610 1023 2330 3046",      "0046 0640",
    "0623 2346 2023",           "0646 0046 0040",
};

constexpr double kUnit = 0.01, kHalfStroke = 0.004, kHalfThickness = 0.005;  // [m]
constexpr double kCellWidth = 0.062, kCellHeight = 0.084;                    // a letter's room at the start, enough for the tilt below [m]
constexpr double kTilt = 0.15;                                               // largest at the start [rad]
constexpr int64_t kColumns = 14;

// A box for each stroke, square at its ends so that corners are filled. What overlaps there counts twice in the mass.
BodyDef makeLetter(const char* strokes) {
  BodyDef letter;
  for (const char* s = strokes;; s += 5) {
    const auto at = [&](int i) { return Vec3d{(s[i] - '0' - 2) * kUnit, (s[i + 1] - '0' - 3) * kUnit, 0}; };
    const Vec3d from = at(0), to = at(2), along = to - from;
    ShapeDef box = ShapeDef::box({0.5 * length(along) + kHalfStroke, kHalfStroke, kHalfThickness});
    box.localPose = {0.5 * (from + to), aboutZ(arcTangent(along.y, along.x))};
    letter.shapes.push_back(box);
    if (s[4] == 0) return letter;
  }
}

// Row by row from the top. The joint takes no notice of the door, its friction does: a share of the letter's weight along both axes, so that letters
// slide slowly where it is below 1. What they slide down to is a tray at the foot of the door.
void magnets(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("letters"), rows = (count + kColumns - 1) / kColumns;
  const double grip = arguments.real("grip");
  constexpr double kTray = 0.3, kTrayHalfDepth = 0.03, kHalfWidth = 0.46;  // height of the tray's top [m]
  const double height = kTray + 0.15 + kCellHeight * double(rows);
  addGround(scene);
  const int door = addStaticBox(scene, "refrigerator", {0, 0.5 * height + 0.05, -0.35}, {kHalfWidth, 0.5 * height + 0.05, 0.35});
  addStaticBox(scene, "tray", {0, kTray - 0.02, kTrayHalfDepth}, {kHalfWidth, 0.02, kTrayHalfDepth});
  Random random;
  for (int64_t i = 0; i < count; ++i) {
    BodyDef letter = makeLetter(kAlphabet[i % 26]);
    letter.name = fmt::format("{}-{}", char('A' + i % 26), i / 26 + 1);
    letter.pose.p = {(double(i % kColumns) - 0.5 * double(kColumns - 1)) * kCellWidth, height - (double(i / kColumns) + 0.5) * kCellHeight,
                     kHalfThickness};
    letter.pose.q = aboutZ(random.symmetric(kTilt));
    const Vec3d place = letter.pose.p;
    const double weight = 9.81 * massProperties(letter).mass;
    const int body = scene.add(std::move(letter));
    JointDef& joint = addJoint(scene, JointType::Planar, door, body, {place, {0, 0, 0, 1}});
    joint.axes[0].friction = joint.axes[1].friction = grip * weight;
    joint.axes[5].friction = grip * weight * 2 * kUnit;  // as if the force acted at half the letter's breadth
  }
  scene.defaultSteps = 600;
}

}  // namespace

std::vector<Generator> magnetGenerators() {
  return {
      Generator("magnets", "letters slide down a refrigerator's door, held to it by planar joints (Weinstein et al.)",
                {whole("letters", "letters, fourteen a row", 210, 1, 1e5), real("grip", "friction on the door over the weight [-]", "0.5", 0, 10)})
          .bodies([](const Arguments& a) { return 3 + a.real("letters"); })
          .joints([](const Arguments& a) { return a.real("letters"); })
          .filledBy(magnets),
  };
}

}  // namespace cairn::v0::scenes
