// Narrow sums of moments to results: from a few numbers each, and exactly where those do not tell.
// See docs/exact-sums.md, 17.
#pragma once

#include <cmath>

#include "host/moments/lower.hpp"
#include "host/moments/partial.hpp"
#include "multifold/exact/near/rough.hpp"

namespace multifold::inline v0_1::host {
namespace detail {

using multifold::detail::near_quotient, multifold::detail::tightened;

/// The sum of two or three numbers, which are not lost, but for what does not fit two.
template <int Count>
near_value near_sum(const double* part) {
  if constexpr (Count == 2) {
    const exact_pair sum = tightened({part[0], part[1]});
    return {sum.high, sum.low, 0.0};
  } else {
    if (part[1] == 0 && part[2] == 0) return {part[0], 0.0, 0.0};  // keeps the sign of a zero
    const auto low = add_exactly(part[1], part[2]), high = add_exactly(part[0], low.sum);
    const auto rest = add_exactly(high.error, low.error), sum = add_exactly(high.sum, rest.sum);
    return {sum.sum, sum.error, std::fabs(rest.error)};
  }
}

/// Whether a sum of n numbers and that of their squares can only be those of n equal numbers, whose variance is 0.
inline bool all_the_same(const near_value& x, const near_value& squares, std::int64_t n) {
  if (x.low != 0 || squares.error != 0 || n > (std::int64_t{1} << 52)) return false;
  const auto count = static_cast<double>(n);
  const double each = x.high / count;
  if (std::fma(each, count, -x.high) != 0) return false;
  const double product = x.high * each, error = std::fma(x.high, each, -product), size = std::fabs(product);
  const bool exact = x.high == 0 || (size > 0x1p-900 && size < 0x1p1000);
  return exact && product == squares.high && error == squares.low;
}

/// A covariance or its root in a narrow format, in half of the operations: nearly always sure.
inline bool round_narrow(const near_value& x, const near_value& y, const near_value& products, std::int64_t n,
                         std::int64_t held, bool root, dtype result, std::byte* out) {
  using namespace multifold::detail;
  if (result == dtype::f64 || !correction::holds_integer(held)) return false;
  const double v = rough_covariance(x, y, products, n, rough_reciprocal(n, held));
  return round_if_sure(root ? rough_root(v) : v, result, out);
}

/// A variance or its root, rounded once.
template <moment_set Set>
bool round_spread(const near_value& x, const near_value& products, std::int64_t n, std::int64_t correction, bool root,
                  dtype result, std::byte* out) {
  if (round_narrow(x, x, products, n, correction, root, result, out)) return true;
  if (multifold::detail::leaves_freedom(correction, n) && all_the_same(x, products, n)) {
    round_to(exact_value::of_zero(false), result, out);
    return true;
  }
  const near_value variance = near_covariance_of(x, x, products, n, correction);
  return round_if_certain(root ? near_root(variance) : variance, result, out);
}

/// False if the result does not come quickly; what is at `out` is then of no use.
template <class T, moment_set Set>
quick_outcome lower_narrow(const moment_gather<T, Set>& op, const reduction& what,
                           const typename moment_gather<T, Set>::accumulator& acc, std::byte* out) {
  using parts = typename moment_gather<T, Set>::parts;
  if (acc.count == 0) return {false};
  near_value x{}, products{};
  if constexpr (sums_elements(Set)) x = near_sum<2>(acc.part + parts::x);
  if constexpr (sums_products(Set)) products = near_sum<parts::product_count>(acc.part + parts::products);
  const std::int64_t n = acc.count, correction = op.moments.correction;
  const dtype result = what.result;
  if constexpr (Set == moment_set::absolute) {
    return {round_near(x, result, out)};
  } else if constexpr (Set == moment_set::products) {
    return {round_near(products, result, out)};
  } else if constexpr (Set == moment_set::squares) {
    if (what.op != op_kind::norm2 || products.high == 0) return {round_near(products, result, out)};
    return {round_if_certain(near_root(products), result, out)};
  } else if constexpr (Set == moment_set::joint) {
    const near_value y = near_sum<2>(acc.part + parts::y);
    return {round_narrow(x, y, products, n, correction, false, result, out) ||
            round_if_certain(near_covariance_of(x, y, products, n, correction), result, out)};
  } else if constexpr (Set == moment_set::spread) {
    return {round_spread<Set>(x, products, n, correction, what.op == op_kind::std, result, out)};
  } else {
    summary d{};
    const exact_pair sum{x.high, x.low};
    const bool no_mean = !round_if_certain(near_quotient(sum, n), result, d.mean);
    if (!round_spread<Set>(x, products, n, correction, true, result, d.std)) return {false};
    if (!round_near(products.high == 0 ? products : near_root(products), result, d.norm2)) return {false};
    d.count = n;
    put_marks<T>(acc.marks, d);
    const exact_value total = value_of(sum);
    round_to(total, result, d.sum);
    if (no_mean) round_to(exact_quotient(total, n), result, d.mean);
    *reinterpret_cast<summary*>(out) = d;
    return {true};
  }
}

/// Whatever it is, from wide sums.
template <class T, moment_set Set>
[[gnu::noinline]] status lower_wide(const exact_moments<T, Set>& moments, const lower_work& w,
                                    const moment_sums<T, Set>& sums, std::byte* out) {
  return lower_sums(moments, w, sums, out);
}

}  // namespace detail

template <class T, moment_set Set>
outcome lower_partials(const void* op, const lower_work& w) {
  using op_type = moment_gather<T, Set>;
  const auto* const acc = reinterpret_cast<const typename op_type::accumulator*>(w.acc);
  const auto& o = *static_cast<const op_type*>(op);
  outcome all;
  std::byte* out = w.out;
  for (std::int64_t i = 0; i < w.results; ++i, out += w.out_step) {
    status s = status::ok;
    if (acc[i].spilled()) {
      moment_sums<T, Set>& wide = op_type::wide_of(acc[i]);
      s = detail::lower_wide(o.moments, w, wide, out);
      o.arena->release(wide);
    } else if (w.what->as_records || !detail::lower_narrow(o, *w.what, acc[i], out).found) {
      moment_sums<T, Set> wide{};
      op_type::add_to(wide, acc[i]);
      s = detail::lower_wide(o.moments, w, wide, out);
    }
    all.note(s, i);
  }
  return all;
}

}  // namespace multifold::inline v0_1::host
