#include "src/render/camera.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace cairn::v0 {
namespace {

const char* const kKeys = "eye, target, up, fov, orbit, angle, elevation, distance";

struct Item {
  std::string key;
  std::vector<std::string> values;
};

// "a=1,2,b" is a with two values, and b with none: what is no number after a comma begins an item.
std::vector<Item> itemsOf(const std::string& text) {
  std::vector<Item> items;
  size_t from = 0;
  while (from <= text.size()) {
    const size_t end = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, end - from);
    const size_t equals = word.find('=');
    const bool beginsWithLetter = !word.empty() && word[0] >= 'a' && word[0] <= 'z';
    if (equals != std::string::npos) {
      items.push_back({word.substr(0, equals), {word.substr(equals + 1)}});
    } else if (items.empty() || beginsWithLetter) {
      items.push_back({word, {}});
    } else {
      items.back().values.push_back(word);
    }
    from = end + 1;
  }
  return items;
}

class Reader {
 public:
  explicit Reader(const std::string& place) : place_(place) {}

  void read(const Item& item, CameraChoice& choice) {
    if (std::find(seen_.begin(), seen_.end(), item.key) != seen_.end()) refuse("'{}' is there twice", item.key);
    seen_.push_back(item.key);
    if (item.key == "eye") {
      choice.eye = vector(item);
    } else if (item.key == "target") {
      choice.target = vector(item);
    } else if (item.key == "up") {
      choice.up = vector(item);
      if (length(*choice.up) == 0) refuse("'up' must not be zero");
    } else if (item.key == "fov") {
      choice.fov = number(item, 1, 170, "an angle from 1 to 170 degrees");
    } else if (item.key == "angle") {
      choice.angle = number(item, -360, 360, "an angle from -360 to 360 degrees");
    } else if (item.key == "elevation") {
      choice.elevation = number(item, -89, 89, "an angle from -89 to 89 degrees");
    } else if (item.key == "distance") {
      choice.distance = number(item, kSmallest, kLargest, "a distance in metres, > 0");
    } else if (item.key == "orbit") {
      choice.period = item.values.empty() ? kOrbitPeriod : number(item, kSmallest, kLargest, "a period in seconds, > 0");
    } else {
      refuse("'{}' is none of {}", item.key, kKeys);
    }
  }
  void finish(const CameraChoice& choice) const {
    if (choice.eye && choice.target && length(*choice.target - *choice.eye) == 0) refuse("'eye' and 'target' must not be the same point");
    if (!choice.eye) return;
    for (const std::string& key : seen_) {
      if (key == "orbit" || key == "angle" || key == "elevation" || key == "distance") refuse("'{}' cannot be given with 'eye'", key);
    }
  }

 private:
  static constexpr double kSmallest = 1e-9, kLargest = 1e9;

  template <class... Words> [[noreturn]] void refuse(const char* format, const Words&... words) const {
    throw InvalidInput(place_, fmt::format(fmt::runtime(format), words...));
  }
  double finite(const Item& item, const std::string& word) const {
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end || !(std::abs(value) <= kLargest)) {
      refuse("'{}' must be numbers of at most 1e9 in size, is '{}'", item.key, fmt::join(item.values, ","));
    }
    return value;
  }
  Vec3d vector(const Item& item) const {
    if (item.values.size() != 3) refuse("'{}' must be x,y,z, is '{}'", item.key, fmt::join(item.values, ","));
    return {finite(item, item.values[0]), finite(item, item.values[1]), finite(item, item.values[2])};
  }
  double number(const Item& item, double low, double high, const char* words) const {
    const double value = item.values.size() == 1 ? finite(item, item.values[0]) : NAN;
    if (!(value >= low && value <= high)) refuse("'{}' must be {}, is '{}'", item.key, words, fmt::join(item.values, ","));
    return value;
  }

  const std::string& place_;
  std::vector<std::string> seen_;
};

}  // namespace

CameraChoice parseCamera(const std::string& place, const std::string& text) {
  CameraChoice choice;
  Reader reader(place);
  for (const Item& item : itemsOf(text)) reader.read(item, choice);
  reader.finish(choice);
  return choice;
}

Camera lookAt(Vec3d eye, Vec3d target, Vec3d up, double fov) {
  Camera camera;
  camera.eye = eye;
  const double distance = length(target - eye);
  if (!(distance > 0)) throw InvalidInput("camera", "eye and target must not be the same point");
  camera.forward = (1 / distance) * (target - eye);
  const Vec3d right = cross(camera.forward, up);
  if (!(length(right) > 1e-6 * length(up))) throw InvalidInput("camera", "up must not be along the view");
  camera.right = (1 / length(right)) * right;
  camera.up = cross(camera.right, camera.forward);
  camera.tangent = std::tan(fov * (kPi / 360));
  return camera;
}

Quatd turnFromY(Vec3d vertical) {
  if (vertical.y < -1 + 1e-9) return {1, 0, 0, 0};
  return normalized(Quatd{vertical.z, 0, -vertical.x, 1 + vertical.y});
}

Vec3d verticalOf(const Scene& scene) { return normalizedOr(-1.0 * scene.gravity, Vec3d{0, 1, 0}); }

}  // namespace cairn::v0
