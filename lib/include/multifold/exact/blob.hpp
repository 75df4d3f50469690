// Exact sums as bytes: a versioned, checksummed state for checkpoints and for merging between processes and machines.
// No files. The bytes of equal sums are equal, on every machine. See docs/exact-sums.md, 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "multifold/exact/accumulator.hpp"
#include "multifold/exact/format.hpp"
#include "multifold/exact/natural.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// The size of a state: 80 bytes (sums of f16) to 600 bytes (products of f64).
///
/// Little endian: magic "MFEXACT\n", u16 version, u8 element, u8 products, u32 size of the state; i64 n, and i64 marks,
/// 0 or 1, of NaN, +Inf, -Inf and anything but -0; the sum as one integer of 32 bits a limb in two's complement;
/// FNV-1a-64 of all bytes before it.
template <exact_format Format>
inline constexpr std::size_t exact_state_bytes = 56 + 4 * Format::limb_count + 8;

inline constexpr std::size_t exact_state_bytes_max = exact_state_bytes<exact_product_traits<double>>;

/// What the state at `in` holds, by its first 16 bytes alone.
/// Throws: format_error if they are no state's, or a newer version's.
MULTIFOLD_EXPORT exact_kind exact_state_kind(std::span<const std::byte> in);

namespace detail {

MULTIFOLD_EXPORT void write_state(exact_kind kind, std::span<const std::int64_t> limbs, const exact_counters& counters,
                                  std::span<std::byte> out);

// Fills `limbs`; a refusal leaves them in any state.
MULTIFOLD_EXPORT exact_counters read_state(exact_kind kind, std::span<const std::byte> in,
                                           std::span<std::int64_t> limbs);

// A sum too large for its count of inputs would break the promise that counts below 2^63 never overflow.
MULTIFOLD_EXPORT void require_consistent(bool consistent);

template <exact_format Format>
bool consistent(const limbs<Format::limb_count>& sum, std::int64_t n) {
  constexpr int input_bits = Format::top_exponent - Format::unit_exponent;
  const auto magnitude = signed_of(sum);
  if (magnitude.bits() > input_bits + 63) return false;
  const std::uint64_t high = magnitude.bits_from(input_bits + 32);
  const std::uint64_t inputs = high << 32 | magnitude.bits_from(input_bits);
  return n == 0 ? magnitude.bits() == 0 : inputs < static_cast<std::uint64_t>(n);
}

}  // namespace detail

/// Throws: shape_error unless `out` has exact_state_bytes<Format> bytes.
template <exact_format Format>
void save_exact(const exact_accumulator<Format>& sum, std::span<std::byte> out) {
  const auto normalised = sum.normalised_limbs();
  detail::write_state(Format::kind, normalised.limb, sum.counters(), out);
}

/// Throws: format_error, naming byte, found and expected, unless `in` is one whole state of this kind.
template <exact_format Format>
exact_accumulator<Format> load_exact(std::span<const std::byte> in) {
  limbs<Format::limb_count> sum{};
  const exact_counters counters = detail::read_state(Format::kind, in, sum.limb);
  detail::require_consistent(detail::consistent<Format>(sum, counters.n));
  exact_accumulator<Format> loaded;
  loaded.add_counts(counters);
  loaded.add_limbs(sum, 1);
  return loaded;
}

/// Adds the sum in a state of the same kind.
/// Throws: format_error as load_exact, overflow_error for counts beyond 2^63 - 1; `sum` is then as it was.
template <exact_format Format>
void merge_exact(exact_accumulator<Format>& sum, std::span<const std::byte> in) {
  sum.merge(load_exact<Format>(in));
}

}  // namespace multifold::inline v0_1
