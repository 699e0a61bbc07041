// Blocks are gone through from the large ones down, in the order in which their places are kept; each place is worked out from the mesh alone. So
// large blocks are made by several threads, each as if it were alone, and put together in their order.
#include "src/mesh/distance_field.hpp"

#include "kernels/runtime/thread_team.hpp"
#include "src/mesh/signed_distance.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <new>

namespace cairn::v0 {
namespace {

constexpr int kRow = kFieldCells + 1, kLayer = kRow * kRow;
// How far interpolation may be off, as a part of the smallest cell, and of the distance.
constexpr double kOfCell = 0.1, kOfDistance = 0.125;
// Estimates that are larger than what they are of by this are not expected; what is refused by one is.
constexpr double kEstimatesDiffer = 3;
// Large blocks along the longest side of the grid: fewer make deeper trees.
constexpr double kLargeBlocks = 6;

size_t sampleAt(int x, int y, int z) { return static_cast<size_t>(z * kLayer + y * kRow + x); }

using Samples = std::array<double, kFieldSamples>;

[[noreturn]] void refuseSize(const FieldSettings& settings) {
  throw InvalidInput("cell", text("must be larger: the field of the mesh would take more than {} MB with cells of {} m",
                                  std::lround(settings.mostBytes / 1e6), settings.cell));
}

size_t bytesOf(size_t places, size_t blocks) { return places * sizeof(int) + blocks * (sizeof(float) + kFieldSamples * sizeof(int16_t)); }

// What several makers have made together, and how much it may be.
class Allowance {
 public:
  explicit Allowance(double most) : most_(most) {}
  void take(size_t bytes) { taken_ += bytes; }
  bool isSpent() const { return double(taken_.load()) > most_; }

 private:
  const double most_;
  std::atomic<size_t> taken_{0};
};

// Of the eight that a block is divided into.
Vec3d cornerOfPart(Vec3d low, double side, size_t part) {
  return low + (0.5 * side) * Vec3d{double(part & 1), double(part >> 1 & 1), double(part >> 2 & 1)};
}

// A block by itself: its distances, and whether they do.
class BlockSampler {
 public:
  BlockSampler(const SignedDistance& distance, double cell) : distance_(distance), cell_(cell) {}

  void sample(Vec3d low, double side, Samples& samples) const {
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

  // Half of the smallest block's side would be too small: sides are powers of two of it.
  bool isSmallest(double side) const { return side < 1.5 * kFieldCells * cell_; }
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
          if (std::abs(mean - distance) > std::max(kOfCell * cell_, kOfDistance * std::abs(distance))) return false;
        }
      }
    }
    return true;
  }

 private:
  const SignedDistance& distance_;
  const double cell_;
};

// One large block, with all that it is divided into.
class BlockMaker {
 public:
  BlockMaker(const BlockSampler& sampler, Allowance& allowance) : sampler_(sampler), allowance_(allowance) {}

  // Of the block's parts alone; `code` is what its own place has, as if these were the first ones.
  struct Made {
    int code = 0;
    std::vector<int> places;
    std::vector<float> units;
    std::vector<int16_t> samples;
  };
  // Stops where there is no allowance left.
  Made make(Vec3d low, double side) {
    made_ = {};
    const int code = divide(low, side);
    made_.code = code;
    return std::move(made_);
  }

 private:
  int divide(Vec3d low, double side) {
    Samples samples;
    sampler_.sample(low, side, samples);
    if (sampler_.isSmallest(side) || sampler_.isGoodEnough(low, side, samples)) return keep(samples);
    const size_t first = made_.places.size();
    made_.places.resize(first + 8);
    allowance_.take(bytesOf(8, 0));
    for (size_t part = 0; part < 8 && !allowance_.isSpent(); ++part) {
      const int code = divide(cornerOfPart(low, side, part), 0.5 * side);
      made_.places[first + part] = code;
    }
    return ~static_cast<int>(first);
  }

  int keep(const Samples& samples) {
    double most = 0;
    for (const double d : samples) most = std::max(most, std::abs(d));
    const float unit = static_cast<float>(most / 32766);
    const double perUnit = unit > 0 ? 1 / double(unit) : 0;
    made_.units.push_back(unit);
    for (const double d : samples) made_.samples.push_back(static_cast<int16_t>(std::lround(d * perUnit)));
    allowance_.take(bytesOf(0, 1));
    return static_cast<int>(made_.units.size()) - 1;
  }

  const BlockSampler& sampler_;
  Allowance& allowance_;
  Made made_;
};

// Leaves one of each so many, `most` of all at most twice. Returns for how many each stands. Which one that is goes up and down: meshes and grids
// have rhythms of their own.
double thinOut(std::vector<Vec3d>& corners, size_t most) {
  const size_t all = corners.size(), apart = all / most;
  if (apart < 2) return 1;
  const size_t left = all / apart;
  for (size_t k = 0; k < left; ++k) corners[k] = corners[k * apart + (k * 40503 >> 4) % apart];
  corners.resize(left);
  return double(all) / double(left);
}

class FieldMaker {
 public:
  FieldMaker(const CollisionMesh& mesh, const FieldSettings& settings, DistanceField& out)
      : distance_(mesh), sampler_(distance_, settings.cell), settings_(settings), out_(out) {
    const Vec3d around{settings.around, settings.around, settings.around};
    count_ = placeGrid(mesh.low - around, mesh.high + around);
  }

