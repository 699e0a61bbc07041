// Snapshots in files, as they are: docs/program.md.
#pragma once

#include <cairn/world.hpp>

#include <string>

namespace cairn::v0 {

// All or nothing: written beside the destination and renamed. Throws InvalidInput if that fails.
void writeSnapshot(const Snapshot& snapshot, const std::string& path);

// Throws InvalidInput if the file cannot be read. Whether it is a snapshot the World says that is made of it.
Snapshot readSnapshot(const std::string& path);

}  // namespace cairn::v0
