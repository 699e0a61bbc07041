// loadMesh: from a file or from a generator with parameters.
#include "scenes/mesh_library.hpp"

#include "src/io/suggestion.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <filesystem>

namespace cairn::v0 {
namespace scenes {

int RingMesh::vertex(Vec3d p) {
  mesh_.vertices.push_back(p);
  return static_cast<int>(mesh_.vertices.size()) - 1;
}

void RingMesh::quad(int a, int b, int c, int d) {
  triangle(a, b, c);
  triangle(a, c, d);
}

void RingMesh::join(int ring, int next) {
  for (int i = 0; i < around_; ++i) {
    const int k = (i + 1) % around_;
    quad(ring + i, ring + k, next + k, next + i);
  }
}

void RingMesh::closeBefore(int ring, Vec3d pole) {
  const int own = vertex(pole);
  for (int i = 0; i < around_; ++i) triangle(own, ring + (i + 1) % around_, ring + i);
}

void RingMesh::closeBehind(int ring, Vec3d pole) {
  const int own = vertex(pole);
  for (int i = 0; i < around_; ++i) triangle(own, ring + i, ring + (i + 1) % around_);
}

Vec3d aboutY(double angle, double radius, double y) {
  const SinCos<double> turn = sinCos(angle);
  return {radius * turn.cosine, y, -radius * turn.sine};
}

namespace {

const std::vector<MeshGenerator>& meshGeneratorTable() {
  static const std::vector<MeshGenerator> all = [] {
    std::vector<MeshGenerator> list = solidMeshGenerators();
    for (MeshGenerator& generator : threadMeshGenerators()) list.push_back(std::move(generator));
    return list;
  }();
  return all;
}

TriangleMesh generateMesh(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = inSmallLetters(text.substr(0, colon)), parameters = colon == std::string::npos ? "" : text.substr(colon + 1);
  std::vector<std::string> names;
  for (const MeshGenerator& generator : meshGeneratorTable()) {
    if (generator.name == name) return generator.make(readArguments(name, generator.parameters, colon == std::string::npos ? nullptr : &parameters));
    names.push_back(generator.name);
  }
  throw InvalidInput(name.empty() ? "mesh" : name, "is neither a file nor a generator of meshes; " + suggestion(name, names));
}

}  // namespace
}  // namespace scenes

TriangleMesh loadMesh(const std::string& nameOrPath) {
  const std::string ending = inSmallLetters(std::filesystem::path(nameOrPath).extension().string());
  std::error_code error;
  const bool isFile = ending == ".obj" || ending == ".stl" || std::filesystem::is_regular_file(nameOrPath, error);
  return isFile ? readMesh(nameOrPath) : scenes::generateMesh(nameOrPath);
}

std::vector<SceneGenerator> meshGenerators() {
  std::vector<SceneGenerator> list;
  for (const scenes::MeshGenerator& generator : scenes::meshGeneratorTable()) {
    SceneGenerator entry{generator.name, generator.summary, {}};
    for (const scenes::Parameter& p : generator.parameters) entry.parameters.push_back({p.name, p.meaning, p.defaultValue, scenes::rangeText(p)});
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace cairn::v0