  // About how many bytes the field will have: level by level some of the blocks are looked at, each for as many as were passed over.
  double estimate(size_t lookedAt) const {
    std::vector<Vec3d> corners;
    for (size_t k = 0; k < count_; ++k) corners.push_back(cornerOf(static_cast<int64_t>(k)));
    double bytes = double(bytesOf(count_, 0)), each = 1;
    ThreadTeam team(settings_.threads);
    for (double side = out_.record.block; !corners.empty(); side *= 0.5) {
      each *= thinOut(corners, lookedAt);
      if (sampler_.isSmallest(side)) return bytes + each * double(bytesOf(0, corners.size()));
      std::vector<unsigned char> kept(corners.size());
      team.run(static_cast<int64_t>(corners.size()), [&](int64_t begin, int64_t end) {
        for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k) {
          Samples samples;
          sampler_.sample(corners[k], side, samples);
          kept[k] = sampler_.isGoodEnough(corners[k], side, samples);
        }
      });
      std::vector<Vec3d> parts;
      for (size_t k = 0; k < corners.size(); ++k) {
        bytes += each * double(kept[k] != 0 ? bytesOf(0, 1) : bytesOf(8, 0));
        for (size_t part = 0; part < 8 && kept[k] == 0; ++part) parts.push_back(cornerOfPart(corners[k], side, part));
      }
      corners.swap(parts);
    }
    return bytes;
  }

  void make() {
    std::vector<BlockMaker::Made> made(count_);
    Allowance allowance(settings_.mostBytes - double(sizeof(FieldRecord) + bytesOf(count_, 0)));
    std::atomic<bool> outOfMemory{false};
    ThreadTeam team(settings_.threads);
    team.run(static_cast<int64_t>(count_), [&](int64_t begin, int64_t end) {
      try {
        for (int64_t k = begin; k < end && !allowance.isSpent() && !outOfMemory; ++k) {
          made[static_cast<size_t>(k)] = BlockMaker(sampler_, allowance).make(cornerOf(k), out_.record.block);
        }
      } catch (const std::bad_alloc&) {
        outOfMemory = true;  // nothing may leave a team's loop
      }
    });
    if (allowance.isSpent()) refuseSize(settings_);
    if (outOfMemory) throw std::bad_alloc();
    out_.places.resize(count_);
    for (size_t k = 0; k < count_; ++k) add(made[k], k);
  }

 private:
  // The mesh in the middle. Returns how many large blocks there are.
  size_t placeGrid(Vec3d low, Vec3d high) {
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
    const Vec3d grid{record.grid[0] * side, record.grid[1] * side, record.grid[2] * side};
    record.low = low - 0.5 * (grid - size);
    return static_cast<size_t>(places);
  }
  Vec3d cornerOf(int64_t place) const {
    const FieldRecord& record = out_.record;
    const int64_t x = place % record.grid[0], y = place / record.grid[0] % record.grid[1], z = place / record.grid[0] / record.grid[1];
    return record.low + record.block * Vec3d{double(x), double(y), double(z)};
  }
  // Behind those before it, whose places and blocks its numbers count from.
  void add(const BlockMaker::Made& made, size_t place) {
    const int firstPlace = static_cast<int>(out_.places.size()), firstBlock = static_cast<int>(out_.units.size());
    const auto moved = [&](int code) { return code < 0 ? ~(~code + firstPlace) : code + firstBlock; };
    out_.places[place] = moved(made.code);
    for (const int code : made.places) out_.places.push_back(moved(code));
    out_.units.insert(out_.units.end(), made.units.begin(), made.units.end());
    out_.samples.insert(out_.samples.end(), made.samples.begin(), made.samples.end());
  }

  const SignedDistance distance_;
  const BlockSampler sampler_;
  const FieldSettings settings_;
  size_t count_ = 0;  // of large blocks
  DistanceField& out_;
};

}  // namespace

double DistanceField::bytes() const { return double(sizeof(FieldRecord) + bytesOf(places.size(), units.size())); }

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

// What smallest blocks all along the surface would take.
double bytesAlongSurface(const CollisionMesh& mesh, double cell) {
  double area = 0;
  for (const MeshTriangle& triangle : mesh.triangles) {
    const auto at = [&](size_t k) { return mesh.vertices[static_cast<size_t>(triangle.corners[k])]; };
    area += 0.5 * length(cross(at(1) - at(0), at(2) - at(0)));
  }
  const double side = kFieldCells * cell;
  return area / (side * side) * double(bytesOf(0, 1));
}

}  // namespace

double estimatedFieldBytes(const CollisionMesh& mesh, const FieldSettings& settings, int lookedAt) {
  DistanceField nothing;
  return FieldMaker(mesh, settings, nothing).estimate(static_cast<size_t>(lookedAt));
}

DistanceField makeDistanceField(const CollisionMesh& mesh, const FieldSettings& settings) {
  DistanceField out;
  // What is certain to be too large is refused before the work.
  if (fewestBlocks(mesh, settings.cell) * kFieldSamples * sizeof(int16_t) > settings.mostBytes) refuseSize(settings);
  FieldMaker maker(mesh, settings, out);
  // Nor is begun what would be very much too large. An estimate errs by a part of what it finds.
  if (bytesAlongSurface(mesh, settings.cell) > settings.mostBytes && maker.estimate(kBlocksLookedAt) > kEstimatesDiffer * settings.mostBytes)
    refuseSize(settings);
  maker.make();
  return out;
}

}  // namespace cairn::v0
