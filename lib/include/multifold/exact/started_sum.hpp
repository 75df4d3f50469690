// Sums of numbers of any sign and size, from a power of two that is far above each of them, so that four operations have
// what an addition is off by, too; and a bound for what that leaves. Source: FastTwoSum is Dekker's (Numerische Mathematik
// 18, 1971). Proofs: docs/exact-sums.md, 14.
#pragma once

#include <cstdint>

#include "multifold/exact/expansions/compensated.hpp"
#include "multifold/exact/float_layout.hpp"

namespace multifold::inline v0_1::detail {

/// Of no elements: they are multiples of anything.
inline constexpr int no_element_unit = 1 << 14;

/// The exponents of numbers, from the patterns of their magnitudes: of doubles, from the upper halves of these.
template <class T>
struct magnitude_pattern {
  static constexpr int shift = float_layout<T>::mantissa_bits - (sizeof(T) == 8 ? 32 : 0);
  static constexpr int bias = float_layout<T>::bias;

  /// Numbers are below 2^that, and products of two of them.
  MULTIFOLD_HD static constexpr int top(std::uint32_t greatest) {
    return static_cast<int>(greatest >> shift) + 1 - bias;
  }
  MULTIFOLD_HD static constexpr int top(std::uint32_t x, std::uint32_t y) {
    return static_cast<int>((x + y) >> shift) + 2 - 2 * bias;
  }
  /// And multiples of 2^that, where `least` is not 0; of doubles, if the lower halves of all patterns are zeros.
  MULTIFOLD_HD static constexpr int unit(std::uint32_t least) {
    const int field = static_cast<int>(least >> shift);
    return (field > 0 ? field : 1) - bias - shift;
  }
};

/// A lane's sum. `high` less its start is the sum so far, rounded, and `low` what that is off by. The caller sees to it
/// that terms are no greater than 2^-room_bits of the start, and looks after each `most_terms` of them whether there is
/// still room.
struct started_sum {
  static constexpr int room_bits = 6, most_terms = 16;
  static constexpr int spare_bits = 2, least_exponent = -900, most_exponent = 1000;
  /// Terms behind which a lane begins anew, so that what low rounds off stays little beside what it holds.
  static constexpr int chunk = 1024;

  double high = power_of_two(least_exponent), low = 0.0;
  std::uint32_t start = std::uint32_t{least_exponent + 1023} << 20;  // its upper word

  MULTIFOLD_HD constexpr void add(double x) { put(plain_sum(high, x), x); }
  /// A product that is a double.
  MULTIFOLD_HD void add_product(double x, double y) {
    const double sum = fused(x, y, high), back = plain_difference(high, sum);
    low = plain_sum(low, fused(x, y, back));
    high = sum;
  }
  /// Any other, which takes two.
  MULTIFOLD_HD void add_wide_product(double x, double y) {
    const double p = plain_product(x, y), sum = plain_sum(high, p), back = plain_difference(high, sum);
    low = plain_sum(low, plain_sum(plain_sum(p, back), fused(x, y, -p)));
    high = sum;
  }

  /// Whether terms below 2^top may be added.
  MULTIFOLD_HD constexpr bool takes(int top) const { return top + room_bits <= exponent(); }
  /// Whether the sum has moved it no further than to between a half and four times its start.
  MULTIFOLD_HD constexpr bool has_room() const { return upper_word(high) - start + (1u << 20) < 3u << 20; }
  /// Gives the sum so far to `all`, and begins anew where terms below 2^top have room.
  MULTIFOLD_HD constexpr void restart(compensated_sum& all, int top) {
    flush(all);
    const int wanted = top + room_bits + spare_bits, more = exponent() + spare_bits, at = wanted > more ? wanted : more;
    start = static_cast<std::uint32_t>((at < most_exponent ? at : most_exponent) + 1023) << 20;
    high = start_value();
    low = at <= most_exponent ? 0.0 : not_a_number();
  }
  /// Gives the sum so far to `all`, and begins anew at the same start.
  MULTIFOLD_HD constexpr void flush(compensated_sum& all) {
    const two_sum so_far = add_exactly(high, -start_value());
    all.merge({so_far.sum, plain_sum(low, so_far.error)});
    high = start_value();
    low = 0.0;
  }
  /// The same, of terms that are taken times 2^-down from now on.
  MULTIFOLD_HD constexpr void lower(compensated_sum& all, int down) {
    flush(all);
    all.scale(-down);
    const int at = exponent() - down;
    start = static_cast<std::uint32_t>((at > least_exponent ? at : least_exponent) + 1023) << 20;
    high = start_value();
  }
  MULTIFOLD_HD constexpr double start_value() const {
    return bit_copy<double>(static_cast<std::uint64_t>(start) << 32);
  }

 private:
  MULTIFOLD_HD constexpr int exponent() const { return static_cast<int>(start >> 20) - 1023; }
  MULTIFOLD_HD static constexpr std::uint32_t upper_word(double v) {
    return static_cast<std::uint32_t>(bit_copy<std::uint64_t>(v) >> 32);
  }
  MULTIFOLD_HD static constexpr double not_a_number() { return bit_copy<double>(std::uint64_t{0x7ff8000000000000}); }
  MULTIFOLD_HD constexpr void put(double sum, double x) {
    const double back = plain_difference(high, sum);
    low = plain_sum(low, plain_sum(x, back));
    high = sum;
  }
};

/// What the sums of lanes that have seen up to `terms` each are off by, all together: `depth` is that of additions, of terms
/// and of lanes and parts that meet. Low words come to no more than depth 2^-51 times what errors are proportional to.
struct started_depth {
  double depth;

  MULTIFOLD_HD constexpr double error(double bulk) const { return depth * depth * 0x1p-103 * bulk; }
  /// Nothing, if all terms are multiples of `unit` and low words hold them.
  MULTIFOLD_HD constexpr double error_of_units(double error, double unit) const {
    return error <= unit * depth ? 0.0 : error;
  }
  static constexpr std::int64_t usual_meetings = 32;
};

/// Of started sums, which begin anew after each chunk of terms.
struct started_terms : started_depth {
  double chunks;

  MULTIFOLD_HD constexpr explicit started_terms(std::int64_t terms, std::int64_t meetings = usual_meetings)
      : chunks(static_cast<double>((terms + started_sum::chunk - 1) / started_sum::chunk)) {
    depth = static_cast<double>(terms < started_sum::chunk ? terms : started_sum::chunk) +
            2 * (chunks + static_cast<double>(meetings));
  }
  MULTIFOLD_HD constexpr double error_from(double start) const { return error(chunks * start); }
};

/// Of plain sums of up to most_terms terms each, which are added to a compensated one. `bulk` is no less than the magnitudes
/// of all terms together.
struct grouped_terms : started_depth {
  static constexpr int most_terms = 16, log_of_most = 4;
  double terms;

  MULTIFOLD_HD constexpr explicit grouped_terms(std::int64_t all, std::int64_t meetings = usual_meetings)
      : terms(static_cast<double>(all)) {
    depth = terms / most_terms + 2 * static_cast<double>(meetings);
  }
  /// Whether plain sums of terms below 2^top that are multiples of 2^unit are exact.
  MULTIFOLD_HD static constexpr bool are_exact(int top, int unit) { return top + log_of_most <= unit + 53; }
  /// What they are off by if they are not.
  MULTIFOLD_HD static constexpr double rough_error(double bulk) { return 0x1p-49 * bulk; }
};

}  // namespace multifold::inline v0_1::detail
