// From what a batch comes to in the reference to the bytes of its result: every operation by its definition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "agreement/reference/batch.hpp"
#include "agreement/reference/reference.hpp"

namespace multifold::agreement {

inline exact_number total_of(real_sum& sum) { return sum.take(); }
inline exact_number total_of(const integer_sum_of_terms& sum) { return exact_number::of_integer(sum.total()); }

// a * 2^x + b * 2^y, as numerator and exponent.
inline exact_number added(const mpz_class& a, long x, const mpz_class& b, long y) {
  const long least = std::min(x, y);
  exact_number sum;
  sum.numerator = (a << static_cast<mp_bitcnt_t>(x - least)) + (b << static_cast<mp_bitcnt_t>(y - least));
  sum.exponent = least;
  return sum;
}

// value + by, for finite numbers that are no roots.
inline exact_number moved(const exact_number& value, const exact_number& by) {
  exact_number sum = added(value.numerator, value.exponent, by.numerator * value.denominator, by.exponent);
  sum.denominator = value.denominator;
  return sum;
}

inline exact_number divided(exact_number value, const mpz_class& by) {
  if (value.what == exact_number::kind::finite) value.denominator *= by;
  return value;
}

inline exact_number root_of(exact_number value) {
  if (value.what == exact_number::kind::finite && value.numerator != 0) value.root = true;
  return value;
}

// (n P - S T) / (n (n - c)) of sums that are totals already.
inline exact_number covariance(std::int64_t count, double correction, const exact_number& s, const exact_number& u,
                               const exact_number& p) {
  const auto finite = [](const exact_number& x) { return x.what == exact_number::kind::finite; };
  if (count == 0 || !finite(s) || !finite(u) || !finite(p)) return exact_number::of_nan();
  const mpz_class n = static_cast<long>(count), product = -s.numerator * u.numerator;
  exact_number value = added(n * p.numerator, p.exponent, product, s.exponent + u.exponent);
  const mpq_class freedom = n - mpq_class(correction);
  if (freedom > 0) {
    value.numerator *= freedom.get_den();
    return divided(value, n * freedom.get_num());
  }
  return value.numerator == 0 ? exact_number::of_nan() : exact_number::of_infinity(value.numerator < 0);
}

inline dtype sum_type_of_summary(dtype type, dtype result) {
  if (is_floating(type)) return result;
  return is_unsigned(type) ? dtype::u64 : dtype::i64;
}

/// From one batch to the bytes of its result.
template <class Element>
class finisher {
 public:
  finisher(const trial& t, expectation& into) : t_(t), into_(into), type_(result_type(t)) {}

  void operator()(batch<Element>& b, std::byte* out) {
    if (t_.way == entry::weighted) return finish_weighted(b, out);
    switch (t_.op) {
      case op_kind::sum: return finish_sum(b, out);
      case op_kind::mean: return finish_mean(b, out);
      case op_kind::prod: return finish_product(b, out);
      case op_kind::min:
      case op_kind::max: return finish_extreme(b, out);
      case op_kind::argmin:
      case op_kind::argmax: return finish_index(b, out);
      case op_kind::norm1: return store(total_of(b.x), type_, out);
      case op_kind::sumsq:
      case op_kind::dot: return store(total_of(b.products), type_, out);
      case op_kind::norm2: return store(root_of(total_of(b.products)), type_, out);
      case op_kind::var: return store(spread(b), type_, out);
      case op_kind::std: return store(root_of(spread(b)), type_, out);
      case op_kind::cov:
        return store(covariance(b.count, t_.correction, total_of(b.x), total_of(b.y), total_of(b.products)), type_,
                     out);
      case op_kind::describe: return describe(b, out);
      case op_kind::any: return store(integer(b.zero < b.count ? 1 : 0), type_, out);
      case op_kind::all: return store(integer(b.zero == 0 ? 1 : 0), type_, out);
      case op_kind::count_nonzero: return store(integer(b.count - b.zero), type_, out);
    }
  }

