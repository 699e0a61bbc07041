// The hash FNV-1a with 64 bits (Fowler, Noll and Vo), of states that two runs must have in common to the last bit.
#pragma once

#include <cairn/export.hpp>

#include <cstddef>
#include <cstdint>

namespace cairn::v0 {

class Fnv1a {
 public:
  void add(const void* data, size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3ull;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325ull;
};

}  // namespace cairn::v0
