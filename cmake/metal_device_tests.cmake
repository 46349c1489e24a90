# Label metal-device, on Macs: the Metal backend on the machine's own GPU. Without one they are skipped, or fail where
# REQUIRE_METAL=1 is set.
function(weft_add_device_test name)
  add_test(NAME metal-device.${name}
    COMMAND sh "${PROJECT_SOURCE_DIR}/tests/macos/on_device.sh" $<TARGET_FILE:weft_cli> ${ARGN}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(metal-device.${name} PROPERTIES LABELS metal-device TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()
foreach(way steps chip)
  weft_add_device_test(golden-${way} env WEFT_METAL_WAY=${way} $<TARGET_FILE:weft_cli> verify
    --golden tests/golden/data --device metal)
  weft_add_device_test(modes-${way} env WEFT_METAL_WAY=${way} $<TARGET_FILE:weft_cli> verify
    --against cpu --device metal)
endforeach()
weft_add_device_test(demo $<TARGET_FILE:weft_cli> demo --mode all --device metal)
weft_add_device_test(instructions $<TARGET_FILE:weft_unit_tests> "--gtest_filter=*/metal_*:*/metal")
