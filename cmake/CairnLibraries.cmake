# cairn_library(NAME SOURCES ... [KERNELS ...] [ON LIBRARY]): the library cairn::NAME, static or shared by BUILD_SHARED_LIBS.
#
# cairn_NAME is the library. A shared one shows its public interface alone; cairn_NAME_archive has the same objects for what uses more than
# that. A library that stands ON another may use more as well: the shared one then holds copies of those few objects, and shows none of them.

function(cairn_library name)
  cmake_parse_arguments(arg "" "ON" "SOURCES;KERNELS" ${ARGN})
  set(library cairn_${name})
  set(objects ${library}_objects)
  add_library(${objects} OBJECT ${arg_SOURCES} ${arg_KERNELS})
  target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${objects} PRIVATE cairn::${name}_headers)
  set_target_properties(${objects} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if(arg_KERNELS)
    cairn_kernel_language(${objects} "${arg_KERNELS}")
  endif()
  cairn_compile_options(${objects})

  add_library(${library} $<TARGET_OBJECTS:${objects}>)
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

  add_library(${library}_archive STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${objects}>)
  cairn_library_interface(${library}_archive ${name})
  # What archives bring along is nobody else's business: their symbols stay inside.
  target_link_options(${library} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
  if(arg_ON)
    target_link_libraries(${library}_archive PUBLIC cairn_${arg_ON}_archive)
    target_link_libraries(${library} PUBLIC cairn_${arg_ON} PRIVATE $<BUILD_INTERFACE:cairn_${arg_ON}_archive>)
  endif()
endfunction()

function(cairn_library_interface library name)
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${library} INTERFACE cxx_std_17)
  target_link_libraries(${library} PRIVATE cairn::${name}_dependencies)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
