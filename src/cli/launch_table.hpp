// What a step asks of a CUDA device, stage by stage.
#pragma once

#include "src/io/report_json.hpp"

#include <cairn/settings.hpp>

#include <string>

namespace cairn::cli {

// Runs the scene for so many steps, then as many again as are counted. Prints launches, copies, bytes and waits a step; returns the same as JSON.
// Throws InvalidInput unless the settings' backend is a device.
Json launchTable(const std::string& scene, const WorldSettings& settings, int steps);

}  // namespace cairn::cli
