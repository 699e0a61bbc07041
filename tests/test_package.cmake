# Installs the libraries to a folder and builds a project against them, whose tests then pass.
#   cmake -DBUILD=... -DWORK=... -DCONSUMER=... -DCOMPONENT=core|cairn -DCONFIG=... -DCOMPILER=... -DGENERATOR=... -DNVCC=... -P test_package.cmake
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component cairn_libraries --config "${CONFIG}")
set(ENV{CUDACXX} "${NVCC}")
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${CONFIG}
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCOMPONENT=${COMPONENT})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --output-on-failure --no-tests=error)
message("built and run")
