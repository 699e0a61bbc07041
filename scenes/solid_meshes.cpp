// torus, bone, jack, hook: closed; terrain: open. None meets itself: the first four are the images of balls and rings under maps that are one to one.
#include "scenes/mesh_library.hpp"

#include <array>
#include <cmath>
#include <map>

namespace cairn::v0::scenes {
namespace {

const double kSmallest = 1e-6, kLargest = 1e6;  // of lengths [m]

// 0 below 0, 1 above 1, without a kink.
double smoothStep(double t) {
  t = clampTo(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

TriangleMesh torus(const Arguments& arguments) {
  const double major = arguments.real("major"), minor = arguments.real("minor");
  if (!(minor < major)) arguments.reject("minor", "must be less than major, or the tube meets itself");
  const int around = int(arguments.whole("around")), tube = int(arguments.whole("tube"));
  RingMesh mesh(around);
  for (int j = 0; j < tube; ++j) {
    const SinCos<double> section = sinCos(2 * kPi * j / tube);
    mesh.ring([&](int i) { return aboutY(2 * kPi * i / around, major + minor * section.cosine, minor * section.sine); });
  }
  for (int j = 0; j < tube; ++j) mesh.join(j * around, (j + 1) % tube * around);
  return mesh.take();
}

// A body of revolution about y with thick ends, which are then made broad along x and thin along z, and drawn in at their middles, so that each has
// two knobs.
TriangleMesh bone(const Arguments& arguments) {
  const double half = 0.5 * arguments.real("length"), shaft = arguments.real("shaft"), knob = arguments.real("knob");
  if (!(shaft < knob)) arguments.reject("shaft", "must be less than knob");
  if (!(half >= 3.5 * knob)) arguments.reject("length", "must be at least seven times knob");
  const int around = int(arguments.whole("around")), along = int(arguments.whole("along"));
  const auto place = [&](double s, double angle) {
    const double fromEnd = half * (1 - absOf(s)), thick = smoothStep((3.5 * knob - fromEnd) / (2.5 * knob));
    const double inward = 1 - minOf(1.0, fromEnd / knob), rounded = squareRoot(1 - inward * inward);
    const double radius = rounded * (shaft + (knob - shaft) * thick);
    Vec3d p = aboutY(angle, radius, half * s);
    p.x *= 1 + 0.35 * thick;
    p.z *= 1 - 0.25 * thick;
    const double aside = p.x / (1.35 * knob), drawn = 0.6 * knob * thick * (1 - aside * aside);
    p.y -= s < 0 ? -drawn : drawn;
    return p;
  };
  RingMesh mesh(around);
  int last = 0;
  for (int k = 1; k < along; ++k) {
    const double s = -sinCos(kPi * k / along).cosine;
    const int ring = mesh.ring([&](int i) { return place(s, 2 * kPi * i / around); });
    if (k > 1) mesh.join(last, ring);
    last = ring;
  }
  mesh.closeBefore(0, place(-1, 0));
  mesh.closeBehind(last, place(1, 0));
  return mesh.take();
}

// A sphere's points, moved out along their directions the more, the nearer these are to an axis. The sphere is a cube's surface.
TriangleMesh jack(const Arguments& arguments) {
  const double core = arguments.real("core"), reach = arguments.real("reach");
  if (!(core < reach)) arguments.reject("core", "must be less than reach");
  const int cells = int(arguments.whole("cells"));
  TriangleMesh mesh;
  std::map<std::array<int, 3>, int32_t> numbers;
  const auto vertexAt = [&](const std::array<int, 3>& place) {
    const auto [entry, isNew] = numbers.emplace(place, int32_t(mesh.vertices.size()));
    if (isNew) {
      const Vec3d p{double(2 * place[0] - cells), double(2 * place[1] - cells), double(2 * place[2] - cells)};
      const Vec3d d = (1 / length(p)) * p;
      double nearness = 0;
      for (const double c : {d.x, d.y, d.z}) {
        const double c4 = c * c * c * c, c8 = c4 * c4;
        nearness += c8 * c8;
      }
      mesh.vertices.push_back((core + (reach - core) * nearness) * d);
    }
    return entry->second;
  };
  for (size_t axis = 0; axis < 3; ++axis) {
    const size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const int side : {0, cells}) {
      for (int i = 0; i < cells; ++i) {
        for (int j = 0; j < cells; ++j) {
          const auto corner = [&](int a, int b) {
            std::array<int, 3> place{};
            place[axis] = side;
            place[u] = i + a;
            place[v] = j + b;
            return vertexAt(place);
          };
          const int32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (side > 0) {
            mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
          } else {
            mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {a, d, c}});
          }
        }
      }
    }
  }
  return mesh;
}

// A tube along two legs and the half circle between them, with round ends.
TriangleMesh hook(const Arguments& arguments) {
  const double radius = arguments.real("radius"), bend = arguments.real("bend"), leg = arguments.real("leg");
  if (!(radius < bend)) arguments.reject("radius", "must be less than bend, or the tube meets itself");
  const int around = int(arguments.whole("around")), along = int(arguments.whole("along")), round = around / 4;
  const int pieces = std::max(1, int(minOf(10000.0, leg * along / (kPi * bend))));
  struct Section {
    Vec3d centre, normal;  // the normal towards the outside of the bend
    double radius;
  };
  std::vector<Section> sections;
  const auto add = [&](Vec3d centre, double angle, double r) {  // about z, from -x over -y to x
    const SinCos<double> turn = sinCos(angle);
    sections.push_back({centre, {-turn.cosine, -turn.sine, 0}, r});
  };
  // Downwards on the left, from the round end on.
  for (int k = 1; k <= round; ++k) {
    const SinCos<double> turn = sinCos(0.5 * kPi * k / round);
    add({-bend, leg + radius * turn.cosine, 0}, 0, radius * turn.sine);
  }
  for (int k = 1; k < pieces; ++k) add({-bend, leg * (pieces - k) / pieces, 0}, 0, radius);
  for (int k = 0; k <= along; ++k) {
    const SinCos<double> turn = sinCos(kPi * k / along);
    add({-bend * turn.cosine, -bend * turn.sine, 0}, kPi * k / along, radius);
  }
  for (int k = 1; k < pieces; ++k) add({bend, leg * k / pieces, 0}, kPi, radius);
  for (int k = round; k >= 1; --k) {
    const SinCos<double> turn = sinCos(0.5 * kPi * k / round);
    add({bend, leg + radius * turn.cosine, 0}, kPi, radius * turn.sine);
  }
  RingMesh mesh(around);
  for (const Section& section : sections) {
    mesh.ring([&](int i) {
      const SinCos<double> turn = sinCos(2 * kPi * i / around);
      return section.centre + (section.radius * turn.cosine) * section.normal - Vec3d{0, 0, section.radius * turn.sine};
    });
  }
  for (size_t k = 0; k + 1 < sections.size(); ++k) mesh.join(int(k) * around, int(k + 1) * around);
  mesh.closeBefore(0, {-bend, leg + radius, 0});
  mesh.closeBehind(int(sections.size() - 1) * around, {bend, leg + radius, 0});
  return mesh.take();
}

// Waves of ever shorter length in random directions, each half as high as the one before.
TriangleMesh terrain(const Arguments& arguments) {
  const double size = arguments.real("size"), height = arguments.real("height");
  const int cells = int(arguments.whole("cells"));
  struct Wave {
    double x, z, phase, height;
  };
  std::vector<Wave> waves;
  Random random(uint64_t(arguments.whole("seed")));
  double sum = 0;
  for (int octave = 0; octave < 5; ++octave) {
    const SinCos<double> direction = sinCos(2 * kPi * random.next());
    const double number = 2 * kPi * (1 << octave) / size;
    waves.push_back({number * direction.cosine, number * direction.sine, 2 * kPi * random.next(), 1.0 / (1 << octave)});
    sum += waves.back().height;
  }
  TriangleMesh mesh;
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) {
      const double x = size * i / cells - 0.5 * size, z = size * j / cells - 0.5 * size;
      double y = 0;
      for (const Wave& wave : waves) y += 0.5 * height / sum * wave.height * sinCos(wave.x * x + wave.z * z + wave.phase).sine;
      mesh.vertices.push_back({x, y, z});
    }
  }
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const int32_t a = i * (cells + 1) + j, b = a + 1, c = b + cells + 1, d = a + cells + 1;
      mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
    }
  }
  return mesh;
}

}  // namespace

