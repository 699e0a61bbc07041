// Field: an array of someone's, by address and strides.
#pragma once

#include <cairn/export.hpp>

#include <cstddef>

namespace cairn {
inline namespace v0 {

// N numbers of type T for each item of an array: number k of item i lies k * componentStride + i * stride bytes from the first. Arrays of structs,
// structs of arrays and arrays of components alike. Of a caller's: a stride of 0 says that all items share one value (only where the library reads).
// Addresses are aligned as T is. Without data the field is not there.
template <class T, int N = 1> struct Field {
  T* data = nullptr;
  std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(N * sizeof(T));       // [bytes]
  std::ptrdiff_t componentStride = static_cast<std::ptrdiff_t>(sizeof(T));  // [bytes]

  explicit operator bool() const { return data != nullptr; }
};

}  // namespace v0
}  // namespace cairn
