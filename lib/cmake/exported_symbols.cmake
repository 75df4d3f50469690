# multifold_exported_symbols(TARGET MAP): gives the symbols of a shared library its version, and keeps what is not
# multifold's to itself: templates of the standard library, and whatever is linked into it.
#
# Which of multifold's own symbols there are, MULTIFOLD_EXPORT says (multifold/export.hpp); all others are hidden.
function(multifold_exported_symbols target map)
  # A version for all of them: a process may hold libraries that were linked with others. Functions and objects, const
  # members, tables of virtual functions, types and their names.
  file(CONFIGURE OUTPUT "${map}" CONTENT
    "MULTIFOLD_@MULTIFOLD_ABI_VERSION@ {\n  global: _ZN9multifold*; _ZNK9multifold*; _ZT[VIS]N9multifold*;\n  local: *;\n};\n"
    @ONLY)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" LINKER:-Bsymbolic-functions)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
endfunction()
