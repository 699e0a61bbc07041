#include "src/cli/options.hpp"

#include "kernels/runtime/devices.hpp"
#include "src/cli/setting_options.hpp"
#include "src/scene/settings_table.hpp"

#include <cairn/world.hpp>

#include <fmt/format.h>

#include <cstdio>

namespace cairn::cli {

void addTarget(CLI::App& command, WorldSettings& settings) {
  for (const WorldSetting& row : worldSettings()) {
    if (row.name == "backend" || row.name == "device" || row.name == "threads") addSetting(command, row, settings);
  }
}

void addSettings(CLI::App& command, WorldSettings& settings) {
  for (const WorldSetting* row : byGroup(worldSettings())) addSetting(command, *row, settings);
}

void requireUsable(const WorldSettings& settings) {
  namingOptions([&] { World(Scene{}, settings); });
  if (settings.backend != Backend::Auto || settings.device != kCurrentDevice || cudaDeviceCount() == 0) return;
  const std::string obstacle = cudaObstacle();
  if (!obstacle.empty()) fmt::print(stderr, "cairn: {}: the CPU it is\n", obstacle);
}

InvalidInput asOption(const InvalidInput& error) {
  const std::string prefix = "settings.";
  if (error.place.compare(0, prefix.size(), prefix) != 0) return error;
  return {optionOf(error.place.substr(prefix.size())), error.reason};
}

}  // namespace cairn::cli
