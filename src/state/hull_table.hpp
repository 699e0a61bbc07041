// The hulls of a World's shapes, or of those that are cast: one record for all shapes that are the same hull. What no shape uses any more is kept.
#pragma once

#include "kernels/state/hull_view.hpp"
#include "src/scene/convex_hull.hpp"
#include "src/state/shared_geometry.hpp"

#include <unordered_map>

namespace cairn::v0 {

// Memory on the target: of a hull 64 bytes, 24 a corner, 40 a face, 8 an edge; on the CPU another 24 a corner, 32 a face, 24 an edge.
class HullTable {
 public:
  // The type of a shape that is this hull, with its number. What is new is on the target from the next upload on. Throws InvalidInput for more hulls
  // than there are numbers.
  int typeOf(const ConvexHull& hull);
  void upload(Queue& queue);
  int count() const { return static_cast<int>(records_.size()); }
  HullView view() const;

  // How much of everything there is. What came since can be taken back, also where it came in part only.
  struct Sizes {
    size_t records = 0, vertices = 0, faces = 0, sides = 0, edges = 0, columns = 0;
  };
  Sizes sizes() const { return {records_.size(), vertices_.size(), faces_.size(), sides_.size(), edges_.size(), columns_.size()}; }
  void cutBack(const Sizes& sizes);
  void clear() { cutBack({}); }

  // For snapshots. Reads into an empty table; throws InvalidInput for what is no table of hulls. The target has none of it before the next upload.
  template <class Archive> void archive(Archive& a);

 private:
  int add(const ConvexHull& hull);
  void addColumns(HullRecord& record);
  uint64_t contentOf(int hull) const;
  bool same(int first, int second) const;
  bool sound(int hull) const;

  std::vector<HullRecord> records_;
  std::vector<Vec3d> vertices_;
  std::vector<HullFace> faces_;
  std::vector<HullSide> sides_;
  std::vector<HullEdge> edges_;
  std::vector<HullWord> columns_;
  std::unordered_multimap<uint64_t, int> byContent_;
  Sizes uploaded_;
  Buffer<HullRecord> recordsThere_;
  Buffer<Vec3d> verticesThere_;
  Buffer<HullFace> facesThere_;
  Buffer<HullSide> sidesThere_;
  Buffer<HullEdge> edgesThere_;
  Buffer<HullWord> columnsThere_;
};

}  // namespace cairn::v0
