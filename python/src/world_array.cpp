#include "python/src/world_array.hpp"

namespace cairn::python {

template <class T> nb::object WorldArray::numpyOf(nb::handle self) const {
  const size_t axes = layout_.shape.size();
  T* const data = static_cast<T*>(data_);
  if (layout_.writable) return nb::cast(nb::ndarray<nb::numpy, T>(data, axes, layout_.shape.data(), self, layout_.strides.data()));
  return nb::cast(nb::ndarray<nb::numpy, const T>(data, axes, layout_.shape.data(), self, layout_.strides.data()));
}

nb::object WorldArray::numpy(nb::handle self) const {
  if (onDevice()) throw nb::type_error("the array is in the memory of a device: torch.from_dlpack, cupy.asarray and others take it as it is");
  if (element_.kind == 'i') return numpyOf<int32_t>(self);
  if (element_.kind == 'u') return numpyOf<uint32_t>(self);
  return element_.bytes == 8 ? numpyOf<double>(self) : numpyOf<float>(self);
}

nb::object WorldArray::dlpack(nb::handle self) const {
  using Code = nb::dlpack::dtype_code;
  const Code code = element_.kind == 'f' ? Code::Float : element_.kind == 'i' ? Code::Int : Code::UInt;
  const nb::dlpack::dtype type{static_cast<uint8_t>(code), static_cast<uint8_t>(8 * element_.bytes), 1};
  const int kind = onDevice() ? nb::device::cuda::value : nb::device::cpu::value;
  const nb::ndarray<> array(data_, layout_.shape.size(), layout_.shape.data(), self, layout_.strides.data(), type, kind, onDevice() ? device() : 0);
  return nb::cast(array);  // without a framework: a capsule
}

nb::tuple WorldArray::shape() const {
  nb::list out;
  for (const size_t size : layout_.shape) out.append(size);
  return nb::tuple(out);
}

nb::dict WorldArray::cudaInterface() {
  if (!onDevice()) throw nb::attribute_error("the array is in the memory of the host: numpy.asarray takes it as it is");
  settle();
  nb::list strides;
  for (const int64_t stride : layout_.strides) strides.append(stride * element_.bytes);
  nb::dict out;
  out["shape"] = shape();
  out["typestr"] = std::string("<") + element_.kind + std::to_string(element_.bytes);
  out["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(data_), !layout_.writable);
  out["strides"] = nb::tuple(strides);
  out["version"] = 3;
  out["stream"] = nb::none();
  return out;
}

namespace {

using Self = nb::handle_t<WorldArray>;
WorldArray& of(Self self) { return nb::cast<WorldArray&>(self); }

}  // namespace

void bindWorldArray(nb::module_& module) {
  nb::class_<WorldArray>(
      module, "Array",
      "An array that is a World's own memory, which it keeps: in the host's or on a device. ``numpy.asarray`` takes one of the host, DLPack\n"
      "and ``__cuda_array_interface__`` hand any on, without a copy and with the steps so far done.")
      .def_prop_ro(
          "shape", [](const WorldArray& array) { return array.shape(); }, nb::sig("def shape(self, /) -> tuple[int, ...]"), "Of each axis.")
      .def_prop_ro(
          "dtype", [](const WorldArray& array) { return array.element().name(); }, "``float32``, ``float64``, ``int32`` or ``uint32``.")
      .def_prop_ro(
          "writable", [](const WorldArray& array) { return array.layout().writable; }, "Whether it is an input of the next step.")
      .def_prop_ro(
          "device", [](const WorldArray& array) { return array.onDevice() ? "cuda:" + std::to_string(array.device()) : std::string("cpu"); },
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
      .def("__len__", [](const WorldArray& array) { return array.layout().shape[0]; })
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
           [](const WorldArray& array) {
             return nb::make_tuple(array.onDevice() ? nb::device::cuda::value : nb::device::cpu::value, array.onDevice() ? array.device() : 0);
           })
      .def_prop_ro("__cuda_array_interface__", &WorldArray::cudaInterface);
}

}  // namespace cairn::python
