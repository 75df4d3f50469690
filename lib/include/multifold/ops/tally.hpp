// Counts of elements that are not zero: any, all and count_nonzero. An element is told by its bits, so one struct
// serves every dtype of a size, and what is asked of a count does not matter before the end.
#pragma once

#include <cstdint>

#include "multifold/ops.hpp"
#include "multifold/ops/order_key.hpp"

namespace multifold::inline v0_1 {

/// The type that stands for the bits of elements of T, be they integers or floating point.
template <storage_type T>
using bits_carrier = order_carrier<key_of<T>>;

/// Counts of elements of any dtype.
struct merged_tally {
  using accumulator = std::int64_t;
  static constexpr bool order_free = true;
  op_kind op;

  MULTIFOLD_HD constexpr accumulator identity() const { return 0; }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return a + b; }
  /// `count`: elements of the batch, NaN that is omitted among them.
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const {
    if (op == op_kind::any) a = a != 0 ? 1 : 0;
    if (op == op_kind::all) a = a == count ? 1 : 0;
    return scalar::of_integer(a, count);
  }
};

/// Counts of elements that C is the bits_carrier of: of those whose bits in `mask`, as a number, are 1 to `most`, or,
/// if that is the greatest number, negative.
template <storage_type C>
struct tally : merged_tally {
  using value_type = C;
  using key = key_of<C>;
  using lane = std::uint32_t;
  static constexpr std::int64_t lane_capacity = std::int64_t{1} << 31;
  key mask = -1;                 // not the sign of floating point: -0 is zero
  key most = greatest_key<key>;  // infinity where NaN is omitted

  MULTIFOLD_HD constexpr accumulator lift(C x, std::int64_t) const { return counts(x) ? 1 : 0; }
  MULTIFOLD_HD constexpr merged_tally merging() const { return *this; }

  MULTIFOLD_HD constexpr lane lane_identity() const { return 0; }
  MULTIFOLD_HD constexpr lane absorb(lane l, C x, std::int64_t) const { return l + (counts(x) ? 1u : 0u); }
  MULTIFOLD_HD constexpr accumulator widen(lane l) const { return l; }

  MULTIFOLD_HD constexpr bool counts(C x) const {
    const auto bits = bit_copy<key>(x);
    if constexpr (sizeof(C) == 1) return bits != 0;  // there is no floating point of a byte
    const key masked = static_cast<key>(bits & mask);
    return (masked != 0) & (masked <= most);
  }
};

namespace detail {

/// The bits of the infinity of a floating-point `input`.
template <class Key>
MULTIFOLD_HD constexpr Key infinity_of(dtype input) {
  if constexpr (sizeof(Key) == 8) return infinity_bits<double>;
  else if constexpr (sizeof(Key) == 4) return infinity_bits<float>;
  else return static_cast<Key>(input == dtype::f16 ? infinity_bits<f16> : infinity_bits<bf16>);
}

}  // namespace detail

/// The tally of elements of `input`. To all, a NaN is one that is not zero either way: none is left that could be.
template <storage_type C>
MULTIFOLD_HD constexpr tally<C> make_tally(op_kind op, dtype input, nan_policy nan) {
  using key = key_of<C>;
  tally<C> of{{op}};
  if (!is_floating(input)) return of;
  of.mask = greatest_key<key>;
  if (nan == nan_policy::omit && op != op_kind::all) of.most = detail::infinity_of<key>(input);
  return of;
}

}  // namespace multifold::inline v0_1
