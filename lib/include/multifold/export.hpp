// What the shared library exports: everything else of it is compiled with hidden visibility.
#pragma once

/// At the front of functions and members, after `[[nodiscard]]` and `template <...>`, and in front of the names of
/// classes: what public headers declare and the library defines, and classes whose typeinfo has to be the same in all
/// shared objects of a process, as that of exceptions.
#define MULTIFOLD_EXPORT __attribute__((visibility("default")))
