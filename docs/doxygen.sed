# What Doxyfile makes of a header: the comment that opens it is its description, with lines that stand three in as code,
# and each of "Shapes:", "Memory:", ... opens a paragraph.
1,/^#pragma once/ {
  s@^//   @///     @
  s@^//( |$)@///\1@
}
1 s@^@/// \\file\n@
s@^( *)/// (Shapes|Options|Memory|Stream|Numerics|Errors|Returns|Throws|Cost): +@\1/// \\par \2\n\1/// @
