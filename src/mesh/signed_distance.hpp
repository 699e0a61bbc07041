// How far a place is from the surface of a closed mesh, and on which side.
#pragma once

#include "src/mesh/collision_mesh.hpp"

namespace cairn::v0 {

// Of a mesh that is closed, manifold and oriented. The sign is that of the way from the nearest place along the pseudonormal there: of a face its
// normal, of an edge the sum of both normals, of a corner the sum of the normals around, each weighted by its angle (Baerentzen and Aanaes, "Signed
// Distance Computation Using the Angle Weighted Pseudonormal", 2005).
class SignedDistance {
 public:
  explicit SignedDistance(const CollisionMesh& mesh);

  // [m], negative inside. `triangle` is one that may be near, 0 or more, and then the nearest: from place to place the search is short. Several
  // threads may ask at once.
  double at(Vec3d p, int& triangle) const;
  double at(Vec3d p) const {
    int triangle = 0;
    return at(p, triangle);
  }

 private:
  struct Nearest {
    double square;
    Vec3d at;
    int triangle, corner, edge;  // corner, edge: -1: none
  };
  void look(int triangle, Vec3d p, Nearest& best) const;
  Vec3d pseudonormal(const Nearest& nearest) const;

  const CollisionMesh& mesh_;
  std::vector<Vec3d> normals_;  // of faces
};

}  // namespace cairn::v0
