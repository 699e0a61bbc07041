// The solids of a World's meshes: one record for all shapes that are the same mesh with the same cells.
#pragma once

#include "kernels/state/solid_view.hpp"
#include "src/state/shared_geometry.hpp"

namespace cairn::v0 {

struct SolidMesh;

// Memory on the target: of a solid 104 bytes, 4 a place of its field and 1,462 a block, 32 a sample, and 32 a node of the trees over them, which are
// about two for three samples.
class SolidTable {
 public:
  // Its number. What is new is on the target from the next upload on. Throws InvalidInput for more parts than there are numbers for.
  int add(const SolidMesh& solid);
  // How thick it is [m].
  double spacing(int solid) const { return records_[static_cast<size_t>(solid)].spacing; }
  double inner(int solid) const { return records_[static_cast<size_t>(solid)].inner; }
  void upload(Queue& queue);
  int count() const { return static_cast<int>(records_.size()); }
  SolidView view() const;

  struct Sizes {
    size_t records = 0, places = 0, units = 0, values = 0, samples = 0, nodes = 0;
  };
  Sizes sizes() const { return {records_.size(), places_.size(), units_.size(), values_.size(), samples_.size(), nodes_.size()}; }
  void cutBack(const Sizes& sizes);

  // Reads into an empty table. The target has none of it before the next upload.
  template <class Archive> void archive(Archive& a) {
    a.records(records_);
    a.records(places_);
    a.records(units_);
    a.records(values_);
    a.records(samples_);
    a.records(nodes_);
  }
  // Whether what was read is a solid of a mesh with so many vertices: all that kernels follow leads to what is there.
  bool sound(int solid, int vertexCount) const;

 private:
  bool soundField(const FieldRecord& field) const;
  bool soundSamples(const SolidRecord& record, int vertexCount) const;

  std::vector<SolidRecord> records_;
  std::vector<int> places_;
  std::vector<float> units_;
  std::vector<int16_t> values_;
  std::vector<SurfaceSample> samples_;
  std::vector<BoxNode> nodes_;
  Sizes uploaded_;
  Buffer<SolidRecord> recordsThere_;
  Buffer<int> placesThere_;
  Buffer<float> unitsThere_;
  Buffer<int16_t> valuesThere_;
  Buffer<SurfaceSample> samplesThere_;
  Buffer<BoxNode> nodesThere_;
};

// Whether a walk through a tree ends, and meets items that are there.
bool soundTree(const BoxNode* nodes, int nodeCount, int itemCount);

}  // namespace cairn::v0
