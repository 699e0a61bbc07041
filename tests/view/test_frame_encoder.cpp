#include "src/view/frame_encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace cairn {
namespace {

// Reads frames again, by the words of frame_encoder.hpp: bodies, and the channels that the tests have.
class Reader {
 public:
  Reader(size_t bodies, const ViewUnits& units, const ViewChannels& channels) : bodies_(bodies), units_(units), channels_(channels) {}

  ViewFrame read(const std::string& bytes, size_t jointCount = 0) {
    bytes_ = bytes;
    at_ = 0;
    const bool key = byte() == 1;
    if (key) *this = Reader(bodies_.size(), units_, channels_, bytes);
    ViewFrame frame;
    std::memcpy(&frame.time, bytes_.data() + at_, sizeof frame.time);
    at_ += sizeof frame.time;
    readBodies(frame);
    if (channels_.asleep) {
      frame.asleep.assign(bodies_.size(), 0);
      for (const size_t i : mask()) frame.asleep[i] = 1;
    }
    if (channels_.forces) {
      for (const size_t i : mask()) forces_[i] = byte();
      for (const unsigned f : forces_) frame.forces.push_back(f);
    }
    if (channels_.islands) {
      for (const size_t i : mask()) islands_[i] += static_cast<int>(number());
      frame.islands = islands_;
    }
    if (channels_.joints) readJoints(frame, jointCount);
    if (channels_.contacts) readContacts(frame);
    EXPECT_EQ(at_, bytes_.size());
    return frame;
  }

 private:
  struct Number {
    int64_t value = 0, step = 0;
    void move(int64_t difference) {
      const int64_t now = value + (std::abs(step) > 4 ? step : 0) + difference;
      step = now - value;
      value = now;
    }
  };
  struct Body {
    Number position[3], turn[3];
    int64_t velocity[3] = {0, 0, 0};
    unsigned largest = 3;
  };
  Reader(size_t bodies, const ViewUnits& units, const ViewChannels& channels, const std::string& bytes) : Reader(bodies, units, channels) {
    bytes_ = bytes;
    at_ = 1;
    fresh_ = true;
  }

  unsigned byte() { return static_cast<unsigned char>(bytes_.at(at_++)); }
  uint64_t whole() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const unsigned b = byte();
      value |= uint64_t(b & 127) << shift;
      if (b < 128) return value;
    }
  }
  int64_t number() {
    const uint64_t value = whole();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }
  std::vector<size_t> mask() {
    std::vector<size_t> set;
    for (size_t first = 0; first < bodies_.size(); first += 8) {
      const unsigned b = byte();
      for (size_t k = 0; k < 8; ++k) {
        if ((b >> k & 1) != 0) set.push_back(first + k);
      }
    }
    return set;
  }
  void readBodies(ViewFrame& frame) {
    const std::vector<size_t> changed = mask();
    std::vector<bool> moved(bodies_.size(), false);
    for (const size_t i : changed) moved[i] = true;
    for (size_t i = 0; i < bodies_.size(); ++i) {
      for (int k = 0; k < 3 && !moved[i]; ++k) bodies_[i].position[k].step = bodies_[i].turn[k].step = 0;
    }
    for (int k = 0; k < 3; ++k) {
      for (const size_t i : changed) bodies_[i].position[k].move(number());
    }
    std::vector<bool> other(bodies_.size(), false);
    for (const size_t i : changed) {
      const unsigned b = byte();
      other[i] = (b & 4) != 0;
      bodies_[i].largest = b & 3;
    }
    for (int k = 0; k < 3; ++k) {
      for (const size_t i : changed) {
        if (other[i]) bodies_[i].turn[k] = {};
        bodies_[i].turn[k].move(number());
        if (other[i]) bodies_[i].turn[k].step = 0;
      }
    }
    for (int k = 0; k < 3; ++k) {
      for (const size_t i : changed) bodies_[i].velocity[k] += number();
    }
    for (Body& body : bodies_) {
      for (int k = 0; k < 3 && fresh_; ++k) body.position[k].step = body.turn[k].step = 0;
      frame.states.push_back(stateOf(body));
    }
    fresh_ = false;
  }
  BodyState stateOf(const Body& body) const {
    const auto vector = [](double x, double y, double z) { return Vec3d{x, y, z}; };
    BodyState state;
    state.pose.p = units_.origin + units_.length * vector(static_cast<double>(body.position[0].value), static_cast<double>(body.position[1].value),
                                                          static_cast<double>(body.position[2].value));
    state.linearVelocity =
        units_.speed * vector(static_cast<double>(body.velocity[0]), static_cast<double>(body.velocity[1]), static_cast<double>(body.velocity[2]));
    double q[4], rest = 1;
    for (unsigned k = 0, at = 0; k < 4; ++k) {
      if (k == body.largest) continue;
      q[k] = kQuaternionUnit * static_cast<double>(body.turn[at++].value);
      rest -= q[k] * q[k];
    }
    q[body.largest] = std::sqrt(std::max(rest, 0.0));
    state.pose.q = {q[0], q[1], q[2], q[3]};
    return state;
  }
  void readJoints(ViewFrame& frame, size_t count) {
    frame.joints.resize(count);
    for (ViewJoint& joint : frame.joints) joint.broken = byte() != 0;
    for (double ViewJoint::*value : {&ViewJoint::error, &ViewJoint::angularError, &ViewJoint::force}) {
      std::vector<uint32_t> bits(count);
      for (uint32_t& b : bits) b = byte() << 24;
      for (uint32_t& b : bits) b |= byte() << 16;
      for (size_t k = 0; k < count; ++k) {
        float number = 0;
        std::memcpy(&number, &bits[k], sizeof number);
        frame.joints[k].*value = number;
      }
    }
  }
  void readContacts(ViewFrame& frame) {
    frame.contactCount = whole();
    frame.contacts.resize(whole());
    int last = 0;
    for (ViewContact& c : frame.contacts) last = c.bodyA = last + static_cast<int>(whole());
    for (ViewContact& c : frame.contacts) c.bodyB = c.bodyA + static_cast<int>(number());
    for (double Vec3d::*axis : {&Vec3d::x, &Vec3d::y, &Vec3d::z}) {
      for (ViewContact& c : frame.contacts) {
        const Body& body = bodies_[static_cast<size_t>(c.bodyA)];
        const Number& from = axis == &Vec3d::x ? body.position[0] : axis == &Vec3d::y ? body.position[1] : body.position[2];
        c.point.*axis = units_.origin.*axis + units_.length * static_cast<double>(from.value + number());
      }
    }
    std::vector<double> u, v;
    for (size_t k = 0; k < frame.contacts.size(); ++k) u.push_back((byte() - 127.5) / 127);
    for (size_t k = 0; k < frame.contacts.size(); ++k) v.push_back((byte() - 127.5) / 127);
    for (size_t k = 0; k < frame.contacts.size(); ++k) {
      Vec3d n{u[k], 1 - std::abs(u[k]) - std::abs(v[k]), v[k]};
      if (n.y < 0) n = {(1 - std::abs(v[k])) * (u[k] < 0 ? -1 : 1), n.y, (1 - std::abs(u[k])) * (v[k] < 0 ? -1 : 1)};
      frame.contacts[k].normal = normalizedOr(n, Vec3d{0, 1, 0});
    }
    for (ViewContact& c : frame.contacts) c.force = byte();
    for (ViewContact& c : frame.contacts) c.colour = static_cast<int>(byte()) - 1;
  }

  std::vector<Body> bodies_;
  ViewUnits units_;
  ViewChannels channels_;
  std::string bytes_;
  size_t at_ = 0;
  bool fresh_ = false;
  std::vector<unsigned> forces_ = std::vector<unsigned>(bodies_.size(), 0);
  std::vector<int> islands_ = std::vector<int>(bodies_.size(), 0);
};

