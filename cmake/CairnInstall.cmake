# cmake --install: the libraries with their headers, the program, and a package for find_package(cairn [COMPONENTS core io]).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CAIRN_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)

# One set of targets a component: who asks for the core alone needs nothing of what the others need.
set(CAIRN_COMPONENTS core)
if(CAIRN_BUILD_IO)
  list(APPEND CAIRN_COMPONENTS io)
endif()
foreach(component ${CAIRN_COMPONENTS})
  install(TARGETS cairn_${component} EXPORT cairn-${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cairn_libraries
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cairn_libraries NAMELINK_COMPONENT cairn_libraries)
  install(EXPORT cairn-${component} NAMESPACE cairn:: DESTINATION ${CAIRN_PACKAGE_DIR} COMPONENT cairn_libraries)
endforeach()
install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT cairn_libraries)

set(CAIRN_STATIC ON)
if(BUILD_SHARED_LIBS)
  set(CAIRN_STATIC OFF)
endif()
configure_package_config_file(cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/cairnConfig.cmake INSTALL_DESTINATION ${CAIRN_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairnConfig.cmake ${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake
  cmake/CairnCoreDependencies.cmake cmake/CairnIoDependencies.cmake
  DESTINATION ${CAIRN_PACKAGE_DIR} COMPONENT cairn_libraries)

if(CAIRN_BUILD_PROGRAM)
  install(TARGETS cairn_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cairn_program)
  install(PROGRAMS scripts/plot-paper scripts/plot-reports scripts/plot-quality DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn COMPONENT cairn_program)
  install(FILES scripts/plot_style.py src/experiments/paper_values.csv DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn COMPONENT cairn_program)
  install(FILES docs/cairn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cairn_program)
endif()
