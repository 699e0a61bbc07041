// Meshes as the collide functions see them, and some to meet.
#pragma once

#include "src/mesh/collision_mesh.hpp"
#include "tests/collide/collide_oracle.hpp"

#include "kernels/collide/collide_mesh.hpp"

#include <memory>
#include <random>

namespace cairn::test {

// One mesh as a table of meshes.
class OneMesh {
 public:
  explicit OneMesh(const TriangleMesh& given, bool twoSided = false) : made_(makeCollisionMesh(given, twoSided)) {
    const CollisionMesh& m = *made_;
    record_ = {0, int(m.vertices.size()), 0, int(m.triangles.size()), 0, int(m.nodes.size()), 0, 0, twoSided ? 1 : 0, kNoSolid};
  }
  MeshView view() const {
    MeshView view;
    view.meshes = &record_;
    view.vertices = made_->vertices.data();
    view.normals = made_->normals.data();
    view.triangles = made_->triangles.data();
    view.nodes = made_->nodes.data();
    view.fans = made_->fans.data();
    view.near = made_->near.data();
    view.count = 1;
    return view;
  }
  const CollisionMesh& made() const { return *made_; }
  Shape shape(Pose<double> pose = identityPose<double>()) const { return {kMesh, {0, 0, 0}, pose}; }
  MeshContacts contacts(const Shape& convex, double margin, const HullView& hulls = {}, const Pose<double>& pose = identityPose<double>()) const {
    MeshContacts out;
    collideMesh(convex, shape(pose), hulls, view(), margin, out);
    return out;
  }

 private:
  std::shared_ptr<const CollisionMesh> made_;
  MeshRecord record_;
};

// A patch of so many cells each way about the origin, the height a function of x and z; the lines of the grid are not evenly spaced, and the
// diagonals lead either way. Outside is up.
template <class Height> TriangleMesh patch(int cells, double halfSize, unsigned seed, const Height& height) {
  std::mt19937_64 random(seed);
  const auto part = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const auto lines = [&] {
    std::vector<double> at;
    for (int i = 0; i <= cells; ++i) at.push_back(halfSize * (2 * (i + (i > 0 && i < cells ? part(-0.4, 0.4) : 0)) / cells - 1));
    return at;
  };
  const std::vector<double> xs = lines(), zs = lines();
  TriangleMesh mesh;
  for (double x : xs) {
    for (double z : zs) mesh.vertices.push_back({x, height(x, z), z});
  }
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const int32_t a = int32_t(i * (cells + 1) + j), b = a + 1, c = a + cells + 1, d = c + 1;
      if (part(0, 1) < 0.5) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({b, d, c});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({a, d, c});
      }
    }
  }
  return mesh;
}
inline TriangleMesh flatPatch(int cells, double halfSize, unsigned seed) {
  return patch(cells, halfSize, seed, [](double, double) { return 0.0; });
}

inline double smallestGap(const MeshContacts& contacts) {
  return contacts.count == 0 ? std::numeric_limits<double>::infinity() : deepest(contacts.manifolds[0]);
}

}  // namespace cairn::test
