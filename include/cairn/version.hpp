// The version: that of the headers as macros, that of the library that a program runs with as a function.
#pragma once

#include <cairn/export.hpp>

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0
#define CAIRN_VERSION_STRING "0.1.0"

namespace cairn {

// "0.1.0". Libraries whose first two numbers agree with the headers' have the same binary interface.
CAIRN_API const char* version();

}  // namespace cairn
