// What the module cairn._core is put together from. The package's Python files are what users see of it.
#pragma once

#include <nanobind/nanobind.h>

namespace cairn::python {

void bindErrors(nanobind::module_& module);
void bindSettings(nanobind::module_& module);
void bindScene(nanobind::module_& module);
void bindWorld(nanobind::module_& module);
void bindProblem(nanobind::module_& module);
void bindMesh(nanobind::module_& module);
void bindContactSolver(nanobind::module_& module);

}  // namespace cairn::python
