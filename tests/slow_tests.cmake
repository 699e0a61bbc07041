# Read by ctest once the tests are known: what takes over 5 s in a build with optimization on one core is labelled slow. Whole experiments, by
# themselves and by the program, which draws pictures of them; whole grids of shots and throws. They may take longer than scripts/test gives the others.
foreach(test IN LISTS cairn_tests_TESTS)
  if(test MATCHES "^All/Paper\\.|^Program\\.Paper(WritesTablesAndClaims|RunsSeveral)$|^Of/Shots\\.NoneOfTheWholeGridPasses/|^Energy\\.OfThousands|^Solids\\.HundredsOf")
    set_tests_properties(${test} PROPERTIES LABELS slow TIMEOUT 1800)
  endif()
endforeach()
