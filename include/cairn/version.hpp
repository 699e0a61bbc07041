// The version: that of the headers as macros, that of the library that a program runs with as a function.
#pragma once

#include <cairn/export.hpp>

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0
#define CAIRN_VERSION_STRING "0.1.0"

namespace cairn {
inline namespace v0 {

// "0.1.0". Below 1.0 only libraries of the headers' very version are sure to have their binary interface (<cairn/export.hpp>).
CAIRN_API const char* version();

}  // namespace v0
}  // namespace cairn
