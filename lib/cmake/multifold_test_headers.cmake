# multifold_test_headers(TARGET): GoogleTest and much of the standard library, compiled once for all tests.
#
# For builds without ccache, which does not keep what was compiled with a precompiled header. Tests still include what
# they use: where there is ccache they compile without.
set(MULTIFOLD_PRECOMPILE AUTO CACHE STRING "Precompile the headers of tests: AUTO (if there is no ccache), ON or OFF")
set_property(CACHE MULTIFOLD_PRECOMPILE PROPERTY STRINGS AUTO ON OFF)

function(multifold_test_headers target)
  if(NOT MULTIFOLD_PRECOMPILE OR (MULTIFOLD_PRECOMPILE STREQUAL "AUTO" AND CMAKE_CXX_COMPILER_LAUNCHER))
    return()
  endif()
  if(NOT TARGET multifold_test_headers)
    add_executable(multifold_test_headers main.cpp)  # with the options of the programs that use its headers
    target_link_libraries(multifold_test_headers PRIVATE GTest::gtest)
    target_compile_options(multifold_test_headers PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
    set(headers gtest/gtest.h algorithm cmath optional random string vector)
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(multifold_test_headers PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM multifold_test_headers)
endfunction()
