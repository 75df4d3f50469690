// Bins of neighbouring columns of f64, a bin of all of them side by side, in little enough memory for L1.
// Bounds: docs/exact-sums.md, 12.
#pragma once

#include "host/exact/bins.hpp"

namespace multifold::inline v0_1::host {

/// A bin is what the exponent without its last four bits says, of either sign. Elements from 2 are added times 2^-512,
/// so that nothing overflows; one bin more takes what the last one passes on.
template <int Lanes>
class wide_bins {
 public:
  /// Rows that may be added between two calls of `settle`. Of the 2^11 that fit, two make room for what it leaves.
  static constexpr std::int64_t capacity = (std::int64_t{1} << 11) - 2;

  void clear() {
    for (double& b : bins_) b = -0.0;  // until something is added that is not -0
  }

  /// Whether one of N elements is not finite.
  template <int N>
  MULTIFOLD_INLINE static bool any_unusual(const packed<double>* x) {
    std::int64_t all = 0;
    for (int j = 0; j < N; ++j) {
      all |= static_cast<std::int64_t>((bits_of_element(double{x[j].value}) & infinity) + least_exponent);
    }
    return all < 0;
  }

  MULTIFOLD_INLINE static bool unusual(double x) { return (bits_of_element(x) & infinity) == infinity; }

  /// Adds a row of elements that are finite.
  MULTIFOLD_INLINE void add(const packed<double>* x) {
    alignas(64) double half[2 * Lanes];
    alignas(64) std::uint64_t place[Lanes];
    for (int j = 0; j < Lanes; ++j) {
      const std::uint64_t b = reinterpret_cast<const packed<std::uint64_t>*>(x + j)->value;
      const std::uint64_t scaled = b - ((b & top_exponent) >> 1);
      const double value = bit_copy<double>(scaled), upper = bit_copy<double>(scaled & upper_half);
      half[2 * j] = upper;
      half[2 * j + 1] = value - upper;
      place[j] = (b >> 56 & 0x7f) * (2 * Lanes);
    }
#pragma GCC unroll 32
    for (int j = 0; j < Lanes; ++j) {
      double* const bin = bins_ + place[j] + 2 * j;
      *reinterpret_cast<pair*>(bin) += *reinterpret_cast<const pair*>(half + 2 * j);
    }
  }

  /// Passes multiples of a unit of the next bin on to it. Nothing but -0 stays that.
  MULTIFOLD_INLINE void settle() {
    for (int at = exponents - 1; at >= 0; --at) {
      // 2^52 units of 2^(16 at - 1032), of which a multiple is left.
      const int exponent = 16 * at - 1032 + 52 - (at < exponents / 2 ? 0 : 512);
      const double magic = 1.5 * power_of_two(exponent);
      const double scale = at == exponents / 2 - 1 ? 0x1p-512 : 1.0;
      double* const bin = bins_ + at * 2 * Lanes;
      for (int j = 0; j < 2 * Lanes; ++j) {
        const double sum = bin[j] + magic, negated = magic - sum;
        bin[j] -= sum - magic;
        bin[2 * Lanes + j] -= negated * scale;
      }
    }
  }

  /// Adds settled lane `from` to another one; all that there are may go to one.
  void merge(int into, int from) {
    for (int at = 0; at <= exponents; ++at) {
      double* const bin = bins_ + at * 2 * Lanes;
      for (int h = 0; h < 2; ++h) bin[2 * into + h] += bin[2 * from + h];
    }
  }

  /// Whether a lane's bins are zeros.
  bool only_zeros(int lane) const {
    for (int at = 0; at <= exponents; ++at) {
      const double* const bin = bins_ + at * 2 * Lanes + 2 * lane;
      if (bin[0] != 0 || bin[1] != 0) return false;
    }
    return true;
  }

  /// The sum of a lane whose bins are zeros: -0 if nothing but -0 was added.
  double sum_of_zeros(int lane) const {
    double sum = -0.0;
    for (int at = 0; at <= exponents; ++at) sum += bins_[at * 2 * Lanes + 2 * lane];
    return sum;
  }

  /// Adds what a lane's bins hold to `sum`.
  void add_to(exact_sum<double>& sum, int lane) const {
    int128_t quanta[exponents + 2] = {};
    double first_step = 0x1p537, second_step = 0x1p538;  // in two steps, for their product is out of range
    for (int at = 0; at <= exponents; ++at) {
      if (at == exponents / 2) {
        first_step *= 0x1p256;
        second_step *= 0x1p256;
      }
      const double* const bin = bins_ + at * 2 * Lanes + 2 * lane;
      const double upper = bin[0] * first_step * (second_step * 0x1p-27), lower = bin[1] * first_step * second_step;
      quanta[at] = static_cast<int128_t>(static_cast<std::int64_t>(upper)) * (int128_t{1} << 27) +
                   static_cast<std::int64_t>(lower);
      first_step *= 0x1p-8;
      second_step *= 0x1p-8;
    }
    exponent_bins<double>::add_quanta(sum, quanta);
  }

 private:
  using pair [[gnu::vector_size(16), gnu::may_alias]] = double;
  static constexpr int exponents = 128;
  static constexpr std::uint64_t infinity = std::uint64_t{0x7ff} << 52, least_exponent = std::uint64_t{1} << 52;
  static constexpr std::uint64_t top_exponent = std::uint64_t{1} << 62, upper_half = ~std::uint64_t{0x7ffffff};

  static double power_of_two(int exponent) {
    return bit_copy<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }

  alignas(64) double bins_[(exponents + 1) * 2 * Lanes];
};

}  // namespace multifold::inline v0_1::host
