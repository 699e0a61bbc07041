# How sources are compiled: language of the kernels, options that keep the bits the same, warnings, sanitizers.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# --- CUDA, if there is a toolkit ---------------------------------------------------------------------------------
set(CAIRN_LEAST_TOOLKIT 12.4)
option(CAIRN_CUDA_RELEASE "Machine code for all devices from sm_75 on, unless CMAKE_CUDA_ARCHITECTURES says otherwise" OFF)
set(CAIRN_HAVE_CUDA OFF)
set(CAIRN_EMULATED OFF)
if(CAIRN_CUDA STREQUAL "EMULATED")
  set(CAIRN_EMULATED ON)  # tests/device stands in for the toolkit, the runtime and the device
elseif(NOT CAIRN_CUDA STREQUAL "OFF")
  # A toolkit that was unpacked but not put on PATH counts as well.
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(CAIRN_NVCC nvcc PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
    mark_as_advanced(CAIRN_NVCC)
    if(CAIRN_NVCC)
      set(ENV{CUDACXX} ${CAIRN_NVCC})
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CAIRN_ARCHITECTURES_CHOSEN FALSE)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # Machine code, and PTX of sm_90 for what comes after.
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
      if(CAIRN_CUDA_RELEASE)
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
      endif()
      set(CAIRN_ARCHITECTURES_CHOSEN TRUE)
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS ${CAIRN_LEAST_TOOLKIT})
      set(CAIRN_CUDA_REASON "toolkit ${CMAKE_CUDA_COMPILER_VERSION} is older than ${CAIRN_LEAST_TOOLKIT}")
    else()
      find_package(CUDAToolkit REQUIRED)
      set(CAIRN_HAVE_CUDA ON)
      # A driver makes code of PTX when a kernel is first launched, which takes about a minute for all of them. The PTX stays that of sm_90, which every
      # later device can make use of.
      if(CAIRN_ARCHITECTURES_CHOSEN AND NOT CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
        list(APPEND CMAKE_CUDA_ARCHITECTURES 100-real 120-real)
      endif()
    endif()
  else()
    set(CAIRN_CUDA_REASON "no toolkit found")
  endif()
  if(CAIRN_CUDA STREQUAL "ON" AND NOT CAIRN_HAVE_CUDA)
    message(FATAL_ERROR "CAIRN_CUDA=ON: ${CAIRN_CUDA_REASON}")
  endif()
else()
  set(CAIRN_CUDA_REASON "switched off by CAIRN_CUDA")
endif()

# --- options -------------------------------------------------------------------------------------------------------
# Host options that decide bits: no contraction, no fast math. -fno-math-errno lets sqrt be one instruction; its value stays the same.
set(CAIRN_HOST_OPTIONS -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(CAIRN_CPU_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # No fused multiply-add at all: g++ 12 makes vfmaddsub out of products in straight-line code whatever -ffp-contract says.
  list(APPEND CAIRN_HOST_OPTIONS -march=${CAIRN_CPU_ARCH} -mno-fma)
endif()
set(CAIRN_HOST_WARNINGS -Wall -Wextra -Wshadow -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # `namespace cairn::v0` within the library; public headers open the inline namespace in full, and warn nobody.
  list(APPEND CAIRN_HOST_WARNINGS -Wno-inline-namespace-reopened-noninline)
endif()
set(CAIRN_CUDA_HOST_WARNINGS -Wall -Wextra -Wno-psabi)
set(CAIRN_CUDA_OPTIONS --fmad=false)
if(CAIRN_WERROR)
  list(APPEND CAIRN_HOST_WARNINGS -Werror)
  list(APPEND CAIRN_CUDA_OPTIONS -Werror=all-warnings)
endif()
if(CAIRN_SANITIZE)
  # Null pointers and accesses beyond objects are the address sanitizer's to find: checks of their own are a sixth of the time to compile.
  list(APPEND CAIRN_HOST_OPTIONS -fsanitize=${CAIRN_SANITIZE} -fno-sanitize=null,object-size,vptr -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CAIRN_SANITIZE})
endif()

# The host compiler as the compiler for the emulated device: it reads what nvcc would read, and calls the device before each access to memory. Functions
# that several files have are local in these (-fno-weak), since the linker could take those of files that are not instrumented; the
# library has type_info's comparison for those that are not, hence its macro. g++ warns of each local constant, and other builds warn of what is in
# these files (-w).
set(CAIRN_EMULATION_OPTIONS -xc++ -O2 -g1 -D__CUDACC__ -D__CUDA_ARCH__=900 -I${PROJECT_SOURCE_DIR}/tests/device/include -include cuda_runtime.h
  -fsanitize=thread --param=tsan-instrument-func-entry-exit=0 -fno-weak -D__GXX_TYPEINFO_EQUALITY_INLINE=1 -w)

# Kernels go to nvcc when there is one, to the host compiler otherwise.
function(cairn_kernel_language target kernels)
  if(CAIRN_HAVE_CUDA)
    set_source_files_properties(${kernels} PROPERTIES LANGUAGE CUDA)
  elseif(CAIRN_EMULATED)
    set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "${CAIRN_EMULATION_OPTIONS}")
  else()
    set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
  endif()
endfunction()

function(cairn_compile_options target)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${CAIRN_HOST_OPTIONS};${CAIRN_HOST_WARNINGS}>")
  if(CAIRN_HAVE_CUDA)
    string(REPLACE ";" "," host_options "${CAIRN_HOST_OPTIONS};${CAIRN_CUDA_HOST_WARNINGS}")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${CAIRN_CUDA_OPTIONS};-Xcompiler=${host_options}>")
  endif()
endfunction()

# A program that can be carried to another machine: no dependence on this one's libstdc++, and what is only there as a shared library
# is looked for in lib/ beside the program (scripts/gpu-check puts it there). RPATH, not RUNPATH: it must hold for libraries of libraries too.
function(cairn_portable_program target)
  if(NOT CAIRN_PORTABLE)
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags -Wl,--as-needed -static-libgcc)
  if(NOT "SHARED_CXX" IN_LIST ARGN)
    target_link_options(${target} PRIVATE -static-libstdc++)
  endif()
  set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN/lib")
endfunction()
