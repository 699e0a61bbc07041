// Records that lie in device arrays: no byte of theirs may be padding. A kernel that stores a record field by field leaves padding as it was, and
// whoever copies or compares the bytes reads what nobody wrote.
#pragma once

#include "kernels/runtime/platform.hpp"

#include <type_traits>

namespace cairn::v0 {

// An integer and the four bytes that a record of doubles has beside it, written with it.
template <class Int> struct PaddedInt {
  Int value;
  Int spare;

  PaddedInt() = default;
  CAIRN_HD PaddedInt(Int from) : value(from), spare(0) {}
  CAIRN_HD operator Int() const { return value; }
};

// For a 32-bit integer that stands alone beside numbers of the type T.
template <class T, class Int> using Beside = std::conditional_t<sizeof(T) == 8, PaddedInt<Int>, Int>;

}  // namespace cairn::v0
