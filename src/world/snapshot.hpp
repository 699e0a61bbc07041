// Snapshots: a World as bytes, and back.
#pragma once

#include "src/state/snapshot_bytes.hpp"
#include "src/world/simulation.hpp"

namespace cairn::v0 {

// `leftOver`: of World::stepBy [s]. All steps are done.
Snapshot writeSnapshot(Simulation& simulation, const WorldSettings& settings, double leftOver);

// In this order, and then Simulation::load. Throw InvalidInput for what writeSnapshot did not write.
SnapshotReader openSnapshot(const Snapshot& snapshot);
WorldSettings readSnapshotSettings(SnapshotReader& from, const WorldSettings& execution, double& leftOver);

}  // namespace cairn::v0
