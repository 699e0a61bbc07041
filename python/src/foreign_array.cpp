#include "python/src/foreign_array.hpp"

#include "python/src/world_array.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace cairn::python {
namespace {

// What DLPack's capsules hold, as its C header has it: before version 1, and from then on.
struct ManagedTensor {
  nb::dlpack::dltensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};
struct VersionedTensor {
  uint32_t major, minor;
  void* context;
  void (*deleter)(VersionedTensor*);
  uint64_t flags;
  nb::dlpack::dltensor tensor;
};
constexpr uint64_t kReadOnlyTensor = 1;
constexpr int kHost = 1, kCuda = 2, kHostOfCuda = 3, kManagedOfCuda = 13;  // DLPack's numbers: the last two are seen from both sides

std::string shapeText(const int64_t* sizes, size_t axes) {
  std::string text = "(";
  for (size_t k = 0; k < axes; ++k) text += (k > 0 ? ", " : "") + (sizes[k] < 0 ? std::string("n") : std::to_string(sizes[k]));
  return text + (axes == 1 ? ",)" : ")");
}

// What an exception of another library says, in one line.
std::string reasonOf(const nb::python_error& error) {
  const std::string text = nb::str(error.value()).c_str();
  return text.substr(0, text.find('\n'));
}

std::string memoryText(bool onDevice, int device) {
  if (!onDevice) return "in the host's memory";
  return device < 0 ? "on a device" : "on the device cuda:" + std::to_string(device);
}

std::string elementName(char kind, size_t bytes) {
  if (kind == 'b') return "bool";
  return (kind == 'f' ? "float" : kind == 'i' ? "int" : "uint") + std::to_string(8 * bytes);
}

// The kind of a format of Python's module struct, of one number in the machine's order of bytes.
char kindOfFormat(const char* format) {
  if (std::strchr("@=<^", *format) != nullptr && *format != 0) ++format;
  if (format[0] == 0 || format[1] != 0) return '?';
  if (std::strchr("efdg", *format) != nullptr) return 'f';
  if (std::strchr("bhilqn", *format) != nullptr) return 'i';
  if (std::strchr("BHILQN", *format) != nullptr) return 'u';
  return *format == '?' ? 'b' : '?';
}

}  // namespace

void ForeignArray::refuse(const std::string& reason) const { throw InvalidInput(place_, reason); }

ForeignArray::ForeignArray(nb::handle value, const std::string& place, const ArrayMemory& memory) : place_(place), owner_(nb::borrow(value)) {
  try {
    take(value, memory);
  } catch (const nb::python_error& error) {
    refuse("cannot be taken: " + reasonOf(error));
  }
  if (kind_ != '?') elementText_ = elementName(kind_, elementBytes_);
}

// DLPack before the other interface of devices: it has the producer's stream meet ours.
void ForeignArray::take(nb::handle value, const ArrayMemory& memory) {
  if (PyObject_CheckBuffer(value.ptr()) != 0) {
    requireMemory(false, 0, memory);
    takeBuffer(value);
  } else if (nb::hasattr(value, "__dlpack__") && nb::hasattr(value, "__dlpack_device__")) {
    takeTensor(value, memory);
  } else if (nb::hasattr(value, "__cuda_array_interface__")) {
    requireMemory(true, -1, memory);
    takeCudaInterface(nb::cast<nb::dict>(nb::object(value.attr("__cuda_array_interface__"))));
  } else {
    Place(place_).refuse("an array: NumPy's, or another one that has DLPack or __cuda_array_interface__", value);
  }
}

bool ForeignArray::isOnDevice(nb::handle value) {
  if (PyObject_CheckBuffer(value.ptr()) != 0) return false;
  if (!nb::hasattr(value, "__dlpack_device__")) return nb::hasattr(value, "__cuda_array_interface__");
  const nb::object where = value.attr("__dlpack_device__")();
  return nb::cast<int>(nb::int_(nb::object(where[0]))) == kCuda;
}

void ForeignArray::requireMemory(bool onDevice, int device, const ArrayMemory& memory) const {
  const bool same = onDevice == memory.onDevice && (!onDevice || device < 0 || memory.device < 0 || device == memory.device);
  if (!same) refuse("must be " + memoryText(memory.onDevice, memory.device) + ", is " + memoryText(onDevice, device));
}

void ForeignArray::takeAxes(size_t axes) {
  if (axes > kMostAxes) refuse("must have at most " + std::to_string(kMostAxes) + " axes, has " + std::to_string(axes));
  axes_ = axes;
}

void ForeignArray::takeBuffer(nb::handle value) {
  Py_buffer& view = buffer_.view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_RECORDS_RO) != 0) throw nb::python_error();
  takeAxes(static_cast<size_t>(view.ndim));
  for (size_t k = 0; k < axes_; ++k) {
    shape_[k] = view.shape[k];
    strides_[k] = view.strides[k];
  }
  data_ = static_cast<char*>(view.buf);
  writable_ = view.readonly == 0;
  elementText_ = view.format == nullptr ? "B" : view.format;
  kind_ = kindOfFormat(elementText_.c_str());
  elementBytes_ = static_cast<size_t>(view.itemsize);
}