 private:
  static constexpr bool floating = batch<Element>::floating;

  static exact_number integer(std::int64_t value) { return exact_number::of_integer(static_cast<long>(value)); }

  void store(const exact_number& value, dtype type, std::byte* out) {
    if (!put(value, type, out)) into_.overflow = true;
  }

  exact_number spread(batch<Element>& b) {
    const exact_number s = total_of(b.x);
    return covariance(b.count, t_.correction, s, s, total_of(b.products));
  }

  // The result lies between the roundings of value - error and value + error.
  void store_within(const exact_number& value, const exact_number& error, bool may_overflow, std::byte* out) {
    store(value, type_, out);
    tolerance bounds{may_overflow};
    const format f = format_of(type_);
    const auto rounded = [&](const exact_number& x) { return value_of(real_of(nearest(x, f), f)); };
    bounds.low = bounds.high = rounded(value);
    if (value.what == exact_number::kind::finite) {
      exact_number less = error;
      less.numerator = -less.numerator;
      bounds.low = rounded(moved(value, less));
      bounds.high = rounded(moved(value, error));
    }
    into_.inexact.push_back(bounds);
  }

  void finish_sum(batch<Element>& b, std::byte* out) {
    if (t_.initial) add_initial(b);
    if (!is_rounded_on_the_way(t_)) return store(total_of(b.x), type_, out);
    store_rounded(b, total_of(b.x), 1, out);
  }
  void add_initial(batch<Element>& b) {
    if constexpr (floating) {
      b.x.add(real_of(bit_copy<std::uint64_t>(*t_.initial), format_of(dtype::f64)));
      b.bound.add_magnitude(real_of(bit_copy<std::uint64_t>(*t_.initial), format_of(dtype::f64)));
    } else {
      b.x.add(static_cast<int128_t>(*t_.initial));
    }
  }

  // A sum in double, by any tree: each of n elements is part of n - 1 roundings at most; then it is divided.
  void store_rounded(batch<Element>& b, const exact_number& value, std::int64_t by, std::byte* out) {
    exact_number error = b.bound.take();
    // Beside an infinity, finite elements may overflow to the other one, which makes NaN; by how much is not known
    // here.
    const bool unbounded = error.what != exact_number::kind::finite && t_.type == dtype::f64;
    if (error.what != exact_number::kind::finite) error = {};
    const bool huge = error.numerator != 0 &&
                      static_cast<long>(mpz_sizeinbase(error.numerator.get_mpz_t(), 2)) + error.exponent > 1020;
    const std::int64_t roundings = std::max<std::int64_t>(b.bound.count - 1, 0);
    error.numerator *= static_cast<long>(roundings == 0 ? 0 : roundings + 1);
    error.exponent -= 53;
    if (by > 1) error = moved(error, half_place_of(value));
    if (by > 1 && error.numerator != 0) error.numerator = error.numerator / static_cast<long>(by) + 1;
    store_within(divided(value, static_cast<long>(by)), error, huge || unbounded, out);
  }
  // For one rounding of the quotient, times the divisor.
  static exact_number half_place_of(const exact_number& value) {
    exact_number error;
    error.numerator = abs(value.numerator);
    error.exponent = value.exponent - 53;
    return error;
  }

  void finish_mean(batch<Element>& b, std::byte* out) {
    exact_number value = exact_number::of_nan();
    if (b.count > 0) value = total_of(b.x);
    if (is_rounded_on_the_way(t_)) return store_rounded(b, value, std::max<std::int64_t>(b.count, 1), out);
    store(divided(value, static_cast<long>(b.count)), type_, out);
  }