std::vector<MeshGenerator> solidMeshGenerators() {
  return {
      {"torus",
       "a ring about y",
       {real("major", "radius of the ring [m]", "1", kSmallest, kLargest), real("minor", "radius of its tube [m]", "0.25", kSmallest, kLargest),
        whole("around", "segments around the ring", 26, 3, 2000), whole("tube", "segments around the tube", 25, 3, 2000)},
       torus},
      {"bone",
       "a bone along y: a shaft, and two knobs at each end",
       {real("length", "without the drawn-in ends [m]", "0.3", kSmallest, kLargest),
        real("shaft", "radius in the middle [m]", "0.013", kSmallest, kLargest),
        real("knob", "radius of the ends before they are made broad [m]", "0.026", kSmallest, kLargest),
        whole("around", "segments around", 48, 8, 2000), whole("along", "segments along", 64, 8, 2000)},
       bone},
      {"jack",
       "six arms along the axes",
       {real("core", "radius between the arms [m]", "0.1", kSmallest, kLargest), real("reach", "of the arms [m]", "0.5", kSmallest, kLargest),
        whole("cells", "along each side of the cube that it is made of", 24, 4, 1000)},
       jack},
      {"hook",
       "a U of a round bar, open at +y",
       {real("radius", "of the bar [m]", "0.1", kSmallest, kLargest),
        real("bend", "radius of the bend's middle line [m]", "0.3", kSmallest, kLargest),
        real("leg", "length of each leg [m]", "0.6", kSmallest, kLargest), whole("around", "segments around the bar", 24, 8, 2000),
        whole("along", "segments along the bend", 32, 4, 2000)},
       hook},
      {"terrain",
       "a square patch of hills, open",
       {real("size", "of a side [m]", "20", kSmallest, kLargest), real("height", "between valleys and tops at most [m]", "2", 0, kLargest),
        whole("cells", "along a side", 64, 1, 2000), whole("seed", "of the hills", 1, 0, 1e9)},
       terrain},
  };
}

}  // namespace cairn::v0::scenes
