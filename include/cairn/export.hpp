// What all headers begin with. CAIRN_API marks the public interface: all that a shared library of Cairn shows.
//
// All of the library is in an inline namespace with the first number of its version, so that two of different ones are different to a linker. Nobody
// names it: it shows in messages of compilers and linkers alone. Below 1.0 nothing is promised about the binary interface: what uses the library is
// compiled anew for each version.
#pragma once

#define CAIRN_API __attribute__((visibility("default")))

namespace cairn {
inline namespace v0 {}
}  // namespace cairn
