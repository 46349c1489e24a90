# Label macos-cross: the build for macOS made and looked at. Not among the tests of every day, since it takes minutes
# and a compiler from PyPI: ctest --preset macos-cross.
add_test(NAME macos-cross.build COMMAND sh "${PROJECT_SOURCE_DIR}/tests/macos/build.sh"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
set_tests_properties(macos-cross.build PROPERTIES LABELS macos-cross TIMEOUT 1500 SKIP_RETURN_CODE 77)
