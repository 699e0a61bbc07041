// Functions that no kernel may call: those of the host's mathematical library, whose bits a device does not have, and its memory. The linker leads
// calls here (--wrap, the list is in CMakeLists.txt). Copies and fills of memory are what compilers make of assignments: they are checked as
// accesses.
#include "tests/device/access.hpp"
#include "tests/device/reports.hpp"
#include "tests/device/threads.hpp"

#include <cstddef>

namespace emulated {
namespace {

inline void notInKernels(const char* name, const void* site) {
  if (currentThread == nullptr) return;
  const AsHost host;
  report(Finding::HostFunction, std::string("a kernel calls ") + name, site, host.thread);
}

}  // namespace
}  // namespace emulated

#define EMULATED_FUNCTION_OF_ONE(type, name)                    \
  extern "C" type __real_##name(type);                          \
  extern "C" type __wrap_##name(type a) {                       \
    emulated::notInKernels(#name, __builtin_return_address(0)); \
    return __real_##name(a);                                    \
  }
#define EMULATED_FUNCTION_OF_TWO(type, name)                    \
  extern "C" type __real_##name(type, type);                    \
  extern "C" type __wrap_##name(type a, type b) {               \
    emulated::notInKernels(#name, __builtin_return_address(0)); \
    return __real_##name(a, b);                                 \
  }
#define EMULATED_IN_BOTH_PRECISIONS(functionOf, name) functionOf(double, name) functionOf(float, name##f)

EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, sin)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, cos)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, tan)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, asin)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, acos)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, atan)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, sinh)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, cosh)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, tanh)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, exp)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, exp2)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, log)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, log2)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, log10)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_ONE, cbrt)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_TWO, pow)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_TWO, atan2)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_TWO, fmod)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_TWO, hypot)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_TWO, fmin)
EMULATED_IN_BOTH_PRECISIONS(EMULATED_FUNCTION_OF_TWO, fmax)

extern "C" {
double __real_fma(double, double, double);
float __real_fmaf(float, float, float);
void* __real_malloc(size_t);
void* __real_calloc(size_t, size_t);
void* __real_realloc(void*, size_t);
void __real_free(void*);
void* __real__Znwm(size_t);
void* __real__Znam(size_t);
void __real__ZdlPv(void*);
void __real__ZdlPvm(void*, size_t);
void __real__ZdaPv(void*);
void __real__ZdaPvm(void*, size_t);
void* __real_memcpy(void*, const void*, size_t);
void* __real_memmove(void*, const void*, size_t);
void* __real_memset(void*, int, size_t);

double __wrap_fma(double a, double b, double c) {
  emulated::notInKernels("fma", __builtin_return_address(0));
  return __real_fma(a, b, c);
}
float __wrap_fmaf(float a, float b, float c) {
  emulated::notInKernels("fmaf", __builtin_return_address(0));
  return __real_fmaf(a, b, c);
}
void* __wrap_malloc(size_t bytes) {
  emulated::notInKernels("malloc", __builtin_return_address(0));
  return __real_malloc(bytes);
}
void* __wrap_calloc(size_t count, size_t bytes) {
  emulated::notInKernels("calloc", __builtin_return_address(0));
  return __real_calloc(count, bytes);
}
void* __wrap_realloc(void* address, size_t bytes) {
  emulated::notInKernels("realloc", __builtin_return_address(0));
  return __real_realloc(address, bytes);
}
void __wrap_free(void* address) {
  emulated::notInKernels("free", __builtin_return_address(0));
  __real_free(address);
}
void* __wrap__Znwm(size_t bytes) {
  emulated::notInKernels("operator new", __builtin_return_address(0));
  return __real__Znwm(bytes);
}
void* __wrap__Znam(size_t bytes) {
  emulated::notInKernels("operator new[]", __builtin_return_address(0));
  return __real__Znam(bytes);
}
void __wrap__ZdlPv(void* address) {
  emulated::notInKernels("operator delete", __builtin_return_address(0));
  __real__ZdlPv(address);
}
void __wrap__ZdlPvm(void* address, size_t bytes) {
  emulated::notInKernels("operator delete", __builtin_return_address(0));
  __real__ZdlPvm(address, bytes);
}
void __wrap__ZdaPv(void* address) {
  emulated::notInKernels("operator delete[]", __builtin_return_address(0));
  __real__ZdaPv(address);
}
void __wrap__ZdaPvm(void* address, size_t bytes) {
  emulated::notInKernels("operator delete[]", __builtin_return_address(0));
  __real__ZdaPvm(address, bytes);
}

void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  if (emulated::currentThread != nullptr) {
    emulated::checkAccess(from, bytes, emulated::AccessKind::Read, __builtin_return_address(0));
    emulated::checkAccess(to, bytes, emulated::AccessKind::Write, __builtin_return_address(0));
  }
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  if (emulated::currentThread != nullptr) {
    emulated::checkAccess(from, bytes, emulated::AccessKind::Read, __builtin_return_address(0));
    emulated::checkAccess(to, bytes, emulated::AccessKind::Write, __builtin_return_address(0));
  }
  return __real_memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int byte, size_t bytes) {
  if (emulated::currentThread != nullptr) emulated::checkAccess(to, bytes, emulated::AccessKind::Write, __builtin_return_address(0));
  return __real_memset(to, byte, bytes);
}
}
