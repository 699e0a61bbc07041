#include <cairn/settings.hpp>

#include <cairn/error.hpp>

#include "src/scene/settings_table.hpp"

namespace cairn::v0 {

void validate(const WorldSettings& settings) {
  requireInRange(worldSettings(), settings);
  for (const SettingsConflict& conflict : worldSettingsConflicts()) {
    if (!conflict.holds(settings)) throw InvalidInput(std::string("settings.") + conflict.name, conflict.rule);
  }
}

}  // namespace cairn::v0
