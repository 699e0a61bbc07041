// Cairn's exceptions as those of cairn/_errors.py, attributes included.
#include "python/src/errors.hpp"

#include "python/src/bindings.hpp"

#include <nanobind/stl/string.h>

#include <cctype>
#include <cstring>

namespace cairn::python {
namespace {

namespace nb = nanobind;

template <class... Values> void raise(const char* name, const Values&... values) {
  const nb::object type = nb::module_::import_("cairn._errors").attr(name);
  const nb::object error = type(values...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

// Settings and capacities are written in small letters here: "settings.maxColours" is the argument max_colours.
std::string inPython(const std::string& place) {
  const auto begins = [&](const char* prefix) { return place.compare(0, std::strlen(prefix), prefix) == 0; };
  if (!begins("settings.") && !begins("capacity.")) return place;
  std::string out;
  for (const char c : place) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

void translate(const std::exception_ptr& pending, void*) {
  try {
    std::rethrow_exception(pending);
  } catch (const InvalidInput& error) {
    raise("InvalidInput", inPython(error.place), error.reason);
  } catch (const CapacityError& error) {
    raise("CapacityError", std::string(error.what()), error.neededBytes, error.availableBytes);
  } catch (const NonFiniteState& error) {
    raise("NonFiniteState", std::string(error.what()), error.step, error.body, error.environment);
  } catch (const TornJoint& error) {
    raise("TornJoint", std::string(error.what()), error.step, error.joint, error.environment);
  } catch (const StepUndone& error) {
    raise("StepUndone", std::string(error.what()), error.step, error.environment);
  } catch (const StepRefused& error) {
    raise("StepRefused", std::string(error.what()), error.needed, error.available);
  } catch (const DeviceError& error) {
    raise("DeviceError", std::string(error.what()));
  } catch (const ClosedWorld& error) {
    raise("ClosedWorld", std::string(error.what()));
  } catch (const Error& error) {
    raise("Error", std::string(error.what()));
  }
}

}  // namespace

void bindErrors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace cairn::python
