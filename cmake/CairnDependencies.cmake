# What the library links, in two targets: cairn::headers (only to compile it) and cairn::dependencies (to link with it).
# The installed package includes this file too, so that a static cairn brings its libraries along.

# A project that adds this one as a subdirectory links with cairn from a scope above: what cairn needs must be visible there.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

# Static archives first where the program is to be carried to another machine.
set(cairn_library_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(CAIRN_PORTABLE)
  list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()

if(NOT TARGET cairn::dependencies)
  add_library(cairn::dependencies INTERFACE IMPORTED GLOBAL)
endif()

find_package(OpenMP REQUIRED COMPONENTS CXX)
if(CAIRN_PORTABLE)
  # The compiler's own folder has libgomp.a; its driver would pick the shared one for -fopenmp.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a OUTPUT_VARIABLE CAIRN_GOMP OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_package(Threads REQUIRED)
  target_link_libraries(cairn::dependencies INTERFACE ${CAIRN_GOMP} Threads::Threads ${CMAKE_DL_LIBS})
else()
  target_link_libraries(cairn::dependencies INTERFACE OpenMP::OpenMP_CXX)
endif()

find_package(PNG REQUIRED)
find_package(fmt REQUIRED)
set(CAIRN_FMT fmt::fmt)
if(CAIRN_PORTABLE)
  set(CAIRN_FMT fmt::fmt-header-only)  # Debian has no static archive of it
endif()
target_link_libraries(cairn::dependencies INTERFACE ${CAIRN_FMT} PNG::PNG)

# HDF5's C library by hand: CMake's module brings the link line of HDF5's own compiler wrapper along.
find_path(CAIRN_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(CAIRN_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(CAIRN_HDF5_INCLUDE CAIRN_HDF5_LIBRARY)
if(NOT CAIRN_HDF5_INCLUDE OR NOT CAIRN_HDF5_LIBRARY)
  message(FATAL_ERROR "HDF5 was not found (Debian and Ubuntu: libhdf5-dev)")
endif()
target_link_libraries(cairn::dependencies INTERFACE ${CAIRN_HDF5_LIBRARY})
if(CAIRN_PORTABLE)
  # What the static archive needs in turn.
  foreach(name sz aec z)
    find_library(CAIRN_HDF5_${name} NAMES ${name} REQUIRED)
    target_link_libraries(cairn::dependencies INTERFACE ${CAIRN_HDF5_${name}})
  endforeach()
  target_link_libraries(cairn::dependencies INTERFACE ${CMAKE_DL_LIBS} m)
endif()

if(CAIRN_HAVE_CUDA)
  find_package(CUDAToolkit REQUIRED)
  target_link_libraries(cairn::dependencies INTERFACE CUDA::cudart_static)
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES ${cairn_library_suffixes})

if(NOT CAIRN_PACKAGE)
  find_package(nlohmann_json 3.10 REQUIRED)
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  add_library(cairn::headers INTERFACE IMPORTED GLOBAL)
  target_link_libraries(cairn::headers INTERFACE nlohmann_json::nlohmann_json Eigen3::Eigen ${CAIRN_FMT} PNG::PNG)
  target_include_directories(cairn::headers INTERFACE ${CAIRN_HDF5_INCLUDE})
  find_package(CLI11 REQUIRED)
endif()
