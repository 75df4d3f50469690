#!/usr/bin/env bash
# Checks of the text of the repository: lint.sh format | spelling | words | reference | shell | switches. Returns 77 where the tool is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() {
  echo "SKIPPED: $1" >&2
  exit 77
}

# Other versions of clang-format disagree about details.
clang_format_14() {
  local tool
  for tool in clang-format-14 clang-format; do
    if "$tool" --version 2>/dev/null | grep -q 'version 14\.'; then
      echo "$tool"
      return
    fi
  done
  skip "clang-format 14 was not found (apt-get install clang-format-14)"
}

cxx_files() {
  find . \( -path ./build -o -path ./.git \) -prune -o -regex '.*\.\(cpp\|hpp\|cu\|cuh\)' -print0 | sort -z
}

# texts_with REGEX: lines of documents, Python and notebooks, and comments and strings of other files, that have it.
texts_with() {
  local tree=(-rniE --exclude-dir=build --exclude-dir=.git --exclude-dir=corpus)
  {
    grep "${tree[@]}" --include='*.md' --include='*.py' --include='*.pyi' --include='*.ipynb' -e "$1" . || true
    grep "${tree[@]}" --include='*.hpp' --include='*.cpp' --include='*.cuh' --include='*.cu' -e "(//|\").*$1" . || true
    grep "${tree[@]}" --include='*.sh' --include='*.cmake' --include='CMakeLists.txt' --include=dev -e "#.*$1" . || true
  } | sed 's,^\./,,'
}

case "${1:-}" in
  format)
    tool=$(clang_format_14)
    # What it would write, not --dry-run: that complains about ends of inline namespaces as they are.
    # shellcheck disable=SC2016  # $1 and $2 are the inner shell's
    odd=$(cxx_files | xargs -0 -P "$(nproc)" -n 1 sh -c '"$1" "$2" | cmp -s - "$2" || echo "${2#./}"' sh "$tool" | sort)
    if [[ -n "$odd" ]]; then
      printf 'these files are not formatted; ./dev format does it:\n%s\n' "$odd" >&2
      exit 1
    fi
    ;;
  reformat)
    tool=$(clang_format_14)
    cxx_files | xargs -0 "$tool" -i
    ;;
  spelling)
    command -v codespell >/dev/null || skip "codespell was not found (apt-get install codespell)"
    codespell --ignore-words=tests/lint/spelling.txt --skip='./build,./.git,./.cache,*.json,*.svg,*.npy,./tests/fuzz/corpus,__pycache__' .
    ;;
  words)
    set -f  # patterns are for the names that grep prints
    # words.txt has the rules.
    found=0
    while IFS=';' read -r word instead allowed; do
      [[ -z "$word" || "$word" == \#* ]] && continue
      while IFS= read -r line; do
        for pattern in $allowed; do
          # shellcheck disable=SC2053  # a pattern it is
          [[ "${line%%:*}" == $pattern ]] && continue 2
        done
        echo "$line" >&2
        echo "  say:$instead" >&2
        found=1
      done < <(texts_with "${word% }")
    done < tests/lint/words.txt
    exit "$found"
    ;;
  reference)
    # Comments of public headers, as Doxygen reads them: it names parameters that are not there, and links to nothing.
    command -v doxygen >/dev/null || skip "doxygen was not found (apt-get install doxygen)"
    pages=$(mktemp -d)
    trap 'rm -rf "$pages"' EXIT
    { cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = $pages"; } | doxygen -
    ;;
  shell)
    command -v shellcheck >/dev/null || skip "shellcheck was not found (apt-get install shellcheck)"
    shellcheck dev .ci/run
    find . -name '*.sh' -not -path './build/*' -print0 | xargs -0 shellcheck
    ;;
  switches)
    # Where a switch has a default, the compiler does not tell that a new enumerator has no case there.
    if grep -rnE '(^|[;{}])[[:space:]]*default[[:space:]]*:' lib graphs apps --include='*.[ch]pp' --include='*.cu' \
      --include='*.cuh'; then
      echo "a switch has a case for every enumerator, and no default; numbers and characters take an if, or a table" >&2
      exit 1
    fi
    ;;
  *)
    echo "usage: lint.sh format | reformat | spelling | words | reference | shell | switches" >&2
    exit 2
    ;;
esac
