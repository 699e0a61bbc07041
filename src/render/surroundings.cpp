#include "src/render/surroundings.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

const Vec3f kZenith{0.42F, 0.58F, 0.78F}, kHorizon{0.86F, 0.90F, 0.94F}, kDepths{0.66F, 0.70F, 0.74F};
const Vec3f kLight{0.49F, 0.49F, 0.48F}, kDark{0.435F, 0.435F, 0.43F};

// How much of the way across a footprint of this width is on odd squares: the mean of a square wave.
double oddPart(double place, double width) {
  const auto integral = [](double x) {
    const double whole = std::floor(x / 2), rest = x - 2 * whole;
    return whole + std::max(rest - 1, 0.0);
  };
  return (integral(place + 0.5 * width) - integral(place - 0.5 * width)) / width;
}

}  // namespace

Surroundings::Surroundings(const Scene& scene, const Camera& camera, double distance) : distance_(static_cast<float>(distance)) {
  const Vec3d up = verticalOf(scene);
  const Quatd turn = turnFromY(up);
  vertical_ = convert<float>(up);
  east_ = convert<float>(rotate(turn, Vec3d{1, 0, 0}));
  north_ = convert<float>(rotate(turn, Vec3d{0, 0, 1}));
  sun_ = convert<float>(rotate(turn, normalizedOr(Vec3d{-0.62, 1.0, 0.62}, Vec3d{0, 1, 0})));
  const double wanted = distance * camera.tangent / 5, power = std::pow(10.0, std::floor(std::log10(wanted)));
  square_ = wanted < 2 * power ? power : wanted < 5 * power ? 2 * power : 5 * power;
}

Vec3f Surroundings::sky(Vec3f direction) const {
  const float height = dot(direction, vertical_);
  if (height < 0) return mixed(kHorizon, kDepths, std::min(1.0F, -1.6F * height));
  return mixed(kHorizon, kZenith, std::sqrt(std::min(height, 1.0F)));
}

Vec3f Surroundings::ground(Vec3d point, float distance, Vec3f direction, float pixel) const {
  const float across = distance * pixel, along = across / std::max(0.02F, std::abs(dot(direction, vertical_)));
  const double width = std::max(1e-3, 1.2 * static_cast<double>(std::sqrt(across * along)) / square_);
  const double x = dot(point, convert<double>(east_)) / square_, z = dot(point, convert<double>(north_)) / square_;
  const double a = oddPart(x, width), b = oddPart(z, width);
  return mixed(kLight, kDark, static_cast<float>(a + b - 2 * a * b));
}

Vec3f Surroundings::hazy(Vec3f colour, float distance) const {
  const float far = std::max(0.0F, distance / distance_ - 1.3F) / 4.5F;
  return mixed(colour, kHorizon, 1 - std::exp(-far * far));
}

}  // namespace cairn::v0
