// Arrays of somebody else's, where they lie: whatever has Python's buffers, DLPack or __cuda_array_interface__.
#pragma once

#include "python/src/convert.hpp"

#include <cairn/field.hpp>

#include <array>

namespace cairn::python {

// Where arrays have to lie. Work on them is in order with a stream.
struct ArrayMemory {
  bool onDevice = false;
  int device = 0;        // its number
  uintptr_t stream = 0;  // a cudaStream_t; 0: the default one
};

// Holds the array for as long as it lives; not beyond, whatever a stream still has to do.
class ForeignArray {
 public:
  static constexpr size_t kMostAxes = 4;

  // Throws InvalidInput for what is no array, has more axes, or lies elsewhere.
  ForeignArray(nb::handle value, const std::string& place, const ArrayMemory& memory);
  ForeignArray(const ForeignArray&) = delete;
  ForeignArray& operator=(const ForeignArray&) = delete;

  // Whether it says so of itself.
  static bool isOnDevice(nb::handle value);

  char* data() const { return data_; }
  size_t axes() const { return axes_; }
  int64_t size(size_t axis) const { return shape_[axis]; }
  int64_t stride(size_t axis) const { return strides_[axis]; }  // [bytes]
  bool contiguous() const;                                      // items one after the other, those of the last axis first

  // By kind ('f', 'i', 'u'; 'b': bool) and bytes.
  bool isElement(char kind, size_t bytes) const { return kind_ == kind && elementBytes_ == bytes; }

  // Each throws InvalidInput with the place. Sizes of -1: any.
  void requireElement(char kind, size_t bytes) const;
  [[noreturn]] void refuseElement(const std::string& allowed) const;
  void requireShape(std::initializer_list<int64_t> shape) const;
  void requireWritable() const;
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  struct Buffer {
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
      if (view.obj != nullptr) PyBuffer_Release(&view);
    }
    Py_buffer view{};
  };

  void take(nb::handle value, const ArrayMemory& memory);
  void takeBuffer(nb::handle value);
  void takeTensor(nb::handle value, const ArrayMemory& memory);
  void takeCudaInterface(const nb::dict& interface);
  void takeAxes(size_t axes);
  void requireMemory(bool onDevice, int device, const ArrayMemory& memory) const;

  const std::string place_;
  nb::object owner_;
  Buffer buffer_;
  char* data_ = nullptr;
  size_t axes_ = 0;
  std::array<int64_t, kMostAxes> shape_{}, strides_{};
  char kind_ = '?';  // another one
  size_t elementBytes_ = 0;
  std::string elementText_;
  bool writable_ = true;
};

// A field of a call's, for finding out which of them share memory. Of `count` items.
struct FieldSpan {
  const char* data;
  int64_t stride, componentStride, count;
  int components;
  int64_t bytes;  // of a number
  bool written;
  const char* name;
};
// Throws InvalidInput if a field that is written has numbers that share memory with each other, or with those of another field.
void requireApart(const std::vector<FieldSpan>& fields);

}  // namespace cairn::python
