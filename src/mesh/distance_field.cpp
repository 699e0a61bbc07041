// Blocks are gone through from the large ones down, in the order in which their places are kept; each place is worked out from the mesh alone.
#include "src/mesh/distance_field.hpp"

#include "src/mesh/signed_distance.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr int kRow = kFieldCells + 1, kLayer = kRow * kRow;
// How far interpolation may be off, as a part of the smallest cell, and of the distance.
constexpr double kOfCell = 0.1, kOfDistance = 0.125;
// Large blocks along the longest side of the grid: fewer make deeper trees.
constexpr double kLargeBlocks = 6;

size_t sampleAt(int x, int y, int z) { return static_cast<size_t>(z * kLayer + y * kRow + x); }

using Samples = std::array<double, kFieldSamples>;

[[noreturn]] void refuseSize(const FieldSettings& settings) {
  throw InvalidInput("cell", text("must be larger: the field of the mesh would take more than {} MB with cells of {} m",
                                  std::lround(settings.mostBytes / 1e6), settings.cell));
}

class FieldMaker {
 public:
  FieldMaker(const CollisionMesh& mesh, const FieldSettings& settings, DistanceField& out) : distance_(mesh), settings_(settings), out_(out) {}

  void make(Vec3d low, Vec3d high) {
    const Vec3d size = high - low;
    const double longest = std::max({size.x, size.y, size.z}), smallest = kFieldCells * settings_.cell;
    double side = smallest;
    while (side * kLargeBlocks < longest) side *= 2;
    FieldRecord& record = out_.record;
    record.block = side;
    record.tolerance = kOfCell * settings_.cell;
    double places = 1;
    for (int axis = 0; axis < 3; ++axis) {
      record.grid[axis] = static_cast<int>(std::ceil(component(size, axis) / side));
      places *= record.grid[axis];
    }
    // The mesh in the middle.
    const Vec3d grid{record.grid[0] * side, record.grid[1] * side, record.grid[2] * side};
    record.low = low - 0.5 * (grid - size);
    out_.places.resize(static_cast<size_t>(places));
    size_t place = 0;
    for (int z = 0; z < record.grid[2]; ++z) {
      for (int y = 0; y < record.grid[1]; ++y) {
        for (int x = 0; x < record.grid[0]; ++x) divide(place++, record.low + side * Vec3d{double(x), double(y), double(z)}, side);
      }
    }
  }

 private:
  void divide(size_t place, Vec3d low, double side) {
    Samples samples;
    sample(low, side, samples);
    // Half of the smallest block's side would be too small: sides are powers of two of it.
    if (side < 1.5 * kFieldCells * settings_.cell || isGoodEnough(low, side, samples)) {
      out_.places[place] = keep(samples);
      return;
    }
    const size_t first = out_.places.size();
    out_.places[place] = ~static_cast<int>(first);
    out_.places.resize(first + 8);
    for (size_t part = 0; part < 8; ++part) {
      const Vec3d corner = low + (0.5 * side) * Vec3d{double(part & 1), double(part >> 1 & 1), double(part >> 2 & 1)};
      divide(first + part, corner, 0.5 * side);
    }
  }

  void sample(Vec3d low, double side, Samples& samples) {
    const double step = side / kFieldCells;
    int ofLayer = 0;
    for (int z = 0; z < kRow; ++z) {
      int ofRow = ofLayer;
      for (int y = 0; y < kRow; ++y) {
        int nearest = ofRow;
        for (int x = 0; x < kRow; ++x) {
          samples[sampleAt(x, y, z)] = distance_.at(low + step * Vec3d{double(x), double(y), double(z)}, nearest);
          if (x == 0) ofRow = nearest;
        }
        if (y == 0) ofLayer = ofRow;
      }
    }
  }

  bool isGoodEnough(Vec3d low, double side, const Samples& samples) const {
    const double step = side / kFieldCells;
    int nearest = 0;
    for (int z = 0; z < kFieldCells; ++z) {
      for (int y = 0; y < kFieldCells; ++y) {
        for (int x = 0; x < kFieldCells; ++x) {
          double mean = 0;
          for (int k = 0; k < 8; ++k) mean += 0.125 * samples[sampleAt(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2 & 1))];
          const Vec3d middle = low + step * Vec3d{x + 0.5, y + 0.5, z + 0.5};
          const double distance = distance_.at(middle, nearest);
          if (std::abs(mean - distance) > std::max(kOfCell * settings_.cell, kOfDistance * std::abs(distance))) return false;
        }
      }
    }
    return true;
  }

  int keep(const Samples& samples) {
    double most = 0;
    for (const double d : samples) most = std::max(most, std::abs(d));
    const float unit = static_cast<float>(most / 32766);
    const double perUnit = unit > 0 ? 1 / double(unit) : 0;
    out_.units.push_back(unit);
    for (const double d : samples) out_.samples.push_back(static_cast<int16_t>(std::lround(d * perUnit)));
    if (out_.bytes() > settings_.mostBytes) refuseSize(settings_);
    return static_cast<int>(out_.units.size()) - 1;
  }

  SignedDistance distance_;
  const FieldSettings settings_;
  DistanceField& out_;
};

}  // namespace

double DistanceField::bytes() const {
  return double(sizeof(FieldRecord) + places.size() * sizeof(int) + units.size() * sizeof(float) + samples.size() * sizeof(int16_t));
}

namespace {

// How many of the smallest blocks there are at least: sharp edges go through no others, each through one a diagonal of its length.
double fewestBlocks(const CollisionMesh& mesh, double cell) {
  constexpr double kSharp = 0.7;  // sine
  double sharp = 0;
  for (const MeshTriangle& triangle : mesh.triangles) {
    const auto at = [&](int k) { return mesh.vertices[static_cast<size_t>(triangle.corners[k % 3])]; };
    const Vec3d normal = normalizedOr(cross(at(1) - at(0), at(2) - at(0)), {0, 0, 0});
    for (int k = 0; k < 3; ++k) {
      if (triangle.across[k] == kBorder) continue;
      const Vec3d beyond = mesh.vertices[static_cast<size_t>(triangle.across[k])] - at(k), edge = at(k + 1) - at(k);
      const Vec3d away = beyond - (dot(beyond, edge) / dot(edge, edge)) * edge;
      if (std::abs(dot(normal, away)) > kSharp * length(away)) sharp += 0.5 * length(edge);
    }
  }
  return sharp / (std::sqrt(3.0) * kFieldCells * cell);
}

}  // namespace

DistanceField makeDistanceField(const CollisionMesh& mesh, const FieldSettings& settings) {
  DistanceField out;
  // What is certain to be too large is refused before the work.
  if (fewestBlocks(mesh, settings.cell) * kFieldSamples * sizeof(int16_t) > settings.mostBytes) refuseSize(settings);
  const Vec3d around{settings.around, settings.around, settings.around};
  FieldMaker(mesh, settings, out).make(mesh.low - around, mesh.high + around);
  return out;
}

}  // namespace cairn::v0
