// The settings of solve(ContactProblem), in the order of the program's help.
#pragma once

#include "src/scene/setting.hpp"

#include <cairn/names.hpp>

namespace cairn::v0 {

using ContactSolverSettingField =
    std::variant<bool ContactSolverSettings::*, int ContactSolverSettings::*, long ContactSolverSettings::*, double ContactSolverSettings::*,
                 Backend ContactSolverSettings::*, Precision ContactSolverSettings::*, ProblemSolver ContactSolverSettings::*>;
using ContactSolverSetting = Setting<ContactSolverSettings, ContactSolverSettingField>;

const std::vector<ContactSolverSetting>& contactSolverSettings();

}  // namespace cairn::v0
