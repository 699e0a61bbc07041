# cmake --install: the library with its headers, the program, and a package for find_package(cairn).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CAIRN_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)

install(TARGETS cairn EXPORT cairnTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET cairn_program)
  install(TARGETS cairn_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(PROGRAMS scripts/plot-paper DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn)
endif()
install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cairnTargets NAMESPACE cairn:: DESTINATION ${CAIRN_PACKAGE_DIR})

configure_package_config_file(cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/cairnConfig.cmake INSTALL_DESTINATION ${CAIRN_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairnConfig.cmake ${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake cmake/CairnDependencies.cmake
  DESTINATION ${CAIRN_PACKAGE_DIR})
