#include "src/render/appearance.hpp"

#include "src/render/constraint_colours.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace cairn::v0 {
namespace {

using Colour = Vec3<float>;

// An sRGB colour, 0xrrggbb, as a linear one.
Colour linear(unsigned rgb) {
  const auto channel = [rgb](unsigned shift) { return std::pow(static_cast<float>((rgb >> shift) & 0xffu) / 255, 2.2F); };
  return {channel(16), channel(8), channel(0)};
}

// Muted ones, so that light and shadow show on all of them.
constexpr std::array<unsigned, 12> kPalette{0xd9694a, 0x3f7f93, 0xe3b04b, 0x7a9a5b, 0x8a6a9f, 0xe08f7c,
                                            0x5a8fc0, 0xc9a27a, 0x4fa08b, 0xb8557a, 0xa9b765, 0x6b78b4};
constexpr std::array<unsigned, 6> kRamp{0x31417f, 0x3476a3, 0x3fa796, 0x9cc05a, 0xf0b93c, 0xd6452f};
constexpr unsigned kStatic = 0xb9b6b0, kKinematic = 0x9ba6b2, kAwake = 0xe0a458, kSleeping = 0x5f7d9e, kAlone = 0xd8d4cc;

Colour muted(unsigned rgb) {
  const Colour colour = linear(rgb);
  const float grey = 0.3F * colour.x + 0.55F * colour.y + 0.15F * colour.z;
  return 0.88F * colour + 0.12F * Colour{grey, grey, grey};
}

// Neighbours in the list get colours that are far apart, and a little lighter or darker than their like.
Colour colourOfNumber(size_t number) {
  const size_t scattered = (number * 2654435761U) >> 7;
  const float shade = 0.86F + 0.07F * static_cast<float>((number * 7 + scattered) % 5);
  return shade * muted(kPalette[(number * 5 + scattered / 64 % 3) % kPalette.size()]);
}

// 1, 2 or 5 times a power of ten, above.
double roundedUp(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power) return step * power;
  }
  return 10 * power;
}

std::vector<double> speeds(const BodyMoment& moment) {
  std::vector<double> values;
  for (const BodyState& state : moment.states) values.push_back(length(state.linearVelocity));
  return values;
}

std::vector<double> forces(const BodyMoment& moment, size_t bodies) {
  std::vector<double> values(bodies, 0);
  for (const BodyTouch& touch : moment.touches) {
    for (const int body : {touch.bodyA, touch.bodyB}) values[static_cast<size_t>(body)] += touch.force;
  }
  return values;
}

// By body, the number of its island, in the order of their first bodies; those that nothing touches have -1.
std::vector<int> islands(const BodyMoment& moment, const Scene& scene) {
  std::vector<size_t> parent(scene.bodies.size());
  std::iota(parent.begin(), parent.end(), size_t(0));
  const auto root = [&](size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::vector<bool> touched(parent.size(), false);
  const auto connect = [&](int a, int b) {
    const auto i = static_cast<size_t>(a), j = static_cast<size_t>(b);
    const bool dynamicA = scene.bodies[i].type == BodyType::Dynamic, dynamicB = scene.bodies[j].type == BodyType::Dynamic;
    touched[i] = touched[i] || dynamicA;
    touched[j] = touched[j] || dynamicB;
    if (!dynamicA || !dynamicB) return;
    const size_t first = std::min(root(i), root(j)), second = std::max(root(i), root(j));
    parent[second] = first;
  };
  for (const BodyTouch& touch : moment.touches) connect(touch.bodyA, touch.bodyB);
  for (size_t k = 0; k < scene.joints.size(); ++k) {
    if (k >= moment.broken.size() || !moment.broken[k]) connect(scene.joints[k].bodyA, scene.joints[k].bodyB);
  }
  std::vector<int> numbers(parent.size(), -1);
  int count = 0;
  for (size_t i = 0; i < parent.size(); ++i) {
    if (!touched[i]) continue;
    const size_t first = root(i);
    numbers[i] = first == i ? count++ : numbers[first];
  }
  return numbers;
}

std::vector<int> graphColours(const World& world, const Scene& scene) {
  std::vector<bool> broken;
  for (const JointState& joint : world.jointStates()) broken.push_back(joint.broken);
  std::vector<int> ofBodies;
  ConstraintColours(scene, world.settings())
      .colour(world.contacts(), broken, world.settings().sleeping ? world.asleep() : std::vector<unsigned char>(), ofBodies);
  return ofBodies;
}

}  // namespace

