# multifold_test_headers(TARGET): GoogleTest and much of the standard library, compiled once for all tests.
#
# For builds without ccache, which does not keep what was compiled with a precompiled header. Tests still include what
# they use: where there is ccache they compile without.
set(MULTIFOLD_PRECOMPILE AUTO CACHE STRING "Precompile the headers of tests: AUTO (if there is no ccache), ON or OFF")
set_property(CACHE MULTIFOLD_PRECOMPILE PROPERTY STRINGS AUTO ON OFF)

# Most of a test's time is its compiler's: what has to be fast is in the library. GCC takes two thirds of the time of -O1
# like this; and std::stop_source for uninitialised.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(test_options -Og -Wno-maybe-uninitialized)
else()
  set(test_options -O1)
endif()
list(TRANSFORM test_options REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE multifold_test_options)

function(multifold_test_headers target)
  if(NOT MULTIFOLD_PRECOMPILE OR (MULTIFOLD_PRECOMPILE STREQUAL "AUTO" AND CMAKE_CXX_COMPILER_LAUNCHER))
    return()
  endif()
  if(NOT TARGET multifold_test_headers)
    add_executable(multifold_test_headers main.cpp)  # with the options of the programs that use its headers
    target_link_libraries(multifold_test_headers PRIVATE GTest::gtest)
    target_compile_options(multifold_test_headers PRIVATE ${multifold_test_options})
    set(headers gtest/gtest.h algorithm cmath optional random string vector)
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(multifold_test_headers PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM multifold_test_headers)
endfunction()
