#include "python/src/arrays.hpp"

#include "python/src/convert.hpp"

#include <nanobind/stl/string.h>

namespace cairn::python {
namespace {

// An array that is a World's. It keeps the World alive, and its memory where it is.
class Array {
 public:
  struct Layout {
    std::vector<size_t> shape;
    std::vector<int64_t> strides;  // in items
    bool writable;
  };

  template <class T> Array(nb::object world, T* data, Layout layout)
      : world_(std::move(world)),
        shared_(nb::cast<SharedWorld&>(world_)),
        data_(const_cast<std::remove_const_t<T>*>(data)),
        layout_(std::move(layout)),
        wide_(sizeof(T) == 8) {
    shared_.lend();
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { shared_.giveBack(); }

  const Layout& layout() const { return layout_; }
  bool wide() const { return wide_; }
  void* data() const { return data_; }
  bool onDevice() const { return shared_.device() >= 0; }
  int device() const { return shared_.device(); }
  // What others do with it comes behind what the World has been asked for.
  void settle() { shared_.settleLent(); }

  nb::object numpy(nb::handle self) const {
    if (onDevice()) throw nb::type_error("the array is in the memory of a device: torch.from_dlpack, cupy.asarray and others take it as it is");
    return wide_ ? numpyOf<double>(self) : numpyOf<float>(self);
  }
  nb::object dlpack(nb::handle self) const {
    const nb::dlpack::dtype type{static_cast<uint8_t>(nb::dlpack::dtype_code::Float), static_cast<uint8_t>(wide_ ? 64 : 32), 1};
    const int kind = onDevice() ? nb::device::cuda::value : nb::device::cpu::value;
    const nb::ndarray<> array(data_, layout_.shape.size(), layout_.shape.data(), self, layout_.strides.data(), type, kind, onDevice() ? device() : 0);
    return nb::cast(array);  // without a framework: a capsule
  }

 private:
  template <class T> nb::object numpyOf(nb::handle self) const {
    const size_t axes = layout_.shape.size();
    T* const data = static_cast<T*>(data_);
    if (layout_.writable) return nb::cast(nb::ndarray<nb::numpy, T>(data, axes, layout_.shape.data(), self, layout_.strides.data()));
    return nb::cast(nb::ndarray<nb::numpy, const T>(data, axes, layout_.shape.data(), self, layout_.strides.data()));
  }

  nb::object world_;
  SharedWorld& shared_;
  void* data_;
  Layout layout_;
  bool wide_;
};

// Items of environments have an axis more in front.
struct Rows {
  size_t environments = 0, count = 0;
};

template <class T, int N> nb::object arrayOf(const nb::object& world, const Field<T, N>& field, const Rows& rows) {
  const auto size = static_cast<int64_t>(sizeof(T));
  const int64_t stride = field.stride / size, component = field.componentStride / size;
  Array::Layout layout{{rows.count, static_cast<size_t>(N)}, {stride, component}, !std::is_const<T>::value};
  if (rows.environments > 0) {
    const size_t each = rows.count / rows.environments;
    layout.shape = {rows.environments, each, static_cast<size_t>(N)};
    layout.strides = {static_cast<int64_t>(each) * stride, stride, component};
  }
  return nb::cast(new Array(world, field.data, std::move(layout)), nb::rv_policy::take_ownership);
}

// What `ask` gives, and how many rows it has.
template <class Ask> auto askFor(SharedWorld& shared, Rows& rows, const Ask& ask) {
  return shared.use([&](World& world) {
    const auto found = ask(world);
    rows = {static_cast<size_t>(world.environmentCount()), static_cast<size_t>(found.count)};
    return found;
  });
}

// Of BodyArrays or BodyInputs.
template <class Bodies> nb::dict statesOf(const nb::object& self, const Bodies& bodies, const Rows& rows) {
  nb::dict out;
  out["positions"] = arrayOf(self, bodies.position, rows);
  out["orientations"] = arrayOf(self, bodies.orientation, rows);
  out["linear_velocities"] = arrayOf(self, bodies.linearVelocity, rows);
  out["angular_velocities"] = arrayOf(self, bodies.angularVelocity, rows);
  return out;
}

template <class T> nb::dict bodyArrays(const nb::object& self, SharedWorld& shared) {
  Rows rows;
  const cairn::BodyArrays<T> bodies = askFor(shared, rows, [](World& world) { return world.arrays<T>().bodies; });
  nb::dict out = statesOf(self, bodies, rows);
  out["local_centres"] = arrayOf(self, bodies.localCentre, rows);
  return out;
}
template <class T> nb::dict bodyInputs(const nb::object& self, SharedWorld& shared) {
  Rows rows;
  const BodyInputs<T> bodies = askFor(shared, rows, [](World& world) { return world.writeBodies<T>(); });
  return statesOf(self, bodies, rows);
}
template <class T> nb::dict forceInputs(const nb::object& self, SharedWorld& shared) {
  Rows rows;
  const ForceInputs<T> forces = askFor(shared, rows, [](World& world) { return world.writeForces<T>(); });
  nb::dict out;
  out["forces"] = arrayOf(self, forces.force, rows);
  out["torques"] = arrayOf(self, forces.torque, rows);
  return out;
}

bool isWide(SharedWorld& shared) {
  return shared.use([](World& w) { return w.settings().precision == Precision::Double; });
}

// (bytes) of each axis, as the interfaces have it.
nb::tuple stridesOf(const Array& array) {
  nb::list out;
  for (const int64_t stride : array.layout().strides) out.append(stride * (array.wide() ? 8 : 4));
  return nb::tuple(out);
}
nb::tuple shapeOf(const Array& array) {
  nb::list out;
  for (const size_t size : array.layout().shape) out.append(size);
  return nb::tuple(out);
}

nb::dict cudaInterface(Array& array) {
  if (!array.onDevice()) throw nb::attribute_error("the array is in the memory of the host: numpy.asarray takes it as it is");
  array.settle();
  nb::dict out;
  out["shape"] = shapeOf(array);
  out["typestr"] = array.wide() ? "<f8" : "<f4";
  out["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(array.data()), !array.layout().writable);
  out["strides"] = stridesOf(array);
  out["version"] = 3;
  out["stream"] = nb::none();
  return out;
}

using Self = nb::handle_t<Array>;
Array& of(Self self) { return nb::cast<Array&>(self); }

}  // namespace

void bindArrays(nb::module_& module, nb::class_<SharedWorld>& world) {
  nb::class_<Array>(
      module, "Array",
      "An array that is a World's own memory, which it keeps: in the host's or on a device. ``numpy.asarray`` takes one of the host, DLPack\n"
      "and ``__cuda_array_interface__`` hand any on, without a copy and with the steps so far done.")
      .def_prop_ro(
          "shape", [](const Array& array) { return shapeOf(array); }, nb::sig("def shape(self, /) -> tuple[int, ...]"), "Of each axis.")
      .def_prop_ro(
          "dtype", [](const Array& array) { return std::string(array.wide() ? "float64" : "float32"); }, "``float32`` or ``float64``.")
      .def_prop_ro(
          "writable", [](const Array& array) { return array.layout().writable; }, "Whether it is an input of the next step.")
      .def_prop_ro(
          "device", [](const Array& array) { return array.onDevice() ? "cuda:" + std::to_string(array.device()) : std::string("cpu"); },
          "``cpu``, ``cuda:0``, ...")
      .def(
          "numpy", [](Self self) { return of(self).numpy(self); }, nb::sig("def numpy(self) -> NDArray[typing.Any]"),
          "NumPy's view of the memory. Raises TypeError for one on a device.")
      .def(
          "__array__",
          [](Self self, nb::handle type, nb::handle copy) {
            nb::object array = of(self).numpy(self);
            if (!type.is_none()) array = array.attr("astype")(type, nb::arg("copy") = false);
            return copy.ptr() == Py_True ? nb::object(array.attr("copy")()) : array;
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig("def __array__(self, dtype: object = None, copy: bool | None = None) -> NDArray[typing.Any]"))
      .def("__len__", [](const Array& array) { return array.layout().shape[0]; })
      .def(
          "__dlpack__",
          [](Self self, const nb::kwargs& asked) {
            if (asked.contains("copy") && asked["copy"].ptr() == Py_True)
              throw nb::buffer_error("the array is not copied: copy must be None or False");
            of(self).settle();
            return of(self).dlpack(self);
          },
          nb::sig("def __dlpack__(self, **asked: object) -> object"))
      .def("__dlpack_device__",
           [](const Array& array) {
             return nb::make_tuple(array.onDevice() ? nb::device::cuda::value : nb::device::cpu::value, array.onDevice() ? array.device() : 0);
           })
      .def_prop_ro("__cuda_array_interface__", &cudaInterface);

  using World_ = nb::handle_t<SharedWorld>;
  world
      .def("body_arrays",
           [](World_ self) {
             SharedWorld& shared = nb::cast<SharedWorld&>(self);
             return isWide(shared) ? bodyArrays<double>(nb::borrow(self), shared) : bodyArrays<float>(nb::borrow(self), shared);
           })
      .def("write_bodies",
           [](World_ self) {
             SharedWorld& shared = nb::cast<SharedWorld&>(self);
             return isWide(shared) ? bodyInputs<double>(nb::borrow(self), shared) : bodyInputs<float>(nb::borrow(self), shared);
           })
      .def("write_forces",
           [](World_ self) {
             SharedWorld& shared = nb::cast<SharedWorld&>(self);
             return isWide(shared) ? forceInputs<double>(nb::borrow(self), shared) : forceInputs<float>(nb::borrow(self), shared);
           })
      .def("enqueue_step", [](SharedWorld& shared) { shared.use([](World& w) { w.enqueueStep(); }); })
      .def_prop_ro("arrays_version", [](SharedWorld& shared) { return shared.use([](World& w) { return w.arraysVersion(); }); });
}

}  // namespace cairn::python