Vec3<float> rampColour(double value) {
  const double place = std::clamp(value, 0.0, 1.0) * (kRamp.size() - 1);
  const auto low = std::min(static_cast<size_t>(place), kRamp.size() - 2);
  const auto part = static_cast<float>(place - static_cast<double>(low));
  return (1 - part) * linear(kRamp[low]) + part * linear(kRamp[low + 1]);
}

Colouring parseColouring(const std::string& place, const std::string& text) {
  constexpr std::array<const char*, 6> kNames{"body", "speed", "force", "island", "asleep", "graph"};
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) throw InvalidInput(place, "must be body, speed, force, island, asleep or graph, is '" + text + "'");
  Colouring colouring;
  colouring.by = static_cast<ColourBy>(found - kNames.begin());
  if (equals == std::string::npos) return colouring;
  if (!colouring.hasScale()) throw InvalidInput(place, "only speed and force have a scale, is '" + text + "'");
  double full = 0;
  const auto [stop, error] = std::from_chars(text.data() + equals + 1, text.data() + text.size(), full);
  if (error != std::errc() || stop != text.data() + text.size() || !(full > 0 && full <= 1e15)) {
    throw InvalidInput(place, "the scale of " + name + " must be a number > 0, is '" + text.substr(equals + 1) + "'");
  }
  colouring.full = full;
  return colouring;
}

BodyNumbers numbersOf(const BodyMoment& moment, const Scene& scene, ColourBy by) {
  switch (by) {
    case ColourBy::Speed:
      return {speeds(moment), {}};
    case ColourBy::Force:
      return {forces(moment, scene.bodies.size()), {}};
    case ColourBy::Island:
      return {{}, islands(moment, scene)};
    case ColourBy::Asleep:
      return {{}, {moment.asleep.begin(), moment.asleep.end()}};
    default:
      return {};
  }
}

BodyNumbers numbersOf(const World& world, const Scene& scene, ColourBy by) {
  if (by == ColourBy::Graph) return {{}, graphColours(world, scene)};
  BodyMoment moment;
  if (by == ColourBy::Speed) moment.states = world.states();
  if (by == ColourBy::Asleep) moment.asleep = world.asleep();
  if (by == ColourBy::Force || by == ColourBy::Island) {
    const double h = world.settings().dt / world.settings().substeps;
    for (const Contact& c : world.contacts()) {
      moment.touches.push_back({c.bodyA.index, c.bodyB.index, std::hypot(c.normalImpulse, length(c.frictionImpulse)) / h});
    }
    for (const JointState& joint : world.jointStates()) moment.broken.push_back(joint.broken);
  }
  return numbersOf(moment, scene, by);
}

double fullScale(const BodyNumbers& numbers, const Scene& scene) {
  std::vector<double> moving;
  for (size_t i = 0; i < numbers.amounts.size(); ++i) {
    if (scene.bodies[i].type == BodyType::Dynamic) moving.push_back(numbers.amounts[i]);
  }
  if (moving.empty()) return 0;
  const auto at = moving.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(moving.size() - 1) + 0.5);
  std::nth_element(moving.begin(), at, moving.end());
  return *at > 1e-9 ? roundedUp(*at) : 0;
}

std::vector<Vec3<float>> coloursOf(const BodyNumbers& numbers, const Scene& scene, const Colouring& colouring) {
  std::vector<Colour> colours(scene.bodies.size());
  const auto paint = [&](const auto& colour) {
    for (size_t i = 0; i < colours.size(); ++i) {
      const BodyType type = scene.bodies[i].type;
      colours[i] = type == BodyType::Static ? linear(kStatic) : type == BodyType::Kinematic ? linear(kKinematic) : colour(i);
    }
  };
  if (colouring.by == ColourBy::Body) {
    paint([](size_t i) { return colourOfNumber(i); });
  } else if (colouring.hasScale()) {
    const double full = colouring.full ? *colouring.full : fullScale(numbers, scene);
    paint([&](size_t i) { return rampColour(full > 0 ? numbers.amounts[i] / full : 0); });
  } else if (colouring.by == ColourBy::Asleep) {
    paint([&](size_t i) { return linear(numbers.kinds[i] != 0 ? kSleeping : kAwake); });
  } else {
    paint([&](size_t i) { return numbers.kinds[i] < 0 ? linear(kAlone) : colourOfNumber(static_cast<size_t>(numbers.kinds[i])); });
  }
  return colours;
}

}  // namespace cairn::v0
