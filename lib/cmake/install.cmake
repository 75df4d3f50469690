# Install rules: headers, archives, and a package for find_package(multifold).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY MULTIFOLD_ROOMS)
get_property(headers GLOBAL PROPERTY MULTIFOLD_HEADERS)  # of rooms with a folder of their own
if(NOT rooms)
  return()
endif()
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/multifold")

install(TARGETS ${rooms} EXPORT multifoldTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/lib/include/" ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT multifoldTargets NAMESPACE multifold:: DESTINATION "${package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/lib/cmake/multifoldConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/multifoldConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/multifoldConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/multifoldConfig.cmake" "${PROJECT_BINARY_DIR}/multifoldConfigVersion.cmake"
  DESTINATION "${package_dir}")

# The same package for this build tree: -Dmultifold_DIR=<build folder>.
export(EXPORT multifoldTargets NAMESPACE multifold:: FILE "${PROJECT_BINARY_DIR}/multifoldTargets.cmake")
