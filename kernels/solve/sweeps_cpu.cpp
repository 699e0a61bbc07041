// The sweeps on the CPU: packs of lanes within a tile, tiles of a colour over the threads, colours in sequence.
//
// Below kSerialTiles tiles sharing them costs more than it brings.
#include "kernels/solve/sweeps.hpp"
#include "kernels/solve/tile_runner.hpp"

namespace cairn::v0 {
namespace {

template <class T, class Body> inline void runJointTile(const JointView<T>& joints, const Body& body, int tile, int sweep, int sweeps) {
  const int lanes = joints.tileLanes[tile];
  for (int lane = 0; lane < lanes; lane += Pack<T>::kWidth) {
    const int slot = tile * kTileLanes + lane;
    withPackFor<kInNarrowPacks<Body>, T>(lanes - lane, [&](auto of) { body.template at<typename decltype(of)::Type>(slot, sweep, sweeps); });
  }
}

}  // namespace

template <class T, class Operation, class JointOperation> void ColouredSweeps<T, Operation, JointOperation>::onCpu(const TeamLoop& team) const {
  const auto& body = *contact;
  const auto& jointBody = *joint;
  const RowView<T>& rows = body.rows;
  const JointView<T>& joints = jointBody.joints;
  const int colours = rows.tileCount > 0 ? rows.colourCount : joints.colourCount;
  // A colour's manifolds, then its joints: one range of tiles after the other.
  const auto tilesBefore = [&](int colour) { return rows.tileCount > 0 ? rows.hostColourTiles[colour] : 0; };
  const auto jointsBefore = [&](int colour) { return joints.tileCount > 0 ? joints.hostColourTiles[colour] : 0; };
  const bool alone = team.threads == 1 || tilesBefore(colours) + jointsBefore(colours) < kSerialTiles;
  for (int sweep = first; sweep < first + count; ++sweep) {
    for (int colour = 0; colour < colours; ++colour) {
      const int firstTile = tilesBefore(colour), firstJoint = jointsBefore(colour);
      const int contactTiles = tilesBefore(colour + 1) - firstTile, items = contactTiles + jointsBefore(colour + 1) - firstJoint;
      const auto run = [&](int64_t begin, int64_t end) {
        for (int item = static_cast<int>(begin); item < end; ++item) {
          if (item < contactTiles) {
            runTile(rows, body, firstTile + item);
          } else {
            runJointTile(joints, jointBody, firstJoint + item - contactTiles, sweep, all);
          }
        }
      };
      if (alone) {
        run(0, items);
      } else {
        team.run(items, run);
      }
    }
  }
}

template <class T, class Operation, class JointOperation> void OverflowSweep<T, Operation, JointOperation>::onCpu(const TeamLoop& team) const {
  const RowView<T>& rows = contact->rows;
  runTiles(team, rows, *contact, rows.tileCount - rows.overflowTiles, rows.tileCount);
  const JointView<T>& joints = joint->joints;
  for (int tile = joints.tileCount - joints.overflowTiles; tile < joints.tileCount; ++tile) runJointTile(joints, *joint, tile, sweep, all);
}

CpuPass sweepPass(int place) { return SweepPasses::at(place); }

}  // namespace cairn::v0
