// The environments of a World.
#pragma once

#include "python/src/shared_world.hpp"

namespace cairn::python {

void bindEnvironments(nanobind::class_<SharedWorld>& world);

}  // namespace cairn::python
