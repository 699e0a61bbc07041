#include "src/mesh/solid_mesh.hpp"

#include "kernels/state/field_look.hpp"
#include "src/mesh/box_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace cairn::v0 {
namespace {

// Sine of the angle by which an edge from a vertex may climb along the vertex's normal if the vertex can still be touched: as for contacts, whose
// directions are known that well (collide_solids.hpp).
constexpr double kClimbs = 0.15;
// Sine from which on an edge is a ridge.
constexpr double kRidge = 1e-3;

// Normals of vertices that stand for each other are alike up to this cosine.
constexpr double kAlike = 0.95;
// How far the surface may rise above what the samples span, in cells: as much as the field may be off by.
constexpr double kRise = 0.1;

class SampleMaker {
 public:
  SampleMaker(const CollisionMesh& mesh, double spacing, double cell) : mesh_(mesh), spacing_(spacing), cell_(cell) {}

  std::vector<SurfaceSample> make() {
    for (size_t v = 0; v < mesh_.vertices.size(); ++v) {
      if (sticksOut(v) && isNeeded(v)) samples_.push_back({mesh_.vertices[v], static_cast<int>(v), kNoVertex});
    }
    for (const MeshTriangle& triangle : mesh_.triangles) {
      for (int k = 0; k < 3; ++k) alongEdge(triangle, k);
    }
    return std::move(samples_);
  }

 private:
  Vec3d at(int vertex) const { return mesh_.vertices[static_cast<size_t>(vertex)]; }

  bool sticksOut(size_t v) const {
    const Vec3d normal = normalizedOr(mesh_.normals[v], {0, 0, 0});
    for (int i = mesh_.fans[v]; i < mesh_.fans[v + 1]; ++i) {
      const Vec3d along = at(mesh_.near[static_cast<size_t>(i)]) - mesh_.vertices[v];
      if (dot(normal, along) > kClimbs * length(along)) return false;
    }
    return true;
  }

  // Whether no sample that was taken before stands for this vertex: within the distance over which the surface bends away from its tangent plane by
  // less than samples need to know. What is smooth may have many more vertices than cells.
  bool isNeeded(size_t v) {
    const Vec3d p = mesh_.vertices[v], normal = normalizedOr(mesh_.normals[v], {0, 0, 0});
    double reach = spacing_ * spacing_;
    for (int i = mesh_.fans[v]; i < mesh_.fans[v + 1]; ++i) {
      const Vec3d along = at(mesh_.near[static_cast<size_t>(i)]) - p;
      const double away = std::abs(dot(normal, along));
      // A circle of radius r is off its tangent by l^2 / 2r at l, and a chord of length s rises by s^2 / 8r.
      if (away > 0) reach = std::min(reach, 4 * kRise * cell_ * lengthSquared(along) / away);
    }
    const auto place = [&](double x) { return static_cast<int64_t>(std::floor(x / spacing_)); };
    const std::array<int64_t, 3> own{place(p.x), place(p.y), place(p.z)};
    for (int64_t x = own[0] - 1; x <= own[0] + 1; ++x) {
      for (int64_t y = own[1] - 1; y <= own[1] + 1; ++y) {
        for (int64_t z = own[2] - 1; z <= own[2] + 1; ++z) {
          const auto there = taken_.find({x, y, z});
          if (there == taken_.end()) continue;
          for (const size_t other : there->second) {
            if (lengthSquared(mesh_.vertices[other] - p) < reach && dot(normalizedOr(mesh_.normals[other], {0, 0, 0}), normal) > kAlike) return false;
          }
        }
      }
    }
    taken_[own].push_back(v);
    return true;
  }

  // Both triangles of an edge come here; the one that runs from the lower vertex makes its samples.
  void alongEdge(const MeshTriangle& triangle, int k) {
    const int from = triangle.corners[k], to = triangle.corners[(k + 1) % 3], third = triangle.corners[(k + 2) % 3], beyond = triangle.across[k];
    if (from > to || beyond == kBorder) return;
    const Vec3d a = at(from), edge = at(to) - a, normal = normalizedOr(cross(edge, at(third) - a), {0, 0, 0});
    if (!(dot(normal, at(beyond) - a) < -kRidge * length(at(beyond) - a))) return;
    const int parts = static_cast<int>(std::ceil(length(edge) / spacing_));
    for (int part = 1; part < parts; ++part) samples_.push_back({a + (double(part) / parts) * edge, third, beyond});
  }

  const CollisionMesh& mesh_;
  const double spacing_, cell_;
  std::vector<SurfaceSample> samples_;
  std::map<std::array<int64_t, 3>, std::vector<size_t>> taken_;  // vertices by cubes of the spacing
};

// The radius of the ball inside that touches the surface at a place.
double ballAt(const FieldShape& field, Vec3d p, Vec3d inward, double cell) {
  const auto fits = [&](double radius) { return lookAt(field, p + radius * inward).distance <= -0.9 * radius + 0.2 * cell; };
  double low = 0, high = cell;
  while (fits(high) && high < 1e6 * cell) {
    low = high;
    high *= 2;
  }
  for (int k = 0; k < 6; ++k) {
    const double middle = 0.5 * (low + high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

// The radius that a tenth of the surface is below: a point or a sharp edge here and there makes nothing thin.
double thicknessOf(const CollisionMesh& mesh, const FieldShape& field, double cell) {
  constexpr double kPart = 0.1;
  std::vector<std::pair<double, double>> balls;  // radius, area
  double whole = 0;
  for (const MeshTriangle& triangle : mesh.triangles) {
    const auto at = [&](int k) { return mesh.vertices[static_cast<size_t>(triangle.corners[k])]; };
    const Vec3d across = cross(at(1) - at(0), at(2) - at(0));
    const double area = 0.5 * length(across);
    balls.emplace_back(ballAt(field, (1.0 / 3) * (at(0) + at(1) + at(2)), -normalizedOr(across, {0, 1, 0}), cell), area);
    whole += area;
  }
  std::sort(balls.begin(), balls.end());
  double below = 0;
  for (const auto& [radius, area] : balls) {
    below += area;
    if (below >= kPart * whole) return std::max(radius, cell);
  }
  return std::max(balls.back().first, cell);
}

}  // namespace

SolidMesh makeSolid(const CollisionMesh& mesh, double cell) {
  SolidMesh out;
  out.spacing = kSpacingInCells * cell;
  out.field = makeDistanceField(mesh, {cell, kFieldCells * cell / 2});
  out.inner = thicknessOf(mesh, out.field.shape(), cell);
  const std::vector<SurfaceSample> samples = SampleMaker(mesh, out.spacing, cell).make();
  std::vector<Bounds> places;
  places.reserve(samples.size());
  for (const SurfaceSample& sample : samples) places.push_back({sample.p, sample.p});
  BoxTree tree(places);
  out.nodes = std::move(tree.nodes);
  for (const int k : tree.order) out.samples.push_back(samples[static_cast<size_t>(k)]);
  return out;
}

}  // namespace cairn::v0
