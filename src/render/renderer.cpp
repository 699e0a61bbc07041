// Drawing. A ray goes through the middle of each pixel; blocks of pixels look at the light (light.hpp); each pixel is shaded; and those that differ
// from a neighbour get further rays, whose light is that of the blocks around them as well.
#include "src/render/light.hpp"
#include "src/render/picture.hpp"

#include "kernels/runtime/runtime.hpp"

#include <chrono>
#include <cmath>
#include <ctime>

namespace cairn::v0 {
namespace {

const Vec3f kSunLight{1.22F, 1.15F, 1.04F}, kSkyLight{0.46F, 0.51F, 0.59F}, kGroundLight{0.31F, 0.30F, 0.28F};
constexpr float kGloss = 0.05F, kGlossPower = 28;
constexpr int kContrast = 14;           // of neighbours, of 255, from which on further rays pay
constexpr int kRounds = 24;             // of further rays: so many pixels far are thin things followed
constexpr double kNear = 0.3;           // of a pixel, from a neighbour
constexpr double kReachOfBodies = 2.2;  // radii over which bodies shade each other from the sky
constexpr float kLargeSide = 0.8F;      // of half the picture's height: fixed boxes that have squares

struct Pixel {
  unsigned char rgb[3];
};

// Notes what each part took, where somebody wants to know.
class Parts {
 public:
  explicit Parts(std::vector<DrawPart>* into) : into_(into), wall_(Clock::now()), cpu_(std::clock()) {}
  void mark(const char* name, size_t rays) {
    if (into_ == nullptr) return;
    const Clock::time_point wall = Clock::now();
    const std::clock_t cpu = std::clock();
    into_->push_back({name, std::chrono::duration<double>(wall - wall_).count(), static_cast<double>(cpu - cpu_) / CLOCKS_PER_SEC, rays});
    wall_ = wall;
    cpu_ = cpu;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<DrawPart>* into_;
  Clock::time_point wall_;
  std::clock_t cpu_;
};

double medianRadius(const Scene& scene, const std::vector<BodyState>& states) {
  std::vector<double> radii;
  for (const BodyBall& ball : ballsOfDynamicBodies(scene, states)) {
    if (ball.radius > 0) radii.push_back(ball.radius);
  }
  if (radii.empty()) return 0;
  const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
  std::nth_element(radii.begin(), middle, radii.end());
  return *middle;
}

// One picture on its way.
class Drawing {
 public:
  Drawing(const Scene& scene, const Stage& stage, const SmoothNormals& normals, const Camera& camera, const PictureSettings& settings,
          const std::vector<uint32_t>& order, ThreadTeam& team)
      : scene_(scene),
        settings_(settings),
        order_(order),
        lens_(camera, settings.width, settings.height),
        sight_(stage, camera, normals, team),
        extent_(static_cast<float>(stage.middle() * camera.tangent)),
        around_(scene, camera, stage.middle()),
        light_(sight_, around_, lightSettings(), settings.width, settings.height) {}

  Picture draw(const std::vector<Vec3f>& bodyColours, Parts& parts) {
    colours_ = bodyColours;
    const auto width = static_cast<size_t>(settings_.width), pixels = width * static_cast<size_t>(settings_.height);
    std::vector<SurfacePoint> points(pixels);
    sight_.see(
        pixels, [&](size_t i) { return middleOf(order_[i]); }, [&](size_t i, const SurfacePoint& point) { points[order_[i]] = point; });
    parts.mark("eye", pixels);
    size_t lightRays = light_.measure(points, lens_.pixel);
    const auto placeOf = [&](size_t i) { return std::pair(static_cast<float>(i % width) + 0.5F, static_cast<float>(i / width) + 0.5F); };
    std::vector<Light> lights;
    lightRays += light_.lightOf(points, placeOf, lights);
    parts.mark("light", lightRays);
    std::vector<Vec3f> colours(pixels);
    Picture picture{settings_.width, settings_.height, std::vector<unsigned char>(3 * pixels)};
    sight_.share(pixels, [&](size_t i) {
      colours[i] = shade(points[i], convert<float>(middleOf(i)), lights[i]);
      encode(colours[i], &picture.rgb[3 * i]);
    });
    parts.mark("shade", 0);
    const size_t edgeRays = refine(colours, picture);
    parts.mark("edges", edgeRays);
    return picture;
  }

 private:
  Vec3d middleOf(size_t pixel) const {
    const auto width = static_cast<size_t>(settings_.width);
    return lens_.direction(static_cast<double>(pixel % width) + 0.5, static_cast<double>(pixel / width) + 0.5);
  }
  LightSettings lightSettings() const {
    LightSettings light;
    light.block = settings_.lightBlock;
    light.sunRays = settings_.sunRays;
    light.skyRays = settings_.skyRays;
    light.looksAlone = settings_.looksAlone;
    const double bodies = kReachOfBodies * medianRadius(scene_, sight_.stage().states());
    light.reach = static_cast<float>(std::clamp(bodies, 0.06 * static_cast<double>(extent_), 0.4 * static_cast<double>(extent_)));
    return light;
  }

