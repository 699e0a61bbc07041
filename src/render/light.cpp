#include "src/render/light.hpp"

#include <array>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr int kPeriod = 4;                                                                   // blocks
constexpr float kSunRadius = 0.035F;                                                         // tangent of half the angle that the sun fills
constexpr std::array<int, 16> kOrder{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};  // neighbours are far apart (Bayer 1973)
constexpr int kWindow = kPeriod * kPeriod;                                                   // blocks that have looked everywhere
constexpr float kApart = 0.3F;                                                               // of the light: blocks that do not agree

int patternOf(int column, int row) { return kOrder[static_cast<size_t>((row % kPeriod) * kPeriod + column % kPeriod)]; }

// Point k of n that fill a disk evenly (Vogel 1979).
struct DiskPoint {
  float x, y;
};
std::vector<DiskPoint> diskOf(int n) {
  std::vector<DiskPoint> points;
  for (int k = 0; k < n; ++k) {
    const double radius = std::sqrt((k + 0.5) / n), angle = 2.39996322972865332 * k;
    points.push_back({static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle))});
  }
  return points;
}

}  // namespace

LightMap::LightMap(const Sight& sight, const Surroundings& around, const LightSettings& settings, int width, int height)
    : sight_(sight),
      around_(around),
      settings_(settings),
      width_(width),
      height_(height),
      columns_((width + settings.block - 1) / settings.block),
      rows_((height + settings.block - 1) / settings.block),
      blocks_(static_cast<size_t>(columns_) * static_cast<size_t>(rows_)) {}

size_t LightMap::measure(const std::vector<SurfacePoint>& points, float pixel) {
  std::vector<int> seen;  // blocks that do not show the sky
  std::vector<Look> looks;
  visitInSquares(columns_, rows_, [&](int column, int row) {
    const int block = row * columns_ + column, x = std::min(settings_.block * column + settings_.block / 2, width_ - 1),
              y = std::min(settings_.block * row + settings_.block / 2, height_ - 1);
    const SurfacePoint& point = points[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)];
    Block& into = blocks_[static_cast<size_t>(block)];
    into.body = point.body;
    into.shape = point.shape;
    into.offset = point.offset;
    into.normal = point.normal;
    into.slack = 3 * static_cast<float>(settings_.block) * pixel * point.distance;
    into.own = {0, 0};
    if (point.body < 0) return;
    seen.push_back(block);
    looks.push_back({&point, patternOf(column, row)});
  });
  std::vector<Light> lights;
  size_t rays = look(looks, lights);
  sight_.share(seen.size(), [&](size_t item) { blocks_[static_cast<size_t>(seen[item])].own = lights[item]; });
  // In a corner light changes from pixel to pixel, and the few blocks that there are of its surface have not looked everywhere.
  std::vector<unsigned char> known(seen.size());
  sight_.share(seen.size(), [&](size_t item) {
    const int block = seen[item];
    known[item] = meanAround(block % columns_, block / columns_, blocks_[static_cast<size_t>(block)].mean) ? 1 : 0;
  });
  std::vector<int> unsure;
  std::vector<Look> again;
  for (size_t item = 0; item < seen.size(); ++item) {
    if (known[item] != 0) continue;
    unsure.push_back(seen[item]);
    again.push_back(looks[item]);
  }
  rays += lookLong(again, lights);
  for (size_t k = 0; k < unsure.size(); ++k) blocks_[static_cast<size_t>(unsure[k])].mean = lights[k];
  return rays;
}

size_t LightMap::lookLong(const std::vector<Look>& looks, std::vector<Light>& lights) const {
  const auto each = static_cast<size_t>(settings_.looksAlone);
  std::vector<Look> all;
  for (const Look& one : looks) {
    for (int k = 0; k < settings_.looksAlone; ++k) all.push_back({one.point, (one.pattern + k * kWindow / settings_.looksAlone) % kWindow});
  }
  std::vector<Light> seen;
  const size_t rays = look(all, seen);
  lights.assign(looks.size(), {0, 0});
  for (size_t k = 0; k < seen.size(); ++k) {
    lights[k / each].sun += seen[k].sun / static_cast<float>(each);
    lights[k / each].sky += seen[k].sky / static_cast<float>(each);
  }
  return rays;
}