void ForeignArray::takeTensor(nb::handle value, const ArrayMemory& memory) {
  const nb::tuple where = nb::cast<nb::tuple>(nb::object(value.attr("__dlpack_device__")()));
  const int kind = nb::cast<int>(nb::int_(nb::object(where[0]))), device = nb::cast<int>(nb::int_(nb::object(where[1])));
  const bool onBoth = kind == kHostOfCuda || kind == kManagedOfCuda;
  if (!onBoth && kind != kHost && kind != kCuda) refuse("must be " + memoryText(memory.onDevice, memory.device) + ", is on another kind of device");
  if (!onBoth) requireMemory(kind == kCuda, device, memory);

  nb::dict asked;
  // The protocol has the number 1 for the default stream, and none for arrays that no stream works on.
  if (kind == kCuda || kind == kManagedOfCuda) asked["stream"] = memory.stream == 0 ? 1 : memory.stream;
  const nb::object ask = value.attr("__dlpack__");
  asked["max_version"] = nb::make_tuple(1, 0);
  try {
    owner_ = ask(**asked);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    nb::del(asked["max_version"]);  // of before version 1
    owner_ = ask(**asked);
  }
  const nb::dlpack::dltensor* tensor = nullptr;
  if (PyCapsule_IsValid(owner_.ptr(), "dltensor_versioned") != 0) {
    const auto* managed = static_cast<VersionedTensor*>(PyCapsule_GetPointer(owner_.ptr(), "dltensor_versioned"));
    tensor = &managed->tensor;
    writable_ = (managed->flags & kReadOnlyTensor) == 0;
  } else {
    auto* managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(owner_.ptr(), "dltensor"));
    if (managed == nullptr) throw nb::python_error();
    tensor = &managed->tensor;
  }
  if (nb::isinstance<WorldArray>(value)) writable_ = nb::cast<WorldArray&>(value).layout().writable;

  takeAxes(static_cast<size_t>(tensor->ndim));
  elementBytes_ = tensor->dtype.bits / 8u;
  const auto code = static_cast<nb::dlpack::dtype_code>(tensor->dtype.code);
  kind_ = code == nb::dlpack::dtype_code::Float  ? 'f'
          : code == nb::dlpack::dtype_code::Int  ? 'i'
          : code == nb::dlpack::dtype_code::UInt ? 'u'
          : code == nb::dlpack::dtype_code::Bool ? 'b'
                                                 : '?';
  elementText_ = "another type";
  if (tensor->dtype.lanes != 1) kind_ = '?';
  data_ = static_cast<char*>(tensor->data) + tensor->byte_offset;
  int64_t stride = static_cast<int64_t>(elementBytes_);
  for (size_t k = axes_; k-- > 0;) {
    shape_[k] = tensor->shape[k];
    strides_[k] = tensor->strides != nullptr ? tensor->strides[k] * static_cast<int64_t>(elementBytes_) : stride;
    stride *= shape_[k];
  }
}

void ForeignArray::takeCudaInterface(const nb::dict& interface) {
  const nb::tuple shape = nb::cast<nb::tuple>(nb::object(interface["shape"])), data = nb::cast<nb::tuple>(nb::object(interface["data"]));
  const std::string type = nb::cast<std::string>(nb::object(interface["typestr"]));
  elementText_ = type;
  if (type.size() >= 3 && (type[0] == '<' || type[0] == '|') && std::strchr("fiub", type[1]) != nullptr) {
    kind_ = type[1];
    elementBytes_ = static_cast<size_t>(std::atoi(type.c_str() + 2));
  }
  data_ = reinterpret_cast<char*>(nb::cast<uintptr_t>(nb::object(data[0])));
  writable_ = !nb::cast<bool>(nb::object(data[1]));
  takeAxes(nb::len(shape));
  const nb::object strides = interface.contains("strides") ? nb::object(interface["strides"]) : nb::none();
  int64_t stride = static_cast<int64_t>(elementBytes_);
  for (size_t k = axes_; k-- > 0;) {
    shape_[k] = nb::cast<int64_t>(nb::object(shape[k]));
    strides_[k] = strides.is_none() ? stride : nb::cast<int64_t>(nb::object(strides[k]));
    stride *= shape_[k];
  }
}

bool ForeignArray::contiguous() const {
  int64_t stride = static_cast<int64_t>(elementBytes_);
  for (size_t k = axes_; k-- > 0;) {
    if (shape_[k] > 1 && strides_[k] != stride) return false;
    stride *= shape_[k];
  }
  return true;
}

void ForeignArray::refuseElement(const std::string& allowed) const { refuse("must be an array of " + allowed + ", is one of " + elementText_); }

void ForeignArray::requireElement(char kind, size_t bytes) const {
  if (!isElement(kind, bytes)) refuseElement(elementName(kind, bytes));
  bool aligned = reinterpret_cast<uintptr_t>(data_) % bytes == 0;
  for (size_t k = 0; k < axes_; ++k) aligned = aligned && strides_[k] % static_cast<int64_t>(bytes) == 0;
  if (!aligned) refuse("its address and strides must be multiples of " + std::to_string(bytes) + " bytes");
}

