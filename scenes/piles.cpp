// Disordered piles: a grid of small bodies falls into an open container.
//
// The container has a floor and four walls, static boxes 1 m thick, and grows with the count so that its floor fits the
// grid: see the README.md of this folder. For 8,000 and 64,000 bodies the grids and containers are 20^3 in 12.5 m, 40^3
// in 24.5 m (pile), 14 x 41 x 14 in 12.5 m, 28 x 82 x 28 in 24.8 m (rubble).
#include "scenes/scene_library.hpp"

namespace cairn::v0::scenes {
namespace {

struct Layout {
  int64_t side = 1, layers = 1;  // side x side bodies a layer
  double pitch = 0;              // between bodies' centres [m]
  double firstHeight = 0;        // of the lowest layer [m]
  double width = 0;              // of the container's interior [m]
  double wallHeight = 0;         // [m]
};

// A cube of bodies, pitch 0.6 m.
Layout pileLayout(int64_t count) {
  int64_t n = 1;
  while (n * n * n < count) ++n;
  // 0.6 n + 0.5 and 0.65 n + 1, as one division each, so that they come out as the doubles next to the decimal values.
  Layout layout;
  layout.side = layout.layers = n;
  layout.pitch = 0.6;
  layout.firstHeight = 0.4;
  layout.width = double(6 * n + 5) / 10;
  layout.wallHeight = double(13 * n + 20) / 20;
  return layout;
}

// Nearly three times as high as wide, at a pitch of 0.88 m that lets a box of 0.5 m have any orientation.
Layout rubbleLayout(int64_t count) {
  // The whole number nearest to 0.7 cbrt(count), in whole numbers only.
  const auto tooWide = [count](int64_t n) { return (10 * n - 5) * (10 * n - 5) * (10 * n - 5) > 343 * count; };
  int64_t n = 1;
  while (!tooWide(n + 1)) ++n;
  Layout layout;
  layout.side = n;
  layout.layers = (count + n * n - 1) / (n * n);
  layout.pitch = 0.88;
  layout.firstHeight = 0.5;
  // 0.8786 n + 0.2 and 0.878 layers + 2; beyond n = 140 the wider pitch of the grid itself.
  layout.width = n <= 140 ? double(123 * n + 28) / 140 : 0.88 * double(n);
  layout.wallHeight = double(36 * layout.layers + 82) / 41;
  return layout;
}

void addContainer(Scene& scene, double width, double wallHeight) {
  const double w = width / 2, t = 0.5, h = wallHeight / 2;  // t: half the walls' thickness
  addStaticBox(scene, "floor", {0, -t, 0}, {w + 2 * t, t, w + 2 * t});
  addStaticBox(scene, "wall+x", {w + t, h, 0}, {t, h, w + 2 * t});
  addStaticBox(scene, "wall-x", {-w - t, h, 0}, {t, h, w + 2 * t});
  addStaticBox(scene, "wall+z", {0, h, w + t}, {w, h, t});
  addStaticBox(scene, "wall-z", {0, h, -w - t}, {w, h, t});
}

// Calls place(grid x, layer, grid z) for each body, layer by layer.
template <class Place> void forGrid(const Layout& layout, int64_t count, Place place) {
  int64_t n = 0;
  for (int64_t j = 0; j < layout.layers; ++j)
    for (int64_t k = 0; k < layout.side; ++k)
      for (int64_t i = 0; i < layout.side && n < count; ++i, ++n) place(double(i), double(j), double(k), n);
}

// The shapes of a pile: a cube, a sphere and a capsule that fill much the same cell of the grid.
ShapeDef pileShape(const std::string& kind, int64_t index) {
  const ShapeDef shapes[3] = {ShapeDef::box({0.25, 0.25, 0.25}), ShapeDef::sphere(0.25), ShapeDef::capsule(0.15, 0.12)};
  if (kind == "box") return shapes[0];
  if (kind == "sphere") return shapes[1];
  if (kind == "capsule") return shapes[2];
  return shapes[index % 3];
}

void pile(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count");
  const std::string& kind = arguments.choice("shape");
  const Layout layout = pileLayout(count);
  addContainer(scene, layout.width, layout.wallHeight);
  Random random;
  const double half = 0.5 * double(layout.side - 1);
  forGrid(layout, count, [&](double i, double j, double k, int64_t n) {
    BodyDef body;
    // Spelled out one by one: the order of the draws is part of the scene.
    body.pose.p.x = (i - half) * layout.pitch + random.symmetric(0.02);
    body.pose.p.y = layout.firstHeight + j * layout.pitch + random.symmetric(0.02);
    body.pose.p.z = (k - half) * layout.pitch + random.symmetric(0.02);
    Vec3d axis;
    axis.x = random.symmetric(1);
    axis.y = random.symmetric(1);
    axis.z = random.symmetric(1);
    const SinCos<double> rotation = sinCos(0.5 * random.symmetric(0.1));
    const double f = rotation.sine / (length(axis) + 1e-9);
    body.pose.q = {axis.x * f, axis.y * f, axis.z * f, rotation.cosine};
    body.shapes.push_back(pileShape(kind, n));
    scene.add(std::move(body));
  });
}

// Uniformly random orientations: Shoemake, "Uniform Random Rotations", Graphics Gems III, 1992.
void rubble(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("count");
  const Layout layout = rubbleLayout(count);
  addContainer(scene, layout.width, layout.wallHeight);
  Random random(777);
  const double half = 0.5 * double(layout.side - 1);
  forGrid(layout, count, [&](double i, double j, double k, int64_t) {
    BodyDef body;
    body.pose.p = {(i - half) * layout.pitch, layout.firstHeight + j * layout.pitch, (k - half) * layout.pitch};
    const double u = random.next();
    const SinCos<double> first = sinCos(2 * kPi * random.next());
    const SinCos<double> second = sinCos(2 * kPi * random.next());
    const double a = squareRoot(1 - u), c = squareRoot(u);
    body.pose.q = {a * first.sine, a * first.cosine, c * second.sine, c * second.cosine};
    body.shapes.push_back(ShapeDef::box({0.25, 0.25, 0.25}));
    scene.add(std::move(body));
  });
}

double countAndContainer(const Arguments& arguments) { return 5 + arguments.real("count"); }

}  // namespace

std::vector<Generator> pileGenerators() {
  return {
      Generator("pile", "a grid of 0.5 m bodies, a little turned, falls into an open container",
                {whole("count", "bodies", 8000, 1, kMaxBodies), choice("shape", "of the bodies", {"box", "sphere", "capsule", "mixed"})})
          .bodies(countAndContainer)
          .filledBy(pile),
      Generator("rubble", "0.5 m boxes of random orientation fall into an open container", {whole("count", "bodies", 8000, 1, kMaxBodies)})
          .bodies(countAndContainer)
          .filledBy(rubble),
  };
}

}  // namespace cairn::v0::scenes
