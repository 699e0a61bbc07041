# The sweeps on the CPU fetch the rows and bodies that come next. A compiler may take functions that do nothing else for ones without effect and drop their
# calls, which no result shows: walls beyond the caches took up to twice as long. There are over a hundred fetches for each CPU level, and a dozen without.
include(${CMAKE_CURRENT_LIST_DIR}/disassembly.cmake)
if(NOT listing)
  return()
endif()
string(REGEX MATCHALL "[ \t](prefetch[a-z0-9]+|prfm)[ \t]" found "${listing}")
list(LENGTH found count)
if(count LESS 60)
  message(FATAL_ERROR "only ${count} fetches in ${LIBRARY}")
endif()
message("${count} fetches")
