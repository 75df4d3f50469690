// Which of an archive's arrays is meant.
#include "io/formats/zip/archive.hpp"

#include <algorithm>

#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

constexpr std::size_t most_names = 8;

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
    text += (i == 0 ? "" : ", ") + printable(names[i], 80);
  }
  return names.size() > most_names ? text + " and " + std::to_string(names.size() - most_names) + " more" : text;
}

}  // namespace

std::size_t chosen_array(const std::string& label, const std::vector<std::string>& names,
                         const std::optional<std::string>& wanted) {
  if (names.empty()) throw format_error(label + ": found no array in it");
  if (!wanted) {
    if (names.size() == 1) return 0;
    throw unsupported_error(label + ": found " + std::to_string(names.size()) + " arrays, " + list(names) +
                            "; expected one of them, as in " + label + ":" + printable(names.front(), 80));
  }
  const auto found = std::find(names.rbegin(), names.rend(), *wanted);
  if (found != names.rend()) return static_cast<std::size_t>(names.rend() - found) - 1;
  throw format_error(label + ": found no array " + printable(*wanted, 80) + " in it; expected one of " + list(names));
}

std::string array_name(const std::string& archive, const std::string& array) { return archive + ":" + array; }

}  // namespace multifold::inline v0_1::io
