# Label cuda-standin: the CUDA backend's way "steps" without a GPU, on a stand-in for the runtime, the kernels and cuBLASLt
# (tests/cuda/standin). Graphs run there in any order that their edges allow.
if(NOT TARGET weft_cuda OR NOT TARGET weft_unit_tests)
  return()
endif()

file(GLOB weft_cuda_standin_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cuda/standin/*.cpp")
add_library(weft_cuda_standin SHARED ${weft_cuda_standin_sources}
  $<FILTER:$<TARGET_OBJECTS:weft_cuda>,EXCLUDE,/blas\\.cpp>)
set_target_properties(weft_cuda_standin PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(weft_cuda_standin PRIVATE "${PROJECT_SOURCE_DIR}" ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(weft_cuda_standin PRIVATE weft::weft weft_fmt ${CMAKE_DL_LIBS})

function(weft_add_cuda_standin_test name settings wanted)
  add_test(NAME cuda.${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(cuda.${name} PROPERTIES LABELS cuda-standin TIMEOUT 600
    ENVIRONMENT "WEFT_CUDA_LIBRARY=$<TARGET_FILE:weft_cuda_standin>;WEFT_CUDA_WAY=steps;${settings}"
    PASS_REGULAR_EXPRESSION "${wanted}" FAIL_REGULAR_EXPRESSION "stand-in:|SKIPPED|FAILED")
endfunction()
foreach(products fused cublas)
  if(TARGET weft_cli)
    weft_add_cuda_standin_test(golden-${products} "WEFT_CUDA_PRODUCTS=${products}"
      "270 cases in 9 files on cuda: 270 passed, 0 failed, 0 unsupported: pass"
      $<TARGET_FILE:weft_cli> verify --golden tests/golden/data --device cuda)
    weft_add_cuda_standin_test(modes-${products} "WEFT_CUDA_PRODUCTS=${products}" "33 of 33 modes agree: pass"
      $<TARGET_FILE:weft_cli> verify --against cpu --device cuda)
  endif()
  weft_add_cuda_standin_test(precisions-${products} "WEFT_CUDA_PRODUCTS=${products};WEFT_STANDIN_SEED=1"
    "\\[  PASSED  \\] 15 tests" $<TARGET_FILE:weft_unit_tests> "--gtest_filter=*CudaPrecision*")
endforeach()
# Without those of thousands of calls, which take the host minutes.
foreach(seed 1 2 3)
  weft_add_cuda_standin_test(products-${seed} "WEFT_STANDIN_SEED=${seed}" "\\[  PASSED  \\] [1-9][0-9]* tests"
    $<TARGET_FILE:weft_unit_tests> "--gtest_filter=*CudaProducts*:*CudaFused*:*CudaWays*steps:-*AFleet*:*LossesAddUp*")
endforeach()
weft_add_cuda_standin_test(instructions "" "\\[  PASSED  \\] [1-9][0-9]* tests"
  $<TARGET_FILE:weft_unit_tests> "--gtest_filter=*/cuda_float32")
