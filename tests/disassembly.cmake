# Sets `listing` to the machine code of LIBRARY as text; else says why it is skipped and leaves `listing` empty.
set(listing "")
find_program(OBJDUMP objdump)  # or the one of the machine that is compiled for
if(NOT OBJDUMP)
  message("skipped: no objdump")
  return()
endif()
execute_process(COMMAND ${OBJDUMP} -d --no-show-raw-insn ${LIBRARY} OUTPUT_VARIABLE listing RESULT_VARIABLE status ERROR_QUIET)
if(NOT status EQUAL 0)
  message("skipped: ${OBJDUMP} does not read ${LIBRARY}")
  set(listing "")
endif()
