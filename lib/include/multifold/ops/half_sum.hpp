// Exact sums of f16 in fixed point: 128 bits hold them all. See docs/exact-sums.md, 8.
#pragma once

#include <cstdint>

#include "multifold/exact/expansions/pair.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1 {

/// Sum of f16 in units of its smallest subnormal: 2^63 of them fit 128 bits, so nothing is ever lost. A lane is a
/// double, which holds 2^12 numbers of 41 bits exactly; the units of a lane with an infinity are not kept.
struct half_sum {
  using value_type = f16;
  static constexpr int most_columns = 1;  // a thread, in tiles
  struct accumulator {
    int128_t units = 0;
    std::int64_t marks = 0;
    std::int64_t count = 0;  // of half_sum_omit, and no padding: passes copy accumulators as bytes
  };
  enum mark : std::int32_t { nan = 1, positive_infinity = 2, negative_infinity = 4, not_negative_zero = 8 };

  MULTIFOLD_HD constexpr accumulator identity() const { return {}; }
  MULTIFOLD_HD accumulator lift(f16 x, std::int64_t) const { return widen(to_double(x)); }
  MULTIFOLD_HD constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return {a.units + b.units, a.marks | b.marks};
  }
  MULTIFOLD_HD exact_sum<f16> lower(const accumulator& a, std::int64_t count) const {
    exact_sum<f16> sum;
    const auto has = [&](mark m) { return std::int64_t{(a.marks & m) != 0}; };
    sum.add_counts({count, has(nan), has(positive_infinity), has(negative_infinity), has(not_negative_zero)});
    constexpr int cut = 62;
    const auto low = static_cast<std::int64_t>(a.units & ((int128_t{1} << cut) - 1));
    sum.add_quanta(low, exact_traits<f16>::unit_exponent);
    sum.add_quanta(static_cast<std::int64_t>(a.units >> cut), exact_traits<f16>::unit_exponent + cut);
    return sum;
  }

  using lane = double;
  static constexpr std::int64_t lane_capacity = 1 << 12;
  MULTIFOLD_HD constexpr lane lane_identity() const { return -0.0; }
  MULTIFOLD_HD lane absorb(lane l, f16 x, std::int64_t) const { return l + to_double(x); }
  MULTIFOLD_HD constexpr accumulator widen(lane l) const {
    if (l - l != 0) return {0, not_negative_zero | (l != l ? nan : l > 0 ? positive_infinity : negative_infinity)};
    const bool negative_zero = bit_copy<std::uint64_t>(l) == std::uint64_t{1} << 63;
    return {static_cast<std::int64_t>(l * 0x1p24), negative_zero ? 0 : not_negative_zero};
  }
  /// Sums of many lanes; one with an infinity or NaN among them is lost, and says which in `high`.
  MULTIFOLD_HD accumulator widen(const exact_pair& lanes) const {
    if (lanes.lost()) return widen(lanes.high);
    accumulator a = widen(lanes.high == 0 ? lanes.high : 0.0);
    for (const double part : {lanes.high, lanes.low}) {
      const detail::whole_quanta q = detail::quanta_of(part);
      const int shift = q.exponent - exact_traits<f16>::unit_exponent;
      const int128_t value = q.value;
      if (value != 0) a.units += shift < 0 ? value >> -shift : value << shift;
    }
    return a;
  }
};

/// The same without NaN elements, which are not counted.
struct half_sum_omit {
  using value_type = f16;
  static constexpr int most_columns = 1;  // a thread, in tiles
  using accumulator = half_sum::accumulator;

  MULTIFOLD_HD constexpr accumulator identity() const { return {}; }
  MULTIFOLD_HD accumulator lift(f16 x, std::int64_t index) const {
    if (detail::unpack(x).nan) return {};
    accumulator one = half_sum{}.lift(x, index);
    one.count = 1;
    return one;
  }
  MULTIFOLD_HD constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return {a.units + b.units, a.marks | b.marks, a.count + b.count};
  }
  MULTIFOLD_HD exact_sum<f16> lower(const accumulator& a, std::int64_t) const { return half_sum{}.lower(a, a.count); }
};

}  // namespace multifold::inline v0_1
