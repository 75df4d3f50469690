// Exact sums gathered in something small: folds whose accumulators are exact, or say that they are not.
//
// They are what kernels use where a whole exact_sum a batch, or a thread, would be too much: short rows, columns,
// strided batches. A batch whose accumulator is lost is added again by other means.
// Ranges and how far they reach: docs/exact-sums.md, 7.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/exact/expansions/expansion.hpp"
#include "multifold/exact/expansions/pair.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/exact/float_layout.hpp"
#include "multifold/ops.hpp"
#include "multifold/ops/half_sum.hpp"

namespace multifold::inline v0_1 {

/// 64-bit words that hold any exact sum of T and its marks, and merge by adding them.
template <floating_storage T>
inline constexpr int exact_sum_words = exact_traits<T>::limb_count + 4;

/// Sum of narrow elements in one double, with what tells whether anything was rounded: the range of their magnitudes.
/// Every partial sum of n elements is a multiple of the least one's last place and below n times the power of two above
/// the greatest, so if these are at most 53 bits apart, then all of them are exact, in any order. A few integer
/// operations an element.
template <floating_storage T>
requires(sizeof(T) <= 4) struct range_sum {
  using value_type = T;

  struct lane {
    double sum = -0.0;
    std::uint32_t greatest = 0;         // magnitudes as float patterns
    std::uint32_t least = 0xffffffffu;  // less one, so that zeros are none
  };
  static constexpr std::int64_t lane_capacity = INT64_MAX;
  MULTIFOLD_HD constexpr lane lane_identity() const { return {}; }
  MULTIFOLD_HD lane absorb(const lane& l, T x, std::int64_t) const {
    const float value = as_float(x);
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
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32),
            detail::greater_halves(a.fields, b.fields)};
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
  MULTIFOLD_HD static float as_float(T x) {
    if constexpr (std::is_same_v<T, float>) return x;
    else return to_float(x);
  }
};

/// Sum of T in an expansion that holds 2^13 floats or bfloat16, whatever they are, or 2^18 doubles
/// between 2^-60 and 2^60, and in all but hostile orders far more. Tiles sum a run of elements in windows first
/// (exact/windows.hpp).
template <floating_storage T>
struct expansion_sum {
  using value_type = T;
  using accumulator = expansion<sizeof(T) == 8 ? 5 : 7>;
  static constexpr int most_columns = 1;  // a thread, in tiles

  MULTIFOLD_HD constexpr accumulator identity() const { return {}; }
  MULTIFOLD_HD accumulator lift(T x, std::int64_t) const {
    accumulator a;
    a.grow(to_double(x));
    return a;
  }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, const accumulator& b) const {
    a.grow(b);
    return a;
  }
  MULTIFOLD_HD exact_sum<T> lower(const accumulator& a, std::int64_t count) const {
    exact_sum<T> sum;
    add_expansion(sum, a, count);
    return sum;
  }
};

/// Elements go straight into the expansion.
template <floating_storage T>
struct lane_of<expansion_sum<T>> {
  using op = expansion_sum<T>;
  using type = typename op::accumulator;
  static constexpr std::int64_t capacity = INT64_MAX;
  MULTIFOLD_HD static type identity(const op&) { return {}; }
  MULTIFOLD_HD static type absorb(const op&, type l, T x, std::int64_t) {
    l.grow(to_double(x));
    return l;
  }
  MULTIFOLD_HD static type widen(const op&, const type& l) { return l; }
};

/// Sum of T in a pair of doubles.
template <floating_storage T>
struct pair_sum {
  using value_type = T;
  using accumulator = exact_pair;
  using tiled_form = expansion_sum<T>;

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
  static constexpr int most_columns = 1;  // a thread, in tiles
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

/// The fold that gathers exact sums of T.
template <floating_storage T, class F>
decltype(auto) visit_gathered(nan_policy nan, F&& f) {
  const bool omit = nan == nan_policy::omit;
  if constexpr (std::is_same_v<T, f16>) return omit ? f(half_sum_omit{}) : f(half_sum{});
  else return omit ? f(pair_sum_omit<T>{}) : f(pair_sum<T>{});
}

}  // namespace multifold::inline v0_1
