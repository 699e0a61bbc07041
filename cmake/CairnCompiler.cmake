# How sources are compiled: language of the kernels, options that keep the bits the same, warnings, sanitizers.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CAIRN_HAVE_CUDA OFF)
if(NOT CAIRN_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # machine code for both, PTX of the newer for what comes after
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    enable_language(CUDA)
    set(CAIRN_HAVE_CUDA ON)
  elseif(CAIRN_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CAIRN_CUDA=ON, but no CUDA compiler was found")
  endif()
endif()

# Host options that decide bits: no contraction, no fast math. -fno-math-errno lets sqrt be one instruction; its value stays the same.
set(CAIRN_HOST_OPTIONS -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(CAIRN_CPU_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND CAIRN_HOST_OPTIONS -march=${CAIRN_CPU_ARCH})
endif()
set(CAIRN_HOST_WARNINGS -Wall -Wextra -Wshadow -Wno-psabi)
if(CAIRN_WERROR)
  list(APPEND CAIRN_HOST_WARNINGS -Werror)
endif()
if(CAIRN_SANITIZE)
  list(APPEND CAIRN_HOST_OPTIONS -fsanitize=${CAIRN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CAIRN_SANITIZE})
endif()

# Kernels go to nvcc when there is one, to the host compiler otherwise.
function(cairn_kernel_language target kernels)
  if(CAIRN_HAVE_CUDA)
    set_source_files_properties(${kernels} PROPERTIES LANGUAGE CUDA)
  else()
    set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
    # Thrust without a toolkit runs on the host.
    set_source_files_properties(${kernels} PROPERTIES COMPILE_DEFINITIONS "THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP")
  endif()
endfunction()

function(cairn_compile_options target)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${CAIRN_HOST_OPTIONS};${CAIRN_HOST_WARNINGS}>")
  if(CAIRN_HAVE_CUDA)
    string(REPLACE ";" "," host_options "${CAIRN_HOST_OPTIONS}")
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;-Xcompiler=-fopenmp,${host_options},-Wall;$<$<BOOL:${CAIRN_WERROR}>:-Werror=all-warnings>>")
  endif()
endfunction()
