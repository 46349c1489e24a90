# tools/*.cpp: programs for people who look into weft.
if(TARGET weft_cli11)
  add_executable(print-metal-source "${PROJECT_SOURCE_DIR}/tools/print_metal_source.cpp"
    "${PROJECT_SOURCE_DIR}/cli/model_option.cpp" "${PROJECT_SOURCE_DIR}/cli/widths.cpp")
  target_include_directories(print-metal-source PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(print-metal-source PRIVATE weft::weft weft_fmt weft_json weft_cli11)
endif()
