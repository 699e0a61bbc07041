#include "src/view/frame_encoder.hpp"

#include "src/render/body_reach.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cairn::v0 {
namespace {

constexpr double kUnitsInBody = 512;
constexpr double kFurthest = 1 << 30;  // units: what lies beyond is shown there
constexpr double kStillLargest = 0.6;  // a component stays the one that is left out while it is above
constexpr double kForceSteps = 6;      // bytes in a factor of two
constexpr int kForceOne = 128;         // the byte of 1 N

int whole(double units, int before, bool key) {
  if (!key && std::abs(units - before) <= kStay) return before;
  return static_cast<int>(std::lround(std::clamp(units, -kFurthest, kFurthest)));
}

void putBytes(std::string& out, const void* bytes, size_t count) { out.append(static_cast<const char*>(bytes), count); }

void putByte(std::string& out, unsigned value) { out.push_back(static_cast<char>(value)); }

std::array<double, 4> components(const Quatd& q) { return {q.x, q.y, q.z, q.w}; }

}  // namespace

void putVarint(std::string& out, uint64_t value) {
  for (; value > 127; value >>= 7) putByte(out, static_cast<unsigned>(value & 127) | 128);
  putByte(out, static_cast<unsigned>(value));
}

unsigned char forceByte(double newtons) {
  if (!(newtons > 0)) return 0;
  return static_cast<unsigned char>(std::clamp(std::lround(kForceOne + kForceSteps * std::log2(newtons)), 1L, 255L));
}

uint16_t bfloat16(double value) {
  const auto number = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  if (!std::isfinite(number)) return static_cast<uint16_t>(bits >> 16);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

std::array<unsigned char, 2> octahedral(Vec3d unit) {
  const double sum = std::abs(unit.x) + std::abs(unit.y) + std::abs(unit.z);
  if (!(sum > 0)) return {128, 128};
  double u = unit.x / sum, v = unit.z / sum;
  if (unit.y < 0) {
    const double folded = (1 - std::abs(v)) * (u < 0 ? -1 : 1);
    v = (1 - std::abs(u)) * (v < 0 ? -1 : 1);
    u = folded;
  }
  const auto byte = [](double x) { return static_cast<unsigned char>(std::lround(127.5 + 127 * x)); };
  return {byte(u), byte(v)};
}

ViewUnits unitsFor(const Scene& scene) {
  double smallest = 0, furthest = 0;
  Vec3d low{0, 0, 0}, high{0, 0, 0};
  bool any = false;
  for (const BodyDef& body : scene.bodies) {
    if (body.type == BodyType::Static) continue;
    const double reach = reachOf(body);
    if (reach > 0) smallest = smallest > 0 ? std::min(smallest, reach) : reach;
    const Vec3d p = body.pose.p;
    low = any ? Vec3d{std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)} : p;
    high = any ? Vec3d{std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)} : p;
    any = true;
  }
  ViewUnits units;
  units.origin = 0.5 * (low + high);
  furthest = length(high - low);
  if (!(smallest > 0)) smallest = 1;
  units.length = std::exp2(std::floor(std::log2(std::max(smallest / kUnitsInBody, furthest / (kFurthest / 64)))));
  units.speed = 8 * units.length;
  return units;
}

FrameEncoder::Body FrameEncoder::quantised(const BodyState& state, const Body& before, bool key) const {
  Body body;
  const Vec3d from = state.pose.p - units_.origin, v = state.linearVelocity;
  const std::array<double, 3> p{from.x, from.y, from.z}, speed{v.x, v.y, v.z};
  for (size_t k = 0; k < 3; ++k) {
    const int now = whole(p[k] / units_.length, before.position[k].value, key);
    body.position[k] = {now, key ? 0 : now - before.position[k].value};
    body.velocity[k] = whole(speed[k] / units_.speed, before.velocity[k], key);
  }
  const std::array<double, 4> q = components(state.pose.q);
  size_t largest = 0;
  for (size_t k = 1; k < 4; ++k) {
    if (std::abs(q[k]) > std::abs(q[largest])) largest = k;
  }
  const auto kept = static_cast<size_t>(before.largest);
  if (!key && std::abs(q[kept]) > kStillLargest) largest = kept;
  body.largest = static_cast<int>(largest);
  const bool other = key || body.largest != before.largest;
  const double sign = q[largest] < 0 ? -1 : 1;
  for (size_t k = 0, at = 0; k < 4; ++k) {
    if (k == largest) continue;
    const int now = whole(sign * q[k] / kQuaternionUnit, before.turn[at].value, other);
    body.turn[at] = {now, other ? 0 : now - before.turn[at].value};
    ++at;
  }
  return body;
}

template <class Changed> void FrameEncoder::addMask(size_t count, const Changed& changed) {
  for (size_t first = 0; first < count; first += 8) {
    unsigned byte = 0;
    for (size_t k = first; k < std::min(count, first + 8); ++k) byte |= changed(k) ? 1u << (k - first) : 0;
    putByte(out_, byte);
  }
}

