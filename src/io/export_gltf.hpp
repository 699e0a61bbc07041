// A state of a scene as glTF 2.0, for programs that show or render it.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <string>
#include <vector>

namespace cairn::v0 {

// What files of other programs are made of: a scene, and where its bodies are at a time.
struct ExportedState {
  const Scene& scene;
  const std::vector<BodyState>& states;  // in the order of the scene's bodies
  double time = 0;                       // [s]
};

// The text of a .gltf, its numbers within, or with `binary` the bytes of a .glb. Bodies are nodes with their names, their shapes meshes of which
// those that are the same are shared; sensors are left out. Up is +y, against gravity; metres. Colours tell bodies apart, what is fixed is grey.
// Throws InvalidInput for more than 4 GiB of meshes, which the format has no numbers for.
std::string gltfOf(const ExportedState& state, bool binary);

}  // namespace cairn::v0
