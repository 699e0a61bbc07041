#include "src/cli/world_of.hpp"

#include <cairn/error.hpp>

namespace cairn::cli {

World worldOf(const std::string& source, const Scene& scene, const WorldSettings& settings, int environments) {
  try {
    return environments > 0 ? World(scene, environments, settings) : World(scene, settings);
  } catch (const InvalidInput& error) {
    const std::string own = "scene '" + scene.name + "': /";
    if (scene.name == source || error.place.compare(0, own.size(), own) != 0) throw;
    throw InvalidInput(source + error.place.substr(own.size() - 3), error.reason);
  }
}

}  // namespace cairn::cli
