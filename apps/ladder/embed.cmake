# cmake -DOUT=FILE -DFOLDER=DIR -DNAMES=A;B -P embed.cmake: a C++ file with the texts of some files.
set(text "// Made by embed.cmake.\n#include \"sources.hpp\"\n\nnamespace multifold::ladder {\n\n")
string(APPEND text "std::string_view source_of(std::string_view file) {\n")
foreach(name IN LISTS NAMES)
  file(READ "${FOLDER}/${name}" source)
  string(APPEND text "  if (file == \"${name}\") return R\"_rung_(${source})_rung_\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace multifold::ladder\n")
file(WRITE "${OUT}" "${text}")