  // Further rays for pixels that differ from a neighbour, spread over the pixel. What they find near a pixel that has none yet may be in that one as
  // well: an edge or a crack thinner than a pixel goes on where no ray through a middle has met it.
  size_t refine(const std::vector<Vec3f>& colours, Picture& picture) {
    if (settings_.edgeRays == 0) return 0;
    const auto width = static_cast<size_t>(settings_.width), height = static_cast<size_t>(settings_.height);
    std::vector<unsigned char> marked(colours.size(), 0);
    const auto differ = [&](size_t a, size_t b) {
      for (size_t c = 0; c < 3; ++c) {
        if (std::abs(int(picture.rgb[3 * a + c]) - int(picture.rgb[3 * b + c])) > kContrast) return true;
      }
      return false;
    };
    sight_.share(height, [&](size_t y) {
      for (size_t x = 0; x < width; ++x) {
        const size_t i = y * width + x;
        marked[i] = (x > 0 && differ(i, i - 1)) || (x + 1 < width && differ(i, i + 1)) || (y > 0 && differ(i, i - width)) ||
                            (y + 1 < height && differ(i, i + width))
                        ? 1
                        : 0;
      }
    });
    std::vector<size_t> edges;
    for (const uint32_t i : order_) {
      if (marked[i] != 0) edges.push_back(i);
    }
    size_t rays = 0;
    for (int round = 0; round < kRounds && !edges.empty(); ++round) {
      std::vector<unsigned char> sides;
      rays += refine(edges, colours, picture, sides);
      std::vector<size_t> next;
      for (size_t e = 0; e < edges.size(); ++e) {
        const size_t i = edges[e], x = i % width, y = i / width;
        const bool within[] = {x > 0, x + 1 < width, y > 0, y + 1 < height};
        const size_t neighbours[] = {i - 1, i + 1, i - width, i + width};
        for (size_t side = 0; side < 4; ++side) {
          if ((sides[e] & (1U << side)) == 0 || !within[side] || marked[neighbours[side]] != 0) continue;
          marked[neighbours[side]] = 1;
          next.push_back(neighbours[side]);
        }
      }
      edges = std::move(next);
    }
    return rays;
  }

  // `sides`, by pixel: near which of its neighbours (left, right, above, below) there is something that the neighbour's middle is not.
  size_t refine(const std::vector<size_t>& edges, const std::vector<Vec3f>& colours, Picture& picture, std::vector<unsigned char>& sides) {
    const auto width = static_cast<size_t>(settings_.width), height = static_cast<size_t>(settings_.height);
    const auto each = static_cast<size_t>(settings_.edgeRays);
    std::vector<SurfacePoint> further(edges.size() * each);
    const auto within = [&](size_t k) {
      // The sequence of Roberts 2018, from the middle on: any number of places is spread evenly.
      const double n = static_cast<double>(k % each + 1);
      const double dx = 0.5 + 0.7548776662466927 * n, dy = 0.5 + 0.5698402909980532 * n;
      return std::pair(dx - std::floor(dx), dy - std::floor(dy));
    };
    const auto placeOf = [&](size_t k) {
      const size_t pixel = edges[k / each];
      const auto [dx, dy] = within(k);
      return std::pair(static_cast<double>(pixel % width) + dx, static_cast<double>(pixel / width) + dy);
    };
    const auto direction = [&](size_t k) {
      const auto [x, y] = placeOf(k);
      return lens_.direction(x, y);
    };
    sight_.see(further.size(), direction, [&](size_t k, const SurfacePoint& point) { further[k] = point; });
    std::vector<Light> lights;
    const size_t lightRays = light_.lightOf(
        further,
        [&](size_t k) {
          const auto [x, y] = placeOf(k);
          return std::pair(static_cast<float>(x), static_cast<float>(y));
        },
        lights);
    sides.assign(edges.size(), 0);
    sight_.share(edges.size(), [&](size_t e) {
      const size_t i = edges[e], x = i % width, y = i / width;
      Vec3f sum = tonal(colours[i]);
      for (size_t k = e * each; k < (e + 1) * each; ++k) {
        const Vec3f colour = tonal(shade(further[k], convert<float>(direction(k)), lights[k]));
        sum += colour;
        const auto [dx, dy] = within(k);
        const auto look = [&](unsigned side, bool near, size_t neighbour) {
          if (near && areApart(colour, tonal(colours[neighbour]))) sides[e] = static_cast<unsigned char>(sides[e] | (1U << side));
        };
        look(0, dx < kNear && x > 0, i - 1);
        look(1, dx > 1 - kNear && x + 1 < width, i + 1);
        look(2, dy < kNear && y > 0, i - width);
        look(3, dy > 1 - kNear && y + 1 < height, i + width);
      }
      encode(1.0F / static_cast<float>(each + 1) * sum, &picture.rgb[3 * i]);
    });
    return further.size() + lightRays;
  }
  // About as `kContrast` has it: screens show roots, more or less.
  static bool areApart(Vec3f a, Vec3f b) {
    const auto apart = [](float x, float y) { return std::abs(std::sqrt(x) - std::sqrt(y)) > kContrast / 255.0F; };
    return apart(a.x, b.x) || apart(a.y, b.y) || apart(a.z, b.z);
  }
  // What is brighter than the picture can be must not outshine the rest of its pixel.
  static Vec3f tonal(Vec3f c) { return {std::min(c.x, 1.0F), std::min(c.y, 1.0F), std::min(c.z, 1.0F)}; }