void FrameEncoder::addBodies(const std::vector<BodyState>& states, bool key) {
  std::vector<Body> before(states.size());
  if (!key) before = bodies_;
  std::vector<Body> now(states.size());
  std::vector<size_t> changed;
  for (size_t i = 0; i < states.size(); ++i) {
    now[i] = quantised(states[i], before[i], key);
    if (!now[i].sameAs(before[i])) changed.push_back(i);
  }
  size_t next = 0;
  addMask(states.size(), [&](size_t i) { return next < changed.size() && changed[next] == i && (++next, true); });
  for (size_t k = 0; k < 3; ++k) {
    for (const size_t i : changed) putSigned(out_, now[i].position[k].value - before[i].position[k].expected());
  }
  const auto other = [&](size_t i) { return now[i].largest != before[i].largest; };
  for (const size_t i : changed) putByte(out_, static_cast<unsigned>(now[i].largest) | (other(i) ? 4 : 0));
  for (size_t k = 0; k < 3; ++k) {
    for (const size_t i : changed) putSigned(out_, now[i].turn[k].value - (other(i) ? 0 : before[i].turn[k].expected()));
  }
  for (size_t k = 0; k < 3; ++k) {
    for (const size_t i : changed) putSigned(out_, now[i].velocity[k] - before[i].velocity[k]);
  }
  bodies_ = std::move(now);
}

void FrameEncoder::addBytes(const std::vector<unsigned char>& now, std::vector<unsigned char>& before) {
  addMask(now.size(), [&](size_t i) { return now[i] != before[i]; });
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] != before[i]) putByte(out_, now[i]);
  }
  before = now;
}

void FrameEncoder::addIslands(const std::vector<int>& now) {
  addMask(now.size(), [&](size_t i) { return now[i] != islands_[i]; });
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] != islands_[i]) putSigned(out_, now[i] - islands_[i]);
  }
  islands_ = now;
}

void FrameEncoder::addJoints(const std::vector<ViewJoint>& joints) {
  for (const ViewJoint& joint : joints) putByte(out_, joint.broken ? 1 : 0);
  for (double ViewJoint::*value : {&ViewJoint::error, &ViewJoint::angularError, &ViewJoint::force}) {
    for (const int shift : {8, 0}) {
      for (const ViewJoint& joint : joints) putByte(out_, (bfloat16(joint.*value) >> shift) & 255u);
    }
  }
}

void FrameEncoder::addContacts(const ViewFrame& frame) {
  putVarint(out_, frame.contactCount);
  putVarint(out_, frame.contacts.size());
  int last = 0;
  for (const ViewContact& c : frame.contacts) {
    putVarint(out_, static_cast<uint64_t>(c.bodyA - last));
    last = c.bodyA;
  }
  for (const ViewContact& c : frame.contacts) putSigned(out_, c.bodyB - c.bodyA);
  for (size_t k = 0; k < 3; ++k) {
    for (const ViewContact& c : frame.contacts) {
      const Vec3d from = c.point - units_.origin;
      const double along = k == 0 ? from.x : k == 1 ? from.y : from.z;
      putSigned(out_, whole(along / units_.length, 0, true) - bodies_[static_cast<size_t>(c.bodyA)].position[k].value);
    }
  }
  for (const size_t k : {size_t(0), size_t(1)}) {
    for (const ViewContact& c : frame.contacts) putByte(out_, octahedral(c.normal)[k]);
  }
  for (const ViewContact& c : frame.contacts) putByte(out_, forceByte(c.force));
  for (const ViewContact& c : frame.contacts) putByte(out_, static_cast<unsigned>(c.colour + 1));
}

std::string FrameEncoder::encode(const ViewFrame& frame, bool key) {
  out_.clear();
  const size_t bodies = frame.states.size();
  if (key) {
    forces_.assign(bodies, 0);
    colours_.assign(bodies, 0);
    islands_.assign(bodies, 0);
  }
  putByte(out_, key ? 1 : 0);
  putBytes(out_, &frame.time, sizeof frame.time);
  addBodies(frame.states, key);
  if (channels_.asleep) addMask(bodies, [&](size_t i) { return frame.asleep[i] != 0; });
  std::vector<unsigned char> bytes(bodies);
  if (channels_.forces) {
    std::transform(frame.forces.begin(), frame.forces.end(), bytes.begin(), forceByte);
    addBytes(bytes, forces_);
  }
  if (channels_.islands) addIslands(frame.islands);
  if (channels_.colours) {
    std::transform(frame.colours.begin(), frame.colours.end(), bytes.begin(), [](int colour) { return static_cast<unsigned char>(colour + 1); });
    addBytes(bytes, colours_);
  }
  if (channels_.joints) addJoints(frame.joints);
  if (channels_.contacts) addContacts(frame);
  return out_;
}

}  // namespace cairn::v0
