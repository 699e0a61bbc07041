# The first line of the summary says what is built, also where nobody has said so.
#   cmake -P test_summary.cmake
if(DEFINED CASE)
  set(CMAKE_BUILD_TYPE ${CASE})
  include(${CMAKE_CURRENT_LIST_DIR}/../cmake/CairnSummary.cmake)
  return()
endif()

function(expect build_type words)
  execute_process(COMMAND ${CMAKE_COMMAND} -DPROJECT_VERSION=1.2.3 "-DCASE=${build_type}" -P ${CMAKE_CURRENT_LIST_FILE}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT output MATCHES "Cairn 1\\.2\\.3, ${words}")
    message(FATAL_ERROR "build type '${build_type}':\n${output}")
  endif()
endfunction()
expect(Debug "Debug\n")
expect("" "no build type: the compiler does not optimize")
