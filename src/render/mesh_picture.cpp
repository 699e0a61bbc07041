#include "src/render/mesh_picture.hpp"

#include "src/mesh/triangle_tree.hpp"
#include "src/render/samples.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

const Vec3d kBackgroundHigh{0.55, 0.66, 0.80}, kBackgroundLow{0.93, 0.95, 0.97};
const Vec3d kOutside{0.80, 0.62, 0.36}, kInside{0.42, 0.28, 0.55}, kMeeting{0.85, 0.08, 0.05}, kBorder{0.05, 0.55, 0.20};
constexpr double kWire = 0.005;  // half the thickness of a border's wire, of the mesh's size

enum class Part : char { Surface, Meeting, Border };

// What is drawn, scaled to a size of one about its middle, so that no mesh is too small or too large for the arithmetic.
struct Drawn {
  std::vector<Triangle> triangles;
  std::vector<Part> parts;

  void add(const Triangle& triangle, Part part) {
    triangles.push_back(triangle);
    parts.push_back(part);
  }
  // A bar with three sides.
  void addWire(Vec3d a, Vec3d b) {
    const Vec3d along = normalizedOr(b - a, Vec3d{1, 0, 0});
    Vec3d u, v;
    tangentFrame(along, u, v);
    const Vec3d from = a - kWire * along, to = b + kWire * along;
    const Vec3d corners[3] = {kWire * u, kWire * (0.87 * v - 0.5 * u), kWire * (-0.87 * v - 0.5 * u)};
    for (size_t k = 0; k < 3; ++k) {
      const Vec3d p = corners[k], q = corners[(k + 1) % 3];
      add({from + p, from + q, to + q}, Part::Border);
      add({from + p, to + q, to + p}, Part::Border);
    }
  }
};

Drawn drawn(const TriangleMesh& mesh, const MeshReport& report) {
  const Vec3d middle = 0.5 * report.low + 0.5 * report.high, size = 0.5 * report.high - 0.5 * report.low;
  const double largest = std::max({size.x, size.y, size.z}), scale = largest > 0 ? largest : 1;
  const auto place = [&](int32_t vertex) {
    const Vec3d p = mesh.vertices[static_cast<size_t>(vertex)] - middle;
    return Vec3d{p.x / scale, p.y / scale, p.z / scale};
  };
  Drawn out;
  for (const auto& t : mesh.triangles) out.add({place(t[0]), place(t[1]), place(t[2])}, Part::Surface);
  for (const int32_t t : report.intersectingTriangles) out.parts[static_cast<size_t>(t)] = Part::Meeting;
  for (const auto& ends : report.boundaryVertices) out.addWire(place(ends[0]), place(ends[1]));
  return out;
}

// From as near as has everything in the picture.
Camera framed(const std::vector<Triangle>& triangles, double aspect) {
  Camera camera;
  camera.tangent = 0.25;
  camera.forward = normalizedOr(Vec3d{-0.55, -0.45, -0.85}, Vec3d{0, 0, -1});
  camera.right = normalizedOr(cross(camera.forward, Vec3d{0, 1, 0}), Vec3d{1, 0, 0});
  camera.up = cross(camera.right, camera.forward);
  double distance = 0;
  for (const Triangle& triangle : triangles) {
    for (const Vec3d& p : triangle) {
      const double across = std::max(std::abs(dot(p, camera.right)) / aspect, std::abs(dot(p, camera.up)));
      distance = std::max(distance, 1.08 * across / camera.tangent - dot(p, camera.forward));
    }
  }
  camera.eye = -distance * camera.forward;
  return camera;
}

class MeshPainter {
 public:
  MeshPainter(const Drawn& scene, const Camera& camera, double pixel)
      : parts_(scene.parts), tree_(scene.triangles), camera_(camera), pixel_(pixel), sun_(normalizedOr(Vec3d{0.25, 1.0, 0.55}, Vec3d{0, 1, 0})) {}

  Vec3d colour(Vec3d direction, double height) const {
    const TriangleHit hit = tree_.cast(camera_.eye, direction);
    if (hit.triangle < 0) return mixed(kBackgroundLow, kBackgroundHigh, 0.5 + 0.5 * height);
    const Triangle& t = tree_.triangle(hit.triangle);
    const Vec3d across = cross(t[1] - t[0], t[2] - t[0]), outward = normalizedOr((1 / length(across)) * across, Vec3d{0, 1, 0});
    const bool fromInside = dot(outward, direction) > 0;
    const Vec3d normal = fromInside ? -outward : outward, point = camera_.eye + hit.distance * direction;
    const Part part = parts_[static_cast<size_t>(hit.triangle)];
    Vec3d base = part == Part::Meeting ? kMeeting : part == Part::Border ? kBorder : fromInside ? kInside : kOutside;
    if (part != Part::Border) base = (1 - 0.45 * edgeAt(t, hit)) * base;
    const double facing = std::max(0.0, dot(normal, sun_));
    const double lit = facing > 0 && tree_.cast(point + 1e-6 * normal, sun_, 1e-6).triangle < 0 ? 1 : 0;
    return (0.34 + 0.12 * normal.y + 0.14 * std::max(0.0, -dot(normal, direction)) + 0.6 * facing * lit) * base;
  }

 private:
  // How much of a line along the triangle's edges is here: none where triangles are too small for lines to be told apart.
  double edgeAt(const Triangle& t, const TriangleHit& hit) const {
    const double area = length(cross(t[1] - t[0], t[2] - t[0])), footprint = pixel_ * hit.distance;
    const double heights[3] = {area / length(t[2] - t[1]), area / length(t[0] - t[2]), area / length(t[1] - t[0])};
    const double weights[3] = {1 - hit.second - hit.third, hit.second, hit.third};
    double nearest = 1e30, smallest = 1e30;
    for (size_t k = 0; k < 3; ++k) {
      nearest = std::min(nearest, weights[k] * heights[k]);
      smallest = std::min(smallest, heights[k]);
    }
    const double shown = std::clamp((smallest / footprint - 4) / 8, 0.0, 1.0);
    return shown * std::clamp(1.2 - nearest / footprint, 0.0, 1.0);
  }

  const std::vector<Part>& parts_;
  TriangleTree tree_;
  const Camera& camera_;
  double pixel_;  // what a pixel covers at a distance of one
  Vec3d sun_;
};

}  // namespace

void writeMeshPicture(const TriangleMesh& mesh, const MeshReport& report, const std::string& path, const PictureSettings& settings) {
  requireInRange(settings);
  const double aspect = double(settings.width) / settings.height;
  const Drawn scene = drawn(mesh, report);
  const Camera camera = framed(scene.triangles, aspect);
  const MeshPainter painter(scene, camera, 2 * camera.tangent / settings.height);
  std::vector<Vec3d> sums(static_cast<size_t>(settings.width) * static_cast<size_t>(settings.height), Vec3d{0, 0, 0});
  forEachSample(settings, [&](size_t pixel, double x, double y) {
    const Vec3d direction = camera.forward + (camera.tangent * aspect * x) * camera.right + (camera.tangent * y) * camera.up;
    sums[pixel] += painter.colour(normalizedOr(direction, camera.forward), y);
  });
  writePng(path, averaged(sums, settings));
}

}  // namespace cairn::v0