  // The sum of products by that of weights.
  void finish_weighted(batch<Element>& b, std::byte* out) {
    exact_number value = total_of(b.products);
    const exact_number weights = total_of(b.y);
    if (weights.what != exact_number::kind::finite) return store(exact_number::of_nan(), type_, out);
    if (weights.numerator == 0) {
      into_.empty = true;
      return;
    }
    const bool negative = weights.numerator < 0;
    value.negative = value.negative != negative;
    if (value.what == exact_number::kind::finite && value.numerator != 0) {
      if (negative) value.numerator = -value.numerator;
      value.denominator = abs(weights.numerator);
      value.exponent -= weights.exponent;
    }
    store(value, type_, out);
  }

  void finish_product(batch<Element>& b, std::byte* out) {
    if (t_.initial) {
      if constexpr (floating) b.factors.multiply(real_of(bit_copy<std::uint64_t>(*t_.initial), format_of(dtype::f64)));
      else b.factors.multiply(integer_of(static_cast<int128_t>(*t_.initial)), 0);
    }
    const exact_number value = b.factors.value();
    if (!floating) return store(b.factors.zero ? exact_number() : value, type_, out);
    exact_number error = value;  // of n factors, n 2^-102, as docs/accuracy.md says
    error.numerator = abs(error.numerator) * static_cast<long>(b.count + (t_.initial ? 1 : 0));
    error.exponent -= 102;
    store_within(value, error, false, out);
  }

  void finish_extreme(batch<Element>& b, std::byte* out) {
    auto& ends = b.ends;
    const bool least = t_.op == op_kind::min;
    if (b.length == 0 && !t_.initial) {
      into_.empty = true;
    } else if (floating && ends.first_nan >= 0 && t_.nan == nan_policy::propagate) {
      store(exact_number::of_nan(), type_, out);
    } else {
      if (t_.initial) ends.add_value(static_cast<typename batch<Element>::number>(*t_.initial));
      if (ends.any) store(number_of_end(least ? ends.least : ends.greatest), type_, out);
      else store(exact_number::of_nan(), type_, out);
    }
  }
  static exact_number number_of_end(double x) { return number_of(x); }
  static exact_number number_of_end(int128_t x) { return exact_number::of_integer(integer_of(x)); }

  std::int64_t index_of(const batch<Element>& b, bool least) const {
    if (t_.nan == nan_policy::propagate && b.ends.first_nan >= 0) return b.ends.first_nan;
    return least ? b.ends.argmin : b.ends.argmax;
  }
  void finish_index(const batch<Element>& b, std::byte* out) {
    const std::int64_t index = index_of(b, t_.op == op_kind::argmin);
    if (index < 0) into_.empty = true;
    else store(exact_number::of_integer(static_cast<long>(index)), type_, out);
  }

  void describe(batch<Element>& b, std::byte* out) {
    summary s{};
    s.count = b.count;
    s.nan = b.nan;
    s.positive_infinity = b.positive_infinity;
    s.negative_infinity = b.negative_infinity;
    s.zero = b.zero;
    s.argmin = index_of(b, true);
    s.argmax = index_of(b, false);
    if (b.count > 0) {
      const bool nan = floating && t_.nan == nan_policy::propagate && b.nan > 0;
      put(nan ? exact_number::of_nan() : number_of_end(b.ends.least), t_.type, s.min);
      put(nan ? exact_number::of_nan() : number_of_end(b.ends.greatest), t_.type, s.max);
    }
    const exact_number sum = total_of(b.x), squares = total_of(b.products);
    store(sum, sum_type_of_summary(t_.type, type_), s.sum);
    put(b.count > 0 ? divided(sum, static_cast<long>(b.count)) : exact_number::of_nan(), type_, s.mean);
    put(root_of(covariance(b.count, t_.correction, sum, sum, squares)), type_, s.std);
    put(root_of(squares), type_, s.norm2);
    std::memcpy(out, &s, sizeof s);
  }

  const trial& t_;
  expectation& into_;
  dtype type_;
};

}  // namespace multifold::agreement
