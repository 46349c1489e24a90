# examples/*.cpp: each one program on the public API alone, and one test.
file(GLOB weft_examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cpp")
foreach(source IN LISTS weft_examples)
  cmake_path(GET source STEM name)
  add_executable(example_${name} "${source}")
  set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/examples")
  target_link_libraries(example_${name} PRIVATE weft::weft weft_fmt)
  set(folder "${CMAKE_BINARY_DIR}/examples/run/${name}")  # where an example may write
  file(MAKE_DIRECTORY "${folder}")
  add_test(NAME example.${name} COMMAND example_${name} WORKING_DIRECTORY "${folder}")
  set_tests_properties(example.${name} PROPERTIES LABELS example TIMEOUT 300)
endforeach()
