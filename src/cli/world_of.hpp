// Worlds of what the command line names.
#pragma once

#include <cairn/error.hpp>
#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <string>

namespace cairn::cli {

// `source` is what the scene was loaded from. What is only found out while a World is made (a field that would be too large) has the file's name
// before it, as what loading refuses has.
InvalidInput withSource(const std::string& source, const std::string& sceneName, const InvalidInput& error);

template <class Make> auto saidOf(const std::string& source, const std::string& sceneName, const Make& make) {
  try {
    return make();
  } catch (const InvalidInput& error) {
    throw withSource(source, sceneName, error);
  }
}

// 0 environments: the scene as it is.
World worldOf(const std::string& source, const Scene& scene, const WorldSettings& settings, int environments = 0);

}  // namespace cairn::cli
