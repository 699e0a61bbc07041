// Frames as bytes, for pages and for pages that watch a World live.
//
// The layout, little-endian; page/frames.js reads it. A number without a size is a varint: seven bits a byte, the lowest first, the eighth bit says
// that another byte follows. Signed ones are zigzag: 0, -1, 1, -2, ... A mask has a bit a body, the lowest of a byte first. Columns of one kind stand
// together, which deflate makes small.
//
//   u8   1: a key frame, which is decoded as if everything before had been zero; else 0
//   f64  time [s]
//   mask of the bodies that have changed, then of these:
//        x, y, z of the position, each a column of signed differences from what is expected
//        u8 column: which component of the quaternion is the largest; + 4: it is another one than before, and the three that follow are whole
//        the other three components, with the largest made positive, each a column of signed differences from what is expected
//        x, y, z of the velocity, each a column of signed differences from the frame before
//   asleep   mask of the bodies that sleep
//   forces   mask of the bodies with another one than before, then a u8 column of the new ones: 0: none; k: 2^((k - 128) / 6) N
//   islands  mask of the bodies with another one than before, then a column of signed differences of them
//   colours  mask of the bodies with another one than before, then a u8 column of the new ones: the colour + 1
//   joints   u8 column: broken or not; then error, angular error, force: of each a u8 column with the high bytes of their bfloat16, and one with the
//   low contacts how many there are, how many follow; columns: body A as the difference from the contact before, body B as the signed difference from
//   A;
//            x, y, z of the point from A's position, signed; u8 u8 the normal on the octahedron; u8 the force as above; u8 the colour + 1
//
// Positions and velocities are whole multiples of their units, quaternions of kQuaternionUnit. What is expected is the value of the frame before, and
// where that has moved on by more than kSteady units, moved on by as much again. A value stays while it is within kStay units of the truth: bodies at
// rest have changed nothing, and cost a bit.
#pragma once

#include "src/view/view_frame.hpp"

#include <array>
#include <string>

namespace cairn::v0 {

constexpr double kQuaternionUnit = 1.0 / 2048;
constexpr int kSteady = 4;
constexpr double kStay = 0.75;

struct ViewUnits {
  Vec3d origin{0, 0, 0};  // positions are measured from here [m]
  double length = 1;      // [m]
  double speed = 1;       // [m/s]
};

// Lengths that are about a five-hundredth of the smallest body that moves, a power of two.
ViewUnits unitsFor(const Scene& scene);

class FrameEncoder {
 public:
  FrameEncoder(const ViewUnits& units, const ViewChannels& channels) : units_(units), channels_(channels) {}

  // The frame behind the one before; a key frame needs none.
  std::string encode(const ViewFrame& frame, bool key);

  // What a reader of the frames has now: quantised.
  struct Tracked {
    int value = 0, step = 0;
    friend bool operator==(Tracked a, Tracked b) { return a.value == b.value; }
    int expected() const { return value + (step > kSteady || step < -kSteady ? step : 0); }
  };
  struct Body {
    std::array<Tracked, 3> position, turn;
    std::array<int, 3> velocity{};
    int largest = 3;
    bool sameAs(const Body& other) const {
      return position == other.position && turn == other.turn && velocity == other.velocity && largest == other.largest;
    }
  };

 private:
  Body quantised(const BodyState& state, const Body& before, bool key) const;
  void addBodies(const std::vector<BodyState>& states, bool key);
  void addBytes(const std::vector<unsigned char>& now, std::vector<unsigned char>& before);
  void addIslands(const std::vector<int>& now);
  void addJoints(const std::vector<ViewJoint>& joints);
  void addContacts(const ViewFrame& frame);
  template <class Changed> void addMask(size_t count, const Changed& changed);

  ViewUnits units_;
  ViewChannels channels_;
  std::string out_;
  std::vector<Body> bodies_;
  std::vector<unsigned char> forces_, colours_;
  std::vector<int> islands_;
};

// Numbers as frames have them.
void putVarint(std::string& out, uint64_t value);
inline void putSigned(std::string& out, int64_t value) { putVarint(out, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
unsigned char forceByte(double newtons);
uint16_t bfloat16(double value);
std::array<unsigned char, 2> octahedral(Vec3d unit);

}  // namespace cairn::v0
