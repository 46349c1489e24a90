# The texts of src/kernels for run-time compilers, includes resolved, as strings of the library. As a script (-P): makes
# OUTPUT of the headers below SOURCE.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB weft_kernel_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/kernels/*.h"
    "${PROJECT_SOURCE_DIR}/src/kernels/grid/*.h" "${PROJECT_SOURCE_DIR}/src/kernels/*.def")
  set(weft_kernel_text "${CMAKE_BINARY_DIR}/generated/kernel_text.cpp")
  add_custom_command(OUTPUT "${weft_kernel_text}"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${weft_kernel_text}" -P
            "${CMAKE_CURRENT_LIST_FILE}"
    DEPENDS ${weft_kernel_headers} "${PROJECT_SOURCE_DIR}/src/program/instructions.def" "${CMAKE_CURRENT_LIST_FILE}"
    COMMENT "Making the text of src/kernels" VERBATIM)
  target_sources(weft PRIVATE "${weft_kernel_text}")
  return()
endif()

cmake_minimum_required(VERSION 3.25)

# Appends the file to `text`, each header once, tables (*.def) wherever they are included.
function(append path)
  get_property(seen GLOBAL PROPERTY seen)
  if(path IN_LIST seen AND NOT path MATCHES "\\.def$")
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY seen "${path}")
  file(READ "${SOURCE}/${path}" rest)
  string(REPLACE "#pragma once\n" "" rest "${rest}")
  while(TRUE)
    string(FIND "${rest}" "#include \"src/" at)
    if(at EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${rest}" 0 ${at} before)
    set_property(GLOBAL APPEND_STRING PROPERTY text "${before}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(REGEX MATCH "^#include \"([^\"]+)\"\n" line "${rest}")
    set(included "${CMAKE_MATCH_1}")
    string(LENGTH "${line}" length)
    string(SUBSTRING "${rest}" ${length} -1 rest)
    append("${included}")
  endwhile()
  set_property(GLOBAL APPEND_STRING PROPERTY text "${rest}")
endfunction()

# The text of a header with all that it includes into `result`, without what is `seen`.
function(text_of header result)
  set_property(GLOBAL PROPERTY text "")
  append("${header}")
  get_property(text GLOBAL PROPERTY text)
  # Compilers limit the length of one literal: it is cut at the ends of namespaces.
  string(REPLACE "}  // namespace weft\n" "}  // namespace weft\n)weft_text\"\n      R\"weft_text(" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

text_of(src/kernels/generated.h text)
text_of(src/kernels/grid/run.h grid_text)  # what it adds
set_property(GLOBAL PROPERTY seen "")
text_of(src/kernels/entries.h entries_text)

file(WRITE "${OUTPUT}.new" "// Made of src/kernels by cmake/kernel_text.cmake.
#include \"src/generate/kernel_text.h\"

namespace weft {

std::string_view kernel_text() {
  static constexpr std::string_view text =
      R\"weft_text(${text})weft_text\";
  return text;
}

std::string_view grid_kernel_text() {
  static constexpr std::string_view text =
      R\"weft_text(${grid_text})weft_text\";
  return text;
}

std::string_view entries_text() {
  static constexpr std::string_view text =
      R\"weft_text(${entries_text})weft_text\";
  return text;
}

}  // namespace weft
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(TOUCH "${OUTPUT}")
