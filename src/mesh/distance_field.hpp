// Signed distance fields of closed meshes, as kernels read them (field_view.hpp).
#pragma once

#include "kernels/state/field_view.hpp"
#include "src/mesh/collision_mesh.hpp"

namespace cairn::v0 {

// The parts of a FieldShape. The same mesh and settings give the same parts, to the bit.
struct DistanceField {
  FieldRecord record{};
  std::vector<int> places;
  std::vector<float> units;
  std::vector<int16_t> samples;

  FieldShape shape() const { return {record, places.data(), units.data(), samples.data()}; }
  size_t blocks() const { return units.size(); }
  double bytes() const;
};

// A block is divided where interpolation misses the distance in the middle of one of its cells by more than a tenth of `cell`, or than an eighth of
// the distance where that is more, until its cells are `cell` wide (adaptively sampled: Frisken, Perry, Rockwood and Jones, "Adaptively Sampled
// Distance Fields", 2000). The grid reaches beyond the mesh by `around` on each side, at least.
struct FieldSettings {
  double cell = 0;           // of the smallest blocks [m], > 0
  double around = 0;         // [m], >= 0
  double mostBytes = 256e6;  // what would be larger is refused
  int threads = 1;           // that make it, > 0; the field is the same
};

// About how large a field would be [bytes], from a look at so many blocks of each size, or up to twice as many.
constexpr int kBlocksLookedAt = 512;
double estimatedFieldBytes(const CollisionMesh& mesh, const FieldSettings& settings, int lookedAt = kBlocksLookedAt);

// `mesh` is closed, manifold and oriented, with its inside inside. Throws InvalidInput with "cell" as its place for a field that would be larger than
// it may be.
DistanceField makeDistanceField(const CollisionMesh& mesh, const FieldSettings& settings);

}  // namespace cairn::v0
