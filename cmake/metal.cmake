# The Metal backend: src/backend/metal as libweft_metal, which the core loads at run time from beside libweft. It is plain
# C++ and finds Metal at run time, so it is built wherever weft is.

file(GLOB weft_metal_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/backend/metal/*.cpp")
add_library(weft_metal SHARED ${weft_metal_sources})
set_target_properties(weft_metal PROPERTIES
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
if(APPLE)
  set_target_properties(weft_metal PROPERTIES INSTALL_RPATH "@loader_path")  # libweft lies beside it
endif()
target_include_directories(weft_metal PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(weft_metal PRIVATE weft::weft weft_fmt ${CMAKE_DL_LIBS})
if(APPLE)  # elsewhere only the tests have a use for it
  install(TARGETS weft_metal LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
