// The table of element types that .npy and we have in common, and words for those that we do not.
#include "io/formats/npy/descr.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

struct known_type {
  std::string_view descr;  // without byte order
  dtype type;
};

constexpr std::array<known_type, 12> known_types{{{"b1", dtype::boolean},
                                                  {"i1", dtype::i8},
                                                  {"i2", dtype::i16},
                                                  {"i4", dtype::i32},
                                                  {"i8", dtype::i64},
                                                  {"u1", dtype::u8},
                                                  {"u2", dtype::u16},
                                                  {"u4", dtype::u32},
                                                  {"u8", dtype::u64},
                                                  {"f2", dtype::f16},
                                                  {"f4", dtype::f32},
                                                  {"f8", dtype::f64}}};

constexpr std::string_view numbers_we_read = "expected bool, i8 to i64, u8 to u64, f16, f32 or f64";

// What NumPy calls a type that we do not read; empty if NumPy has no such type either.
std::string_view foreign_type(std::string_view descr) {
  constexpr std::pair<char, std::string_view> kinds[] = {
      {'O', "Python objects"}, {'S', "byte strings"},    {'a', "byte strings"}, {'U', "strings"},
      {'V', "raw records"},    {'c', "complex numbers"}, {'m', "time spans"},   {'M', "dates"}};
  for (const auto& [letter, meaning] : kinds) {
    if (descr.starts_with(letter)) return meaning;
  }
  return descr == "f16" || descr == "f12" ? "long doubles" : "";
}

std::string advice(std::string_view descr, std::int64_t data_byte) {
  if (descr == "V2") {
    return "if they are bfloat16, read them as raw elements: raw_options::type dtype::bf16, "
           "raw_options::offset_bytes " +
           std::to_string(data_byte);
  }
  if (descr == "c8" || descr == "c16") return "complex numbers come later; save the real and imaginary parts apart";
  return std::string(numbers_we_read);
}

}  // namespace

npy_type parse_descr(std::string_view descr, const std::string& where, std::int64_t data_byte) {
  std::string_view kind = descr;
  char order = native_order;
  if (!kind.empty() && std::string_view("<>=|").find(kind.front()) != std::string_view::npos) {
    if (kind.front() == '<' || kind.front() == '>') order = kind.front();
    kind.remove_prefix(1);
  }
  const auto* known = std::find_if(known_types.begin(), known_types.end(),
                                   [kind](const known_type& candidate) { return candidate.descr == kind; });
  if (known != known_types.end()) return {known->type, order != native_order && item_bytes(known->type) > 1};

  const std::string found = where + "found descr '" + printable(descr, 40) + "'";
  if (const std::string_view foreign = foreign_type(kind); !foreign.empty()) {
    throw unsupported_error(found + ", " + std::string(foreign) + "; " + advice(kind, data_byte));
  }
  throw format_error(found + ", which names no NumPy type; " + std::string(numbers_we_read));
}

std::string descr_of(dtype type) {
  for (const known_type& known : known_types) {
    if (known.type == type) return (item_bytes(type) == 1 ? '|' : native_order) + std::string(known.descr);
  }
  throw unsupported_error(".npy has no element type for " + std::string(multifold::name(type)) +
                          "; write f32, which holds each of its values");
}

}  // namespace multifold::inline v0_1::io
