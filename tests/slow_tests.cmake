# Read by ctest once the tests are known: what takes over 5 s in a build with optimization on one core is labelled slow. Whole experiments, by
# themselves and by the program, which draws pictures of them; whole grids of shots and throws. They may take longer than scripts/test gives the others.
foreach(test IN LISTS cairn_tests_TESTS)
  if(test MATCHES "^All/Paper\\.|^Program\\.Paper(WritesTablesAndClaims|RunsSeveral)$|^Of/Shots\\.NoneOfTheWholeGridPasses/|^Energy\\.OfThousands|^Solids\\.HundredsOf")
    set_tests_properties(${test} PROPERTIES LABELS slow TIMEOUT 1800)
  endif()
  # Labelled long: 25 s or more under sanitizers, in which it goes again and again where shorter tests have been. .ci/run has them in the
  # build with optimization alone.
  if(test MATCHES "^MeshWorlds\\.ShapesComeToRestOnHills|^Solids\\.(HooksThatFell|AChainOfHundreds|RelaxMoreOften|SkeletonsOfMeshesComeToRest|CudaAndThreads|ATurningNut)|^Collide/ShapePairs\\.AgreeWithSignedDistances.*/BoxBox$|^Scenes/Batches\\..*/rings[0-9]+Cpu$")
    set_tests_properties(${test} PROPERTIES LABELS long)
  endif()
endforeach()
