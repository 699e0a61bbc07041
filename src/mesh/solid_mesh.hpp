// Meshes with an inside, as kernels read them (solid_view.hpp).
#pragma once

#include "kernels/state/solid_view.hpp"
#include "src/mesh/distance_field.hpp"

#include <cairn/scene.hpp>

#include <memory>
#include <string>

namespace cairn::v0 {

// What a closed mesh encloses, for a density of one; its centre is in the mesh's frame.
struct SolidFacts {
  std::string flaw;  // why it encloses nothing, as the end of a sentence; empty: it does
  double volume = 0;
  Vec3d centre{};
  Sym3<double> inertia{};  // about the centre
  double longest = 0;      // side of its bounds [m]
};
// Of a valid mesh. Worked out once while anyone keeps the mesh; any thread may ask.
std::shared_ptr<const SolidFacts> solidFacts(const std::shared_ptr<const TriangleMesh>& mesh);

// The size of cells where none is given: a part of the longest side of the bounds.
constexpr double kCellsAlong = 200;
// Samples along an edge are this many cells apart, at most.
constexpr double kSpacingInCells = 8;

// The parts of a SolidShape. The same mesh and cells give the same parts, to the bit.
struct SolidMesh {
  DistanceField field;
  std::vector<SurfaceSample> samples;  // as SolidRecord has them
  std::vector<BoxNode> nodes, fewNodes;
  double inner = 0, spacing = 0;  // [m], as SolidRecord has them
};

// Of a closed, oriented mesh with its inside inside. `cell` [m] > 0; `threads` > 0 make it. Throws InvalidInput with "cell" as its place for a field
// that would be too large.
SolidMesh makeSolid(const CollisionMesh& mesh, double cell, int threads = 1);

}  // namespace cairn::v0
