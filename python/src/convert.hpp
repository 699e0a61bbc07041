// Python values to Cairn's and back. Whatever is not what it should be is an InvalidInput that names its place.
#pragma once

#include <cairn/names.hpp>
#include <cairn/scene.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace cairn::python {

namespace nb = nanobind;

// The path to a value that a caller gave: a chain on the stack that becomes text only for a message, "body 3/shapes/0/radius".
struct Place {
  const Place* outer = nullptr;
  std::string_view name;
  long index = -1;  // counts where there is no name

  explicit Place(std::string_view key) : name(key) {}
  Place(const Place& of, std::string_view key) : outer(&of), name(key) {}
  Place(const Place& of, long item) : outer(&of), index(item) {}

  std::string text() const;
  [[noreturn]] void refuse(const std::string& allowed, nb::handle value) const;  // "must be ALLOWED, is VALUE"
};

// Each takes what Python takes for such a value: NumPy's scalars are numbers, and arrays are sequences.
double toNumber(nb::handle value, const Place& place);
long toWhole(nb::handle value, const Place& place, long low, long high);
bool toBoolean(nb::handle value, const Place& place);
std::string toText(nb::handle value, const Place& place);
Vec3d toVector(nb::handle value, const Place& place);
std::array<double, 2> toPair(nb::handle value, const Place& place);
Vec3d toFiniteVector(nb::handle value, const Place& place);
Sym3<double> toInertia(nb::handle value, const Place& place);  // three moments, or (xx, yy, zz, xy, xz, yz)
Quatd toQuaternion(nb::handle value, const Place& place);      // (x, y, z, w)
Posed toPose(nb::handle value, const Place& place);            // (position, orientation)
template <class Enum> Enum toChoice(nb::handle value, const Place& place) { return enumFromName<Enum>(toText(value, place), place.text()); }

nb::tuple toTuple(Vec3d v);
nb::tuple toTuple(Quatd q);
inline nb::tuple toTuple(const Posed& pose) { return nb::make_tuple(toTuple(pose.p), toTuple(pose.q)); }

template <class T> using OutputArray = nb::ndarray<nb::numpy, T>;

// An array in memory of its own, filled without the interpreter's lock and handed over with it.
template <class T> class OwnedArray {
 public:
  explicit OwnedArray(std::initializer_list<size_t> shape) : shape_(shape) {
    size_t bytes = sizeof(T);
    for (const size_t n : shape_) bytes *= n;
    data_.reset(static_cast<T*>(::operator new(bytes, kAlignment)));
  }

  T* data() { return data_.get(); }
  // Row i of an array of three columns.
  void setRow(size_t i, Vec3d v) {
    T* row = data_.get() + 3 * i;
    row[0] = v.x, row[1] = v.y, row[2] = v.z;
  }

  // A NumPy array that owns the memory. Once.
  OutputArray<T> release() {
    T* data = data_.get();
    const nb::capsule owner(data, [](void* p) noexcept { Free()(p); });
    data_.release();
    return OutputArray<T>(data, shape_.size(), shape_.data(), owner);
  }

 private:
  static constexpr std::align_val_t kAlignment{64};  // JAX reads in place what is aligned so, and copies the rest
  struct Free {
    void operator()(void* data) const noexcept { ::operator delete(data, kAlignment); }
  };

  std::vector<size_t> shape_;
  std::unique_ptr<T, Free> data_;
};

template <class T> OutputArray<T> toArray(const std::vector<T>& values, std::initializer_list<size_t> shape) {
  OwnedArray<T> array(shape);
  std::copy(values.begin(), values.end(), array.data());
  return array.release();
}
template <class T> OutputArray<T> toArray(const std::vector<T>& values) { return toArray(values, {values.size()}); }

// What the package's Python files have checked: type, number of axes, contiguous memory on the host.
template <class T, int axes> using InputArray = nb::ndarray<const T, nb::ndim<axes>, nb::c_contig, nb::device::cpu>;
template <class T> std::vector<T> toStdVector(const InputArray<T, 1>& array) { return {array.data(), array.data() + array.size()}; }

}  // namespace cairn::python
