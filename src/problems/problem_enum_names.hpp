// Names of the enumerations of contact problems, as src/scene/enum_names.hpp has those of scenes and settings.
#pragma once

#include <cairn/contact_problem.hpp>

#include "src/scene/enum_names.hpp"

namespace cairn {

template <> const std::vector<NamedValue<ProblemSolver>>& namedValues();
template <> const std::vector<NamedValue<SolveStatus>>& namedValues();

}  // namespace cairn
