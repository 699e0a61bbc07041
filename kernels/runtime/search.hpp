// Binary search in what is sorted, for kernels: the standard library's is not theirs to call.
#pragma once

#include "kernels/runtime/platform.hpp"

namespace cairn::v0 {

// The first place in [begin, end) for which `isBelow` is false, or end; the places for which it is true come first.
template <class IsBelow> CAIRN_HD inline int firstNotBelow(int begin, int end, const IsBelow& isBelow) {
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (isBelow(middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

}  // namespace cairn::v0
