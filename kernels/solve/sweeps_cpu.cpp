// The sweeps on the CPU: packs of lanes within a tile, tiles of a colour over the threads, colours in sequence.
//
// Below kSerialTiles tiles sharing them costs more than it brings.
#include "kernels/solve/sweeps.hpp"
#include "kernels/solve/tile_runner.hpp"

namespace cairn {
namespace {

template <class T, class Body> inline void runJointTile(const JointView<T>& joints, const Body& body, int tile, int sweep, int sweeps) {
  const int lanes = joints.tileLanes[tile];
  for (int lane = 0; lane < lanes; lane += Pack<T>::kWidth) body.template at<Pack<T>>(tile * kTileLanes + lane, sweep, sweeps);
}

}  // namespace

template <class T, class Operation, class JointOperation> void sweepColoursOnCpu(ThreadTeam& team, int count, int firstSweep, int sweeps,
                                                                                 const ColouredLane<T, Operation>& body,
                                                                                 const ColouredJoint<T, JointOperation>& jointBody) {
  const RowView<T>& rows = body.rows;
  const JointView<T>& joints = jointBody.joints;
  const int colours = rows.tileCount > 0 ? rows.colourCount : joints.colourCount;
  // A colour's manifolds, then its joints: one range of tiles after the other.
  const auto tilesBefore = [&](int colour) { return rows.tileCount > 0 ? rows.hostColourTiles[colour] : 0; };
  const auto jointsBefore = [&](int colour) { return joints.tileCount > 0 ? joints.hostColourTiles[colour] : 0; };
  const bool alone = team.threads() == 1 || tilesBefore(colours) + jointsBefore(colours) < kSerialTiles;
  for (int sweep = firstSweep; sweep < firstSweep + count; ++sweep) {
    for (int colour = 0; colour < colours; ++colour) {
      const int firstTile = tilesBefore(colour), firstJoint = jointsBefore(colour);
      const int contactTiles = tilesBefore(colour + 1) - firstTile, items = contactTiles + jointsBefore(colour + 1) - firstJoint;
      const auto run = [&](int64_t begin, int64_t end) {
        for (int item = static_cast<int>(begin); item < end; ++item) {
          if (item < contactTiles) {
            runTile(rows, body, firstTile + item);
          } else {
            runJointTile(joints, jointBody, firstJoint + item - contactTiles, sweep, sweeps);
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

template <class T, class Operation, class JointOperation> void sweepOverflowOnCpu(ThreadTeam& team, int sweep, int sweeps,
                                                                                  const OverflowLane<T, Operation>& body,
                                                                                  const OverflowJoint<T, JointOperation>& jointBody) {
  const RowView<T>& rows = body.rows;
  runTiles(team, rows, body, rows.tileCount - rows.overflowTiles, rows.tileCount);
  const JointView<T>& joints = jointBody.joints;
  for (int tile = joints.tileCount - joints.overflowTiles; tile < joints.tileCount; ++tile) runJointTile(joints, jointBody, tile, sweep, sweeps);
}

#define CAIRN_INSTANTIATE(T, Operation, JointOperation)                                                                                          \
  template void sweepColoursOnCpu(ThreadTeam&, int, int, int, const ColouredLane<T, Operation<T>>&, const ColouredJoint<T, JointOperation<T>>&); \
  template void sweepOverflowOnCpu(ThreadTeam&, int, int, const OverflowLane<T, Operation<T>>&, const OverflowJoint<T, JointOperation<T>>&);
#define CAIRN_INSTANTIATE_ALL(T)                  \
  CAIRN_INSTANTIATE(T, SolveBlock, JointBlock)    \
  CAIRN_INSTANTIATE(T, BeginBlock, JointBegin)    \
  CAIRN_INSTANTIATE(T, ImpactBlock, JointBlock)   \
  CAIRN_INSTANTIATE(T, PositionBlock, JointBlock) \
  CAIRN_INSTANTIATE(T, ShockBlock, JointShock)    \
  CAIRN_INSTANTIATE(T, FollowDirection, JointIdle)
CAIRN_INSTANTIATE_ALL(float)
CAIRN_INSTANTIATE_ALL(double)
#undef CAIRN_INSTANTIATE_ALL
#undef CAIRN_INSTANTIATE

}  // namespace cairn
