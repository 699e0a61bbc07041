#include "src/io/picture.hpp"

#include <cairn/error.hpp>

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace cairn {
namespace {

constexpr size_t kRaysAtOnce = size_t(1) << 18;
constexpr double kFarFraction = 0.01;      // of the bodies on each side: the camera may lose them
constexpr double kStrayFraction = 0.0005;  // and the glass may cut these

const Vec3d kSun = normalizedOr(Vec3d{0.45, 1.0, 0.55}, Vec3d{0, 1, 0});
const Vec3d kSkyHigh{0.36, 0.55, 0.82}, kSkyLow{0.86, 0.91, 0.97};

double quantileOf(std::vector<double>& values, double fraction) {
  const auto at = static_cast<ptrdiff_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

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

// Fixed ground is grey with a one-metre checker, fading out with distance so that it does not flicker.
Vec3d groundColour(Vec3d p, Vec3d normal, double distance) {
  const double base = 0.62;
  if (normal.y < 0.9) return {base, base, base * 1.02};
  const bool odd = ((static_cast<long>(std::floor(p.x)) + static_cast<long>(std::floor(p.z))) & 1) != 0;
  const double contrast = 0.06 / (1 + 0.0004 * distance * distance);
  const double v = base + (odd ? contrast : -contrast);
  return {v, v, v * 1.02};
}

Vec3d sky(Vec3d direction) {
  const double t = std::clamp(direction.y, 0.0, 1.0);
  return (1 - t) * kSkyLow + t * kSkyHigh;
}

Vec3d mixed(Vec3d a, Vec3d b, double t) { return (1 - t) * a + t * b; }

class Image {
 public:
  Image(int width, int height) : width_(width), height_(height), sums_(static_cast<size_t>(width) * static_cast<size_t>(height), Vec3d{0, 0, 0}) {}
  void add(size_t pixel, Vec3d colour) { sums_[pixel] += colour; }
  void write(const std::string& path, double samples) const;

 private:
  int width_, height_;
  std::vector<Vec3d> sums_;
};

void Image::write(const std::string& path, double samples) const {
  std::vector<unsigned char> bytes;
  bytes.reserve(3 * sums_.size());
  for (const Vec3d& sum : sums_) {
    for (const double c : {sum.x, sum.y, sum.z}) {
      const double encoded = std::pow(std::clamp(c / samples, 0.0, 1.0), 1 / 2.2);  // display gamma
      bytes.push_back(static_cast<unsigned char>(std::lround(255 * encoded)));
    }
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  const std::string partial = path + ".partial";
  if (png_image_write_to_file(&image, partial.c_str(), 0, bytes.data(), 0, nullptr) == 0 || std::rename(partial.c_str(), path.c_str()) != 0) {
    std::remove(partial.c_str());
    throw InvalidInput(path, "cannot be written");
  }
}

struct Sample {
  size_t pixel = 0;
  Vec3d point, normal, colour;
  double distance = 0;
  bool behindGlass = false;
};

constexpr double kGlass = 0.22;  // opacity of a wall between camera and bodies
const Vec3d kGlassColour{0.62, 0.66, 0.72};

// The distance at which the ray enters the box; negative if it does not.
double entryInto(Vec3d low, Vec3d high, const Ray& ray) {
  double near = 0, far = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double o = component(ray.origin, axis), d = component(ray.direction, axis);
    const double a = (component(low, axis) - o) / d, b = (component(high, axis) - o) / d;
    near = std::max(near, std::min(a, b));
    far = std::min(far, std::max(a, b));
  }
  return near < far ? near : -1;
}

bool isFixed(const Scene& scene, const RayHit& hit) {
  const auto index = static_cast<size_t>(hit.body.index);
  return hit.body.index >= 0 && index < scene.bodies.size() && scene.bodies[index].type != BodyType::Dynamic;
}

// Light on what the primary rays hit: ambient from the sky, and the sun where nothing is in its way.
void shade(const World& world, const Scene& scene, const std::vector<Sample>& samples, Image& image) {
  std::vector<Ray> rays;
  rays.reserve(samples.size());
  for (const Sample& s : samples) {
    Ray ray;
    ray.origin = s.point + (1e-3 + 2e-4 * s.distance) * s.normal;
    ray.direction = kSun;
    rays.push_back(ray);
  }
  const std::vector<RayHit> shadows = world.castRays(rays);
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& s = samples[i];
    const double facing = std::max(0.0, dot(s.normal, kSun));
    const double ambient = 0.28 + 0.14 * s.normal.y;
    // A container's walls let some sun in, so that one sees its contents.
    const double lit = shadows[i].body.index < 0 ? 1.0 : (isFixed(scene, shadows[i]) ? 0.6 : 0.0);
    const double sun = 0.75 * facing * lit;
    const double haze = 1 - std::exp(-0.0000035 * s.distance * s.distance);
    const Vec3d colour = mixed((ambient + sun) * s.colour, kSkyLow, haze);
    image.add(s.pixel, s.behindGlass ? mixed(colour, kGlassColour, kGlass) : colour);
  }
}

// Rays of one picture, traced in batches.
class Renderer {
 public:
  Renderer(const World& world, const Scene& scene, const Camera& camera, Image& image)
      : world_(world),
        scene_(scene),
        camera_(camera),
        image_(image),
        middleDepth_(dot(0.5 * (camera.low + camera.high) - camera.eye, camera.forward)) {}

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
    std::vector<RayHit> hits = world_.castRays(rays_);
    const std::vector<bool> glass = lookThroughGlass(hits);
    std::vector<Sample> samples;
    samples.reserve(hits.size());
    for (size_t i = 0; i < hits.size(); ++i) {
      const RayHit& hit = hits[i];
      if (hit.body.index < 0) {
        const Vec3d background = sky(rays_[i].direction);
        image_.add(pixels_[i], glass[i] ? mixed(background, kGlassColour, kGlass) : background);
        continue;
      }
      Sample sample;
      sample.pixel = pixels_[i];
      sample.point = rays_[i].origin + hit.distance * rays_[i].direction;
      sample.normal = hit.normal;
      sample.colour = isFixed(scene_, hit) ? groundColour(sample.point, hit.normal, hit.distance) : colourOf(hit.body.index);
      sample.distance = hit.distance;
      sample.behindGlass = glass[i];
      samples.push_back(sample);
    }
    shade(world_, scene_, samples, image_);
    rays_.clear();
    pixels_.clear();
  }

  // Walls between the camera and the bodies are glass: the ray goes on where it reaches the bodies' bounds, and its hit is replaced.
  std::vector<bool> lookThroughGlass(std::vector<RayHit>& hits) const {
    std::vector<size_t> throughGlass;
    std::vector<Ray> beyond;
    std::vector<bool> glass(hits.size(), false);
    for (size_t i = 0; i < hits.size(); ++i) {
      const bool inFront = hits[i].distance * dot(rays_[i].direction, camera_.forward) < middleDepth_;
      if (!inFront || !isFixed(scene_, hits[i]) || std::abs(hits[i].normal.y) > 0.5) continue;
      const double entry = entryInto(camera_.low, camera_.high, rays_[i]);
      if (entry <= hits[i].distance) continue;
      glass[i] = true;
      throughGlass.push_back(i);
      beyond.push_back(rays_[i]);
      beyond.back().origin += entry * rays_[i].direction;
    }
    const std::vector<RayHit> further = world_.castRays(beyond);
    for (size_t k = 0; k < further.size(); ++k) {
      const size_t i = throughGlass[k];
      hits[i] = further[k];
      hits[i].distance += length(beyond[k].origin - rays_[i].origin);
    }
    return glass;
  }

  const World& world_;
  const Scene& scene_;
  const Camera& camera_;
  Image& image_;
  double middleDepth_;
  std::vector<Ray> rays_;
  std::vector<size_t> pixels_;
};

// Centres and sizes of the dynamic bodies.
struct Crowd {
  std::vector<double> centres[3];  // by axis
  double largest = 0, smallest = std::numeric_limits<double>::infinity();

  Crowd(const Scene& scene, const std::vector<BodyState>& states) {
    for (size_t i = 0; i < scene.bodies.size() && i < states.size(); ++i) {
      if (scene.bodies[i].type != BodyType::Dynamic) continue;
      const Vec3d p = states[i].pose.p;
      for (int axis = 0; axis < 3; ++axis) centres[axis].push_back(component(p, axis));
      for (const ShapeDef& shape : scene.bodies[i].shapes) addShape(shape);
    }
  }
  bool empty() const { return centres[0].empty(); }
  size_t size() const { return centres[0].size(); }
  Vec3d quantile(double fraction) { return {quantileOf(centres[0], fraction), quantileOf(centres[1], fraction), quantileOf(centres[2], fraction)}; }

 private:
  void addShape(const ShapeDef& shape) {
    const bool threeSizes = shape.type == ShapeType::Box || shape.type == ShapeType::Ellipsoid;
    const Vec3d h = shape.halfExtents;
    const double reach = threeSizes ? length(h) : shape.radius + (shape.type == ShapeType::Capsule ? shape.halfHeight : 0);
    largest = std::max(largest, reach);
    smallest = std::min(smallest, threeSizes ? std::min({h.x, h.y, h.z}) : shape.radius);
  }
};

// The distance at which every corner of the bounds is in view.
double distanceToSee(Vec3d low, Vec3d high, const Camera& camera, double aspect) {
  const Vec3d middle = 0.5 * (low + high);
  double distance = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3d p{corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z};
    const Vec3d d = p - middle;
    const double depth = dot(d, camera.forward);
    distance = std::max(distance, std::abs(dot(d, camera.up)) / camera.tangent - depth);
    distance = std::max(distance, std::abs(dot(d, camera.right)) / (camera.tangent * aspect) - depth);
  }
  return distance;
}

}  // namespace

