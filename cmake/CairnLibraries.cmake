# cairn_library(NAME SOURCES ... [KERNELS ...] [BY_LEVEL ...] [ON LIBRARY]): the library cairn::NAME, static or shared by BUILD_SHARED_LIBS.
#
# cairn_NAME is the library. A shared one shows its public interface alone; cairn_NAME_archive has the same objects for what uses more than
# that. A library that stands ON another may use more as well: the shared one then holds copies of those few objects, and shows none of them.
# Sources BY_LEVEL are compiled once for each CPU level.

function(cairn_library name)
  cmake_parse_arguments(arg "" "ON" "SOURCES;KERNELS;BY_LEVEL" ${ARGN})
  set(library cairn_${name})
  cairn_objects(${library}_objects ${name} ${arg_SOURCES} ${arg_KERNELS})
  if(arg_KERNELS)
    cairn_kernel_language(${library}_objects "${arg_KERNELS}")
  endif()
  set(objects $<TARGET_OBJECTS:${library}_objects>)
  if(arg_BY_LEVEL)
    list(LENGTH CAIRN_CPU_LEVELS count)
    target_compile_definitions(${library}_objects PRIVATE CAIRN_CPU_LEVELS=${count})
    foreach(level IN LISTS CAIRN_CPU_LEVELS)
      cairn_objects(${library}_${level} ${name} ${arg_BY_LEVEL})
      target_compile_options(${library}_${level} PRIVATE ${CAIRN_OPTIONS_OF_${level}})
      list(APPEND objects $<TARGET_OBJECTS:${library}_${level}>)
    endforeach()
  endif()

  add_library(${library} ${objects})
  add_library(cairn::${name} ALIAS ${library})
  set_target_properties(${library} PROPERTIES
    EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")  # libraries of one installation find each other
  cairn_library_interface(${library} ${name})
  if(NOT BUILD_SHARED_LIBS)
    add_library(${library}_archive ALIAS ${library})
    if(arg_ON)
      target_link_libraries(${library} PUBLIC cairn_${arg_ON})
    endif()
    return()
  endif()

  add_library(${library}_archive STATIC EXCLUDE_FROM_ALL ${objects})
  cairn_library_interface(${library}_archive ${name})
  # What archives bring along is nobody else's business: their symbols stay inside.
  target_link_options(${library} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
  if(arg_ON)
    target_link_libraries(${library}_archive PUBLIC cairn_${arg_ON}_archive)
    target_link_libraries(${library} PUBLIC cairn_${arg_ON} PRIVATE $<BUILD_INTERFACE:cairn_${arg_ON}_archive>)
  endif()
endfunction()

function(cairn_objects target library)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE cairn::${library}_headers)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  cairn_compile_options(${target})
endfunction()

function(cairn_library_interface library name)
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${library} INTERFACE cxx_std_17)
  target_link_libraries(${library} PRIVATE cairn::${name}_dependencies)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
