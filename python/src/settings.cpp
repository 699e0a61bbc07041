#include "python/src/settings.hpp"

#include "python/src/bindings.hpp"

namespace cairn::python {
namespace {

// (name, default, unit, allowed, meaning) of each setting.
template <class Settings> nb::list describe() {
  nb::list out;
  for (const SettingInfo& info : settingInfos(Settings()))
    out.append(nb::make_tuple(info.name, toPython(info.value), info.unit, info.allowed, info.meaning));
  return out;
}

}  // namespace

void bindSettings(nb::module_& module) {
  module.def("world_settings", &describe<WorldSettings>);
  module.def("solver_settings", &describe<ContactSolverSettings>);
}

}  // namespace cairn::python
