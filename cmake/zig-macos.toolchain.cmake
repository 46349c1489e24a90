# Compiles and links for arm64 macOS 13 on Linux, with the clang and libc++ of zig (PyPI's package ziglang).
# The package is taken from the running Python, or else installed with pip below build/, away from the system.
# One place serves every run; try_compile reads this file again and finds it there.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(WEFT_ZIG_VERSION 0.13.0)  # its libc++ is as old as AppleClang 15's, so what is missing there is missing here

get_filename_component(weft_zig "${CMAKE_CURRENT_LIST_DIR}/../build/zig-${WEFT_ZIG_VERSION}" ABSOLUTE)
if(NOT EXISTS "${weft_zig}/c++")
  find_program(WEFT_PYTHON python3 REQUIRED)
  message(STATUS "weft: installing ziglang ${WEFT_ZIG_VERSION} into ${weft_zig}")
  execute_process(
    COMMAND "${WEFT_PYTHON}" -m pip install --quiet --target "${weft_zig}/python" "ziglang==${WEFT_ZIG_VERSION}"
    RESULT_VARIABLE weft_result)
  if(NOT weft_result EQUAL 0)
    message(FATAL_ERROR "pip could not install ziglang==${WEFT_ZIG_VERSION} (Debian: python3-pip; PyPI must be reachable)")
  endif()
  # zig is one program with subcommands; CMake wants one file per tool. Its linker refuses the -v that CMake asks for
  # when it looks at the compiler's ABI.
  foreach(tool cc c++ ar ranlib)
    set(target "")
    if(tool MATCHES "^c")
      set(target "-target aarch64-macos.13.0")
    endif()
    file(WRITE "${weft_zig}/${tool}" "#!/bin/sh
for word do
  shift
  [ \"$word\" = -Wl,-v ] || set -- \"$@\" \"$word\"
done
exec '${weft_zig}/python/ziglang/zig' ${tool} ${target} \"$@\"
")
    file(CHMOD "${weft_zig}/${tool}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
      WORLD_READ WORLD_EXECUTE)
  endforeach()
endif()

set(CMAKE_C_COMPILER "${weft_zig}/cc")
set(CMAKE_CXX_COMPILER "${weft_zig}/c++")
set(CMAKE_AR "${weft_zig}/ar" CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB "${weft_zig}/ranlib" CACHE FILEPATH "" FORCE)
# What is built can be installed as it is: run paths and names are not rewritten, which would take Apple's tools.
set(CMAKE_INSTALL_NAME_TOOL true CACHE FILEPATH "" FORCE)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_BUILD_WITH_INSTALL_NAME_DIR ON)
set(CMAKE_INSTALL_NAME_DIR "@rpath")
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "" FORCE)  # part of the target triple above
set(CMAKE_CXX_FLAGS_INIT "-fexperimental-library")         # std::jthread
set(CMAKE_FIND_ROOT_PATH "${weft_zig}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
