// The generators of meshes: tables of parameters, and functions that fill a mesh. As those of scenes they use neither the C library's sine nor a
// platform's random numbers.
#pragma once

#include "scenes/scene_library.hpp"

#include <cairn/mesh.hpp>

#include <string>
#include <vector>

namespace cairn::v0::scenes {

struct MeshGenerator {
  std::string name, summary;
  std::vector<Parameter> parameters;
  TriangleMesh (*make)(const Arguments&);
};

std::vector<MeshGenerator> solidMeshGenerators();   // solid_meshes.cpp: torus, bone, jack, hook, terrain
std::vector<MeshGenerator> threadMeshGenerators();  // thread_meshes.cpp: bolt, nut

// A mesh that grows by rings: as many vertices each, anticlockwise about the way from ring to ring. A ring is named by its first vertex.
class RingMesh {
 public:
  explicit RingMesh(int around) : around_(around) {}

  int around() const { return around_; }
  int vertex(Vec3d p);
  template <class Place> int ring(const Place& place) {
    const int first = static_cast<int>(mesh_.vertices.size());
    for (int i = 0; i < around_; ++i) vertex(place(i));
    return first;
  }
  void triangle(int a, int b, int c) { mesh_.triangles.push_back({a, b, c}); }
  // a, b, c, d anticlockwise.
  void quad(int a, int b, int c, int d);
  // The surface from one ring to the next.
  void join(int ring, int next);
  // Closes the surface before a first ring, and behind a last one, by a vertex.
  void closeBefore(int ring, Vec3d pole);
  void closeBehind(int ring, Vec3d pole);
  TriangleMesh take() { return std::move(mesh_); }

 private:
  int around_;
  TriangleMesh mesh_;
};

// At an angle about y, anticlockwise seen from +y, x at 0.
Vec3d aboutY(double angle, double radius, double y);

}  // namespace cairn::v0::scenes
