// Drawing: primary rays, what they meet, and light on it.
#include "src/render/picture.hpp"
#include "src/render/samples.hpp"
#include "src/render/walls.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr size_t kRaysAtOnce = size_t(1) << 18;
const Vec3d kSkyHigh{0.36, 0.55, 0.82}, kSkyLow{0.86, 0.91, 0.97};

Vec3d fromHue(double hue, double saturation, double value) {
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + hue * 6, 6.0);
    return value - value * saturation * std::max(0.0, std::min({k, 4 - k, 1.0}));
  };
  return {channel(5), channel(3), channel(1)};
}

// Neighbouring bodies get hues that are far apart: multiples of the golden section.
Vec3d colourOf(int body) {
  const double steps = 0.61803398874989485 * body;
  const double hue = steps - std::floor(steps);
  return fromHue(hue, body % 3 == 0 ? 0.45 : 0.6, body % 2 == 0 ? 0.92 : 0.78);
}

struct Sample {
  size_t pixel = 0;
  Vec3d point, normal, colour;
  double distance = 0;
  bool behindGlass = false;
};

constexpr double kGlass = 0.14;  // opacity of a wall between camera and bodies
const Vec3d kGlassColour{0.62, 0.66, 0.72};

// Sky and ground as the scene's gravity has them.
struct Surroundings {
  Vec3d vertical, east, north, sun;  // unit

  explicit Surroundings(Vec3d up) : vertical(up) {
    const Quatd turn = turnFromY(up);
    east = rotate(turn, Vec3d{1, 0, 0});
    north = rotate(turn, Vec3d{0, 0, 1});
    sun = rotate(turn, normalizedOr(Vec3d{0.45, 1.0, 0.55}, Vec3d{0, 1, 0}));
  }
  Vec3d sky(Vec3d direction) const { return mixed(kSkyLow, kSkyHigh, std::clamp(dot(direction, vertical), 0.0, 1.0)); }
  // Fixed ground is grey with a one-metre checker, fading out with distance so that it does not flicker.
  Vec3d ground(Vec3d p, Vec3d normal, double distance) const {
    const double base = 0.62;
    if (dot(normal, vertical) < 0.9) return {base, base, base * 1.02};
    const bool odd = ((static_cast<long>(std::floor(dot(p, east))) + static_cast<long>(std::floor(dot(p, north)))) & 1) != 0;
    const double contrast = 0.06 / (1 + 0.0004 * distance * distance);
    const double v = base + (odd ? contrast : -contrast);
    return {v, v, v * 1.02};
  }
};

// Rays of one picture, traced in batches.
class Tracing {
 public:
  Tracing(const World& world, const Scene& scene, const Camera& camera, std::vector<Vec3d>& sums)
      : world_(world), camera_(camera), sums_(sums), around_(verticalOf(scene)), walls_(world, scene, camera) {}

  void add(Vec3d direction, size_t pixel) {
    Ray ray;
    ray.origin = camera_.eye;
    ray.direction = normalizedOr(direction, camera_.forward);
    rays_.push_back(ray);
    pixels_.push_back(pixel);
    if (rays_.size() == kRaysAtOnce) trace();
  }
  void finish() {
    if (!rays_.empty()) trace();
  }

 private:
  void trace() {
    const std::vector<SeenThrough> seen = walls_.lookThrough(rays_);
    std::vector<Sample> samples;
    samples.reserve(seen.size());
    for (size_t i = 0; i < seen.size(); ++i) {
      const RayHit& hit = seen[i].hit;
      if (hit.body.index < 0) {
        const Vec3d background = around_.sky(rays_[i].direction);
        sums_[pixels_[i]] += seen[i].glass ? mixed(background, kGlassColour, kGlass) : background;
        continue;
      }
      Sample sample;
      sample.pixel = pixels_[i];
      sample.point = rays_[i].origin + hit.distance * rays_[i].direction;
      sample.normal = hit.normal;
      sample.colour = walls_.isFixed(hit) ? around_.ground(sample.point, hit.normal, hit.distance) : colourOf(hit.body.index);
      sample.distance = hit.distance;
      sample.behindGlass = seen[i].glass;
      samples.push_back(sample);
    }
    shade(samples);
    rays_.clear();
    pixels_.clear();
  }

  // Light on what the primary rays hit: ambient from the sky, and the sun where nothing is in its way.
  void shade(const std::vector<Sample>& samples) {
    std::vector<Ray> rays;
    rays.reserve(samples.size());
    for (const Sample& s : samples) {
      Ray ray;
      ray.origin = s.point + (1e-3 + 2e-4 * s.distance) * s.normal;
      ray.direction = around_.sun;
      rays.push_back(ray);
    }
    const std::vector<RayHit> shadows = world_.castRays(rays);
    for (size_t i = 0; i < samples.size(); ++i) {
      const Sample& s = samples[i];
      const double facing = std::max(0.0, dot(s.normal, around_.sun));
      const double ambient = 0.28 + 0.14 * dot(s.normal, around_.vertical);
      // What is fixed lets some sun in, so that one sees what a container holds.
      const double lit = shadows[i].body.index < 0 ? 1.0 : (walls_.isFixed(shadows[i]) ? 0.6 : 0.0);
      const double sun = 0.75 * facing * lit;
      const double haze = 1 - std::exp(-0.0000035 * s.distance * s.distance);
      const Vec3d colour = mixed((ambient + sun) * s.colour, kSkyLow, haze);
      sums_[s.pixel] += s.behindGlass ? mixed(colour, kGlassColour, kGlass) : colour;
    }
  }

  const World& world_;
  const Camera& camera_;
  std::vector<Vec3d>& sums_;
  Surroundings around_;
  Walls walls_;
  std::vector<Ray> rays_;
  std::vector<size_t> pixels_;
};

}  // namespace

struct Renderer::Impl {
  const Scene& scene;
  PictureSettings settings;
};

Renderer::Renderer(const Scene& scene, const PictureSettings& settings) {
  requireInRange(settings);
  impl_ = std::make_unique<Impl>(Impl{scene, settings});
}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;

Picture Renderer::draw(const World& world, const Camera& camera) const {
  const PictureSettings& settings = impl_->settings;
  std::vector<Vec3d> sums(static_cast<size_t>(settings.width) * static_cast<size_t>(settings.height), Vec3d{0, 0, 0});
  Tracing tracing(world, impl_->scene, camera, sums);
  forEachSample(settings, [&](size_t pixel, double x, double y) {
    tracing.add(camera.forward + (camera.tangent * settings.aspect() * x) * camera.right + (camera.tangent * y) * camera.up, pixel);
  });
  tracing.finish();
  return averaged(sums, settings);
}

}  // namespace cairn::v0
