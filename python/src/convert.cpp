#include "python/src/convert.hpp"

#include <array>
#include <cmath>

namespace cairn::python {
namespace {

template <size_t n> std::array<double, n> toNumbers(nb::handle value, const Place& place, const char* allowed) {
  // Text is a sequence too, and its characters are numbers to nobody.
  if (nb::isinstance<nb::str>(value) || nb::isinstance<nb::bytes>(value) || PySequence_Check(value.ptr()) == 0) place.refuse(allowed, value);
  const nb::object items = nb::steal(PySequence_Fast(value.ptr(), ""));
  if (!items.is_valid()) throw nb::python_error();
  if (static_cast<size_t>(nb::len(items)) != n) place.refuse(allowed, value);
  std::array<double, n> out;
  for (size_t i = 0; i < n; ++i) out[i] = toNumber(nb::handle(nb::object(items[i])), Place(place, static_cast<long>(i)));
  return out;
}

std::string described(nb::handle value) {
  constexpr size_t kMost = 60;
  std::string text = nb::repr(value).c_str();
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

}  // namespace

std::string Place::text() const {
  const std::string own = name.empty() ? std::to_string(index) : std::string(name);
  return outer == nullptr ? own : outer->text() + "/" + own;
}

void Place::refuse(const std::string& allowed, nb::handle value) const {
  throw InvalidInput(text(), "must be " + allowed + ", is " + described(value));
}

double toNumber(nb::handle value, const Place& place) {
  if (PyFloat_Check(value.ptr())) return PyFloat_AsDouble(value.ptr());
  if (PyBool_Check(value.ptr())) place.refuse("a number", value);
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    place.refuse("a number", value);
  }
  return number;
}

long toWhole(nb::handle value, const Place& place, long low, long high) {
  const std::string allowed = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0) place.refuse(allowed, value);
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long whole = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || whole < low || whole > high) place.refuse(allowed, value);
  return static_cast<long>(whole);
}

bool toBoolean(nb::handle value, const Place& place) {
  if (!PyBool_Check(value.ptr())) place.refuse("True or False", value);
  return value.ptr() == Py_True;
}

std::string toText(nb::handle value, const Place& place) {
  if (!nb::isinstance<nb::str>(value)) place.refuse("text", value);
  return nb::cast<std::string>(value);
}

Vec3d toVector(nb::handle value, const Place& place) {
  const std::array<double, 3> v = toNumbers<3>(value, place, "three numbers (x, y, z)");
  return {v[0], v[1], v[2]};
}

Vec3d toFiniteVector(nb::handle value, const Place& place) {
  const Vec3d v = toVector(value, place);
  if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) place.refuse("three finite numbers (x, y, z)", value);
  return v;
}

Sym3<double> toInertia(nb::handle value, const Place& place) {
  const char* const allowed = "three moments, or six numbers (xx, yy, zz, xy, xz, yz)";
  if (PySequence_Check(value.ptr()) == 0 || (nb::len(value) != 3 && nb::len(value) != 6)) place.refuse(allowed, value);
  if (nb::len(value) == 3) {
    const std::array<double, 3> m = toNumbers<3>(value, place, allowed);
    return {m[0], m[1], m[2], 0, 0, 0};
  }
  const std::array<double, 6> m = toNumbers<6>(value, place, allowed);
  return {m[0], m[1], m[2], m[3], m[4], m[5]};
}

std::array<double, 2> toPair(nb::handle value, const Place& place) { return toNumbers<2>(value, place, "two numbers"); }

Quatd toQuaternion(nb::handle value, const Place& place) {
  const std::array<double, 4> q = toNumbers<4>(value, place, "a quaternion (x, y, z, w)");
  return {q[0], q[1], q[2], q[3]};
}

Posed toPose(nb::handle value, const Place& place) {
  constexpr const char* kAllowed = "a pose (position, orientation)";
  if (nb::isinstance<nb::str>(value) || PySequence_Check(value.ptr()) == 0 || nb::len(value) != 2) place.refuse(kAllowed, value);
  return {toVector(nb::object(value[0]), Place(place, "position")), toQuaternion(nb::object(value[1]), Place(place, "orientation"))};
}

nb::tuple toTuple(Vec3d v) { return nb::make_tuple(v.x, v.y, v.z); }
nb::tuple toTuple(Quatd q) { return nb::make_tuple(q.x, q.y, q.z, q.w); }

}  // namespace cairn::python