  Vec3f shade(const SurfacePoint& point, Vec3f direction, Light light) const {
    if (point.body < 0) return around_.sky(direction);
    const Vec3f n = point.normal, sun = around_.sun();
    const float facing = std::max(0.0F, dot(n, sun)), up = 0.5F + 0.5F * dot(n, around_.vertical());
    const Vec3f albedo = albedoOf(point, direction);
    const Vec3f ambient = light.sky * mixed(kGroundLight, kSkyLight, up);
    Vec3f colour = scale(albedo, ambient + (facing * light.sun) * kSunLight);
    if (!isFixed(point.body)) {
      const float gleam = std::max(0.0F, dot(n, normalizedOr(sun - direction, n)));
      const float rim = 1 + dot(n, direction);  // 0 from the front, 1 along the surface
      colour += (kGloss * light.sun * std::min(1.0F, 4 * facing) * std::pow(gleam, kGlossPower)) * kSunLight +
                (0.05F * light.sky * rim * rim * rim) * kSkyLight;
    }
    return around_.hazy(colour, point.distance);
  }
  bool isFixed(int body) const { return scene_.bodies[static_cast<size_t>(body)].type != BodyType::Dynamic; }
  Vec3f albedoOf(const SurfacePoint& point, Vec3f direction) const {
    const auto body = static_cast<size_t>(point.body);
    if (!isFixed(point.body) || !around_.isLevel(point.normal)) return colours_[body];
    const ShapeDef& shape = sight_.stage().shown(point.body).shapes[static_cast<size_t>(point.shape)];
    const auto large = static_cast<double>(kLargeSide * extent_);
    const bool box = shape.type == ShapeType::Box && shape.halfExtents.x > large && shape.halfExtents.z > large;
    if (shape.type != ShapeType::HalfSpace && !box) return colours_[body];
    return around_.ground(sight_.place(point), point.distance, direction, lens_.pixel);
  }

  const Scene& scene_;
  const PictureSettings& settings_;
  const std::vector<uint32_t>& order_;  // pixels as rays go through them
  Lens lens_;
  Sight sight_;
  float extent_;  // half of what the picture's height shows in the middle of the bodies [m]
  Surroundings around_;
  std::vector<Vec3f> colours_;  // by body
  LightMap light_;
};

}  // namespace

struct Renderer::Impl {
  const Scene& scene;
  PictureSettings settings;
  SmoothNormals normals;
  Stage stage;
  std::vector<uint32_t> order;  // pixels, squares of them together
  std::unique_ptr<ThreadTeam> team;
};

Renderer::Renderer(const Scene& scene, const PictureSettings& settings) {
  requireInRange(settings);
  impl_ = std::make_unique<Impl>(Impl{scene, settings, SmoothNormals(scene), Stage(scene), {}, nullptr});
  impl_->order.reserve(static_cast<size_t>(settings.width) * static_cast<size_t>(settings.height));
  visitInSquares(settings.width, settings.height, [&](int x, int y) { impl_->order.push_back(static_cast<uint32_t>(y * settings.width + x)); });
}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;

Picture Renderer::draw(const World& world, const Camera& camera, std::vector<DrawPart>* into) const {
  const Colouring& colouring = impl_->settings.colouring;
  return draw(world, camera, coloursOf(numbersOf(world, impl_->scene, colouring.by), impl_->scene, colouring), into);
}

Picture Renderer::draw(const World& world, const Camera& camera, const std::vector<Vec3f>& colours, std::vector<DrawPart>* into) const {
  Parts parts(into);
  const int threads = world.threads() > 0 ? world.threads() : defaultThreads();
  if (impl_->team == nullptr || impl_->team->threads() != threads) impl_->team = std::make_unique<ThreadTeam>(threads);
  impl_->stage.set(world, camera);
  parts.mark("stage", 0);
  return Drawing(impl_->scene, impl_->stage, impl_->normals, camera, impl_->settings, impl_->order, *impl_->team).draw(colours, parts);
}

}  // namespace cairn::v0
