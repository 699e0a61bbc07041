// Vertices that stay are kept in cubes whose sides are the tolerance: whoever is within it of a point lies in one of 27. Those that stay are further
// than the tolerance apart, so a cube holds few.
#include "src/mesh/weld_mesh.hpp"

#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace cairn::v0 {
namespace {

struct Cube {
  double x, y, z;
  bool operator==(const Cube& o) const { return x == o.x && y == o.y && z == o.z; }
};
struct CubeHash {
  size_t operator()(const Cube& c) const {
    uint64_t hash = 0;
    for (const double value : {c.x, c.y, c.z}) {
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return static_cast<size_t>(hash);
  }
};

// Zero has one sign here: hashes look at the bits.
double floored(double value) { return std::floor(value) + 0.0; }

}  // namespace

std::vector<int32_t> firstInPlace(const std::vector<Vec3d>& vertices, double tolerance) {
  if (!(tolerance >= 0 && tolerance <= kLargestMagnitude))
    throw InvalidInput("weld tolerance", text("must be a number from 0 to {}, is {}", kLargestMagnitude, tolerance));
  // Distances that are squared are neither lost nor too large.
  const double least = 1e-150, side = std::max(tolerance, least);
  std::unordered_map<Cube, std::vector<int32_t>, CubeHash> cubes;
  std::vector<int32_t> first(vertices.size());
  const int reach = tolerance > least ? 1 : 0;
  for (size_t i = 0; i < vertices.size(); ++i) {
    const Vec3d p = vertices[i];
    const Cube own = reach == 0 ? Cube{p.x + 0.0, p.y + 0.0, p.z + 0.0} : Cube{floored(p.x / side), floored(p.y / side), floored(p.z / side)};
    int32_t found = static_cast<int32_t>(i);
    for (int x = -reach; x <= reach; ++x) {
      for (int y = -reach; y <= reach; ++y) {
        for (int z = -reach; z <= reach; ++z) {
          const auto cube = cubes.find({own.x + x + 0.0, own.y + y + 0.0, own.z + z + 0.0});
          if (cube == cubes.end()) continue;
          for (const int32_t other : cube->second) {
            if (other < found && length(vertices[static_cast<size_t>(other)] - p) <= tolerance) found = other;
          }
        }
      }
    }
    first[i] = found;
    if (found == static_cast<int32_t>(i)) cubes[own].push_back(found);
  }
  return first;
}

TriangleMesh welded(const TriangleMesh& mesh, double tolerance) {
  validate(mesh, "mesh");
  const std::vector<int32_t> first = firstInPlace(mesh.vertices, tolerance);
  TriangleMesh out;
  std::vector<int32_t> number(mesh.vertices.size(), -1);
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] != static_cast<int32_t>(i)) continue;
    number[i] = static_cast<int32_t>(out.vertices.size());
    out.vertices.push_back(mesh.vertices[i]);
  }
  out.triangles = mesh.triangles;
  for (auto& triangle : out.triangles) {
    for (int32_t& corner : triangle) corner = number[static_cast<size_t>(first[static_cast<size_t>(corner)])];
  }
  return out;
}

}  // namespace cairn::v0
