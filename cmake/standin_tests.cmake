# Label metal-standin: the Metal backend itself on a stand-in for libobjc and Metal, which compiles and runs the source
# that it is handed (tests/metal/standin). Compiled sources are kept in the build tree.
if(NOT TARGET weft_metal OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()

file(GLOB weft_standin_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/metal/standin/*.cpp")
add_library(weft_metal_standin SHARED ${weft_standin_sources}
  "${PROJECT_SOURCE_DIR}/tests/support/fibers.cpp" "${PROJECT_SOURCE_DIR}/tests/support/fiber_switch.cpp")
set_target_properties(weft_metal_standin PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(weft_metal_standin PRIVATE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(weft_metal_standin PRIVATE
  WEFT_STANDIN_CLANG="$<IF:$<BOOL:${WEFT_CLANG}>,${WEFT_CLANG},clang-14>"
  WEFT_STANDIN_INCLUDE="${PROJECT_SOURCE_DIR}/tests/metal/include")
target_link_libraries(weft_metal_standin PRIVATE weft_fmt Threads::Threads ${CMAKE_DL_LIBS})

set(weft_standin_cache "${CMAKE_BINARY_DIR}/metal-standin")
file(GLOB weft_metal_test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/metal/*.cpp")
add_executable(weft_metal_tests ${weft_metal_test_sources})
target_link_libraries(weft_metal_tests PRIVATE weft_test_support ${CMAKE_DL_LIBS})
target_compile_definitions(weft_metal_tests PRIVATE
  WEFT_TEST_STANDIN="$<TARGET_FILE:weft_metal_standin>"
  WEFT_TEST_METAL="$<TARGET_FILE:weft_metal>"
  WEFT_TEST_STANDIN_CACHE="${weft_standin_cache}"
  WEFT_TEST_METAL_TESTS="$<TARGET_FILE:weft_metal_tests>"
  WEFT_TEST_SOURCE="${PROJECT_SOURCE_DIR}"
  WEFT_TEST_BUILD="${CMAKE_BINARY_DIR}")
add_dependencies(weft_metal_tests weft_metal_standin weft_metal)

set(weft_standin_environment
  "WEFT_METAL_RUNTIME=$<TARGET_FILE:weft_metal_standin>" "WEFT_METAL_LIBRARY=$<TARGET_FILE:weft_metal>"
  "WEFT_STANDIN_CACHE=${weft_standin_cache}" WEFT_STANDIN_LEAKS=1)
set(weft_standin_properties LABELS metal-standin TIMEOUT 600)

# tests/metal/*_test.cpp. A group has 64 threads where nothing else is looked at but what is left at the end.
set(common DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES TEST_PREFIX metal.
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
gtest_discover_tests(weft_metal_tests ${common} TEST_FILTER "-*ThousandMounts*:*Mutation*"
  PROPERTIES ${weft_standin_properties})
gtest_discover_tests(weft_metal_tests ${common} TEST_FILTER "*ThousandMounts*" TEST_LIST weft_metal_tests_mounts
  PROPERTIES ${weft_standin_properties} ENVIRONMENT WEFT_STANDIN_THREADS=64)
# tests/metal/mutations: mistakes planted into the backend, which the workload must notice.
if(NOT WEFT_SANITIZE)
  gtest_discover_tests(weft_metal_tests ${common} TEST_FILTER "*Mutation*" TEST_LIST weft_metal_tests_mutations
    PROPERTIES ${weft_standin_properties})
endif()

# The command and the unit tests: every golden case in every way, every mode, every instruction.
function(weft_add_standin_test name settings wanted)
  add_test(NAME metal.${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(metal.${name} PROPERTIES ${weft_standin_properties} ENVIRONMENT
    "${weft_standin_environment};${settings}" PASS_REGULAR_EXPRESSION "${wanted}" FAIL_REGULAR_EXPRESSION
    "stand-in:|SKIPPED|FAILED")
endfunction()
if(TARGET weft_cli)
  set(golden $<TARGET_FILE:weft_cli> verify --golden tests/golden/data --device metal)
  set(all_cases "270 cases in 9 files on metal: 270 passed, 0 failed, 0 unsupported: pass")
  weft_add_standin_test(golden "WEFT_METAL_WAY=steps" "${all_cases}" ${golden})
  weft_add_standin_test(golden-backwards "WEFT_METAL_WAY=steps;WEFT_STANDIN_ORDER=backwards;WEFT_STANDIN_EXECUTE=thread"
    "${all_cases}" ${golden})
  weft_add_standin_test(golden-chip "WEFT_METAL_WAY=chip;WEFT_STANDIN_THREADS=256" "${all_cases}" ${golden})
  weft_add_standin_test(modes "WEFT_STANDIN_THREADS=64" "33 of 33 modes agree: pass"
    $<TARGET_FILE:weft_cli> verify --against cpu --device metal)
endif()
weft_add_standin_test(instructions "" "\\[  PASSED  \\] [1-9][0-9]* tests"
  $<TARGET_FILE:weft_unit_tests> "--gtest_filter=*/metal_*:*/metal")
