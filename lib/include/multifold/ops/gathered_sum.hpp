// Exact sums gathered in something small: folds whose accumulators are exact, or say that they are not.
//
// They are what kernels use where a whole exact_sum a batch, or a thread, would be too much: short rows, columns,
// strided batches. A batch whose accumulator is lost is added again by other means.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/exact/finish.hpp"
#include "multifold/exact/pair.hpp"
#include "multifold/ops.hpp"

namespace multifold {

/// 64-bit words that hold any exact sum of T and its marks, and merge by adding them.
template <floating_storage T>
inline constexpr int exact_sum_words = exact_traits<T>::digit_count + 4;

/// Sum of narrow elements in one binary64, with what tells whether anything was rounded: the range of their magnitudes.
/// Every partial sum of n elements is a multiple of the least one's last place and below n times the power of two above
/// the greatest, so if these are at most 53 bits apart, then all of them are exact, in any order. A few integer
/// operations an element.
template <floating_storage T>
requires(sizeof(T) <= 4) struct range_sum {
  using value_type = T;

  struct lane {
    double sum = -0.0;
    std::uint32_t greatest = 0;         // magnitudes as binary32 patterns
    std::uint32_t least = 0xffffffffu;  // less one, so that zeros are none
  };
  static constexpr std::int64_t lane_capacity = INT64_MAX;
  MULTIFOLD_HD constexpr lane lane_identity() const { return {}; }
  MULTIFOLD_HD lane absorb(const lane& l, T x, std::int64_t) const {
    const float value = binary32(x);
    const std::uint32_t magnitude = bit_copy<std::uint32_t>(value) & 0x7fffffffu;
    return {l.sum + static_cast<double>(value), magnitude > l.greatest ? magnitude : l.greatest,
            magnitude - 1 < l.least ? magnitude - 1 : l.least};
  }

  /// Three words, for threads that exchange them: the sum, and exponent fields that grow as the range does.
  struct accumulator {
    std::uint32_t low, high;
    std::uint32_t fields;  // the greatest, and 256 less the least, in 16 bits each; 0 where all elements are zeros
  };
  MULTIFOLD_HD constexpr accumulator identity() const { return widen({}); }
  MULTIFOLD_HD accumulator lift(T x, std::int64_t) const { return widen(absorb({}, x, 0)); }
  MULTIFOLD_HD constexpr accumulator widen(const lane& l) const {
    const auto bits = bit_copy<std::uint64_t>(l.sum);
    const std::uint32_t field = (l.least + 1) >> 23, least = field > 0 ? field : 1;
    const std::uint32_t fields = l.greatest == 0 ? 0 : (l.greatest >> 23) << 16 | (256 - least);
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32), fields};
  }
  MULTIFOLD_HD constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    const auto bits = bit_copy<std::uint64_t>(sum_of(a) + sum_of(b));
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32), greater(a.fields, b.fields)};
  }

  /// How many binades may be between magnitudes, so that every sum of `count` elements is exact.
  MULTIFOLD_HD static constexpr int reach(std::int64_t count) {
    constexpr int precision = detail::float_layout<T>::mantissa_bits + 1;
    return 53 - precision - detail::bit_width(static_cast<uint128_t>(count - 1));
  }
  /// Whether the elements of a lane are finite and within that reach.
  MULTIFOLD_HD static constexpr bool within(const lane& l, int reach) {
    const int greatest = static_cast<int>(l.greatest >> 23), least = static_cast<int>((l.least + 1) >> 23);
    return l.greatest == 0 || (greatest < 255 && greatest - (least > 0 ? least : 1) <= reach);
  }

  /// The sum of `count` elements, if it is exact.
  MULTIFOLD_HD constexpr exact_pair pair(const accumulator& a, std::int64_t count) const {
    const int greatest = static_cast<int>(a.fields >> 16), least = 256 - static_cast<int>(a.fields & 0xffffu);
    const bool exact = a.fields == 0 || (greatest < 255 && greatest - least <= reach(count));
    return {sum_of(a), exact ? 0.0 : bit_copy<double>(std::uint64_t{0x7ff8000000000000})};
  }
  MULTIFOLD_HD exact_sum<T> lower(const accumulator& a, std::int64_t count) const {
    exact_sum<T> sum;
    add_pair(sum, pair(a, count), count);
    return sum;
  }

 private:
  MULTIFOLD_HD static constexpr double sum_of(const accumulator& a) {
    return bit_copy<double>(std::uint64_t{a.high} << 32 | a.low);
  }
  // Of both halves.
  MULTIFOLD_HD static constexpr std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
    return __vmaxu2(a, b);
