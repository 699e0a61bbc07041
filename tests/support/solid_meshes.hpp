// Solid meshes in a table, as the collide functions see them.
#pragma once

#include "src/state/mesh_table.hpp"
#include "tests/collide/collide_oracle.hpp"
#include "tests/support/hull_shapes.hpp"

#include "kernels/collide/collide_solids.hpp"
#include "kernels/runtime/owned_queue.hpp"

#include <cairn/mesh.hpp>

#include <memory>
#include <string>

namespace cairn::test {

class Solids {
 public:
  Solids() : queue_(Target::Cpu, 1) {}

  // Of a generator, with cells of a size.
  Shape add(const std::string& generator, double cell) {
    kept_.push_back(std::make_shared<const TriangleMesh>(loadMesh(generator)));
    const int type = table_.typeOf(kept_.back(), {false, cell}, 1);
    table_.upload(queue_.queue);
    return {type, {table_.inner(type), 0, 0}, identityPose<double>()};
  }
  Shape addHull(const std::vector<Vec3d>& points) { return hulls_.add(points); }
  GeometryView geometry() const { return {hulls_.view(), table_.view(), false}; }
  double outer(const Shape& shape) const { return table_.outer(shape.type); }
  MeshContacts contacts(const Shape& a, const Shape& b, double margin) const {
    MeshContacts out;
    collideMeshes(a, b, geometry(), margin, out);
    return out;
  }

 private:
  OwnedQueue queue_;
  MeshTable table_;
  Hulls hulls_;
  std::vector<std::shared_ptr<const TriangleMesh>> kept_;
};

}  // namespace cairn::test
