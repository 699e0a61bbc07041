# Read by ctest once the tests are known. On the emulator a test takes twenty times as long and more; these are what takes longer than a tenth of a
# second without it, and says nothing about another processor that the others do not:
# - allocations that fail one after another (RefusedSteps): what is asked for memory is the same on every processor;
# - thousands of random casts, overlaps, heaps, meshes and pairs against brute force: each of these has a smaller test of the same code;
# - threads beside each other (ThreadsMakeNoDifference, ThreadsGiveTheSameBits, JointsHoldInAHeap): the pinned bits come on three threads too.
foreach(test IN LISTS cairn_core_tests_TESTS)
  if(test MATCHES "RefusedSteps\\.|ShapeQueries\\.(Casts|Overlaps)ThroughTheTree|RandomHeapsGive|ListsOfDriftingHeaps|RayCast\\.TheTreeFinds|\
MeshQueries\\.|ThreadsMakeNoDifference|ThreadsGiveTheSameBits|JointsHoldInAHeap|RollingFriction\\.AHeap|RollingFrictionHeaps|\
RevolvedPairs\\.AreAsFarApart|CreepingStacksStay|AHubCosts|SortsAreStableForAllSizes|SumsHaveTheSameBitsOnEveryTarget|ColoursAtHubs")
    set_tests_properties(${test} PROPERTIES LABELS slow TIMEOUT 3600)
  endif()
endforeach()
