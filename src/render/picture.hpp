// Pictures of a World: ray traced with World::castRays, shaded, with shadows, bodies told apart by colour.
#pragma once

#include "src/render/framing.hpp"
#include "src/render/image.hpp"

#include <cairn/world.hpp>

#include <memory>
#include <string>

namespace cairn::v0 {

struct PictureSettings {
  int width = 1280, height = 720;  // [pixels], 1..16384
  int samples = 2;                 // a side of a pixel, 1..8
  double aspect() const { return double(width) / height; }
};

// Throws InvalidInput.
void requireInRange(const PictureSettings& settings);

// "1280x720". Throws InvalidInput, whose place is given.
void parseSize(const std::string& place, const std::string& text, PictureSettings& settings);

// Draws a scene's World as often as one likes: the bodies' places are the World's of that moment. The scene outlives it.
class Renderer {
 public:
  explicit Renderer(const Scene& scene, const PictureSettings& settings = {});
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  // The World's bodies must be the scene's, in their order. The same picture on any number of threads.
  Picture draw(const World& world, const Camera& camera) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A PNG. Throws InvalidInput if the file cannot be written.
void writePicture(const World& world, const Scene& scene, const std::string& path, const PictureSettings& settings = {},
                  const CameraChoice& camera = {});

}  // namespace cairn::v0
