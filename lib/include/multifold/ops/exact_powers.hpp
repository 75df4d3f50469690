// Exact sums of the first four powers of numbers, of which central moments are made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "multifold/exact/dyadic.hpp"
#include "multifold/exact/float_layout.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// The sums of x^1 to x^4 of a multiset of numbers, exactly, and what follows from them. Of no other power than asked
/// for: those above are zero.
/// Memory: what the dyadics have: together some 500 bytes of ordinary data, and up to most_bytes.
struct MULTIFOLD_EXPORT exact_powers {
  static constexpr int highest = 4;
  /// Of numbers from 2^a to 2^(a + exponents), of both signs, and counts of 63 bits.
  static constexpr std::int64_t most_bytes(std::int64_t exponents) {
    return static_cast<std::int64_t>(sizeof(exact_powers)) + 2 * (10 * exponents / 8 + 4 * 24);
  }
  // Of magnitudes, those of negative numbers apart: sums that only grow carry little.
  std::array<std::array<dyadic, highest>, 2> sums;
  bool finite = true;

  void merge(const exact_powers& other);
  dyadic sum(int power) const;

  // Of `count` numbers, as exact_value rounds to any format. NaN of nothing, and if a number is not finite.

  /// The mean of (x - shift)^power, for powers of 1 to 4.
  exact_value moment(int power, const dyadic& shift, std::int64_t count) const;
  /// The same about the mean, which is not rounded.
  exact_value central_moment(int power, std::int64_t count) const;
  /// m3 / m2^1.5, or its unbiased form, which takes 3 numbers. NaN if all are equal.
  exact_value skewness(bool bias, std::int64_t count) const;
  /// m4 / m2^2 - 3, or its unbiased form, which takes 4 numbers; without the 3 unless `fisher`. NaN if all are equal.
  exact_value kurtosis(bool fisher, bool bias, std::int64_t count) const;

 private:
  bool has_value(std::int64_t count) const { return finite && count > 0; }
};

namespace detail {

template <class T>
struct power_format {
  static constexpr int significand_bits = static_cast<int>(8 * sizeof(T)), least_exponent = 0;
  static constexpr int exponents = significand_bits;
};
template <floating_storage T>
struct power_format<T> {
  using layout = float_layout<T>;
  static constexpr int significand_bits = layout::mantissa_bits + 1, least_exponent = layout::least_exponent;
  static constexpr int exponents = 2 * layout::bias + layout::mantissa_bits;
};

// The limbs of the sum of 2048 powers.
constexpr std::size_t power_limbs(int significand_bits, int power) {
  return static_cast<std::size_t>((significand_bits * power + 11 + 63) / 64);
}

// For limbs of x beyond the sum's that are zero.
template <std::size_t N, std::size_t M>
void add_limbs(std::array<std::uint64_t, N>& sum, const std::array<std::uint64_t, M>& x) {
  uint128_t carry = 0;
  for (std::size_t i = 0; i < N; ++i) {
    carry += sum[i];
    if (i < M) carry += x[i];
    sum[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

inline std::array<std::uint64_t, 2> limbs_of(uint128_t x) {
  return {static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64)};
}

// Powers of the significands of numbers of one sign and exponent.
template <int SignificandBits>
struct power_bin {
  int position = 0;
  bool used = false;
  std::array<std::uint64_t, power_limbs(SignificandBits, 1)> first{};
  std::array<std::uint64_t, power_limbs(SignificandBits, 2)> second{};
  std::array<std::uint64_t, power_limbs(SignificandBits, 3)> third{};
  std::array<std::uint64_t, power_limbs(SignificandBits, 4)> fourth{};

  void add(std::uint64_t x, int highest) {
    add_limbs(first, std::array{x});
    if (highest == 1) return;
    const uint128_t square = static_cast<uint128_t>(x) * x;
    if constexpr (SignificandBits <= 32) {
      const auto narrow = static_cast<std::uint64_t>(square);
      add_limbs(second, std::array{narrow});
      if (highest == 2) return;
      add_limbs(third, limbs_of(static_cast<uint128_t>(narrow) * x));
      if (highest > 3) add_limbs(fourth, limbs_of(static_cast<uint128_t>(narrow) * narrow));
    } else {
      const auto [low, high] = limbs_of(square);
      add_limbs(second, limbs_of(square));
      if (highest == 2) return;
      const auto lower = limbs_of(static_cast<uint128_t>(low) * x);
      const auto upper = limbs_of(static_cast<uint128_t>(high) * x + lower[1]);
      add_limbs(third, std::array{lower[0], upper[0], upper[1]});
      if (highest == 3) return;
      const auto lowest = limbs_of(static_cast<uint128_t>(low) * low);
      const uint128_t cross = static_cast<uint128_t>(low) * high;
      const auto once = limbs_of(cross + lowest[1]);  // high < 2^64 - 1: room for two more
      const auto twice = limbs_of(static_cast<uint128_t>(once[0]) + static_cast<std::uint64_t>(cross));
      const auto top =
          limbs_of(static_cast<uint128_t>(high) * high + once[1] + static_cast<std::uint64_t>(cross >> 64) + twice[1]);
      add_limbs(fourth, std::array{lowest[0], twice[0], top[0], top[1]});
    }
  }
};

}  // namespace detail

/// Takes up to 2048 numbers, in bins by sign and exponent, and makes exact_powers of them. Elements of ordinary data
/// meet in few bins; a bin that another exponent needs is added to exact_powers.
template <storage_type T>
class power_bins {
 public:
  static constexpr std::int64_t capacity = 2048;
  /// Elements are less than 2^exponents times the least one above 0.
  static constexpr int exponents = detail::power_format<T>::exponents;

  void add(T x, int highest) {
    const detail::unpacked parts = detail::unpack(x);
    if (!parts.finite()) {
      spilled_.finite = false;
      return;
    }
    if (parts.zero()) return;
    bin& into = bins_[(parts.negative ? slots : 0) + (static_cast<unsigned>(parts.position) & (slots - 1))];
    if (into.position != parts.position || !into.used) {
      spill(into, parts.negative);
      into.position = parts.position;
      into.used = true;
    }
    into.add(parts.significand, highest);
  }

  exact_powers take() {
    for (std::size_t i = 0; i < bins_.size(); ++i) spill(bins_[i], i >= slots);
    return std::move(spilled_);
  }

 private:
  using format = detail::power_format<T>;
  using bin = detail::power_bin<format::significand_bits>;
  static constexpr unsigned slots = floating_storage<T> ? 16 : 1;  // of each sign, for exponents modulo that

  void spill(bin& from, bool negative) {
    if (!from.used) return;
    const int unit = format::least_exponent + from.position;
    auto& sums = spilled_.sums[negative ? 1 : 0];
    sums[0].grow(from.first, unit);
    sums[1].grow(from.second, 2 * unit);
    sums[2].grow(from.third, 3 * unit);
    sums[3].grow(from.fourth, 4 * unit);
    from = {};
  }

  std::array<bin, 2 * slots> bins_;
  exact_powers spilled_;
};

}  // namespace multifold::inline v0_1
