// Sums and squares are those of parts; products of numbers are made here.
#include "agreement/reference/complex.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "agreement/reference/finisher.hpp"
#include "agreement/reference/walk.hpp"

namespace multifold::agreement {
namespace {

// Of the numbers, whose elements are their real parts.
trial numbers_of(const trial& t) {
  trial n = t;
  n.way = entry::reduce;
  n.extents.pop_back();
  n.strides.pop_back();
  if (n.other) n.other->pop_back();
  return n;
}

// Of the parts, with the last axis reduced or kept.
trial parts_of(const trial& t, bool together) {
  trial p = t;
  p.way = entry::reduce;
  p.axes.emplace();
  const std::vector<bool> reduced = reduced_axes(numbers_of(t));
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i]) p.axes->push_back(static_cast<std::int64_t>(i));
  }
  if (together) p.axes->push_back(static_cast<std::int64_t>(reduced.size()));
  return p;
}

expectation of_parts(const trial& t, const std::byte* x, bool together) {
  expectation e = expected(parts_of(t, together), x, nullptr);
  if (together && t.keepdims) e.extents.pop_back();
  return e;
}

class number_reader {
 public:
  explicit number_reader(const trial& t) : f_(format_of(t.type)), item_(item_bytes(t.type)) {}

  real at(const std::byte* data, std::int64_t offset) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, data + offset * item_, static_cast<std::size_t>(item_));
    return real_of(bits, f_);
  }

 private:
  format f_;
  std::int64_t item_;
};

// A number is zero if both parts are.
expectation truths_of(const trial& t, const std::byte* x) {
  const trial numbers = numbers_of(t);
  const number_reader read(t);
  trial each = numbers;
  each.axes.emplace();
  std::vector<std::byte> truths;
  const auto zero = [](const real& part) { return part.finite() && part.significand == 0; };
  walk_over(each).each_result(
      [&](const offsets& at, std::int64_t) {
        const bool none = zero(read.at(x, at[0])) && zero(read.at(x, at[0] + t.strides.back()));
        truths.push_back(none ? std::byte{0} : std::byte{1});
      },
      [] {});
  trial dense = numbers;
  dense.type = dtype::boolean;
  dense.strides = c_strides(dense.extents);
  return expected(dense, truths.data(), nullptr);
}

real negated(real x) {
  x.negative = !x.negative;
  x.significand = -x.significand;
  return x;
}

// (re + i im) 2^exponent, cut to far more bits than a result has.
struct long_number {
  mpz_class re = 1, im = 0;
  long exponent = 0;
  std::int64_t factors = 0;

  void multiply(const real& a, const real& b) {
    const int least = std::min(a.exponent, b.exponent);
    const auto at_least = [least](const real& x) {
      return mpz_class(mpz_class(static_cast<long>(x.significand)) << static_cast<mp_bitcnt_t>(x.exponent - least));
    };
    const mpz_class c = at_least(a), d = at_least(b);
    const mpz_class real_part = re * c - im * d, other = re * d + im * c;
    re = real_part, im = other;
    exponent += least;
    ++factors;
    const auto size = static_cast<long>(std::max(mpz_sizeinbase(re.get_mpz_t(), 2), mpz_sizeinbase(im.get_mpz_t(), 2)));
    if (size <= most_bits) return;
    re >>= static_cast<mp_bitcnt_t>(size - most_bits);
    im >>= static_cast<mp_bitcnt_t>(size - most_bits);
    exponent += size - most_bits;
  }
  exact_number part(const mpz_class& of) const { return {exact_number::kind::finite, false, false, of, 1, exponent}; }
  // n 2^-100 of the magnitude.
  exact_number error() const {
    exact_number e = part((abs(re) + abs(im)) * static_cast<long>(factors));
    e.exponent -= 100;
    return e;
  }

 private:
  static constexpr long most_bits = 400;
};

// Both parts of each result, one after the other.
class part_results {
 public:
  part_results(const trial& t, expectation& into) : into_(into), format_(format_of(into.type)) {
    into_.extents.push_back(2);
    item_ = static_cast<std::size_t>(item_bytes(result_type(t)));
  }
  void store(const exact_number& value) {
    into_.bytes.resize(into_.bytes.size() + item_);
    put(value, into_.type, &into_.bytes[into_.bytes.size() - item_]);
  }
  void store_within(const exact_number& value, exact_number error) {
    store(value);
    const auto rounded = [this](const exact_number& x) { return value_of(real_of(nearest(x, format_), format_)); };
    tolerance bounds;
    bounds.high = rounded(moved(value, error));
    error.numerator = -error.numerator;
    bounds.low = rounded(moved(value, error));
    if (bounds.low == 0) bounds.low = -0.0;  // a zero has either sign
    into_.inexact.push_back(bounds);
  }

 private:
  expectation& into_;
  format format_;
  std::size_t item_;
};

expectation made_of_numbers(const trial& t, const std::byte* x, const std::byte* y) {
  const trial numbers = numbers_of(t);
  expectation e;
  e.type = result_type(t);
  e.extents = result_extents({x, t.type, numbers.extents, numbers.strides},
                             numbers.axes ? *numbers.axes : all_axes(static_cast<std::int64_t>(numbers.extents.size())),
                             t.keepdims);
  part_results out(t, e);
  const number_reader read(t);
  const std::int64_t x_part = t.strides.back(), y_part = second_strides(t).back();
  real_sum re, im;
  long_number product;
  const auto add = [&](const offsets& at, std::int64_t) {
    const real a = read.at(x, at[0]), b = read.at(x, at[0] + x_part);
    if (t.op == op_kind::prod) return product.multiply(a, b);
    const real c = read.at(y, at[1]), d = read.at(y, at[1] + y_part);
    re.add_product(a, c);
    re.add_product(b, d);
    im.add_product(a, d);
    im.add_product(negated(b), c);
  };
  walk_over(numbers).each_result(add, [&] {
    if (t.op == op_kind::prod) {
      out.store_within(product.part(product.re), product.error());
      out.store_within(product.part(product.im), product.error());
      product = {};
      return;
    }
    out.store(re.take());
    exact_number other = im.take();
    if (other.what == exact_number::kind::finite && other.numerator == 0) other.negative = false;
    out.store(other);
    re.clear();
    im.clear();
  });
  return e;
}

}  // namespace

expectation expected_complex(const trial& t, const std::byte* x, const std::byte* y) {
  if (takes_truths(t.op)) return truths_of(t, x);
  if (t.op == op_kind::prod || t.op == op_kind::dot) return made_of_numbers(t, x, y);
  return of_parts(t, x, t.op == op_kind::sumsq || t.op == op_kind::norm2);
}

}  // namespace multifold::agreement
