# multifold_exported_symbols(TARGET MAP): what of a shared library programs can see: what is multifold's own and not in
# one of its inner namespaces. Nothing of a library that is linked into it, or of the standard library's templates.
#
# Linkers take patterns of what is seen, and none of what is not beside them. So a pattern ends where a name leaves the
# names of namespaces below: of "4host" there are [!4]*, 4[!h]*, 4h[!o]* and so on.

# Namespaces and functions, as compilers write them: the length of each name before it.
set(MULTIFOLD_HIDDEN 4host 6stream 2io 6detail 10bytes_text 10text_table 4cuda7kernels 4cuda7moments 4cuda5exact
  4cuda8segments 4cuda4keys 4cuda6detail 6graphs5calls 6graphs10pass_nodes 6graphs11check_place 6graphs12add_clearing
  6graphs12check_places 6graphs14current_device 6graphs4comb 6graphs8chain_of 6graphs9work_node)
# Of them, what inline functions in public headers call.
set(MULTIFOLD_SHOWN 6detail12reduce_spans 6detail12reduce_views 6detail15reduce_extremes 6detail8subtract
  6detail10read_state 6detail11write_state 6detail18require_consistent
  6detail15make_fold_shape 6detail17make_fold_waiting 6detail15make_fold_units 6detail15read_fold_units 6detail14run_fold_tasks
  6detail14run_fold_alone 6detail12fold_threads 6detail10fold_shape5block 6detail10fold_shape8piece_at
  6detail10fold_shape5front
  4host16integer_sum_fold 4host8real_sum 4host13f16_exact_sum 4host14bf16_exact_sum 4host13f32_exact_sum
  4host13f64_exact_sum 4host20integer_product_fold 4host12real_product 4host16integer_extremum 4host13real_extremum
  4host20integer_arg_extremum 4host17real_arg_extremum 4host7tallies 4host15integer_moments 4host11f16_moments
  4host12bf16_moments 4host11f32_moments 4host11f64_moments)

# Patterns of all names that begin with `prefix`, but for those that begin with one of ARGN.
function(multifold_patterns_without out prefix)
  string(LENGTH "${prefix}" place)
  set(letters "")
  set(patterns "")
  foreach(name IN LISTS ARGN)
    string(SUBSTRING "${name}" ${place} 1 letter)
    list(APPEND letters "${letter}")
  endforeach()
  list(REMOVE_DUPLICATES letters)
  list(JOIN letters "" set_of_letters)
  list(APPEND patterns "${prefix}[!${set_of_letters}]*")
  foreach(letter IN LISTS letters)
    set(longer ${ARGN})
    list(FILTER longer INCLUDE REGEX "^${prefix}${letter}")
    if(NOT "${prefix}${letter}" IN_LIST longer)
      multifold_patterns_without(more "${prefix}${letter}" ${longer})
      list(APPEND patterns ${more})
    endif()
  endforeach()
  set(${out} "${patterns}" PARENT_SCOPE)
endfunction()

function(multifold_exported_symbols target map)
  # Functions and objects, const members, types, their names, tables of virtual functions.
  multifold_patterns_without(names "" ${MULTIFOLD_HIDDEN})
  foreach(shown IN LISTS MULTIFOLD_SHOWN)
    list(APPEND names "${shown}E*")
  endforeach()
  set(lines "")
  foreach(kind _ZN _ZNK _ZTIN _ZTSN _ZTVN)
    foreach(name IN LISTS names)
      string(APPEND lines "    ${kind}9multifold${name};\n")
    endforeach()
  endforeach()
  # A version for all of them: a process may hold libraries that were linked with others.
  file(CONFIGURE OUTPUT "${map}" CONTENT
    "MULTIFOLD_@MULTIFOLD_ABI_VERSION@ {\n  global:\n@lines@  local:\n    *;\n};\n" @ONLY)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" LINKER:-Bsymbolic-functions)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
endfunction()
