// Pictures of a World: ray traced with World::castRays, shaded, with shadows, bodies told apart by colour.
#pragma once

#include "src/render/appearance.hpp"
#include "src/render/framing.hpp"
#include "src/render/image.hpp"

#include <cairn/world.hpp>

#include <memory>
#include <string>
#include <vector>

namespace cairn::v0 {

// The default is for pictures that stand still; forFilm() takes half the time or less.
struct PictureSettings {
  int width = 1280, height = 720;  // [pixels], 1..16384
  int edgeRays = 12;               // further rays for a pixel that differs from a neighbour, 0..64
  int lightBlock = 1;              // pixels a side that share their looks at the light, 1..4
  int sunRays = 2, skyRays = 4;    // looks at the sun and at the sky, 1..64; the mean is over sixteen blocks
  int looksAlone = 8;              // so many times of both in corners, and on what is thinner than a block, 1..16
  Colouring colouring;

  double aspect() const { return double(width) / height; }
  PictureSettings forFilm() const {
    PictureSettings settings = *this;
    settings.edgeRays = 2;
    settings.lightBlock = 2;
    settings.sunRays = 4;
    settings.skyRays = 2;
    settings.looksAlone = 2;
    return settings;
  }
};

// Throws InvalidInput.
void requireInRange(const PictureSettings& settings);

// "1280x720". Throws InvalidInput, whose place is given.
void parseSize(const std::string& place, const std::string& text, PictureSettings& settings);

// What a picture took.
struct DrawPart {
  const char* name;  // stage, eye, light, shade, edges
  double wall, cpu;  // [s]; cpu is that of the whole process
  size_t rays;
};

// Draws a scene's World as often as one likes: the bodies' places are the World's of that moment. The scene outlives it.
class Renderer {
 public:
  explicit Renderer(const Scene& scene, const PictureSettings& settings = {});
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  // The World's bodies must be the scene's, in their order. The same picture on any number of threads. Colours are linear, by body; without them they
  // are the World's, as the settings have it.
  Picture draw(const World& world, const Camera& camera, const std::vector<Vec3<float>>& colours, std::vector<DrawPart>* parts = nullptr) const;
  Picture draw(const World& world, const Camera& camera, std::vector<DrawPart>* parts = nullptr) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A PNG. Throws InvalidInput if the file cannot be written.
void writePicture(const World& world, const Scene& scene, const std::string& path, const PictureSettings& settings = {},
                  const CameraChoice& camera = {});

}  // namespace cairn::v0
