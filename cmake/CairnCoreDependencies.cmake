# What cairn::core needs, in two targets: cairn::core_headers to compile it, cairn::core_dependencies to link with it.
# The installed package includes this file too, so that a static library brings along what it needs.

# A project that adds this one as a subdirectory links with cairn from a scope above: what cairn needs must be visible there.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

if(NOT TARGET cairn::core_dependencies)
  add_library(cairn::core_dependencies INTERFACE IMPORTED GLOBAL)
  find_package(Threads REQUIRED)
  target_link_libraries(cairn::core_dependencies INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
  # Static archives of distributions are not for shared libraries, such as Python's modules: programs that are carried elsewhere have them.
  if(CAIRN_HULLS)
    find_package(Qhull REQUIRED)
    if(CAIRN_PORTABLE)
      target_link_libraries(cairn::core_dependencies INTERFACE Qhull::qhullstatic_r)
    else()
      target_link_libraries(cairn::core_dependencies INTERFACE Qhull::qhull_r)
    endif()
  endif()
  if(CAIRN_HAVE_CUDA)
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(cairn::core_dependencies INTERFACE CUDA::cudart_static)
  elseif(CAIRN_EMULATED)
    target_link_libraries(cairn::core_dependencies INTERFACE cairn_device)
  endif()
endif()

if(NOT CAIRN_PACKAGE)
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  add_library(cairn::core_headers INTERFACE IMPORTED GLOBAL)
  target_link_libraries(cairn::core_headers INTERFACE Eigen3::Eigen)
endif()