size_t LightMap::look(const std::vector<Look>& looks, std::vector<Light>& lights) const {
  const int sunRays = settings_.sunRays, skyRays = settings_.skyRays, each = sunRays + skyRays;
  const std::vector<DiskPoint> sunDisk = diskOf(16 * sunRays), skyDisk = diskOf(16 * skyRays);
  Vec3f sunU, sunV;
  tangentFrame(around_.sun(), sunU, sunV);
  std::vector<float> answers(looks.size() * static_cast<size_t>(each));
  // The sun's rays come first: their lengths, and so the work, differ.
  const size_t sunCount = looks.size() * static_cast<size_t>(sunRays);
  const auto of = [&](size_t i) {
    const bool sun = i < sunCount;
    const size_t k = sun ? i : i - sunCount, rays = static_cast<size_t>(sun ? sunRays : skyRays);
    return std::pair(k / rays, static_cast<int>(k % rays));
  };
  const auto makeRay = [&](size_t i, Ray& ray) {
    const auto [item, k] = of(i);
    const SurfacePoint& point = *looks[item].point;
    const int pattern = looks[item].pattern;
    const float lift = 4e-4F * point.distance;
    ray.origin = sight_.place(point) + convert<double>(lift * point.normal);
    ray.filter = {};
    if (i < sunCount) {
      const DiskPoint p = sunDisk[static_cast<size_t>(pattern + 16 * k)];
      ray.direction = convert<double>(normalizedOr(around_.sun() + (kSunRadius * p.x) * sunU + (kSunRadius * p.y) * sunV, around_.sun()));
      ray.maxDistance = dot(around_.sun(), point.normal) > 0 ? std::numeric_limits<double>::infinity() : 0;
    } else {
      const DiskPoint p = skyDisk[static_cast<size_t>(pattern + 16 * k)];
      Vec3f u, v;
      tangentFrame(point.normal, u, v);
      const float height = std::sqrt(std::max(0.0F, 1 - p.x * p.x - p.y * p.y));
      ray.direction = convert<double>(normalizedOr(p.x * u + p.y * v + height * point.normal, point.normal));
      ray.maxDistance = settings_.reach;
    }
  };
  const auto take = [&](size_t i, const RayHit& hit) {
    const bool open = hit.body.index < 0;
    // What is nearer takes more.
    answers[i] = open ? 1.0F : i < sunCount ? 0.0F : std::min(1.0F, static_cast<float>(hit.distance) / settings_.reach);
  };
  sight_.cast(answers.size(), makeRay, take);
  lights.resize(looks.size());
  sight_.share(looks.size(), [&](size_t item) {
    Light sum{0, 0};
    for (int k = 0; k < sunRays; ++k) sum.sun += answers[item * static_cast<size_t>(sunRays) + static_cast<size_t>(k)];
    for (int k = 0; k < skyRays; ++k) sum.sky += answers[sunCount + item * static_cast<size_t>(skyRays) + static_cast<size_t>(k)];
    lights[item] = {sum.sun / static_cast<float>(sunRays), sum.sky / static_cast<float>(skyRays)};
  });
  return answers.size();
}

size_t LightMap::lightOf(const std::vector<SurfacePoint>& points, const std::function<std::pair<float, float>(size_t)>& place,
                         std::vector<Light>& lights) const {
  lights.assign(points.size(), {});
  std::vector<unsigned char> known(points.size());
  sight_.share(points.size(), [&](size_t i) {
    const auto [x, y] = place(i);
    known[i] = points[i].body < 0 || at(x, y, points[i], lights[i]) ? 1 : 0;
  });
  std::vector<size_t> alone;
  std::vector<Look> looks;
  for (size_t i = 0; i < points.size(); ++i) {
    if (known[i] != 0) continue;
    const auto [x, y] = place(i);
    alone.push_back(i);
    looks.push_back({&points[i], patternOf(static_cast<int>(x), static_cast<int>(y))});
  }
  std::vector<Light> seen;
  const size_t rays = lookLong(looks, seen);
  for (size_t k = 0; k < seen.size(); ++k) lights[alone[k]] = seen[k];
  return rays;
}

bool LightMap::meanAround(int column, int row, Light& mean) const {
  const Block& here = blocks_[static_cast<size_t>(row * columns_ + column)];
  SurfacePoint point;
  point.offset = here.offset;
  point.normal = here.normal;
  point.body = here.body;
  point.shape = here.shape;
  Light sum{0, 0}, least{1, 1}, most{0, 0};
  int count = 0;
  for (int y = std::max(row - 1, 0); y <= std::min(row + 2, rows_ - 1); ++y) {
    for (int x = std::max(column - 1, 0); x <= std::min(column + 2, columns_ - 1); ++x) {
      const Block& block = blocks_[static_cast<size_t>(y * columns_ + x)];
      if (!sameSurface(block, point)) continue;
      sum.sun += block.own.sun;
      sum.sky += block.own.sky;
      least = {std::min(least.sun, block.own.sun), std::min(least.sky, block.own.sky)};
      most = {std::max(most.sun, block.own.sun), std::max(most.sky, block.own.sky)};
      ++count;
    }
  }
  // Not even this block is of its surface where the camera is in a body.
  if (count == 0) {
    mean = here.own;
    return true;
  }
  mean = {sum.sun / static_cast<float>(count), sum.sky / static_cast<float>(count)};
  return count > kWindow / 2 || (most.sun - least.sun < kApart && most.sky - least.sky < kApart);
}

// False where no block nearby lies on the point's surface, as on what is thinner than blocks are.
bool LightMap::at(float x, float y, const SurfacePoint& point, Light& light) const {
  const float size = static_cast<float>(settings_.block), middle = settings_.block == 1 ? 0.5F : static_cast<float>(settings_.block / 2) + 0.5F;
  // The mean of the blocks from one before to two behind belongs half a block further.
  const float u = (x - middle) / size - 0.5F, v = (y - middle) / size - 0.5F;
  const int left = static_cast<int>(std::floor(u)), above = static_cast<int>(std::floor(v));
  const float right = u - static_cast<float>(left), below = v - static_cast<float>(above);
  float weight = 0;
  Light sum{0, 0};
  for (int k = 0; k < 4; ++k) {
    const int column = std::clamp(left + (k & 1), 0, columns_ - 1), row = std::clamp(above + (k >> 1), 0, rows_ - 1);
    const Block& block = blocks_[static_cast<size_t>(row * columns_ + column)];
    if (!sameSurface(block, point)) continue;
    const float w = 0.01F + ((k & 1) != 0 ? right : 1 - right) * ((k >> 1) != 0 ? below : 1 - below);
    weight += w;
    sum.sun += w * block.mean.sun;
    sum.sky += w * block.mean.sky;
  }
  if (weight > 0) {
    light = {sum.sun / weight, sum.sky / weight};
    return true;
  }
  return false;
}

}  // namespace cairn::v0
