#include "python/src/bindings.hpp"

#include <cairn/version.hpp>

NB_MODULE(_core, module) {
  module.doc() = "The compiled part of the package. Its interface is that of the module cairn.";
  module.def("version", [] { return cairn::version(); });
  cairn::python::bindErrors(module);
  cairn::python::bindSettings(module);
  cairn::python::bindScene(module);
  cairn::python::bindWorld(module);
  cairn::python::bindProblem(module);
  cairn::python::bindMesh(module);
  cairn::python::bindContactSolver(module);
}
