# multifold_room(NAME LINKS...): the static library of one room of lib/src, made of every source in it. Tests link rooms;
# users link what libraries.cmake makes of all of them.
#
# A room with a folder of its own at the top (graphs) has its sources in src and its public headers in include. In rooms that
# serve both engines, sources for the GPU are in folders named device.
# A room may only see the rooms it LINKS; private headers are included relative to lib/src ("host/threads.hpp").
# Files may come and go without a change here. A room without sources is no target, and links to it are dropped.
function(multifold_room name)
  file(GLOB_RECURSE sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS *.cpp)
  if(MULTIFOLD_HAS_CUDA)
    file(GLOB_RECURSE cuda_sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS *.cu)
    list(APPEND sources ${cuda_sources})
  else()
    list(FILTER sources EXCLUDE REGEX "^(src/)?device/")
  endif()
  if(NOT sources)
    return()
  endif()

  set(target multifold_${name})
  add_library(${target} STATIC ${sources})
  target_include_directories(${target}
    PUBLIC "${PROJECT_SOURCE_DIR}/lib/include" PRIVATE "${PROJECT_SOURCE_DIR}/lib/src")
  if(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/include")
    target_include_directories(${target} PRIVATE src)
    target_include_directories(${target} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}/include")
    set_property(GLOBAL APPEND PROPERTY MULTIFOLD_HEADERS "${CMAKE_CURRENT_SOURCE_DIR}/include/")
  endif()
  target_compile_features(${target} PUBLIC cxx_std_20)
  # What the shared library exports, public headers say: multifold/export.hpp.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fvisibility-inlines-hidden>)
  # Not reduce and host, of whose files a static program is to be linked with those that it calls.
  if(MULTIFOLD_UNITY_BUILD AND name MATCHES "^(core|plan|io|stream)$")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
  # There, what half of their files take of the standard library; files still include what they use.
  if(MULTIFOLD_UNITY_BUILD AND name MATCHES "^(host|reduce)$" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(headers algorithm array cmath functional memory optional span string vector)
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()

  foreach(link IN LISTS ARGN)
    if(link MATCHES "::")
      target_link_libraries(${target} PUBLIC ${link})
    elseif(TARGET multifold_${link})
      target_link_libraries(${target} PUBLIC multifold_${link})
    endif()
  endforeach()

  set_property(GLOBAL APPEND PROPERTY MULTIFOLD_ROOMS ${target})
endfunction()
