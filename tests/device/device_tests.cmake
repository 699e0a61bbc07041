# Read by ctest once the tests are known: those that use the device are labelled so, and slow as well where they take over 30 s on the emulated one.
foreach(test IN LISTS cairn_tests_TESTS)
  # Of the pinned bits those of Worlds whose steps the host takes part in: other tests compare the rest with the CPU.
  if(test MATCHES "Cuda|Functor|PlannedSteps|RecordedSteps|(tower|chain)_lemke")
    set_tests_properties(${test} PROPERTIES LABELS device)
  endif()
endforeach()
