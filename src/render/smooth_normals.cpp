#include "src/render/smooth_normals.hpp"

#include <cairn/height_field.hpp>
#include <cairn/mesh.hpp>

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr double kSmooth = 0.82;  // cosine of the largest angle between triangles of one smooth surface
const Vec3d kNone{0, 0, 0};

const void* keyOf(const ShapeDef& shape) {
  if (shape.type == ShapeType::Mesh) return shape.triangles.get();
  return shape.type == ShapeType::HeightField ? shape.heights.get() : nullptr;
}

// Corners in the same place, one after the other, as numbers of corners: 3 times the triangle and the corner's own.
std::vector<size_t> cornersByPlace(const std::vector<Triangle>& triangles) {
  std::vector<size_t> corners(3 * triangles.size());
  for (size_t i = 0; i < corners.size(); ++i) corners[i] = i;
  const auto key = [&](size_t corner) {
    const Vec3d& p = triangles[corner / 3][corner % 3];
    return std::tuple(p.x, p.y, p.z, corner);
  };
  std::sort(corners.begin(), corners.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  return corners;
}

}  // namespace

SmoothNormals::SmoothNormals(const Scene& scene) {
  for (const BodyDef& body : scene.bodies) {
    for (const ShapeDef& shape : body.shapes) {
      const void* const key = keyOf(shape);
      if (key == nullptr || surfaces_.count(key) != 0) continue;
      if (shape.type == ShapeType::Mesh) {
        add(key, *shape.triangles);
      } else {
        add(key, triangulated(*shape.heights));
      }
    }
  }
}

void SmoothNormals::add(const void* key, const TriangleMesh& mesh) {
  std::vector<Triangle> triangles;
  std::vector<Vec3d> across, units;  // twice the area along the normal, and the normal
  Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const auto& t : mesh.triangles) {
    const auto vertex = [&](size_t k) { return mesh.vertices[static_cast<size_t>(t[k])]; };
    triangles.push_back({vertex(0), vertex(1), vertex(2)});
    across.push_back(cross(vertex(1) - vertex(0), vertex(2) - vertex(0)));
    units.push_back(normalizedOr(across.back(), kNone));
    for (const Vec3d& p : triangles.back()) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  }
  std::vector<std::array<Vec3d, 3>> normals(triangles.size(), {kNone, kNone, kNone});
  const std::vector<size_t> corners = cornersByPlace(triangles);
  const auto place = [&](size_t k) { return triangles[corners[k] / 3][corners[k] % 3]; };
  for (size_t from = 0; from < corners.size();) {
    size_t to = from + 1;
    while (to < corners.size() && length(place(to) - place(from)) == 0) ++to;
    for (size_t a = from; a < to; ++a) {
      const Vec3d own = units[corners[a] / 3];
      Vec3d sum = kNone;
      for (size_t b = from; b < to; ++b) {
        if (dot(own, units[corners[b] / 3]) >= kSmooth) sum += across[corners[b] / 3];
      }
      normals[corners[a] / 3][corners[a] % 3] = normalizedOr(sum, own);
    }
    from = to;
  }
  const double size = triangles.empty() ? 1 : length(high - low);
  surfaces_[key] = std::make_unique<Surface>(Surface{TriangleTree(std::move(triangles)), std::move(normals), size});
}

Vec3d SmoothNormals::at(const void* key, Vec3d point, Vec3d direction, Vec3d normal) const {
  const auto found = surfaces_.find(key);
  if (found == surfaces_.end()) return normal;
  const Surface& surface = *found->second;
  // The same triangle again, from a little before it: where that finds another one, both are at an edge.
  const double before = 1e-3 * surface.size;
  const TriangleHit hit = surface.tree.cast(point - before * direction, direction);
  if (hit.triangle < 0 || hit.distance > 2 * before) return normal;
  const auto& corners = surface.normals[static_cast<size_t>(hit.triangle)];
  const Vec3d smooth = normalizedOr((1 - hit.second - hit.third) * corners[0] + hit.second * corners[1] + hit.third * corners[2], normal);
  const Vec3d facing = dot(smooth, normal) < 0 ? -smooth : smooth;
  return dot(facing, normal) < 0.5 ? normal : facing;
}

}  // namespace cairn::v0
