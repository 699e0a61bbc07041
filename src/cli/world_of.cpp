#include "src/cli/world_of.hpp"

namespace cairn::cli {

InvalidInput withSource(const std::string& source, const std::string& sceneName, const InvalidInput& error) {
  const std::string own = "scene '" + sceneName + "': /";
  if (sceneName == source || error.place.compare(0, own.size(), own) != 0) return error;
  return {source + error.place.substr(own.size() - 3), error.reason};
}

World worldOf(const std::string& source, const Scene& scene, const WorldSettings& settings, int environments) {
  return saidOf(source, scene.name, [&] { return environments > 0 ? World(scene, environments, settings) : World(scene, settings); });
}

}  // namespace cairn::cli
