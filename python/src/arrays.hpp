// The arrays of a World where they lie, for Python: no copies.
#pragma once

#include "python/src/shared_world.hpp"

namespace cairn::python {

void bindArrays(nanobind::module_& module, nanobind::class_<SharedWorld>& world);

}  // namespace cairn::python
