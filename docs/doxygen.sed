# What Doxyfile makes of a header: the comment that opens it is its description, with lines that stand three in as code;
# comments behind members and enumerators, and above them, are theirs; each of "Shapes:", "Memory:", ... opens a paragraph.
1,/^#pragma once/ {
  s@^//   @///     @
  s@^//( |$)@///\1@
}
1 s@^@/// \\file\n@
/^(struct|class|enum class) [^;]*\{$/,/^\}/ {
  s@^(  [^ /].*[^ ]) +// @\1  ///< @
  s@^  // @  /// @
}
:sentences
s@^( *)(///.*\.) (Shapes|Memory|Stream|Numerics|Errors|Returns|Throws|Cost|Threads): +@\1\2\n\1/// \\par \3\n\1/// @
t sentences
s@^( *)/// (Shapes|Options|Memory|Stream|Numerics|Errors|Returns|Throws|Cost|Threads): +@\1/// \\par \2\n\1/// @
