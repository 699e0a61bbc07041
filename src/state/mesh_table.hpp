// The triangle meshes of a World's shapes: one record for all shapes that are the same mesh. What no shape uses any more is kept.
#pragma once

#include "kernels/state/mesh_view.hpp"
#include "src/state/shared_geometry.hpp"
#include "src/state/solid_table.hpp"

#include <cairn/height_field.hpp>
#include <cairn/mesh.hpp>

#include <map>
#include <memory>
#include <unordered_map>

namespace cairn::v0 {

struct CollisionMesh;

// How a mesh is met.
struct MeshUse {
  bool twoSided = false;
  double cell = 0;  // of its field [m] if it is a solid; 0: it has no inside
  bool operator<(const MeshUse& other) const { return std::pair(twoSided, cell) < std::pair(other.twoSided, other.cell); }
};

// Memory on the target and beside it: of a mesh 48 bytes, 52 a vertex and 4 for each edge at it, 24 a triangle, 32 a node of its tree, which are
// about two for three triangles; and what a solid takes (solid_table.hpp).
class MeshTable {
 public:
  // The type of a shape that is this mesh, with its number. The mesh is valid. What is new is on the target from the next upload on. A mesh that was
  // asked for before is not looked at again while anyone keeps it. That of a solid is closed, oriented, and has its inside inside. Throws
  // InvalidInput for a field that would be too large, for more meshes than there are numbers, or more of them together than there are numbers for
  // their parts. So many threads make a solid's field.
  int typeOf(const std::shared_ptr<const TriangleMesh>& mesh, const MeshUse& use, int threads);
  // Likewise of a shape that is this field, which is the one-sided mesh of its triangles.
  int typeOf(const std::shared_ptr<const HeightField>& field);
  // The radius of the ball about the origin of its frame that a mesh lies in [m].
  double outer(int type) const { return outers_[static_cast<size_t>(meshOf(type))]; }
  // How thick it is [m], 0 without an inside.
  double inner(int type) const;
  void upload(Queue& queue);
  int count() const { return static_cast<int>(records_.size()); }
  MeshView view() const;

  // How much of everything there is. What came since can be taken back, also where it came in part only.
  struct Sizes {
    size_t records = 0, vertices = 0, triangles = 0, nodes = 0, fans = 0, near = 0;
    SolidTable::Sizes solids;
  };
  Sizes sizes() const { return {records_.size(), vertices_.size(), triangles_.size(), nodes_.size(), fans_.size(), near_.size(), solids_.sizes()}; }
  void cutBack(const Sizes& sizes);

  // For snapshots. Reads into an empty table; throws InvalidInput for what is no table of meshes. The target has none of it before the next upload.
  template <class Archive> void archive(Archive& a);

 private:
  // What was asked for, by its address, which nothing else has as long as its owner is there.
  struct Asked {
    std::weak_ptr<const void> owner;
    int number = 0;
  };
  using AskedFor = std::unordered_map<const void*, Asked>;

  template <class Geometry, class Make> static int numberAskedFor(AskedFor& known, const std::shared_ptr<const Geometry>& asked, const Make& make);
  int numberOf(const TriangleMesh& mesh, const MeshUse& use, int threads);
  int add(const CollisionMesh& made);
  uint64_t contentOf(int mesh) const;
  bool same(int first, int second) const;
  // Whether a mesh is a solid of cells of that size, or for 0 none.
  bool hasCells(int mesh, double cell) const;
  bool sound(int mesh) const;

  std::vector<MeshRecord> records_;
  std::vector<double> outers_;  // by record
  std::vector<Vec3d> vertices_, normals_;
  std::vector<MeshTriangle> triangles_;
  std::vector<BoxNode> nodes_;
  std::vector<int> fans_, near_;
  std::unordered_multimap<uint64_t, int> byContent_;
  std::map<MeshUse, AskedFor> meshes_;
  AskedFor fields_;
  SolidTable solids_;
  Sizes uploaded_;
  Buffer<MeshRecord> recordsThere_;
  Buffer<Vec3d> verticesThere_, normalsThere_;
  Buffer<MeshTriangle> trianglesThere_;
  Buffer<BoxNode> nodesThere_;
  Buffer<int> fansThere_, nearThere_;
};

}  // namespace cairn::v0
