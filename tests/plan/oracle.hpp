// Reductions of a few small numbers, computed the plain way: the oracle for plans. Every value is exact in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/random_view.hpp"
#include "multifold/plan.hpp"
#include "random_bits.hpp"

namespace multifold::plan_tests {

/// An array in memory, and the same numbers as doubles.
struct drawn_elements {
  std::vector<std::byte> bytes;
  std::vector<double> values;
};

/// Small integers; for products, powers of two around one with a rare zero; NaN now and then if `with_nan`.
inline double draw_value(test::random_bits& random, op_kind op, dtype type, bool with_nan) {
  using testing_views::draw;
  const bool no_sign = is_unsigned(type) || type == dtype::boolean;
  if (with_nan && is_floating(type) && draw(random, 0, 7) == 0) return std::numeric_limits<double>::quiet_NaN();
  if (type == dtype::boolean) return draw(random, 0, 20) == 0 ? 0 : 1;
  if (op != op_kind::prod) return static_cast<double>(draw(random, no_sign ? 0 : -4, 4));
  const double factor = draw(random, 0, 9) == 0 ? 2 : draw(random, 0, 400) == 0 && !is_floating(type) ? 0 : 1;
  return !no_sign && draw(random, 0, 1) == 0 ? -factor : factor;
}

inline drawn_elements draw_elements(test::random_bits& random, const reduction& what, std::int64_t count,
                                    bool with_nan) {
  drawn_elements drawn;
  drawn.bytes.resize(static_cast<std::size_t>(count * item_bytes(what.input)));
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = draw_value(random, what.op, what.input, with_nan);
    drawn.values.push_back(value);
    visit_dtype(what.input, [&]<class T>() {
      T element;
      if constexpr (std::is_same_v<T, f16>) element = to_f16(value);
      else if constexpr (std::is_same_v<T, bf16>) element = to_bf16(value);
      else if constexpr (std::is_same_v<T, bool8>) element = {static_cast<std::uint8_t>(value != 0 ? 1 + i % 255 : 0)};
      else element = static_cast<T>(value);
      std::memcpy(drawn.bytes.data() + i * item_bytes(what.input), &element, sizeof element);
    });
  }
  return drawn;
}

/// What one result should be: a number, or the reason why there is none.
struct outcome {
  status what = status::ok;
  double value = 0;
};

inline outcome plain_product(const std::vector<double>& elements, const reduction& what) {
  double product = what.initial.given ? what.initial.real_value : 1;
  bool passed = false;
  for (const double x : elements) {
    product *= x;
    passed = passed || std::abs(product) >= 0x1p64;
  }
  if (product == 0) return {status::ok, 0};  // of integers: no sign
  if (is_floating(what.input) || is_floating(what.result) || !passed) return {status::ok, product};
  return {status::overflow, 0};
}

inline outcome plain_extremum(const std::vector<double>& elements, const reduction& what) {
  const bool least = what.op == op_kind::min || what.op == op_kind::argmin;
  const auto better = [&](double a, double b) { return std::isnan(a) || (least ? a < b : a > b); };
  std::size_t best = 0;
  for (std::size_t i = 1; i < elements.size(); ++i) {
    if (!std::isnan(elements[best]) && better(elements[i], elements[best])) best = i;
  }
  if (order_of(what.op) == element_order::indexed) return {status::ok, static_cast<double>(best)};
  const double initial = what.initial.real_value;
  if (elements.empty()) return {status::ok, initial};
  const bool replaced = what.initial.given && !std::isnan(elements[best]) && better(initial, elements[best]);
  return {status::ok, replaced ? initial : elements[best]};
}

/// The reduction of `elements`, which stand in index order.
inline outcome plain_reduction(std::vector<double> elements, const reduction& what) {
  const bool indexed = order_of(what.op) == element_order::indexed;
  if (what.nan == nan_policy::omit) {
    if (indexed && std::all_of(elements.begin(), elements.end(), [](double x) { return std::isnan(x); })) {
      return {status::empty, 0};
    }
    // An index counts omitted elements too, so those become what loses every comparison.
    const double worst = what.op == op_kind::argmin ? HUGE_VAL : -HUGE_VAL;
    if (indexed)
      std::replace_if(
          elements.begin(), elements.end(), [](double x) { return std::isnan(x); }, worst);
    else std::erase_if(elements, [](double x) { return std::isnan(x); });
    if (elements.empty() && !has_identity(what.op) && !what.initial.given) {
      return {status::ok, std::numeric_limits<double>::quiet_NaN()};
    }
  }
  if (what.op == op_kind::prod) return plain_product(elements, what);
  if (what.op != op_kind::sum && what.op != op_kind::mean) return plain_extremum(elements, what);
  double total = what.op == op_kind::sum && what.initial.given ? what.initial.real_value : 0;
  for (const double x : elements) total += x;
  return {status::ok, what.op == op_kind::mean ? total / static_cast<double>(elements.size()) : total};
}

template <class T>
bool put_plain(double value, std::byte* out) {
  T stored;
  if constexpr (std::is_same_v<T, f16>) stored = to_f16(value);
  else if constexpr (std::is_same_v<T, bf16>) stored = to_bf16(value);
  else if constexpr (floating_storage<T>) {
    stored = std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, bool8>) {
    if (value != 0 && value != 1) return false;
    stored.bits = static_cast<std::uint8_t>(value);
  } else {
    const double end = std::ldexp(1.0, 8 * static_cast<int>(sizeof(T)) - (std::is_signed_v<T> ? 1 : 0));
    if (value >= end || value < (std::is_signed_v<T> ? -end : 0.0)) return false;
    stored = static_cast<T>(value);
  }
  std::memcpy(out, &stored, sizeof stored);
  return true;
}

/// Writes `value` as `type`; overflow if it does not fit.
inline status put_plain(const outcome& value, dtype type, std::byte* out) {
  if (value.what != status::ok) return value.what;
  const bool fits = visit_dtype(type, [&]<class T>() { return put_plain<T>(value.value, out); });
  return fits ? status::ok : status::overflow;
}

}  // namespace multifold::plan_tests
