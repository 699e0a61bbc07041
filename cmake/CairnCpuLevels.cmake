# The files that work on packs of lanes, kernels/*/*_cpu.cpp, are compiled for several instruction sets of x86-64, and the process chooses between them
# (kernels/runtime/cpu_level.hpp). In each level but the first the namespace cairn has another name, so that no function of the one is taken for another's
# (kernels/runtime/cpu_passes.hpp). What a level needs of a processor is asked for in cpu_level.cpp.

set(CAIRN_CPU_LEVELS baseline)
set(CAIRN_OPTIONS_OF_baseline -DCAIRN_PACK_BYTES=16)
set(CAIRN_OPTIONS_OF_avx2 -Dcairn=cairn_avx2 -DCAIRN_PACK_BYTES=32 -mavx2 -mno-fma)
set(CAIRN_OPTIONS_OF_avx512 -Dcairn=cairn_avx512 -DCAIRN_PACK_BYTES=64 -mprefer-vector-width=512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mno-fma -fno-tree-slp-vectorize)
option(CAIRN_ONE_CPU_LEVEL "Compile for one level alone, that of CAIRN_CPU_ARCH: quicker builds and smaller programs" OFF)
if(CAIRN_ONE_CPU_LEVEL)
  # As in the level that has these instructions by itself.
  if(CAIRN_CPU_ARCH STREQUAL "x86-64-v3")
    set(CAIRN_OPTIONS_OF_baseline -DCAIRN_PACK_BYTES=32)
  elseif(CAIRN_CPU_ARCH STREQUAL "x86-64-v4")
    set(CAIRN_OPTIONS_OF_baseline -DCAIRN_PACK_BYTES=64 -mprefer-vector-width=512)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND CAIRN_CPU_LEVELS avx2 avx512)
endif()
