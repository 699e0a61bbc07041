// Contacts with their forces as a PLY point cloud, for programs that show or compute with it.
#pragma once

#include "src/io/recording_reader.hpp"

#include <string>
#include <vector>

namespace cairn::v0 {

// As a recording has contacts. Bodies are positions in the scene.
std::vector<RecordedContact> contactsOf(const World& world);

// Binary, little-endian: a vertex a contact, with the properties of docs/program.md. Forces are impulses over a substep of this length [s].
std::string contactsPly(const std::vector<RecordedContact>& contacts, double substep, const std::string& comment);

}  // namespace cairn::v0
