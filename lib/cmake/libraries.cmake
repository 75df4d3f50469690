# What users link: all rooms in one archive, and in one shared library, of objects that are compiled once.
#
#   multifold::multifold   the shared library where BUILD_SHARED_LIBS says so, else the archive
#   multifold::<room>      the same, for those who name what they use
include(exported_symbols)
get_property(rooms GLOBAL PROPERTY MULTIFOLD_ROOMS)
get_property(headers GLOBAL PROPERTY MULTIFOLD_HEADERS)  # of rooms with a folder of their own

function(multifold_library kind)
  set(target multifold_${kind})
  string(TOUPPER ${kind} type)
  set(objects ${rooms})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(${target} ${type} ${objects})
  add_library(multifold::${target} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME multifold EXPORT_NAME ${target} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${MULTIFOLD_ABI_VERSION})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} INTERFACE MULTIFOLD_HAS_CUDA=${MULTIFOLD_HAS_CUDA})
  foreach(folder "${PROJECT_SOURCE_DIR}/lib/include" ${headers})
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${folder}>")
  endforeach()
  target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${target} PRIVATE Threads::Threads)
  if(MULTIFOLD_HAS_ZLIB)
    target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
  endif()
  if(MULTIFOLD_HAS_CUDA)
    target_link_libraries(${target} PUBLIC CUDA::cudart_static)  # which headers call, too
  endif()
endfunction()

multifold_library(static)
set(library multifold_static)
if(MULTIFOLD_SHARED OR BUILD_SHARED_LIBS)
  multifold_library(shared)
  multifold_exported_symbols(multifold_shared "${PROJECT_BINARY_DIR}/exported_symbols.map")
  if(BUILD_SHARED_LIBS)
    set(library multifold_shared)
  endif()
endif()

add_library(multifold::multifold ALIAS ${library})
foreach(room IN LISTS rooms)
  string(REPLACE "multifold_" "multifold::" name ${room})
  add_library(${name} ALIAS ${library})
endforeach()
