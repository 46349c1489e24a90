# libFuzzer targets, one per parser: tests/fuzz/<name>.cpp becomes bin/fuzz_<name>. Clang only; everything is compiled
# with the address and undefined-behaviour sanitizers. .ci/fuzz builds and runs them.
option(WEFT_FUZZ "Build the fuzz targets (Clang only)" OFF)
if(NOT WEFT_FUZZ)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "WEFT_FUZZ needs Clang, which has libFuzzer; the compiler is ${CMAKE_CXX_COMPILER_ID}")
endif()

set(weft_fuzz_flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
add_compile_options(${weft_fuzz_flags})
add_link_options(-fsanitize=address,undefined)

add_custom_target(weft_fuzz)
file(GLOB weft_fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp")
foreach(source IN LISTS weft_fuzz_sources)
  cmake_path(GET source STEM name)
  add_executable(fuzz_${name} "${source}")
  target_include_directories(fuzz_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(fuzz_${name} PRIVATE weft::weft weft_fmt weft_json)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(weft_fuzz fuzz_${name})
endforeach()
