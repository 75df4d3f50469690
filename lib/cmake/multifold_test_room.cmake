# multifold_test_room(ROOM): builds test_<room> from tests/<room> and its folders, and registers its tests.
#
# What needs a GPU is in folders named device. Those named older and other_architecture are libraries of their own.
#
# CPU rooms register every test by itself, or, with MULTIFOLD_TEST_SHARDS=N, their program N times, each time for a share
# of its tests: where processes take longer to start than most tests. test_device is one test in CTest, because each
# process pays for a CUDA context; tests/main.cpp turns "everything was skipped" into the skip that CTest shows.
include(GoogleTest)
include(oracles)
include(multifold_test_headers)

function(multifold_test_room room)
  file(GLOB_RECURSE sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS ${room}/*.cpp)
  if(MULTIFOLD_HAS_CUDA)
    file(GLOB_RECURSE cuda_sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS ${room}/*.cu)
    list(FILTER cuda_sources EXCLUDE REGEX "/(older|other_architecture)/")
    list(APPEND sources ${cuda_sources})
  else()
    list(FILTER sources EXCLUDE REGEX "/device/")
  endif()
  if(NOT MULTIFOLD_HAS_ZLIB)
    list(FILTER sources EXCLUDE REGEX "/deflate_[^/]*$")
  endif()
  if(NOT TARGET multifold_oracles)
    list(FILTER sources EXCLUDE REGEX "_oracle_test.cpp$")
  endif()
  if(NOT sources OR NOT TARGET multifold_${room})
    return()
  endif()
  if(room STREQUAL "core" AND NOT TARGET multifold_oracles)
    return()
  endif()

  set(target test_${room})
  add_executable(${target} main.cpp ${sources})
  target_link_libraries(${target} PRIVATE multifold_${room} GTest::gtest)
  # Most of a test's time is its compiler's: what has to be fast is in the library.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  multifold_test_headers(${target})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/lib/src")
  if(room MATCHES "^(core|reduce)$" AND TARGET multifold_oracles)
    target_link_libraries(${target} PRIVATE multifold_oracles)
  endif()
  if(room STREQUAL "io" AND MULTIFOLD_HAS_ZLIB)
    target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
  endif()
  if(MULTIFOLD_HAS_CUDA AND room MATCHES "^(device|graphs|stream|reduce|ladder)$")
    add_dependencies(gpu_tests ${target})
  endif()

  if(room STREQUAL "device")
    # PTX of before Hopper, as a user's build may hold it.
    add_library(test_device_older OBJECT device/older/reader.cu)
    set_target_properties(test_device_older PROPERTIES CUDA_ARCHITECTURES 80-virtual)
    target_include_directories(test_device_older PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_link_libraries(test_device_older PRIVATE multifold_device)
    target_link_libraries(${target} PRIVATE test_device_older)
    add_test(NAME device COMMAND ${target})
    set_tests_properties(device PROPERTIES LABELS gpu TIMEOUT 1800 SKIP_RETURN_CODE 77)
    return()
  endif()
  # -L takes a regular expression, so that this one label answers to cpu and to gpu.
  set(label cpu)
  if(MULTIFOLD_HAS_CUDA AND room MATCHES "^(graphs|stream|reduce|ladder)$")
    set(label cpu-gpu)
  endif()
  if(MULTIFOLD_TEST_SHARDS)
    math(EXPR last "${MULTIFOLD_TEST_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${room}.shard_${shard} COMMAND ${target} --gtest_brief=1)
      set_tests_properties(${room}.shard_${shard} PROPERTIES LABELS ${label} TIMEOUT 1800 SKIP_RETURN_CODE 77
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${MULTIFOLD_TEST_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
    return()
  endif()
  gtest_discover_tests(${target} TEST_PREFIX "${room}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${label} TIMEOUT 600)
endfunction()
