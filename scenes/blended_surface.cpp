#include "scenes/blended_surface.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <unordered_map>

namespace cairn::v0::scenes {
namespace {

double distanceTo(const ShapeDef& shape, Vec3d p, double blend) {
  const Vec3d local = inverseRotate(shape.localPose.q, p - shape.localPose.p);
  if (shape.type == ShapeType::Sphere) return length(local) - shape.radius;
  if (shape.type == ShapeType::Capsule) return length(local - Vec3d{0, clampTo(local.y, -shape.halfHeight, shape.halfHeight), 0}) - shape.radius;
  assert(shape.type == ShapeType::Box);
  const Vec3d half = shape.halfExtents;
  const double rounding = minOf(blend, 0.8 * minOf(half.x, minOf(half.y, half.z)));
  const Vec3d out = absOf(local) - half + Vec3d{rounding, rounding, rounding};
  return length(maxOf(out, Vec3d{0, 0, 0})) + minOf(maxOf(out.x, maxOf(out.y, out.z)), 0.0) - rounding;
}

class Field {
 public:
  Field(const std::vector<ShapeDef>& shapes, double blend) : shapes_(shapes), blend_(blend) {}

  double at(Vec3d p) const {
    double distance = distanceTo(shapes_[0], p, blend_);
    for (size_t k = 1; k < shapes_.size(); ++k) {
      const double other = distanceTo(shapes_[k], p, blend_), near = maxOf(1 - absOf(distance - other) / blend_, 0.0);
      distance = minOf(distance, other) - 0.25 * blend_ * near * near;
    }
    return distance;
  }
  // Onto the surface, by Newton's steps along the gradient.
  Vec3d onto(Vec3d p, double step) const {
    for (int k = 0; k < 3; ++k) {
      const double here = at(p), d = 0.01 * step;
      const Vec3d slope = (1 / d) * Vec3d{at(p + Vec3d{d, 0, 0}) - here, at(p + Vec3d{0, d, 0}) - here, at(p + Vec3d{0, 0, d}) - here};
      const double square = lengthSquared(slope);
      if (!(square > 0.01)) return p;
      p -= clampTo(here / square, -0.2 * step, 0.2 * step) * slope;
    }
    return p;
  }

 private:
  const std::vector<ShapeDef>& shapes_;
  double blend_;
};

// Cubes of a grid, each cut into the six tetrahedra around the diagonal from its lowest corner to its highest: neighbours agree on their faces.
class Cutter {
 public:
  Cutter(const Field& field, Vec3d low, Vec3d high, double cell) : field_(field), cell_(cell) {
    const Vec3d size = high - low;
    for (int axis = 0; axis < 3; ++axis) count_[size_t(axis)] = int(component(size, axis) / cell) + 4;
    low_ = 0.5 * (low + high) - (0.5 * cell) * Vec3d{double(count_[0] - 1), double(count_[1] - 1), double(count_[2] - 1)};
    values_.reserve(size_t(count_[0]) * size_t(count_[1]) * size_t(count_[2]));
    for (int z = 0; z < count_[2]; ++z)
      for (int y = 0; y < count_[1]; ++y)
        for (int x = 0; x < count_[0]; ++x) values_.push_back(away(field.at(placeOf({x, y, z}))));
  }

  TriangleMesh take() {
    for (int z = 0; z + 1 < count_[2]; ++z)
      for (int y = 0; y + 1 < count_[1]; ++y)
        for (int x = 0; x + 1 < count_[0]; ++x) cutCube({x, y, z});
    return std::move(mesh_);
  }

 private:
  using Corner = std::array<int, 3>;

  // From zero: a vertex at a corner would be a triangle without area for each tetrahedron there.
  double away(double value) const { return value < 0 ? minOf(value, -0.1 * cell_) : maxOf(value, 0.1 * cell_); }
  Vec3d placeOf(Corner c) const { return low_ + cell_ * Vec3d{double(c[0]), double(c[1]), double(c[2])}; }
  int64_t numberOf(Corner c) const { return (int64_t(c[2]) * count_[1] + c[1]) * count_[0] + c[0]; }
  double valueAt(Corner c) const { return values_[size_t(numberOf(c))]; }

  void cutCube(Corner from) {
    static constexpr int kWays[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int way = 0; way < 6; ++way) {
      std::array<Corner, 4> corners{from, from, from, from};
      for (size_t k = 1; k < 4; ++k) {
        corners[k] = corners[k - 1];
        ++corners[k][size_t(kWays[way][k - 1])];
      }
      if (way >= 3) std::swap(corners[2], corners[3]);  // those would be left-handed
      cutTetrahedron(corners);
    }
  }

  void cutTetrahedron(const std::array<Corner, 4>& corners) {
    // Even permutations: the corner, or the two, that stand alone come first.
    static constexpr size_t kOne[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}};
    static constexpr size_t kTwo[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
    unsigned inside = 0;
    for (size_t k = 0; k < 4; ++k) inside |= valueAt(corners[k]) < 0 ? 1u << k : 0u;
    for (const auto& order : kOne) {
      const unsigned alone = 1u << order[0];
      if (inside != alone && inside != (15u ^ alone)) continue;
      const auto on = [&](size_t k) { return vertexOn(corners[order[0]], corners[order[k]]); };
      const int32_t a = on(1), b = on(2), c = on(3);
      mesh_.triangles.push_back(inside == alone ? std::array<int32_t, 3>{a, b, c} : std::array<int32_t, 3>{a, c, b});
    }
    for (const auto& order : kTwo) {
      if (inside != (1u << order[0] | 1u << order[1])) continue;
      const auto on = [&](size_t in, size_t out) { return vertexOn(corners[order[in]], corners[order[out]]); };
      const int32_t a = on(0, 2), b = on(0, 3), c = on(1, 3), d = on(1, 2);
      mesh_.triangles.insert(mesh_.triangles.end(), {{a, b, c}, {a, c, d}});
    }
  }

  int32_t vertexOn(Corner a, Corner b) {
    const int64_t low = std::min(numberOf(a), numberOf(b)), high = std::max(numberOf(a), numberOf(b));
    const auto [entry, isNew] = vertices_.emplace(low * int64_t(values_.size()) + high, int32_t(mesh_.vertices.size()));
    if (isNew) {
      const double va = valueAt(a), vb = valueAt(b);
      const Vec3d p = placeOf(a) + (va / (va - vb)) * (placeOf(b) - placeOf(a));
      mesh_.vertices.push_back(field_.onto(p, cell_));
    }
    return entry->second;
  }

  const Field& field_;
  double cell_;
  Vec3d low_{0, 0, 0};
  std::array<int, 3> count_{};
  std::vector<double> values_;
  std::unordered_map<int64_t, int32_t> vertices_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh blendedSurface(const std::vector<ShapeDef>& shapes, double cell, double blend) {
  Vec3d low{1e300, 1e300, 1e300}, high = -low;
  for (const ShapeDef& shape : shapes) {
    const double reach =
        shape.type == ShapeType::Box ? length(shape.halfExtents) : shape.radius + (shape.type == ShapeType::Capsule ? shape.halfHeight : 0);
    low = minOf(low, shape.localPose.p - Vec3d{reach, reach, reach});
    high = maxOf(high, shape.localPose.p + Vec3d{reach, reach, reach});
  }
  const Vec3d filled{blend, blend, blend};
  return Cutter(Field(shapes, blend), low - filled, high + filled, cell).take();
}

}  // namespace cairn::v0::scenes
