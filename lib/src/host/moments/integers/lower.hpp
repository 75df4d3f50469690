// Sums of moments of integers to results: those of moderate size from numbers of 128 bits, all others as exact sums.
// See docs/exact-sums.md, 17.
#pragma once

#include "host/moments/integers/partial.hpp"
#include "host/moments/lower.hpp"

namespace multifold::inline v0_1::host {
namespace detail {

using multifold::detail::bit_width, multifold::detail::magnitude_of, multifold::detail::two_sum;
using multifold::detail::near_fraction, multifold::detail::near_quotient;

inline bool has_bits(int128_t value, int bits) { return (magnitude_of(value) >> bits) == 0; }

/// As a pair; of at most 105 bits.
inline two_sum pair_of(int128_t value) {
  const auto high = static_cast<double>(value);
  return {high, static_cast<double>(value - static_cast<int128_t>(high))};
}

/// The sum of products; false if it does not fit 105 bits.
template <class T, moment_set Set>
bool sum_of_products_of(const integer_partial<T, Set>& a, int128_t& sum) {
  using parts = integer_parts<T, Set>;
  sum = a.part[parts::products];
  if constexpr (parts::product_count == 2) {
    if (!has_bits(a.part[parts::products + 1], 40) || !has_bits(sum, 104)) return false;
    sum += a.part[parts::products + 1] * (int128_t{1} << 64);
  }
  return has_bits(sum, 105);
}

/// (n products - x y) / (n (n - correction)), or its root; unknown if the numerator has more than 105 bits.
inline near_value whole_covariance(int128_t x, int128_t y, int128_t products, std::int64_t n, std::int64_t correction,
                                   bool root) {
  constexpr std::int64_t most = std::int64_t{1} << 26;  // so that the divisor is a double
  if (correction < 0 || correction >= n || n > most) return unknown_value();
  if (!has_bits(x, 62) || !has_bits(y, 62) || !has_bits(products, 126 - bit_width(static_cast<std::uint64_t>(n)))) {
    return unknown_value();
  }
  const int128_t numerator = n * products - x * y;
  if (!has_bits(numerator, 105)) return unknown_value();
  if (numerator == 0) return {0.0, 0.0, 0.0};
  const double divisor = static_cast<double>(n) * static_cast<double>(n - correction);
  const near_value v = near_fraction(pair_of(numerator), divisor, 1 / divisor);
  return root ? near_root(v) : v;
}

/// False if the result does not come quickly; what is at `out` is then of no use.
template <class T, moment_set Set>
quick_outcome lower_whole(const exact_moments<T, Set>& op, const reduction& what, const integer_partial<T, Set>& a,
                          std::byte* out) {
  using parts = integer_parts<T, Set>;
  const dtype result = what.result;
  int128_t products = 0;
  if (a.count == 0) return {false};
  if constexpr (sums_products(Set)) {
    if (!sum_of_products_of(a, products)) return {false};
  }
  const auto root_of_products = [&] {
    const two_sum p = pair_of(products);
    return products == 0 ? near_value{0.0, 0.0, 0.0} : near_root({p.sum, p.error, 0.0});
  };
  if constexpr (Set == moment_set::absolute || Set == moment_set::products || Set == moment_set::squares) {
    if (what.op == op_kind::norm2) return {round_near(root_of_products(), result, out)};
    const int128_t sum = Set == moment_set::absolute ? a.part[parts::x] : products;
    return {true, store(scalar::of_integer(sum, 0), result, out)};
  } else if constexpr (Set == moment_set::joint) {
    return {round_near(whole_covariance(a.part[parts::x], a.part[parts::y], products, a.count, op.correction, false),
                       result, out)};
  } else {
    const int128_t x = a.part[parts::x];
    const bool root = what.op != op_kind::var;
    const near_value spread = whole_covariance(x, x, products, a.count, op.correction, root);
    if constexpr (Set == moment_set::spread) {
      return {round_near(spread, result, out)};
    } else {
      summary d{};
      if (!round_near(spread, result, d.std) || !round_near(root_of_products(), result, d.norm2)) return {false};
      const scalar total = scalar::of_integer(x, 0);
      if (!round_near(x == 0 ? near_value{} : near_quotient(x, a.count, 1.0 / static_cast<double>(a.count)), result,
                      d.mean)) {
        round_to(exact_quotient(multifold::detail::value_of(total), a.count), result, d.mean);
      }
      d.count = a.count;
      put_marks<T>(a.marks, d);
      const status fits = store(total, summary_sum_dtype(what.input, result), d.sum);
      *reinterpret_cast<summary*>(out) = d;
      return {true, fits};
    }
  }
}

}  // namespace detail

template <class T, moment_set Set>
outcome lower_integers(const void* op, const lower_work& w) {
  using op_type = integer_gather<T, Set>;
  const auto* const acc = reinterpret_cast<const typename op_type::accumulator*>(w.acc);
  const auto& moments = static_cast<const op_type*>(op)->moments;
  outcome all;
  std::byte* out = w.out;
  for (std::int64_t i = 0; i < w.results; ++i, out += w.out_step) {
    detail::quick_outcome quick{false};
    if (!w.what->as_records) quick = detail::lower_whole(moments, *w.what, acc[i], out);
    if (!quick.found) {
      moment_sums<T, Set> wide{};
      op_type::add_to(wide, acc[i]);
      quick.fits = detail::lower_sums(moments, w, wide, out);
    }
    all.note(quick.fits, i);
  }
  return all;
}

}  // namespace multifold::inline v0_1::host
