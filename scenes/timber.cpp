// Round timber: a stack of logs between stakes.
#include "scenes/scene_library.hpp"

namespace cairn::v0::scenes {
namespace {

constexpr double kRadius = 0.25, kHalfLength = 1.5, kGap = 0.002;  // of a log, and between two of a row [m]
constexpr double kStake = 0.08, kStakesAt = 1.0;                   // radius of a stake, and how far from the middle along the logs the stakes are [m]

// Cylinder along the world's z axis.
const Quatd kAlongZ{0.70710678118654752, 0, 0, 0.70710678118654752};

// Rows of logs that lie along z, each in the hollows of the row below, and two stakes on either side.
void logs(const Arguments& arguments, Scene& scene) {
  const int64_t base = arguments.whole("base"), rows = arguments.whole("rows");
  if (rows > base) arguments.reject("rows", "must be at most base: each row has one log less than the row below");
  const double pitch = 2 * kRadius + kGap;
  addGround(scene, 0.5 * pitch * double(base));
  const double high = 0.5 * (0.5 + 0.44 * double(rows)), side = 0.5 * pitch * double(base) + kStake;
  for (const double x : {-side, side}) {
    for (const double z : {-kStakesAt, kStakesAt}) {
      BodyDef stake;
      stake.type = BodyType::Static;
      stake.pose.p = {x, high, z};
      stake.shapes = {ShapeDef::cylinder(kStake, high)};
      scene.add(std::move(stake));
    }
  }
  // The height of an equilateral triangle whose side is the pitch is a little less than what logs that touch need.
  const double rise = 0.8680 * pitch;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = 0; k < base - row; ++k) {
      BodyDef log;
      log.pose = {{(double(k) - 0.5 * double(base - 1 - row)) * pitch, kRadius + rise * double(row), 0}, kAlongZ};
      log.shapes = {ShapeDef::cylinder(kRadius, kHalfLength)};
      log.shapes[0].density = 700;
      scene.add(std::move(log));
    }
  }
}

}  // namespace

std::vector<Generator> timberGenerators() {
  return {
      Generator("logs", "cylinders of 0.5 x 3 m lie in rows between stakes, each row in the hollows of the one below",
                {whole("base", "logs of the lowest row", 8, 1, 1e6), whole("rows", "rows, at most as many as base", 5, 1, 1e6)})
          .bodies([](const Arguments& a) { return 5 + a.real("rows") * a.real("base") - 0.5 * a.real("rows") * (a.real("rows") - 1); })
          .filledBy(logs),
  };
}

}  // namespace cairn::v0::scenes
