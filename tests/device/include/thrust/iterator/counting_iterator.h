#pragma once

namespace thrust {

template <class T> struct counting_iterator {
  explicit counting_iterator(T begin) : first(begin) {}
  T first;
};

}  // namespace thrust