Quatd randomTurn(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return normalized(Quatd{normal(random), normal(random), normal(random), normal(random)});
}

Vec3d randomPlace(std::mt19937& random, double reach) {
  std::uniform_real_distribution<double> within(-reach, reach);
  return {within(random), within(random), within(random)};
}

void expectNear(const BodyState& found, const BodyState& wanted, const ViewUnits& units) {
  EXPECT_LE(length(found.pose.p - wanted.pose.p), 0.76 * std::sqrt(3) * units.length);
  EXPECT_LE(length(found.linearVelocity - wanted.linearVelocity), 0.76 * std::sqrt(3) * units.speed);
  const Quatd a = found.pose.q, b = wanted.pose.q;
  EXPECT_GE(std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w), std::cos(2.2 * kQuaternionUnit));
}

TEST(FrameEncoder, BodiesThatMoveAndTurnAreReadBackWithinTheUnits) {
  std::mt19937 random(1);
  ViewUnits units;
  units.origin = {3, -2, 100};
  units.length = 1.0 / 1024;
  units.speed = 1.0 / 128;
  std::vector<BodyState> bodies(37), spins(37);
  for (BodyState& body : bodies) {
    body.pose = {units.origin + randomPlace(random, 20), randomTurn(random)};
    body.linearVelocity = randomPlace(random, 5);
    body.angularVelocity = randomPlace(random, 8);
  }
  FrameEncoder encoder(units, {});
  Reader reader(bodies.size(), units, {});
  for (int k = 0; k < 50; ++k) {
    ViewFrame frame;
    frame.time = k / 60.0;
    frame.states = bodies;
    const ViewFrame read = reader.read(encoder.encode(frame, k % 20 == 0));
    EXPECT_EQ(read.time, frame.time);
    for (size_t i = 0; i < bodies.size(); ++i) expectNear(read.states[i], bodies[i], units);
    for (size_t i = 0; i < bodies.size(); ++i) {
      if (i % 5 == 0) continue;  // rests
      BodyState& body = bodies[i];
      body.linearVelocity.y -= 9.81 / 60;
      body.pose.p = body.pose.p + (1 / 60.0) * body.linearVelocity;
      const Vec3d w = body.angularVelocity;
      const Quatd turn = normalized(Quatd{w.x / 120, w.y / 120, w.z / 120, 1});
      body.pose.q = turn * body.pose.q;
    }
  }
}

