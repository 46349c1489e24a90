# Cross builds: the header-only parts of fmt, nlohmann_json and CLI11, and GoogleTest's sources, are taken from the
# host. Only their own folders are linked into the build tree: /usr/include itself would shadow the target's C library.
set(weft_host_headers "${CMAKE_BINARY_DIR}/host-headers")
file(MAKE_DIRECTORY "${weft_host_headers}")
foreach(folder fmt nlohmann CLI)
  if(NOT EXISTS "/usr/include/${folder}")
    message(FATAL_ERROR "/usr/include/${folder} is not there (Debian: libfmt-dev nlohmann-json3-dev libcli11-dev)")
  endif()
  file(CREATE_LINK "/usr/include/${folder}" "${weft_host_headers}/${folder}" SYMBOLIC)
endforeach()
foreach(target weft_fmt weft_json weft_cli11)
  target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${weft_host_headers}>")
endforeach()
target_compile_definitions(weft_fmt INTERFACE FMT_HEADER_ONLY=1)

# GoogleTest is compiled for the target.
set(sources /usr/src/googletest)
if(WEFT_BUILD_TESTS AND EXISTS ${sources}/googletest/src/gtest-all.cc)
  add_library(weft_gtest STATIC EXCLUDE_FROM_ALL ${sources}/googletest/src/gtest-all.cc
    ${sources}/googlemock/src/gmock-all.cc ${sources}/googlemock/src/gmock_main.cc)
  target_include_directories(weft_gtest SYSTEM PUBLIC ${sources}/googletest/include ${sources}/googlemock/include
    PRIVATE ${sources}/googletest ${sources}/googlemock)
  target_compile_options(weft_gtest PRIVATE -w)
  target_link_libraries(weft_gtest PUBLIC Threads::Threads)
endif()
