// Contact events and sensors, for Python.
#pragma once

#include "python/src/shared_world.hpp"

namespace cairn::python {

void bindEvents(nanobind::class_<SharedWorld>& world);

}  // namespace cairn::python
