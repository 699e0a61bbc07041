// What a page shows of one moment.
#pragma once

#include <cairn/world.hpp>

#include <cstdint>
#include <vector>

namespace cairn::v0 {

struct ViewContact {
  int bodyA = 0, bodyB = 0;  // positions in the scene
  Vec3d point{0, 0, 0};      // world [m]
  Vec3d normal{0, 1, 0};     // unit, from A to B
  double force = 0;          // along the normal [N]
  int colour = -1;           // of the contact graph; -1: none
};

struct ViewJoint {
  double error = 0;         // [m]
  double angularError = 0;  // [rad]
  double force = 0;         // [N]
  bool broken = false;
};

// Lists by body follow the scene's bodies. Empty ones are of channels that the page has not (ViewChannels).
struct ViewFrame {
  double time = 0;  // [s]
  std::vector<BodyState> states;
  std::vector<unsigned char> asleep;
  std::vector<double> forces;  // sum of the normal forces at the body [N]
  std::vector<int> islands;    // the first body of those that touch or are joined; -1: not dynamic
  std::vector<int> colours;    // the last colour of the contact graph in which one of the body's constraints is; -1: none
  std::vector<ViewJoint> joints;
  std::vector<ViewContact> contacts;  // by body A; the strongest, where there are more than the page takes
  size_t contactCount = 0;            // of all
};

// What the frames of a page have beside the bodies' states.
struct ViewChannels {
  bool asleep = false, forces = false, islands = false, colours = false, joints = false, contacts = false;
};

// Forces and islands of a frame, which has its joints already, from all its contacts; and of these the strongest, so many at most.
void addContacts(const Scene& scene, std::vector<ViewContact> contacts, size_t most, ViewFrame& frame);

}  // namespace cairn::v0
