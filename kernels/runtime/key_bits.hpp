// How many bits of a sort's keys a slot needs.
#pragma once

namespace cairn::v0 {

// So many that each slot, and the number behind the last one, is below 2^bits.
inline int bitsFor(int slots) {
  int bits = 1;
  while (slots >> bits != 0) ++bits;
  return bits;
}

}  // namespace cairn::v0
