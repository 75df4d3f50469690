// A table of NumPy's names, and the two that ours collide with.
#include "common/words/dtype_word.hpp"

#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

#include "common/messages/failure.hpp"
#include "common/messages/suggestion.hpp"

namespace multifold::app {
namespace {

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

struct numpy_name {
  std::string_view name;
  dtype type;
};

// Kinds and bytes, as in a .npy header, which may have a byte order in front.
constexpr std::array<numpy_name, 13> kinds{{{"?", dtype::boolean},
                                            {"b1", dtype::boolean},
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

// Of NumPy, of C, and of CUDA's libraries.
constexpr std::array<numpy_name, 15> word_names{{{"bool_", dtype::boolean},
                                                 {"half", dtype::f16},
                                                 {"single", dtype::f32},
                                                 {"double", dtype::f64},
                                                 {"int8_t", dtype::i8},
                                                 {"int16_t", dtype::i16},
                                                 {"int32_t", dtype::i32},
                                                 {"int64_t", dtype::i64},
                                                 {"uint8_t", dtype::u8},
                                                 {"uint16_t", dtype::u16},
                                                 {"uint32_t", dtype::u32},
                                                 {"uint64_t", dtype::u64},
                                                 {"fp16", dtype::f16},
                                                 {"fp32", dtype::f32},
                                                 {"fp64", dtype::f64}}};

// What is worth a suggestion.
const std::vector<std::string>& suggested() {
  static const std::vector<std::string> names{"bool",   "int8",   "int16",   "int32", "int64",    "uint8",   "uint16",
                                              "uint32", "uint64", "float16", "half",  "bfloat16", "float32", "float64",
                                              "single", "double", "i16",     "i32",   "i64",      "u16",     "u32",
                                              "u64",    "f16",    "bf16",    "f32",   "f64"};
  return names;
}

// Sizes differ: "int" has 8 bytes in NumPy, and 4 in C.
[[noreturn]] void refuse_ambiguous(const std::string& start, const std::string& kind) {
  throw usage(start + ", 8 bytes in NumPy and 4 in C; expected " + kind + "64 or " + kind + "32");
}

template <std::size_t N>
std::optional<dtype> found_in(const std::array<numpy_name, N>& table, std::string_view name) {
  for (const numpy_name& known : table) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

// "f4" of f32.
std::string_view kind_of(dtype type) {
  for (const numpy_name& known : kinds) {
    if (known.type == type && known.name != "?") return known.name;
  }
  return "";
}

[[noreturn]] void refuse_ordered(const std::string& start, char order, std::string_view name) {
  const std::optional<dtype> meant = parse_dtype(name);
  const std::string_view kind = name == "f16" || !meant ? "" : kind_of(*meant);
  if (name == "f16") throw usage(start + ", which NumPy has for long doubles; expected " + order + "f2 for 16 bits");
  if (kind.empty())
    throw usage(start + "; expected NumPy's kind and bytes behind the byte order, like " + order + "f4");
  throw usage(start + "; a byte order is NumPy's, with the size in bytes: expected " + order + std::string(kind));
}

}  // namespace

dtype_word parse_dtype_word(const std::string& option, const std::string& text) {
  const std::string start = option + ": found '" + text + "'";
  if (text == "i8") throw usage(start + ", 8 bytes in NumPy and 8 bits here; expected int64 (i64) or int8 (i1)");
  if (text == "u8") throw usage(start + ", 8 bytes in NumPy and 8 bits here; expected uint64 (u64) or uint8 (u1)");
  if (!text.empty() && std::string_view("<>=|").find(text.front()) != std::string_view::npos) {
    const char order = text.front();
    const std::string_view name = std::string_view(text).substr(1);
    const std::optional<dtype> type = found_in(kinds, name);
    if (!type) refuse_ordered(start, order, name);
    const bool other = (order == '<' || order == '>') && order != native_order;
    return {*type, other && item_bytes(*type) > 1};
  }
  std::optional<dtype> type = parse_dtype(text);
  if (!type) type = found_in(kinds, text);
  if (!type) type = found_in(word_names, text);
  if (type) return {*type, false};
  if (text == "int" || text == "uint" || text == "float") refuse_ambiguous(start, text);
  throw usage(option + ": found " + quoted(text, suggested()) +
              "; expected bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 or float64, or in short b1, "
              "i1, i16 to i64, u1, u16 to u64, f16, bf16, f32 or f64, or as in NumPy, like i2, f4 or >f8");
}

}  // namespace multifold::app
