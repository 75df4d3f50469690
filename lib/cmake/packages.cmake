# Packages of what is installed: cpack --config <build folder>/CPackConfig.cmake -G DEB (or TGZ).
#
# Debian's are three, as its policy has them: the shared library under the name of its ABI, what programs are compiled
# with, and the tool. The archive holds everything.
set(CPACK_PACKAGE_NAME multifold)
set(CPACK_PACKAGE_VENDOR multifold)
set(MULTIFOLD_MAINTAINER "The multifold authors <multifold@localhost>" CACHE STRING "Who answers for packages of this build")
mark_as_advanced(MULTIFOLD_MAINTAINER)
set(CPACK_PACKAGE_CONTACT "${MULTIFOLD_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "reductions of huge arrays to correctly rounded results")
set(CPACK_PACKAGE_DESCRIPTION "multifold computes sums, products, extremes, means, norms, variances and dot
products of arrays in memory, in files or out of pipes, over all elements or
any axes. Sums and what is made of them are exact, and rounded once, whatever
the engine and the number of threads.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR TGZ)
find_program(MULTIFOLD_DPKG dpkg)
mark_as_advanced(MULTIFOLD_DPKG)
if(MULTIFOLD_DPKG)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/lib/cmake/debian_files.cmake")
set(CPACK_COMPONENTS_ALL dev)
if(TARGET multifold_shared)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()
if(TARGET multifold_app)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME "libmultifold${MULTIFOLD_ABI_VERSION}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}

This package holds the shared library.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libmultifold-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(depends "")
if(TARGET multifold_shared)
  list(APPEND depends "libmultifold${MULTIFOLD_ABI_VERSION} (= ${PROJECT_VERSION}-1)")
endif()
if(MULTIFOLD_HAS_ZLIB)
  list(APPEND depends zlib1g-dev)  # for programs that link the archive
endif()
list(JOIN depends ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_DEV_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}

This package holds headers, the archive, and the files of CMake
and pkg-config.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME multifold)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION math)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}

This package holds the command line tool.")
include(CPack)
