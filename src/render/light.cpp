#include "src/render/light.hpp"

#include <array>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr int kPeriod = 4;                                                                   // blocks
constexpr float kSunRadius = 0.035F;                                                         // tangent of half the angle that the sun fills
constexpr std::array<int, 16> kOrder{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};  // neighbours are far apart (Bayer 1973)

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
  std::vector<const SurfacePoint*> shown;
  visitInSquares(columns_, rows_, [&](int column, int row) {
    const int block = row * columns_ + column, x = std::min(settings_.block * column + settings_.block / 2, width_ - 1),
              y = std::min(settings_.block * row + settings_.block / 2, height_ - 1);
    const SurfacePoint& point = points[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)];
    Block& into = blocks_[static_cast<size_t>(block)];
    into.body = point.body;
    into.offset = point.offset;
    into.normal = point.normal;
    into.slack = 3 * static_cast<float>(settings_.block) * pixel * point.distance;
    into.own = {0, 0};
    if (point.body < 0) return;
    seen.push_back(block);
    shown.push_back(&point);
  });
  const int sunRays = settings_.sunRays, skyRays = settings_.skyRays, each = sunRays + skyRays;
  const std::vector<DiskPoint> sunDisk = diskOf(16 * sunRays), skyDisk = diskOf(16 * skyRays);
  Vec3f sunU, sunV;
  tangentFrame(around_.sun(), sunU, sunV);
  std::vector<float> answers(seen.size() * static_cast<size_t>(each));
  // The sun's rays come first: their lengths, and so the work, differ.
  const size_t sunCount = seen.size() * static_cast<size_t>(sunRays);
  const auto of = [&](size_t i) {
    const bool sun = i < sunCount;
    const size_t k = sun ? i : i - sunCount, rays = static_cast<size_t>(sun ? sunRays : skyRays);
    return std::pair(k / rays, static_cast<int>(k % rays));
  };
  const auto makeRay = [&](size_t i, Ray& ray) {
    const auto [item, k] = of(i);
    const SurfacePoint& point = *shown[item];
    const int block = seen[item], pattern = kOrder[static_cast<size_t>((block / columns_ % kPeriod) * kPeriod + block % columns_ % kPeriod)];
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
  sight_.share(seen.size(), [&](size_t item) {
    Block& block = blocks_[static_cast<size_t>(seen[item])];
    for (int k = 0; k < sunRays; ++k) block.own.sun += answers[item * static_cast<size_t>(sunRays) + static_cast<size_t>(k)];
    for (int k = 0; k < skyRays; ++k) block.own.sky += answers[sunCount + item * static_cast<size_t>(skyRays) + static_cast<size_t>(k)];
    block.own = {block.own.sun / static_cast<float>(sunRays), block.own.sky / static_cast<float>(skyRays)};
  });
  sight_.share(blocks_.size(), [&](size_t i) {
    const int block = static_cast<int>(i);
    if (blocks_[i].body >= 0) blocks_[i].mean = meanAround(block % columns_, block / columns_);
  });
  return answers.size();
}

Light LightMap::meanAround(int column, int row) const {
  const Block& here = blocks_[static_cast<size_t>(row * columns_ + column)];
  SurfacePoint point;
  point.offset = here.offset;
  point.normal = here.normal;
  point.body = here.body;
  float sun = 0, sky = 0, count = 0;
  for (int y = std::max(row - 1, 0); y <= std::min(row + 2, rows_ - 1); ++y) {
    for (int x = std::max(column - 1, 0); x <= std::min(column + 2, columns_ - 1); ++x) {
      const Block& block = blocks_[static_cast<size_t>(y * columns_ + x)];
      if (!sameSurface(block, point)) continue;
      sun += block.own.sun;
      sky += block.own.sky;
      count += 1;
    }
  }
  // Not even this block is of its surface where the camera is in a body.
  return count > 0 ? Light{sun / count, sky / count} : here.own;
}

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
  // Of the same body at least.
  int found = 0;
  sum = {0, 0};
  for (int row = std::max(above - 1, 0); row <= std::min(above + 2, rows_ - 1); ++row) {
    for (int column = std::max(left - 1, 0); column <= std::min(left + 2, columns_ - 1); ++column) {
      const Block& block = blocks_[static_cast<size_t>(row * columns_ + column)];
      if (block.body != point.body || dot(block.normal, point.normal) < 0.3F) continue;
      sum.sun += block.mean.sun;
      sum.sky += block.mean.sky;
      ++found;
    }
  }
  light = found > 0 ? Light{sum.sun / static_cast<float>(found), sum.sky / static_cast<float>(found)} : Light{0.7F, 0.75F};
  return false;
}

}  // namespace cairn::v0
