#!/usr/bin/env bash
# Compiles what users do, with every warning an error: all public headers, the examples, and a project of a user's.
#   compile.sh COMPILER [alone]     alone: each public header as a program's first and only one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

compiler=$1
command -v "$compiler" >/dev/null || {
  echo "SKIPPED: $compiler is not installed" >&2
  exit 77
}

includes=(-I lib/include -I graphs/include)
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
others=()
for folder in /usr/include/eigen3 $(pkg-config --cflags-only-I ompi-cxx 2>/dev/null | sed 's/-I//g'); do
  others+=(-isystem "$folder")
done

language=(-std=c++20)
check() { "$compiler" "${language[@]}" -fsyntax-only "${warnings[@]}" "${includes[@]}" "${others[@]}" "$@"; }
can_include() { echo "#include <$1>" | check -x c++ - 2>/dev/null; }

# Headers of CUDA and MPI take theirs, and those of graphs <source_location>, which clang 14 has not.
gpu_side='graphs/[^t]'
if echo 'std::source_location here;' | check -include source_location -x c++ - 2>/dev/null; then gpu_side='^$'; fi
includes_of_headers() {
  for folder in lib/include graphs/include; do
    (cd "$folder" && find multifold -name '*.hpp' -not -path '*/cuda/*' -not -path '*/mpi*' | sort)
  done | grep -v "$gpu_side" | sed 's:.*:#include <&>:'
}
check_headers() { includes_of_headers | check -x c++ -; }

if [[ "${2:-}" == alone ]]; then
  includes_of_headers | while read -r line; do
    echo "$line" | check -x c++ - || { echo "not alone: $line" >&2; exit 1; }
  done
  echo "$compiler: each public header alone"
  exit
fi
check_headers
echo "$compiler: every public header"

for source in examples/*.cpp tests/consumer/project/main.cpp; do
  wanted=$(sed -n 's:^#include <\(Eigen/.*\|xtensor/.*\|mpi.h\)>$:\1:p' "$source")
  for header in $wanted; do
    can_include "$header" || continue 2
  done
  check "$source"
  echo "$compiler: $source"
done

# The other standard library, whose headers include no more than they name from C++23 on.
language=(-std=c++23 -stdlib=libc++)
if [[ "$compiler" == clang++* ]] && can_include mdspan; then
  check_headers
  check tests/compilers/mdspan.cpp
  echo "$compiler: every public header, and std::mdspan, with libc++"
fi
