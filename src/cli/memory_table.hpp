// Where a World's memory is, array by array.
#pragma once

#include "src/io/report_json.hpp"

#include <cairn/settings.hpp>

#include <string>

namespace cairn::cli {

// Runs the scene for so many steps. Prints the arrays that the World holds then, the stage that asked for them, and their bytes a body; returns the
// same as JSON.
Json memoryTable(const std::string& scene, const WorldSettings& settings, int steps);

}  // namespace cairn::cli
