# What is tested of the Metal backend without a Mac. Labels: msl, emulate, race, metal-standin.

# ---- msl: the literal Metal source, read by clang-14 and by a lint (tests/metal/msl) ----
# Where the compiler is missing the tests fail, and say what to install.
find_program(WEFT_CLANG clang-14 DOC "clang-14, which checks Metal source")
add_executable(weft_msl_tests)
file(GLOB weft_msl_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/metal/msl/*.cpp")
list(FILTER weft_msl_sources EXCLUDE REGEX "/print_test\\.cpp$")
target_sources(weft_msl_tests PRIVATE ${weft_msl_sources})
target_link_libraries(weft_msl_tests PRIVATE weft_test_support)
target_compile_definitions(weft_msl_tests PRIVATE
  WEFT_CLANG="$<IF:$<BOOL:${WEFT_CLANG}>,${WEFT_CLANG},clang-14>"
  WEFT_MSL_INCLUDE="${PROJECT_SOURCE_DIR}/tests/metal/msl/include"
  WEFT_MSL_MISTAKES="${PROJECT_SOURCE_DIR}/tests/metal/msl/mistakes")
gtest_discover_tests(weft_msl_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES TEST_PREFIX msl.
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTIES LABELS msl TIMEOUT 300)

# ---- what print-metal-source prints is that text ----
if(TARGET print-metal-source)
  target_sources(weft_msl_tests PRIVATE "${PROJECT_SOURCE_DIR}/tests/metal/msl/print_test.cpp")
  target_compile_definitions(weft_msl_tests PRIVATE WEFT_PRINT_METAL_SOURCE="$<TARGET_FILE:print-metal-source>")
  add_dependencies(weft_msl_tests print-metal-source)
endif()

# ---- emulate: every kernel as the code of many threads, beside the cpu device (tests/metal/emulate) ----
set(weft_emulate "${PROJECT_SOURCE_DIR}/tests/metal/emulate")
file(GLOB weft_emulator CONFIGURE_DEPENDS "${weft_emulate}/*.cpp")
list(FILTER weft_emulator EXCLUDE REGEX "/(emulate_test|fiber_dispatch)\\.cpp$")
add_library(weft_fiber_emulator STATIC ${weft_emulator} "${weft_emulate}/fiber_dispatch.cpp")
target_link_libraries(weft_fiber_emulator PUBLIC weft_test_support)
add_executable(weft_emulate_tests "${weft_emulate}/emulate_test.cpp")
target_link_libraries(weft_emulate_tests PRIVATE weft_fiber_emulator)
gtest_discover_tests(weft_emulate_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
  TEST_PREFIX emulate. WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTIES LABELS emulate TIMEOUT 120)

# ---- race: the same kernels on host threads under ThreadSanitizer, whatever else is built (tests/metal/race) ----
set(weft_race "${PROJECT_SOURCE_DIR}/tests/metal/race")
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
check_cxx_source_compiles("int main() { return 0; }" WEFT_HAVE_THREAD_SANITIZER)
unset(CMAKE_REQUIRED_FLAGS)
if(WEFT_SANITIZE)
  # Two sanitizers do not go together, and what is watched is the same in every preset.
elseif(NOT WEFT_HAVE_THREAD_SANITIZER)
  add_test(NAME race.ThreadSanitizer COMMAND sh -c
    "echo 'race: the compiler has no -fsanitize=thread: install its library (Debian: libtsan2 or libclang-rt-14-dev)'; exit 1")
  set_tests_properties(race.ThreadSanitizer PROPERTIES LABELS race)
else()
  add_executable(weft_watched ${weft_emulator} "${weft_race}/thread_dispatch.cpp" "${weft_race}/watched.cpp")
  # Not optimised: the compiler drops reads whose values nobody uses, and with them the races that they are part of.
  target_compile_options(weft_watched PRIVATE -O0 -g1 -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(weft_watched PRIVATE -fsanitize=thread)
  target_link_libraries(weft_watched PRIVATE weft_test_support)
  add_executable(weft_race_tests "${weft_race}/race_test.cpp")
  add_dependencies(weft_race_tests weft_watched)
  target_link_libraries(weft_race_tests PRIVATE weft_fiber_emulator)
  target_compile_definitions(weft_race_tests PRIVATE
    WEFT_WATCHED="$<TARGET_FILE:weft_watched>" WEFT_KERNELS="${PROJECT_SOURCE_DIR}/src/kernels")
  gtest_discover_tests(weft_race_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES TEST_PREFIX race.
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTIES LABELS race TIMEOUT 180)
endif()