TEST(FrameEncoder, BodiesAtRestCostABitThoughTheyTremble) {
  std::mt19937 random(2);
  ViewUnits units;
  units.length = 1.0 / 1024;
  units.speed = 1.0 / 128;
  ViewFrame frame;
  frame.states.resize(800);
  for (BodyState& body : frame.states) body.pose = {units.length * Vec3d{1, 2, 3} + randomPlace(random, 0.2 * units.length), {0, 0, 0, 1}};
  FrameEncoder encoder(units, {});
  encoder.encode(frame, true);
  for (BodyState& body : frame.states) body.pose.p = body.pose.p + randomPlace(random, 0.2 * units.length);
  EXPECT_EQ(encoder.encode(frame, false).size(), 1 + 8 + 100u);
}

TEST(FrameEncoder, ChannelsAreReadBack) {
  std::mt19937 random(3);
  ViewUnits units;
  units.length = 1.0 / 512;
  ViewChannels channels;
  channels.asleep = channels.forces = channels.islands = channels.joints = channels.contacts = true;
  ViewFrame frame;
  frame.states.resize(11);
  FrameEncoder encoder(units, channels);
  Reader reader(11, units, channels);
  for (int k = 0; k < 3; ++k) {
    for (BodyState& body : frame.states) body.pose = {randomPlace(random, 3), randomTurn(random)};
    frame.asleep = {0, 1, 0, 0, 1, 1, 0, 0, 0, 1, static_cast<unsigned char>(k % 2)};
    frame.forces = {0, 1, 2, 4, 8, 1e30, 0, 0, 0, 0, 64.0 * k};
    frame.islands = {-1, 1, 1, 3, k, 5, 6, 7, 8, 9, 10};
    frame.joints = {{0.001, 0.5, 1e4, false}, {0, 2e-6, 0, k > 1}};
    frame.contacts.clear();
    for (int c = 0; c < 9; ++c) {
      const Vec3d normal = normalizedOr(randomPlace(random, 1), Vec3d{0, 1, 0});
      frame.contacts.push_back({c / 2, 10 - c, frame.states[static_cast<size_t>(c / 2)].pose.p + randomPlace(random, 0.5), normal, 1.0 * c, c - 1});
    }
    frame.contactCount = 1234;
    const ViewFrame read = reader.read(encoder.encode(frame, k == 0), 2);
    EXPECT_EQ(read.asleep, frame.asleep);
    EXPECT_EQ(read.islands, frame.islands);
    for (size_t i = 0; i < 11; ++i) EXPECT_EQ(read.forces[i], forceByte(frame.forces[i]));
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(read.joints[i].broken, frame.joints[i].broken);
      EXPECT_NEAR(read.joints[i].error, frame.joints[i].error, 0.004 * frame.joints[i].error);
      EXPECT_NEAR(read.joints[i].angularError, frame.joints[i].angularError, 0.004 * frame.joints[i].angularError);
      EXPECT_NEAR(read.joints[i].force, frame.joints[i].force, 0.004 * frame.joints[i].force);
    }
    EXPECT_EQ(read.contactCount, 1234u);
    ASSERT_EQ(read.contacts.size(), frame.contacts.size());
    for (size_t c = 0; c < read.contacts.size(); ++c) {
      EXPECT_EQ(read.contacts[c].bodyA, frame.contacts[c].bodyA);
      EXPECT_EQ(read.contacts[c].bodyB, frame.contacts[c].bodyB);
      EXPECT_LE(length(read.contacts[c].point - frame.contacts[c].point), units.length);
      EXPECT_GE(dot(read.contacts[c].normal, frame.contacts[c].normal), 0.9995);
      EXPECT_EQ(read.contacts[c].force, forceByte(frame.contacts[c].force));
      EXPECT_EQ(read.contacts[c].colour, frame.contacts[c].colour);
    }
  }
}

TEST(FrameEncoder, ForcesAreBytesOnALogarithmicScale) {
  EXPECT_EQ(forceByte(0), 0);
  EXPECT_EQ(forceByte(-1), 0);
  EXPECT_EQ(forceByte(1), 128);
  EXPECT_EQ(forceByte(2), 134);
  EXPECT_EQ(forceByte(1e-30), 1);
  EXPECT_EQ(forceByte(1e30), 255);
}

TEST(FrameEncoder, UnitsFollowTheSmallestBodyThatMoves) {
  Scene scene;
  BodyDef floor;
  floor.type = BodyType::Static;
  floor.shapes = {ShapeDef::sphere(1e-3)};
  BodyDef ball;
  ball.shapes = {ShapeDef::sphere(0.5)};
  ball.pose.p = {0, 4, 0};
  BodyDef large = ball;
  large.shapes = {ShapeDef::box({3, 3, 3})};
  large.pose.p = {2, 0, 0};
  scene.bodies = {floor, ball, large};
  const ViewUnits units = unitsFor(scene);
  EXPECT_EQ(units.length, 1.0 / 1024);
  EXPECT_EQ(units.origin.y, 2);
  EXPECT_EQ(units.origin.x, 1);
}

}  // namespace
}  // namespace cairn
