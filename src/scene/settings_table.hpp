// All settings of a World, in the order of reports.
#pragma once

#include "src/scene/setting.hpp"

#include <cairn/settings.hpp>

namespace cairn::v0 {

using WorldSettingField =
    std::variant<bool WorldSettings::*, int WorldSettings::*, double WorldSettings::*, Backend WorldSettings::*, Precision WorldSettings::*,
                 Solver WorldSettings::*, NormalStabilization WorldSettings::*, JointStabilization WorldSettings::*, JointSolver WorldSettings::*>;
using WorldSetting = Setting<WorldSettings, WorldSettingField>;

const std::vector<WorldSetting>& worldSettings();

// Whether a setting (by its name in C++) says where and how a World runs, and nothing about its results.
bool isExecution(const std::string& setting);

// Settings that are each in range but make no sense together.
struct SettingsConflict {
  const char* name;  // of the setting that is refused
  const char* rule;  // "must ..."
  bool (*holds)(const WorldSettings&);
};
const std::vector<SettingsConflict>& worldSettingsConflicts();

}  // namespace cairn::v0
