# What can be switched, and how everything is compiled.

option(BUILD_SHARED_LIBS "Build libweft as a shared library" ON)
option(WEFT_BUILD_CLI "Build the weft command" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_BUILD_TESTS "Build the tests (and the benchmarks, where there are any)" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_BUILD_EXAMPLES "Build examples/*.cpp and run each as a test" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_WERROR "Turn warnings into errors" OFF)
option(WEFT_CUDA "Build the CUDA backend (libweft_cuda)" OFF)
# It needs no SDK; off Apple silicon only tests have a use for it.
if(APPLE OR WEFT_BUILD_TESTS)
  set(weft_metal_default ON)
else()
  set(weft_metal_default OFF)
endif()
option(WEFT_METAL "Build the Metal backend (libweft_metal)" ${weft_metal_default})
set(WEFT_BLAS AUTO CACHE STRING "OpenBLAS and Highway, which the native_cpu device needs: AUTO (where found), ON or OFF")
set(WEFT_ZLIB AUTO CACHE STRING "zlib, which compressed data files need: AUTO (where found), ON or OFF")
set(WEFT_SANITIZE "" CACHE STRING "Sanitizers: address, thread, undefined, or address,undefined")
set_property(CACHE WEFT_BLAS WEFT_ZLIB PROPERTY STRINGS AUTO ON OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Everything that runs lies in build/<preset>/bin, everything linked to in build/<preset>/lib.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# The installed command finds its library beside it, wherever the tree was moved to.
file(RELATIVE_PATH weft_bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
if(APPLE)
  set(CMAKE_INSTALL_RPATH "@loader_path/${weft_bin_to_lib}")
  if(CMAKE_CROSSCOMPILING)  # CMake asked the building machine for its version of macOS and takes it for older than 10.5
    foreach(kind SHARED_LIBRARY_RUNTIME_C SHARED_LIBRARY_RUNTIME_CXX EXECUTABLE_RUNTIME_CXX)
      set(CMAKE_${kind}_FLAG "-Wl,-rpath,")
    endforeach()
  endif()
else()
  set(CMAKE_INSTALL_RPATH "$ORIGIN/${weft_bin_to_lib}")
endif()

add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion>")
# GCC 12 sees overlapping copies in "text" + std::string where it inlines most (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-Wno-restrict>")
endif()
if(WEFT_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Werror>")
endif()

# No fused multiply-add behind our back: the numbers are the same on every machine.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>")

if(WEFT_SANITIZE)
  string(REPLACE "," ";" weft_sanitizers "${WEFT_SANITIZE}")
  foreach(sanitizer IN LISTS weft_sanitizers)
    if(NOT sanitizer MATCHES "^(address|thread|undefined)$")
      message(FATAL_ERROR "WEFT_SANITIZE: '${sanitizer}' is none of address, thread, undefined")
    endif()
  endforeach()
  add_compile_options("-fsanitize=${WEFT_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options("-fsanitize=${WEFT_SANITIZE}")
endif()

find_program(WEFT_CCACHE ccache DOC "Compiler cache, used where found")
if(WEFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WEFT_CCACHE}")
  if(CMAKE_CROSSCOMPILING)  # the compiler is a script that was written when the tree was configured
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_COMPILERCHECK=content "${WEFT_CCACHE}")
  endif()
endif()
