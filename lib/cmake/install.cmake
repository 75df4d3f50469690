# Install rules of the library, by component: `runtime` is the shared library, `dev` what programs are compiled with.
# That of the tool, `tools`, is in apps/multifold.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/multifold")

# One file of targets for each kind, so that a package can have one, the other, or both.
foreach(kind static shared)
  if(TARGET multifold_${kind})
    install(TARGETS multifold_${kind} EXPORT multifold-${kind}-targets
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
      LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev)
    install(EXPORT multifold-${kind}-targets NAMESPACE multifold:: DESTINATION "${package_dir}" COMPONENT dev)
    # The same package for this build tree: -Dmultifold_DIR=<build folder>.
    export(EXPORT multifold-${kind}-targets NAMESPACE multifold::
      FILE "${PROJECT_BINARY_DIR}/multifold-${kind}-targets.cmake")
  endif()
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/lib/include/" ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)

list(TRANSFORM rooms REPLACE "^multifold_" "" OUTPUT_VARIABLE room_names)
configure_package_config_file("${PROJECT_SOURCE_DIR}/lib/cmake/multifoldConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/multifoldConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/multifoldConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY ${MULTIFOLD_COMPATIBILITY})
install(FILES "${PROJECT_BINARY_DIR}/multifoldConfig.cmake" "${PROJECT_BINARY_DIR}/multifoldConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT dev)

# pkg-config finds the prefix from where its file lies, as CMake does, wherever it is moved to.
file(RELATIVE_PATH prefix_from_pkgconfig "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(private_libraries "-pthread")
if(MULTIFOLD_HAS_CUDA)
  set(private_libraries "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -pthread")
endif()
set(private_packages "")
if(MULTIFOLD_HAS_ZLIB)
  set(private_packages zlib)
endif()
configure_file("${PROJECT_SOURCE_DIR}/lib/cmake/multifold.pc.in" "${PROJECT_BINARY_DIR}/multifold.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/multifold.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

configure_file("${PROJECT_SOURCE_DIR}/docs/multifold.3.in" "${PROJECT_BINARY_DIR}/multifold.3" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/multifold.3" DESTINATION "${CMAKE_INSTALL_MANDIR}/man3" COMPONENT dev)
# As in the sources, so that links between them lead somewhere.
set(documents README.md CHANGELOG.md CONTRIBUTING.md LICENSE)
list(TRANSFORM documents PREPEND "${PROJECT_SOURCE_DIR}/")
install(FILES ${documents} DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/examples")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev)
endif()
