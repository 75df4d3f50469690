// Names of element types, ours and NumPy's.
#include "multifold/dtype.hpp"

#include <array>

namespace multifold::inline v0_1 {
namespace {

struct names {
  std::string_view ours;
  std::string_view numpy;
};

constexpr std::array<names, 13> dtype_names{{{"bool", "bool8"},
                                             {"i8", "int8"},
                                             {"i16", "int16"},
                                             {"i32", "int32"},
                                             {"i64", "int64"},
                                             {"u8", "uint8"},
                                             {"u16", "uint16"},
                                             {"u32", "uint32"},
                                             {"u64", "uint64"},
                                             {"f16", "float16"},
                                             {"bf16", "bfloat16"},
                                             {"f32", "float32"},
                                             {"f64", "float64"}}};

}  // namespace

std::string_view name(dtype type) noexcept { return dtype_names[static_cast<std::size_t>(type)].ours; }

std::optional<dtype> parse_dtype(std::string_view text) noexcept {
  for (std::size_t i = 0; i < dtype_names.size(); ++i) {
    if (text == dtype_names[i].ours || text == dtype_names[i].numpy) return static_cast<dtype>(i);
  }
  return std::nullopt;
}

}  // namespace multifold::inline v0_1
