# Which versions programs that were built with one can use: before 1.0 a minor version may break them, afterwards a major.
#
#   MULTIFOLD_COMPATIBILITY   for CMake packages
#   MULTIFOLD_ABI_VERSION     X of libmultifold.so.X
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(MULTIFOLD_COMPATIBILITY SameMinorVersion)
  set(MULTIFOLD_ABI_VERSION "0.${PROJECT_VERSION_MINOR}")
else()
  set(MULTIFOLD_COMPATIBILITY SameMajorVersion)
  set(MULTIFOLD_ABI_VERSION "${PROJECT_VERSION_MAJOR}")
endif()
