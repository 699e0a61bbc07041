#include "src/mesh/solid_mesh.hpp"

#include "kernels/state/field_look.hpp"
#include "src/mesh/box_tree.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

// Sine of the angle by which an edge from a vertex may climb along the vertex's normal if the vertex can still be touched: as for contacts, whose
// directions are known that well (collide_solids.hpp).
constexpr double kClimbs = 0.15;
// Sine from which on an edge is a ridge.
constexpr double kRidge = 1e-3;
// Part of a cell by which the surface may bend between vertices that stay among few samples: what fields are off by.
constexpr double kBend = 0.1;

class SampleMaker {
 public:
  SampleMaker(const CollisionMesh& mesh, double spacing) : mesh_(mesh), spacing_(spacing) {}

  std::vector<SurfaceSample> make() {
    for (size_t v = 0; v < mesh_.vertices.size(); ++v) {
      if (sticksOut(v)) samples_.push_back({mesh_.vertices[v], static_cast<int>(v), kNoVertex});
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
  const double spacing_;
  std::vector<SurfaceSample> samples_;
};

// Leaves out vertices that others stand for: those within the spacing whose planes are near each other there, so that the surface bends by less than
// a part of a cell between those that stay. The sharpest are asked first, so that corners stay rather than what lies on edges, and edges rather than
// faces.
class FewerSamples {
 public:
  FewerSamples(const CollisionMesh& mesh, double spacing, double bend) : mesh_(mesh), spacing_(spacing), bend_(bend) {
    normals_.reserve(mesh.normals.size());
    for (const Vec3d& normal : mesh.normals) normals_.push_back(normalizedOr(normal, {0, 0, 0}));
  }

  std::vector<SurfaceSample> of(const std::vector<SurfaceSample>& samples) {
    std::vector<std::pair<double, size_t>> vertices;  // the sharpest first
    for (const SurfaceSample& sample : samples) {
      if (sample.b == kNoVertex) vertices.emplace_back(-sharpnessAt(static_cast<size_t>(sample.a)), static_cast<size_t>(sample.a));
    }
    std::sort(vertices.begin(), vertices.end());
    standIn_.assign(mesh_.vertices.size(), kNone);
    for (const auto& [sharpness, vertex] : vertices) {
      if (standIn_[vertex] == kNone) standFor(vertex);
    }
    std::vector<SurfaceSample> out;
    for (const SurfaceSample& sample : samples) {
      if (sample.b != kNoVertex || standIn_[static_cast<size_t>(sample.a)] == static_cast<size_t>(sample.a)) out.push_back(sample);
    }
    return out;
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // Sine of the angle by which edges fall away from the tangent plane, at most.
  double sharpnessAt(size_t v) const {
    double most = 0;
    for (int i = mesh_.fans[v]; i < mesh_.fans[v + 1]; ++i) {
      const Vec3d along = mesh_.vertices[static_cast<size_t>(mesh_.near[static_cast<size_t>(i)])] - mesh_.vertices[v];
      most = std::max(most, -dot(normals_[v], along) / length(along));
    }
    return most;
  }

  // Those around that it stands for, as far as they lie together.
  void standFor(size_t vertex) {
    standIn_[vertex] = vertex;
    std::vector<size_t> front{vertex};
    while (!front.empty()) {
      const size_t from = front.back();
      front.pop_back();
      for (int i = mesh_.fans[from]; i < mesh_.fans[from + 1]; ++i) {
        const auto to = static_cast<size_t>(mesh_.near[static_cast<size_t>(i)]);
        if (standIn_[to] != kNone || !lieTogether(vertex, to)) continue;
        standIn_[to] = vertex;
        front.push_back(to);
      }
    }
  }
  bool lieTogether(size_t u, size_t v) const {
    const Vec3d way = mesh_.vertices[v] - mesh_.vertices[u];
    return length(way) <= spacing_ && std::abs(dot(normals_[u], way)) <= bend_ && std::abs(dot(normals_[v], way)) <= bend_;
  }

  const CollisionMesh& mesh_;
  const double spacing_, bend_;
  std::vector<Vec3d> normals_;
  std::vector<size_t> standIn_;  // by vertex: the one that stands for it
};

// Samples in the order of the leaves of a tree over them, behind those that are there.
std::vector<BoxNode> addInTree(const std::vector<SurfaceSample>& samples, std::vector<SurfaceSample>& out) {
  std::vector<Bounds> places;
  places.reserve(samples.size());
  for (const SurfaceSample& sample : samples) places.push_back({sample.p, sample.p});
  BoxTree tree(places);
  const int first = static_cast<int>(out.size());
  for (BoxNode& node : tree.nodes) {
    if (node.items != 0) node.items += first << 3;
  }
  for (const int k : tree.order) out.push_back(samples[static_cast<size_t>(k)]);
  return std::move(tree.nodes);
}

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

SolidMesh makeSolid(const CollisionMesh& mesh, double cell, int threads) {
  SolidMesh out;
  out.spacing = kSpacingInCells * cell;
  out.field = makeDistanceField(mesh, {cell, kFieldCells * cell / 2, FieldSettings{}.mostBytes, threads});
  out.inner = thicknessOf(mesh, out.field.shape(), cell);
  const std::vector<SurfaceSample> samples = SampleMaker(mesh, out.spacing).make();
  out.nodes = addInTree(samples, out.samples);
  out.fewNodes = addInTree(FewerSamples(mesh, out.spacing, kBend * cell).of(samples), out.samples);
  return out;
}

}  // namespace cairn::v0