#else
    const std::uint32_t high = (a >> 16) > (b >> 16) ? a : b, low = (a & 0xffffu) > (b & 0xffffu) ? a : b;
    return (high & 0xffff0000u) | (low & 0xffffu);
#endif
  }
  MULTIFOLD_HD static float binary32(T x) {
    if constexpr (std::is_same_v<T, float>) return x;
    else return to_float(x);
  }
};

/// Sum of T in a pair of binary64.
template <floating_storage T>
struct pair_sum {
  using value_type = T;
  using accumulator = exact_pair;

  MULTIFOLD_HD constexpr accumulator identity() const { return {}; }
  MULTIFOLD_HD accumulator lift(T x, std::int64_t) const { return {to_double(x), not_lost(x)}; }
  MULTIFOLD_HD constexpr accumulator combine(const accumulator& a, const accumulator& b) const { return a + b; }
  MULTIFOLD_HD exact_sum<T> lower(const accumulator& a, std::int64_t count) const {
    exact_sum<T> sum;
    add_pair(sum, a, count);
    return sum;
  }

  // A lane takes an element with fewer operations: a range of narrow ones, else the pair itself.
  static constexpr bool narrow = sizeof(T) <= 4;
  using range = range_sum<std::conditional_t<narrow, T, float>>;
  using lane = std::conditional_t<narrow, typename range::lane, exact_pair>;
  static constexpr std::int64_t lane_capacity = narrow ? 1 << 10 : INT64_MAX;
  MULTIFOLD_HD constexpr lane lane_identity() const { return {}; }
  MULTIFOLD_HD lane absorb(const lane& l, T x, std::int64_t) const {
    if constexpr (narrow) return range{}.absorb(l, x, 0);
    else return l + to_double(x);
  }
  MULTIFOLD_HD constexpr accumulator widen(const lane& l) const {
    if constexpr (narrow) return range{}.pair(range{}.widen(l), lane_capacity);
    else return l;
  }

 private:
  MULTIFOLD_HD static double not_lost(T x) {
    const double value = to_double(x);
    return value - value;  // NaN for what is not finite
  }
};

/// The same without NaN elements, which are not counted.
template <floating_storage T>
struct pair_sum_omit {
  using value_type = T;
  struct accumulator {
    exact_pair pair;
    std::int64_t count = 0;
  };

  MULTIFOLD_HD constexpr accumulator identity() const { return {}; }
  MULTIFOLD_HD accumulator lift(T x, std::int64_t index) const {
    if (multifold::detail::unpack(x).nan) return {};
    return {pair_sum<T>{}.lift(x, index), 1};
  }
  MULTIFOLD_HD constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return {a.pair + b.pair, a.count + b.count};
  }
  MULTIFOLD_HD exact_sum<T> lower(const accumulator& a, std::int64_t) const {
    return pair_sum<T>{}.lower(a.pair, a.count);
  }
};

/// Sum of binary16 in units of its smallest subnormal: 2^63 of them fit 128 bits, so nothing is ever lost. A lane is a
/// binary64, which holds 2^12 numbers of 41 bits exactly; the units of a lane with an infinity are not kept.
struct half_sum {
  using value_type = f16;
  struct alignas(16) accumulator {
    int128_t units = 0;
    std::int32_t marks = 0;
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
  struct alignas(16) accumulator {
    half_sum::accumulator sum;
    std::int64_t count = 0;
  };

  MULTIFOLD_HD constexpr accumulator identity() const { return {}; }
  MULTIFOLD_HD accumulator lift(f16 x, std::int64_t index) const {
    if (detail::unpack(x).nan) return {};
    return {half_sum{}.lift(x, index), 1};
  }
  MULTIFOLD_HD constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return {half_sum{}.combine(a.sum, b.sum), a.count + b.count};
  }
  MULTIFOLD_HD exact_sum<f16> lower(const accumulator& a, std::int64_t) const {
    return half_sum{}.lower(a.sum, a.count);
  }
};

/// The fold that gathers exact sums of T.
template <floating_storage T, class F>
decltype(auto) visit_gathered(nan_policy nan, F&& f) {
  const bool omit = nan == nan_policy::omit;
  if constexpr (std::is_same_v<T, f16>) return omit ? f(half_sum_omit{}) : f(half_sum{});
  else return omit ? f(pair_sum_omit<T>{}) : f(pair_sum<T>{});
}

}  // namespace multifold
