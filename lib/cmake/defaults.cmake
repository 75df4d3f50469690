# What every target of this project is compiled with. Settings that users of the library need too are on
# multifold_core (lib/CMakeLists.txt), not here.
set(MULTIFOLD_SYSTEM "")  # headers of others are without warnings, where CMake knows the word
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.25)
  set(MULTIFOLD_SYSTEM SYSTEM)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow>")
  # GCC 12 sees overlapping copies in std::string's operator+ that are none (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>")
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
endif()
# Exactness rests on products that are rounded by themselves. Public headers spell that out (exact/uncontracted.hpp), so
# that users' targets need none of this; here compilers are told once, and vectors stay whole.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>" "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>" "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>")
add_compile_definitions(MULTIFOLD_NO_CONTRACTION)

# Inside of another project nothing more is set, and the warnings are that project's. Where it has no build type, the
# library is optimised all the same.
if(NOT PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-O")
    add_compile_options("$<$<NOT:$<BOOL:$<CONFIG>>>:-O3>")
  endif()
  return()
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

find_program(MULTIFOLD_CCACHE ccache)
if(MULTIFOLD_CCACHE)
  foreach(language CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${MULTIFOLD_CCACHE}")
    endif()
  endforeach()
endif()
