# The tests. Labels: unit, golden, parity, cli, install, example, and threads for what runs sessions in several threads.
if(NOT TARGET weft_gtest)  # a cross build has compiled its own
  find_package(GTest REQUIRED)
  add_library(weft_gtest INTERFACE)
  target_link_libraries(weft_gtest INTERFACE GTest::gmock GTest::gtest_main)
endif()
include(GoogleTest)

# tests/support/*.cpp: what several suites share.
file(GLOB weft_test_support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
add_library(weft_test_support INTERFACE)
if(weft_test_support)
  add_library(weft_test_support_objects STATIC ${weft_test_support})
  target_link_libraries(weft_test_support_objects PUBLIC weft::weft weft_fmt weft_json weft_gtest)
  target_include_directories(weft_test_support_objects PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(weft_test_support INTERFACE weft_test_support_objects)
endif()
target_link_libraries(weft_test_support INTERFACE weft::weft weft_fmt weft_json weft_gtest
  $<$<BOOL:${WEFT_HAVE_ZLIB}>:ZLIB::ZLIB>  # makes damaged archives
  $<$<BOOL:${WEFT_HAVE_BLAS}>:weft_hwy>)   # chooses the kind of vectors
target_include_directories(weft_test_support INTERFACE "${PROJECT_SOURCE_DIR}")
set(weft_test_definitions
  WEFT_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/golden/data"
  WEFT_SOURCE_DATA_DIR="${PROJECT_SOURCE_DIR}/data"
  WEFT_CLI="${CMAKE_BINARY_DIR}/bin/weft"
  WEFT_TEST_PLUGIN="$<TARGET_FILE:weft_test_plugin_device>"
  WEFT_TEST_NO_PLUGIN="$<TARGET_FILE:weft_test_plugin_no_entry>"
  WEFT_TEST_CXX="${CMAKE_CXX_COMPILER}"
  $<$<BOOL:${WEFT_HAVE_BLAS}>:WEFT_HAVE_BLAS=1>
  $<$<BOOL:${WEFT_HAVE_ZLIB}>:WEFT_HAVE_ZLIB=1>)
if(TARGET weft_test_support_objects)
  target_compile_definitions(weft_test_support_objects PUBLIC ${weft_test_definitions})
else()
  target_compile_definitions(weft_test_support INTERFACE ${weft_test_definitions})
endif()

# tests/support/plugin/*.cpp: libraries for the tests of the plugin loader, one each.
foreach(name device no_entry)
  add_library(weft_test_plugin_${name} SHARED "${PROJECT_SOURCE_DIR}/tests/support/plugin/${name}.cpp")
  set_target_properties(weft_test_plugin_${name} PROPERTIES PREFIX lib OUTPUT_NAME weft_test_${name})
  target_include_directories(weft_test_plugin_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(weft_test_plugin_${name} PRIVATE weft::weft)
endforeach()

# A suite: every *_test.cpp below tests/<name>, one ctest test per GoogleTest test. Suites whose name holds "Threads" are
# labelled <name>-threads, which both -L <name> and -L threads select. A BLAS under test never starts threads of its own.
function(weft_add_suite name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  set(target weft_${name}_tests)
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE weft_test_support)
  add_dependencies(${target} weft_test_plugin_device weft_test_plugin_no_entry)
  set(common DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES TEST_PREFIX ${name}.
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${target} ${common} TEST_FILTER "-*Threads*"
    PROPERTIES LABELS ${name} TIMEOUT 300 ENVIRONMENT OPENBLAS_NUM_THREADS=1)
  gtest_discover_tests(${target} ${common} TEST_FILTER "*Threads*" TEST_LIST ${target}_threads
    PROPERTIES LABELS ${name}-threads TIMEOUT 300 ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endfunction()

foreach(suite unit golden parity capi)
  weft_add_suite(${suite})
endforeach()
# The run-time compiler of the cuda device needs no toolkit to be built against, and no GPU to be tested.
if(TARGET weft_unit_tests)
  target_sources(weft_unit_tests PRIVATE "${PROJECT_SOURCE_DIR}/src/backend/cuda/nvrtc.cpp")
  target_link_libraries(weft_unit_tests PRIVATE ${CMAKE_DL_LIBS})
endif()

# tests/cli: *_test.cpp as a suite (the command's path is WEFT_CLI), *.sh with the command's path as their argument.
if(TARGET weft_cli)
  weft_add_suite(cli)
  if(TARGET weft_cli_tests)
    add_dependencies(weft_cli_tests weft_cli)
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cli/*.sh")
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM name)
    add_test(NAME cli.${name} COMMAND sh "${script}" $<TARGET_FILE:weft_cli> WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(cli.${name} PROPERTIES LABELS cli TIMEOUT 300)
  endforeach()
endif()

# The installed tree serves a program of another project, through CMake and through pkg-config.
if(TARGET weft_cli AND NOT CMAKE_CROSSCOMPILING AND NOT WEFT_SANITIZE)
  foreach(way cmake pkg-config)
    add_test(NAME install.${way}
      COMMAND sh "${PROJECT_SOURCE_DIR}/tests/install/check.sh" ${way} "${CMAKE_COMMAND}" "${CMAKE_BINARY_DIR}"
              "${CMAKE_BINARY_DIR}/stage/${way}" "${CMAKE_CXX_COMPILER}")
    set_tests_properties(install.${way} PROPERTIES LABELS install TIMEOUT 300 RESOURCE_LOCK install)
  endforeach()
endif()

# bench/*.cpp: one program each, where Google Benchmark is installed. Not run by ctest.
file(GLOB weft_benchmarks CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
if(weft_benchmarks AND NOT CMAKE_CROSSCOMPILING)
  find_package(benchmark QUIET CONFIG)
  if(benchmark_FOUND)
    foreach(source IN LISTS weft_benchmarks)
      cmake_path(GET source STEM name)
      add_executable(bench_${name} "${source}")
      target_include_directories(bench_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
      target_link_libraries(bench_${name} PRIVATE weft::weft weft_fmt benchmark::benchmark_main)
      if(WEFT_HAVE_BLAS)  # to be compared with
        target_compile_definitions(bench_${name} PRIVATE WEFT_HAVE_BLAS=1)
        target_link_libraries(bench_${name} PRIVATE weft_blas)
      endif()
    endforeach()
  else()
    message(STATUS "weft: Google Benchmark is not installed, bench/ is not built")
  endif()
endif()

include(cuda_tests)  # the CUDA backend without a GPU

# ---- the Metal backend ----
include(tools)
if(CMAKE_CROSSCOMPILING)
  # Nothing of it can be run here.
elseif(APPLE)
  include(metal_device_tests)
else()
  include(metal_tests)    # its kernels and their text
  include(standin_tests)  # the backend itself
  include(macos_tests)    # the build for Macs
endif()
