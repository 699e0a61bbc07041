# CAIRN_VERSION, from the header that programs read it in.

set(CAIRN_VERSION "")
foreach(part MAJOR MINOR PATCH)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/cairn/version.hpp line REGEX "^#define CAIRN_VERSION_${part} [0-9]+$")
  string(REGEX REPLACE ".* " "" number "${line}")
  list(APPEND CAIRN_VERSION ${number})
endforeach()
list(JOIN CAIRN_VERSION "." CAIRN_VERSION)