void ForeignArray::requireShape(std::initializer_list<int64_t> shape) const {
  bool same = shape.size() == axes_;
  for (size_t k = 0; same && k < axes_; ++k) same = shape.begin()[k] < 0 || shape.begin()[k] == shape_[k];
  if (!same) refuse("must be of shape " + shapeText(shape.begin(), shape.size()) + ", is of shape " + shapeText(shape_.data(), axes_));
}

void ForeignArray::requireWritable() const {
  if (!writable_) refuse("must be writable: the solver leaves its results there");
}

// --- memory that fields share ------------------------------------------------------------------------------------

namespace {

// Two numbers, the second one so many bytes behind the first.
bool touch(int64_t distance, int64_t firstBytes, int64_t secondBytes) { return distance > -secondBytes && distance < firstBytes; }

// Whether two numbers touch for a whole m, least <= m <= most, if the second one is distance - m stride behind the first.
struct Steps {
  int64_t stride, least, most;
};
bool anyTouch(int64_t distance, const Steps& steps, int64_t firstBytes, int64_t secondBytes) {
  const int64_t about = steps.stride == 0 ? 0 : distance / steps.stride;
  for (const int64_t m : {about - 1, about, about + 1}) {
    if (touch(distance - std::clamp(m, steps.least, steps.most) * steps.stride, firstBytes, secondBytes)) return true;
  }
  return false;
}

// The bytes of an item from its first number's on, and those of all items.
struct Extent {
  int64_t low, high;
};
Extent itemExtent(const FieldSpan& field) {
  const int64_t last = (field.components - 1) * field.componentStride;
  return {std::min<int64_t>(0, last), std::max<int64_t>(0, last) + field.bytes};
}
Extent wholeExtent(const FieldSpan& field) {
  const Extent item = itemExtent(field);
  const int64_t begin = static_cast<int64_t>(reinterpret_cast<intptr_t>(field.data)), last = (field.count - 1) * field.stride;
  return {begin + item.low + std::min<int64_t>(0, last), begin + item.high + std::max<int64_t>(0, last)};
}

bool meetsItself(const FieldSpan& f) {
  if (f.count > 1 && std::abs(f.stride) < f.bytes) return true;
  for (int64_t d = 1; d < f.components; ++d) {
    if (anyTouch(d * f.componentStride, {f.stride, 1 - f.count, f.count - 1}, f.bytes, f.bytes)) return true;
  }
  return false;
}

// Members of one struct: within a stride, those of the one lie beside those of the other.
bool interleaved(const FieldSpan& a, const FieldSpan& b, int64_t distance) {
  const int64_t stride = std::abs(a.stride);
  if (stride == 0) return false;
  const Extent ofA = itemExtent(a), ofB = itemExtent(b);
  int64_t between = (distance + ofB.low - ofA.low) % stride;
  if (between < 0) between += stride;
  return between >= ofA.high - ofA.low && between + (ofB.high - ofB.low) <= stride;
}

bool meetEachOther(const FieldSpan& a, const FieldSpan& b) {
  const int64_t distance = static_cast<int64_t>(reinterpret_cast<intptr_t>(b.data) - reinterpret_cast<intptr_t>(a.data));
  const bool alike = a.stride == b.stride;
  if (alike && interleaved(a, b, distance)) return false;
  for (int k = 0; k < a.components; ++k) {
    for (int l = 0; l < b.components; ++l) {
      const int64_t apart = distance + l * b.componentStride - k * a.componentStride;
      if (alike) {
        if (anyTouch(apart, {a.stride, 1 - b.count, a.count - 1}, a.bytes, b.bytes)) return true;
        continue;
      }
      for (int64_t j = 0; j < b.count; ++j) {
        if (anyTouch(apart + j * b.stride, {a.stride, 0, a.count - 1}, a.bytes, b.bytes)) return true;
      }
    }
  }
  return false;
}

}  // namespace

void requireApart(const std::vector<FieldSpan>& fields) {
  for (const FieldSpan& f : fields) {
    if (f.written && f.count > 0 && meetsItself(f))
      throw InvalidInput(f.name, "must not have numbers in the same place, since the solver writes them");
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    const FieldSpan& a = fields[i];
    if (a.count == 0) continue;
    const Extent ofA = wholeExtent(a);
    for (size_t j = i + 1; j < fields.size(); ++j) {
      const FieldSpan& b = fields[j];
      if (b.count == 0 || !(a.written || b.written)) continue;
      const Extent ofB = wholeExtent(b);
      if (ofA.high <= ofB.low || ofB.high <= ofA.low || !meetEachOther(a, b)) continue;
      const FieldSpan &written = a.written ? a : b, &other = a.written ? b : a;
      throw InvalidInput(written.name, std::string("must not share memory with ") + other.name + ", since the solver writes it");
    }
  }
}

}  // namespace cairn::python
