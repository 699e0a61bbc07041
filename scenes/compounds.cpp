// compounds: stacks of bodies that are many hulls each.
#include "scenes/scene_library.hpp"

#include <cmath>

namespace cairn::v0::scenes {
namespace {

constexpr double kApothem = 0.075, kThickness = 0.04, kGap = 0.006;  // of a cell, of the shell, between two shells [m]
constexpr double kBend = 0.5;                                        // how far the shell falls at a distance, over its square [1/m]

// A cell of the shell: a six-sided prism about the middle, bent as the shell is.
ShapeDef cellAt(double x, double z) {
  std::vector<Vec3d> corners;
  for (int k = 0; k < 6; ++k) {
    const SinCos<double> at = sinCos((2 * k + 1) * kPi / 6);
    const double radius = kApothem / std::sqrt(0.75), cornerX = x + radius * at.cosine, cornerZ = z + radius * at.sine;
    const double top = -kBend * (cornerX * cornerX + cornerZ * cornerZ);
    corners.push_back({cornerX, top, cornerZ});
    corners.push_back({cornerX, top - kThickness, cornerZ});
  }
  return ShapeDef::hull(std::move(corners));
}

// Cells side by side in rings around the middle one: a domed shell.
std::vector<ShapeDef> shellOf(int64_t rings) {
  std::vector<ShapeDef> cells;
  for (int64_t row = -rings; row <= rings; ++row) {
    for (int64_t column = -rings; column <= rings; ++column) {
      if (std::abs(row + column) > rings) continue;
      cells.push_back(cellAt(kApothem * double(2 * column + row), 2 * std::sqrt(0.75) * kApothem * double(row)));
    }
  }
  return cells;
}

void compounds(const Arguments& arguments, Scene& scene) {
  const int64_t rings = arguments.whole("rings"), count = arguments.whole("count"), stacks = arguments.whole("stacks");
  const double outermost = 2 * kApothem * double(rings) + kApothem / std::sqrt(0.75), pitch = 2 * outermost + 0.1;
  const double rise = kThickness + kBend * outermost * outermost;  // of the middle above the rim's foot
  const auto side = static_cast<int64_t>(std::ceil(std::sqrt(double(stacks))));
  addGround(scene, pitch * double(side));
  const std::vector<ShapeDef> shell = shellOf(rings);
  for (int64_t stack = 0; stack < stacks; ++stack) {
    for (int64_t n = 0; n < count; ++n) {
      BodyDef body;
      body.pose.p = {pitch * double(stack % side), rise + (kThickness + kGap) * double(n), pitch * double(stack / side)};
      const SinCos<double> half = sinCos(0.5 * (0.19 * double(n)));
      body.pose.q = {0, half.sine, 0, half.cosine};
      body.shapes = shell;
      scene.add(std::move(body));
    }
  }
}

}  // namespace

std::vector<Generator> compoundGenerators() {
  return {
      Generator("compounds", "stacks of domed shells that are 37 hulls each",
                {whole("count", "shells on top of each other", 10, 1, 1e4), whole("rings", "of hulls around the middle one", 3, 0, 8),
                 whole("stacks", "side by side", 1, 1, 1e6)})
          .bodies([](const Arguments& a) { return 1 + a.real("count") * a.real("stacks"); })
          .filledBy(compounds),
  };
}

}  // namespace cairn::v0::scenes
