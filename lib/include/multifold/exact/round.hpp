// The one rounding: an exact value straight to an output format, to nearest, ties to even, with integers only.
// See docs/exact-sums.md, 4.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/exact/float_layout.hpp"
#include "multifold/exact/value.hpp"

namespace multifold::inline v0_1 {
namespace detail {

// The pattern, without its sign, of a finite value other than zero.
template <class Layout>
MULTIFOLD_HD constexpr std::uint64_t nearest_magnitude(const exact_value& v) {
  const auto top = static_cast<std::uint64_t>(v.significand >> 64);
  const bool below = v.sticky || static_cast<std::uint64_t>(v.significand) != 0;
  const int field = v.exponent + 127 + Layout::bias;  // the value is at least 2^(exponent + 127)
  if (field > 2 * Layout::bias) return Layout::infinity;
  const int dropped = 63 - Layout::mantissa_bits + (field < 1 ? 1 - field : 0);
  if (dropped > 64) return 0;  // less than half of the smallest subnormal
  const std::uint64_t kept = dropped == 64 ? 0 : top >> dropped;
  const std::uint64_t cut = top << (64 - dropped);
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  const bool up = cut > half || (cut == half && (below || (kept & 1u) != 0));
  // The hidden bit adds 1 to the exponent field, and so may the carry: up to infinity.
  const std::uint64_t base = field < 1 ? 0 : static_cast<std::uint64_t>(field - 1) << Layout::mantissa_bits;
  return base + kept + (up ? 1u : 0u);
}

}  // namespace detail

/// Subnormal results are rounded once, too; overflow gives infinity; NaN is the canonical quiet one.
template <floating_storage T>
MULTIFOLD_HD constexpr T round_to(const exact_value& v) {
  using layout = detail::float_layout<T>;
  using bits_type = typename layout::bits_type;
  if (v.what == exact_value::kind::nan) return bit_copy<T>(layout::quiet_nan);
  const std::uint64_t magnitude = v.what == exact_value::kind::infinite ? layout::infinity
                                  : v.significand == 0                  ? 0
                                                                        : detail::nearest_magnitude<layout>(v);
  const std::uint64_t sign = v.negative ? layout::sign : 0;
  return bit_copy<T>(static_cast<bits_type>(sign | magnitude));
}

/// Rounds to a floating `type` and writes it at `out`, which is aligned for it.
MULTIFOLD_HD constexpr void round_to(const exact_value& v, dtype type, void* out) {
  if (type == dtype::f64) *static_cast<double*>(out) = round_to<double>(v);
  else if (type == dtype::f32) *static_cast<float*>(out) = round_to<float>(v);
  else if (type == dtype::bf16) *static_cast<bf16*>(out) = round_to<bf16>(v);
  else *static_cast<f16*>(out) = round_to<f16>(v);
}

}  // namespace multifold::inline v0_1
