# cmake --install: command, library, headers, data, completions, find_package(weft) and weft.pc.
include(CMakePackageConfigHelpers)

install(TARGETS weft EXPORT weft_targets
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET weft_cli)
  install(TARGETS weft_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/weft" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.def")
set(weft_digits "${PROJECT_SOURCE_DIR}/data/digits.csv.gz")
if(NOT WEFT_HAVE_ZLIB)
  set(weft_digits "${CMAKE_BINARY_DIR}/digits.csv")
  execute_process(COMMAND gzip -dc "${PROJECT_SOURCE_DIR}/data/digits.csv.gz" OUTPUT_FILE "${weft_digits}"
    COMMAND_ERROR_IS_FATAL ANY)
endif()
install(FILES "${weft_digits}" "${PROJECT_SOURCE_DIR}/data/README.md"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/weft")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# Shell completions, under the names that each shell looks for.
set(completions "${PROJECT_SOURCE_DIR}/cli/completions")
if(TARGET weft_cli AND EXISTS "${completions}/weft.bash")
  install(FILES "${completions}/weft.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME weft)
endif()
if(TARGET weft_cli AND EXISTS "${completions}/weft.zsh")
  install(FILES "${completions}/weft.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" RENAME _weft)
elseif(TARGET weft_cli AND EXISTS "${completions}/_weft")
  install(FILES "${completions}/_weft" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
endif()
if(TARGET weft_cli AND EXISTS "${completions}/weft.fish")
  install(FILES "${completions}/weft.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()

# A shared libweft names what it needs itself; a static one hands the names on to its user.
set(WEFT_PC_PRIVATE "")
if(NOT BUILD_SHARED_LIBS)
  install(TARGETS weft_fmt weft_json EXPORT weft_targets)
  set(WEFT_PC_PRIVATE "Requires.private: fmt")
  if(WEFT_HAVE_ZLIB)
    string(APPEND WEFT_PC_PRIVATE " zlib")
  endif()
  if(WEFT_HAVE_BLAS)
    install(TARGETS weft_blas weft_hwy EXPORT weft_targets)
    string(APPEND WEFT_PC_PRIVATE " openblas libhwy")
  endif()
  string(APPEND WEFT_PC_PRIVATE "\nLibs.private: -lstdc++ -lm -ldl -lpthread")
endif()
set(WEFT_PACKAGE "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
install(EXPORT weft_targets NAMESPACE weft:: FILE weftTargets.cmake DESTINATION "${WEFT_PACKAGE}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in" "${CMAKE_BINARY_DIR}/weftConfig.cmake"
  INSTALL_DESTINATION "${WEFT_PACKAGE}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/weftConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/weftConfig.cmake" "${CMAKE_BINARY_DIR}/weftConfigVersion.cmake"
  DESTINATION "${WEFT_PACKAGE}")

# weft.pc finds its prefix from its own place, so the installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
  OUTPUT_VARIABLE WEFT_PC_PREFIX)
configure_file("${PROJECT_SOURCE_DIR}/cmake/weft.pc.in" "${CMAKE_BINARY_DIR}/weft.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/weft.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
