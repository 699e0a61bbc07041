// What a World may be asked to change between steps, for Python: many bodies at once, and what bodies, joints and the World are made of.
#pragma once

#include "python/src/shared_world.hpp"

namespace cairn::python {

void bindChanges(nanobind::class_<SharedWorld>& world);

}  // namespace cairn::python
