// Round towers of toy planks, laid without glue.
//
// A plank measures 1 x 3 x 15 units. Courses take turns: planks that stand on their long narrow side point outwards like spokes; upon them lie planks
// flat along the circumference, side by side in five rows of equal sectors, so that five of their widths are as wide as a spoke is long. A sector has
// four spokes, symmetric to its middle. Each flat course is turned by half a sector, two spokes, against the one below it: a running bond, and no
// spoke ever stands below a joint.
//
// Statics: a sector's outer spokes are 3/4 of half a sector from its middle, where a flat plank must still reach over their middle, or they tip
// outwards. With r the inner row's distance from the axis, (r + 6) tan(135 degrees / sectors) < 7.5 units: from ten sectors on.
#include "scenes/scene_library.hpp"

namespace cairn::v0::scenes {
namespace {

// The toy's planks are 8 x 24 x 120 mm; these are 7.5 times as large, so that the default towers, 9 m apart, are 7 m wide.
constexpr double kUnit = 0.06;                                                           // [m]
constexpr Vec3d kSpoke{7.5 * kUnit, 1.5 * kUnit, 0.5 * kUnit};                           // half extents, x outwards
constexpr Vec3d kFlat{1.5 * kUnit, 0.5 * kUnit, 7.5 * kUnit};                            // the same
constexpr int kRows = 5, kSpokes = 4;                                                    // of a sector
constexpr double kTowerPitch = 9, kEndGap = 0.002;                                       // [m] between towers' axes; between the inner row's ends
constexpr double kSpokeHeight = 2 * kSpoke.y, kPairHeight = 2 * kSpoke.y + 2 * kFlat.y;  // [m]

// A plank at an angle about the tower's axis [rad]; local x points outwards.
void addPlank(Scene& scene, Vec3d foot, double radius, double angle, Vec3d halfExtents) {
  const SinCos<double> at = sinCos(angle), half = sinCos(0.5 * angle);
  const int plank = addBox(scene, foot + Vec3d{radius * at.cosine, halfExtents.y, -radius * at.sine}, halfExtents);
  scene.bodies[size_t(plank)].pose.q = {0, half.sine, 0, half.cosine};
}

void addTower(Scene& scene, int64_t courses, int64_t sectors, double x, double z) {
  const double sector = 2 * kPi / double(sectors);
  const SinCos<double> half = sinCos(0.5 * sector);
  // Of the innermost row, whose ends are nearest to each other.
  const double rowRadius = (kFlat.z + 0.5 * kEndGap) * half.cosine / half.sine + kFlat.x;
  const double spokeRadius = rowRadius + (kRows - 1) * kFlat.x;
  for (int64_t course = 0; course < courses; ++course) {
    const int64_t pair = course / 2;
    const bool spokes = course % 2 == 0;
    const Vec3d foot{x, double(pair) * kPairHeight + (spokes ? 0 : kSpokeHeight), z};
    for (int64_t i = 0; i < sectors; ++i) {
      if (spokes) {
        for (int k = 0; k < kSpokes; ++k) addPlank(scene, foot, spokeRadius, (double(i) + (k - 1.5) / kSpokes) * sector, kSpoke);
      } else {
        for (int k = 0; k < kRows; ++k) addPlank(scene, foot, rowRadius + 2 * kFlat.x * k, (double(i) + 0.5 * double(pair % 2)) * sector, kFlat);
      }
    }
  }
}

void kapla(const Arguments& arguments, Scene& scene) {
  const int64_t towers = arguments.whole("towers"), courses = arguments.whole("courses"), sectors = arguments.whole("sectors");
  addGround(scene, 0.5 * kTowerPitch * double(towers));
  const auto place = [&](int64_t i) { return (double(i) - 0.5 * double(towers - 1)) * kTowerPitch; };
  for (int64_t i = 0; i < towers; ++i)
    for (int64_t k = 0; k < towers; ++k) addTower(scene, courses, sectors, place(i), place(k));
}

double bodyCount(const Arguments& arguments) {
  const double courses = arguments.real("courses"), spokeCourses = double((arguments.whole("courses") + 1) / 2);
  const double tower = arguments.real("sectors") * (kSpokes * spokeCourses + kRows * (courses - spokeCourses));
  return 1 + arguments.real("towers") * arguments.real("towers") * tower;
}

}  // namespace

std::vector<Generator> kaplaGenerators() {
  return {
      Generator("kapla", "round towers of planks 1 : 3 : 15 that stand and lie in turns, without glue",
                {whole("towers", "a side of their field", 2, 1, 1e4), whole("courses", "of a tower, one above the other", 140, 1, 1e5),
                 whole("sectors", "of a tower: four standing planks each, or five lying ones", 18, 10, 24)})
          .bodies(bodyCount)
          .filledBy(kapla),
  };
}

}  // namespace cairn::v0::scenes
