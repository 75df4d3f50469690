// log(sum(exp(x))) as the greatest x plus the logarithm of a sum of exponentials of distances, which are 1 at most.
#include "agreement/reference/logsumexp.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "agreement/reference/finisher.hpp"
#include "agreement/reference/walk.hpp"

namespace multifold::agreement {
namespace {

double element_at(const std::byte* at, dtype type) {
  if (is_floating(type)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<std::size_t>(item_bytes(type)));
    return value_of(real_of(bits, format_of(type)));
  }
  return visit_dtype(type, [&]<class T>() {
    T x;
    std::memcpy(&x, at, sizeof x);
    if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1.0 : 0.0;
    else if constexpr (floating_storage<T>) return std::nan("");
    else return static_cast<double>(x);
  });
}

// Of finite numbers, one of them or more. What additions round is kept.
long double logarithm(const std::vector<double>& x) {
  const double most = *std::max_element(x.begin(), x.end());
  long double sum = 0, lost = 0;
  for (const double each : x) {
    const long double term = std::exp(static_cast<long double>(each) - most), next = sum + term;
    lost += sum >= term ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  return most + std::log(sum + lost);
}

exact_number number_of_wide(long double x) {
  int exponent = 0;
  const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 63));
  exact_number number = exact_number::of_integer(integer_of(significand));
  number.exponent = exponent - 63;
  return number;
}

}  // namespace

expectation expected_logsumexp(const trial& t, const std::byte* x) {
  expectation e;
  e.type = result_type(t);
  e.extents = result_extents({x, t.type, t.extents, t.strides},
                             t.axes ? *t.axes : all_axes(static_cast<std::int64_t>(t.extents.size())), t.keepdims);
  const format f = format_of(e.type);
  const std::int64_t item = item_bytes(t.type);
  const auto item_of_result = static_cast<std::size_t>(item_bytes(e.type));
  std::vector<double> finite;
  bool nan = false, infinite = false;
  const auto add = [&](const offsets& at, std::int64_t) {
    const double each = element_at(x + at[0] * item, t.type);
    if (std::isfinite(each)) finite.push_back(each);
    nan = nan || std::isnan(each);
    infinite = infinite || each == HUGE_VAL;
  };
  const auto store = [&](const exact_number& value, const exact_number& low, const exact_number& high) {
    const auto rounded = [f](const exact_number& of) { return value_of(real_of(nearest(of, f), f)); };
    e.bytes.resize(e.bytes.size() + item_of_result);
    put(value, e.type, &e.bytes[e.bytes.size() - item_of_result]);
    e.inexact.push_back({false, nan, rounded(low), rounded(high)});
  };
  walk_over(t).each_result(add, [&] {
    if (nan || infinite || finite.empty()) {
      const exact_number value = nan ? exact_number::of_nan() : exact_number::of_infinity(!infinite);
      store(value, value, value);
    } else {
      const long double value = logarithm(finite), bound = 0x1p-50L + std::fabs(value) * 0x1p-51L;
      store(number_of_wide(value), number_of_wide(value - bound), number_of_wide(value + bound));
    }
    finite.clear();
    nan = infinite = false;
  });
  return e;
}

}  // namespace multifold::agreement
