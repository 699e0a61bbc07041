// Worlds of what the command line names.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <string>

namespace cairn::cli {

// `source` is what the scene was loaded from. What is only found out while the World is made (a field that would be too large) has the file's name
// before it, as what loading refuses has. 0 environments: the scene as it is.
World worldOf(const std::string& source, const Scene& scene, const WorldSettings& settings, int environments = 0);

}  // namespace cairn::cli
