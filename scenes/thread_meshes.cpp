// bolt and nut: closed meshes with a thread of the ISO metric profile (ISO 68-1): root a quarter of the pitch, flanks five sixteenths each, crest an
// eighth; 5/8 of 0.866 times the pitch deep.
//
// Vertices of the thread stand on helices, so that its surface is carried over into itself by a turn of one segment with the advance that belongs to
// it, and a nut that turns meets the same surface everywhere. The phase of both threads is y / pitch - angle / (2 pi): a nut fits on a bolt, with the
// clearance all around, wherever it stands higher by a whole number of pitches, and everywhere that its thread leads it to from there.
#include "scenes/mesh_library.hpp"

#include <cmath>

namespace cairn::v0::scenes {
namespace {

// From 0 at the root to 1 at the crest; the phase in turns.
double threadProfile(double phase) {
  const double t = phase - std::floor(phase);
  if (t < 0.25) return 0;
  if (t < 0.5625) return (t - 0.25) / 0.3125;
  return t < 0.6875 ? 1 : (1 - t) / 0.3125;
}
double threadDepth(double pitch) { return 0.625 * 0.5 * std::sqrt(3.0) * pitch; }

// The part of a radius that is not that of a cylinder.
struct Thread {
  double pitch, first;  // the thread begins at this height, at angle 0
  int turns, rows;      // rows a turn
  double plain, full;   // radii: of the cylinders before and behind it, and what the crest (bolt) or root (nut) differs from them by
  bool inward;          // the surface of a hole
};

// From one plain ring to another: rings at angles 2 pi i / around, between which the thread winds up. Its first and its last turn are plain, since
// there its rows begin and end in a step that triangles of any height fill; it grows and vanishes within a quarter of a turn.
void addThread(RingMesh& mesh, const Thread& thread, int before, int behind) {
  const int n = mesh.around(), m = thread.rows, last = (thread.turns - 1) * m;
  std::vector<int> grid(size_t(n) * size_t(last + 1));
  const auto at = [&](int i, int j) -> int& { return grid[size_t(j) * size_t(n) + size_t(i)]; };
  for (int j = 0; j <= last; ++j) {
    for (int i = 0; i < n; ++i) {
      const double turn = double(j) / m + double(i) / n, grown = clampTo(4 * (minOf(turn, thread.turns - turn) - 1), 0.0, 1.0);
      const double profile = threadProfile(thread.first / thread.pitch + double(j) / m);
      const double part = thread.inward ? 1 - profile : profile;
      at(i, j) = mesh.vertex(aboutY(2 * kPi * i / n, thread.plain + thread.full * grown * part, thread.first + thread.pitch * turn));
    }
  }
  const auto triangle = [&](int a, int b, int c) { thread.inward ? mesh.triangle(a, c, b) : mesh.triangle(a, b, c); };
  const auto quad = [&](int a, int b, int c, int d) {
    triangle(a, b, c);
    triangle(a, c, d);
  };
  for (int i = 0; i + 1 < n; ++i) {
    quad(before + i, before + i + 1, at(i + 1, 0), at(i, 0));
    for (int j = 0; j < last; ++j) quad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
    quad(at(i, last), at(i + 1, last), behind + i + 1, behind + i);
  }
  // Behind the last segment of a turn follows the first of the next, m rows higher. Below the first and above the last turn a step is left.
  const int end = n - 1;
  for (int j = 0; j + m < last; ++j) quad(at(end, j), at(0, j + m), at(0, j + m + 1), at(end, j + 1));
  triangle(before + end, before, at(end, 0));
  triangle(before, at(0, 0), at(end, 0));
  for (int j = 0; j < m; ++j) triangle(at(0, j), at(0, j + 1), at(end, 0));
  for (int j = last - m; j < last; ++j) triangle(at(end, j), at(0, last), at(end, j + 1));
  triangle(at(end, last), at(0, last), behind + end);
  triangle(at(0, last), behind, behind + end);
}

int cylinderRing(RingMesh& mesh, double radius, double y) {
  return mesh.ring([&](int i) { return aboutY(2 * kPi * i / mesh.around(), radius, y); });
}

// Corners at the angles 0, 60 degrees and so on, each side cut by the angles of the ring.
int hexagonRing(RingMesh& mesh, double flats, double y) {
  return mesh.ring([&](int i) {
    const double angle = 2 * kPi * i / mesh.around(), sector = kPi / 3, within = angle - sector * std::floor(angle / sector + 1e-9) - 0.5 * sector;
    return aboutY(angle, 0.5 * flats / sinCos(within).cosine, y);
  });
}

struct Sizes {
  double diameter, pitch, flats;
  int turns, around, rows;
};

Sizes sizesOf(const Arguments& arguments, double widest) {
  const Sizes sizes{arguments.real("diameter"),    arguments.real("pitch"),        arguments.real("flats"),
                    int(arguments.whole("turns")), int(arguments.whole("around")), int(arguments.whole("rows"))};
  if (sizes.around % 6 != 0) arguments.reject("around", "must be a multiple of 6, as the head has six sides");
  if (sizes.rows % 2 != 0) arguments.reject("rows", "must be even");
  if (!(threadDepth(sizes.pitch) < 0.4 * sizes.diameter)) arguments.reject("pitch", "must be at most 0.73 times the diameter");
  if (!(sizes.flats > 1.05 * (sizes.diameter + 2 * widest))) arguments.reject("flats", "must be more than 1.05 times what it holds");
  return sizes;
}

TriangleMesh bolt(const Arguments& arguments) {
  const Sizes sizes = sizesOf(arguments, 0);
  const double head = arguments.real("head"), depth = threadDepth(sizes.pitch), root = 0.5 * sizes.diameter - depth;
  RingMesh mesh(sizes.around);
  const int below = hexagonRing(mesh, sizes.flats, -head), above = hexagonRing(mesh, sizes.flats, 0), foot = cylinderRing(mesh, root, 0);
  const double top = (sizes.turns + 1.5) * sizes.pitch;
  const int tip = cylinderRing(mesh, root, top);
  mesh.closeBefore(below, {0, -head, 0});
  mesh.join(below, above);
  mesh.join(above, foot);
  addThread(mesh, {sizes.pitch, sizes.pitch, sizes.turns, sizes.rows, root, depth, false}, foot, tip);
  mesh.closeBehind(tip, {0, top, 0});
  return mesh.take();
}

TriangleMesh nut(const Arguments& arguments) {
  const double clearance = arguments.real("clearance");
  const Sizes sizes = sizesOf(arguments, clearance);
  const double depth = threadDepth(sizes.pitch), half = 0.5 * sizes.turns * sizes.pitch, hole = 0.5 * sizes.diameter + clearance;
  const double face = half + 0.05 * sizes.pitch;
  RingMesh mesh(sizes.around);
  const int below = hexagonRing(mesh, sizes.flats, -face), above = hexagonRing(mesh, sizes.flats, face);
  const int lower = cylinderRing(mesh, hole, -face), upper = cylinderRing(mesh, hole, face);
  mesh.join(below, above);
  mesh.join(above, upper);
  addThread(mesh, {sizes.pitch, -half, sizes.turns, sizes.rows, hole, -depth, true}, lower, upper);
  mesh.join(lower, below);
  return mesh.take();
}

std::vector<Parameter> threadParameters(long turns) {
  return {real("diameter", "outer, of the bolt's thread [m]", "0.01", 1e-6, 1e6),
          real("pitch", "of the thread [m]", "0.0015", 1e-6, 1e6),
          whole("turns", "of the thread; the first and the last are plain", turns, 3, 1000),
          real("flats", "across the flats of the hexagon [m]", "0.016", 1e-6, 1e6),
          whole("around", "segments around, a multiple of 6", 36, 12, 1200),
          whole("rows", "of vertices a turn, even; 16 has the profile's corners", 16, 4, 256)};
}

}  // namespace

std::vector<MeshGenerator> threadMeshGenerators() {
  std::vector<Parameter> ofBolt = threadParameters(16), ofNut = threadParameters(6);
  ofBolt.push_back(real("head", "height of the head [m]", "0.0064", 1e-6, 1e6));
  ofNut.push_back(real("clearance", "between the threads, radially [m]", "0.0001", 0, 1e6));
  return {{"bolt", "a hexagon bolt, its head below y = 0, its thread about +y", std::move(ofBolt), bolt},
          {"nut", "the hexagon nut for it, around the origin", std::move(ofNut), nut}};
}

}  // namespace cairn::v0::scenes