Camera frameBodies(const Scene& scene, const std::vector<BodyState>& states, double aspect) {
  Crowd crowd(scene, states);
  Camera camera;
  Vec3d low{-5, 0, -5}, high{5, 5, 5};
  camera.low = low;
  camera.high = high;
  if (!crowd.empty()) {
    const double far = crowd.size() > 50 ? kFarFraction : 0, stray = crowd.size() > 1000 ? kStrayFraction : 0;
    const double reach = 0.98 * crowd.smallest;
    low = crowd.quantile(far) - Vec3d{crowd.largest, crowd.largest, crowd.largest};
    high = crowd.quantile(1 - far) + Vec3d{crowd.largest, crowd.largest, crowd.largest};
    camera.low = crowd.quantile(stray) - Vec3d{reach, reach, reach};
    camera.high = crowd.quantile(1 - stray) + Vec3d{reach, reach, reach};
  }
  camera.forward = normalizedOr(Vec3d{-0.5, -0.32, -0.9}, Vec3d{0, 0, -1});
  camera.right = normalizedOr(cross(camera.forward, Vec3d{0, 1, 0}), Vec3d{1, 0, 0});
  camera.up = cross(camera.right, camera.forward);
  camera.eye = 0.5 * (low + high) - (1.12 * distanceToSee(low, high, camera, aspect)) * camera.forward;
  return camera;
}

