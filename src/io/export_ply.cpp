#include "src/io/export_ply.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cairn::v0 {
namespace {

template <class T> void add(std::string& bytes, T value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }

void addVector(std::string& bytes, Vec3d v) {
  for (const double value : {v.x, v.y, v.z}) add(bytes, static_cast<float>(value));
}

// From dark blue over green to yellow, each brighter than the one before: also in grey, and for whoever sees few colours.
std::array<unsigned char, 3> colourOf(double part) {
  constexpr double kStops[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double at = 4 * std::clamp(part, 0.0, 1.0);
  const auto stop = std::min<size_t>(3, static_cast<size_t>(at));
  std::array<unsigned char, 3> colour{};
  for (size_t k = 0; k < 3; ++k) {
    colour[k] = static_cast<unsigned char>(std::lround(kStops[stop][k] + (at - static_cast<double>(stop)) * (kStops[stop + 1][k] - kStops[stop][k])));
  }
  return colour;
}

}  // namespace

std::vector<RecordedContact> contactsOf(const World& world) {
  std::vector<RecordedContact> contacts;
  for (const Contact& c : world.contacts()) {
    RecordedContact& r = contacts.emplace_back();
    r.bodyA = c.bodyA.index;
    r.bodyB = c.bodyB.index;
    r.shapeA = c.shapeA;
    r.shapeB = c.shapeB;
    r.point = c.point;
    r.normal = c.normal;
    r.separation = c.separation;
    r.normalImpulse = c.normalImpulse;
    r.frictionImpulse = c.frictionImpulse;
  }
  return contacts;
}

std::string contactsPly(const std::vector<RecordedContact>& contacts, double substep, const std::string& comment) {
  std::string bytes =
      fmt::format("ply\nformat binary_little_endian 1.0\ncomment {}\ncomment lengths in m, forces in N; force is on body_b, normal from a to b\n",
                  printable(comment));
  bytes += fmt::format("element vertex {}\n", contacts.size());
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "force_x", "force_y", "force_z", "normal_force", "friction_force", "separation"}) {
    bytes += fmt::format("property float {}\n", name);
  }
  for (const char* name : {"body_a", "body_b", "shape_a", "shape_b"}) bytes += fmt::format("property int {}\n", name);
  for (const char* name : {"red", "green", "blue"}) bytes += fmt::format("property uchar {}\n", name);
  bytes += "end_header\n";
  double largest = 0;
  for (const RecordedContact& c : contacts) largest = std::max(largest, c.normalImpulse);
  for (const RecordedContact& c : contacts) {
    const double normalForce = c.normalImpulse / substep;
    const Vec3d friction = (1 / substep) * c.frictionImpulse;
    addVector(bytes, c.point);
    addVector(bytes, c.normal);
    addVector(bytes, normalForce * c.normal + friction);
    for (const double value : {normalForce, length(friction), c.separation}) add(bytes, static_cast<float>(value));
    for (const int value : {c.bodyA, c.bodyB, c.shapeA, c.shapeB}) add(bytes, static_cast<int32_t>(value));
    // Square roots: few points carry most, and the others are not all alike.
    for (const unsigned char value : colourOf(largest > 0 ? std::sqrt(c.normalImpulse / largest) : 0)) add(bytes, value);
  }
  return bytes;
}

}  // namespace cairn::v0
