# The CUDA backend: src/backend/cuda as libweft_cuda, which the core loads at run time from beside libweft. It holds the
# CUDA runtime itself, so it loads on any machine and can say there what is missing.

# Machine code for Ampere and Hopper; newer GPUs translate the intermediate code of the last one when they load it.
set(CMAKE_CUDA_ARCHITECTURES "80-real;90" CACHE STRING "GPUs to compile for, as CMake's CUDA_ARCHITECTURES")
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

# ---- *.cu: the kernels ----
# Apart from the rest, which is C++20: CMake 3.25.1 does not know that nvcc has that, and kernels do not need it.
file(GLOB_RECURSE weft_cuda_kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/backend/cuda/*.cu")
# What uses instructions of compute capability 9.0 alone, and is left out where no code for that is wanted.
set(weft_cuda_kernels_90a "${PROJECT_SOURCE_DIR}/src/backend/cuda/fused_multicast_tf32.cu"
  "${PROJECT_SOURCE_DIR}/src/backend/cuda/fused_multicast_bfloat16.cu")
list(REMOVE_ITEM weft_cuda_kernels ${weft_cuda_kernels_90a})

function(weft_add_kernels name)
  add_library(${name} OBJECT ${ARGN})
  set_target_properties(${name} PROPERTIES
    CUDA_STANDARD 17
    CUDA_STANDARD_REQUIRED ON
    CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
  # The numbers of the host: no fused multiply-add but where a kernel says fma, exact division and roots, denormals kept.
  target_compile_options(${name} PRIVATE --fmad=false --prec-div=true --prec-sqrt=true --ftz=false
    -Xcompiler=-Wall,-Wextra,-Wconversion,-ffp-contract=off
    "$<$<BOOL:${WEFT_WERROR}>:-Werror=all-warnings;-Xcompiler=-Werror>")
endfunction()
weft_add_kernels(weft_cuda_kernels ${weft_cuda_kernels})
set(weft_cuda_objects $<TARGET_OBJECTS:weft_cuda_kernels>)
if(CMAKE_CUDA_ARCHITECTURES MATCHES "(^|;)90")
  weft_add_kernels(weft_cuda_kernels_90a ${weft_cuda_kernels_90a})
  set_target_properties(weft_cuda_kernels_90a PROPERTIES CUDA_ARCHITECTURES 90a-real)
  target_compile_definitions(weft_cuda_kernels PRIVATE WEFT_CUDA_MULTICAST)
  list(APPEND weft_cuda_objects $<TARGET_OBJECTS:weft_cuda_kernels_90a>)
endif()

# ---- *.cpp: the device, by the host's compiler ----
file(GLOB_RECURSE weft_cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/backend/cuda/*.cpp")
add_library(weft_cuda SHARED ${weft_cuda_sources} ${weft_cuda_objects})
set_target_properties(weft_cuda PROPERTIES
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  LINKER_LANGUAGE CXX
  INSTALL_RPATH "$ORIGIN")  # libweft lies beside it
target_include_directories(weft_cuda PRIVATE "${PROJECT_SOURCE_DIR}")
list(JOIN CMAKE_CUDA_ARCHITECTURES ", " weft_cuda_built_for)
target_compile_definitions(weft_cuda PRIVATE WEFT_CUDA_ARCHITECTURES="${weft_cuda_built_for}"
  WEFT_CUDA_TOOLKIT_LIBRARIES="${CUDAToolkit_LIBRARY_DIR}")  # where NVRTC is looked for last
# The runtime inside is this library's own business: another copy in the same process must not meet it.
target_link_libraries(weft_cuda PRIVATE weft::weft weft_fmt CUDA::cudart_static ${CMAKE_DL_LIBS})
target_link_options(weft_cuda PRIVATE "LINKER:--exclude-libs,libcudart_static.a")
install(TARGETS weft_cuda LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