void writePicture(const World& world, const Scene& scene, const std::string& path, const PictureSettings& settings) {
  if (settings.width < 1 || settings.width > 16384 || settings.height < 1 || settings.height > 16384) {
    throw InvalidInput("picture size", "must be 1..16384 pixels a side");
  }
  if (settings.samples < 1 || settings.samples > 8) throw InvalidInput("picture samples", "must be 1..8");
  const double aspect = double(settings.width) / settings.height;
  const Camera camera = frameBodies(scene, world.states(), aspect);
  Image image(settings.width, settings.height);
  Renderer renderer(world, scene, camera, image);
  for (int y = 0; y < settings.height; ++y) {
    for (int x = 0; x < settings.width; ++x) {
      for (int s = 0; s < settings.samples * settings.samples; ++s) {
        const double fx = (x + (s % settings.samples + 0.5) / settings.samples) / settings.width * 2 - 1;
        const double fy = 1 - (y + (s / settings.samples + 0.5) / settings.samples) / settings.height * 2;
        const Vec3d direction = camera.forward + (camera.tangent * aspect * fx) * camera.right + (camera.tangent * fy) * camera.up;
        renderer.add(direction, static_cast<size_t>(y) * static_cast<size_t>(settings.width) + static_cast<size_t>(x));
      }
    }
  }
  renderer.finish();
  image.write(path, settings.samples * settings.samples);
}

}  // namespace cairn
