# What cairn::io needs beside the core: cairn::io_headers to compile it, cairn::io_dependencies to link with it.
# The installed package includes this file too, so that a static library brings along what it needs.

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

# Static archives first where the program is to be carried to another machine.
set(cairn_library_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(CAIRN_PORTABLE)
  list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()

if(NOT TARGET cairn::io_dependencies)
  add_library(cairn::io_dependencies INTERFACE IMPORTED GLOBAL)
  find_package(PNG REQUIRED)
  find_package(fmt REQUIRED)
  set(CAIRN_FMT fmt::fmt)
  if(CAIRN_PORTABLE)
    set(CAIRN_FMT fmt::fmt-header-only)  # Debian has no static archive of it
  endif()
  target_link_libraries(cairn::io_dependencies INTERFACE ${CAIRN_FMT} PNG::PNG)

  # HDF5's C library by hand: CMake's module brings the link line of HDF5's own compiler wrapper along.
  find_path(CAIRN_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(CAIRN_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
  mark_as_advanced(CAIRN_HDF5_INCLUDE CAIRN_HDF5_LIBRARY)
  if(NOT CAIRN_HDF5_INCLUDE OR NOT CAIRN_HDF5_LIBRARY)
    message(FATAL_ERROR "HDF5 was not found (Debian and Ubuntu: libhdf5-dev)")
  endif()
  target_link_libraries(cairn::io_dependencies INTERFACE ${CAIRN_HDF5_LIBRARY})
  if(CAIRN_PORTABLE)
    # What the static archive needs in turn.
    foreach(name sz aec z)
      find_library(CAIRN_HDF5_${name} NAMES ${name} REQUIRED)
      target_link_libraries(cairn::io_dependencies INTERFACE ${CAIRN_HDF5_${name}})
    endforeach()
    target_link_libraries(cairn::io_dependencies INTERFACE ${CMAKE_DL_LIBS} m)
  endif()
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES ${cairn_library_suffixes})

if(NOT CAIRN_PACKAGE)
  find_package(nlohmann_json 3.10 REQUIRED)
  add_library(cairn::io_headers INTERFACE IMPORTED GLOBAL)
  target_link_libraries(cairn::io_headers INTERFACE cairn::core_headers nlohmann_json::nlohmann_json ${CAIRN_FMT} PNG::PNG)
  target_include_directories(cairn::io_headers INTERFACE ${CAIRN_HDF5_INCLUDE})

  # Its header alone, which has all of it; one file of io compiles that for numbers in double precision.
  if(CAIRN_OBJ)
    find_path(CAIRN_TINYOBJ_INCLUDE tiny_obj_loader.h)
    mark_as_advanced(CAIRN_TINYOBJ_INCLUDE)
  else()
    unset(CAIRN_TINYOBJ_INCLUDE CACHE)
  endif()
  if(CAIRN_TINYOBJ_INCLUDE)
    target_include_directories(cairn::io_headers SYSTEM INTERFACE ${CAIRN_TINYOBJ_INCLUDE})
  endif()
endif()
