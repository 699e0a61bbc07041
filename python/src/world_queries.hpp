// Rays, shapes that are cast, and overlaps, for Python.
#pragma once

#include "python/src/shared_world.hpp"

namespace cairn::python {

void bindQueries(nanobind::class_<SharedWorld>& world);

}  // namespace cairn::python
