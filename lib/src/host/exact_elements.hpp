// Elements of any magnitudes into an exact sum, at about the same speed whatever they are. For what lanes of binary64
// cannot hold; not for little: a call costs as much as some hundred elements.
#pragma once

#include <cstdint>
#include <cstring>

#include "host/packed.hpp"
#include "multifold/exact/accumulator.hpp"

namespace multifold::host {
namespace detail {

/// Counters of the specials among `count` elements, without their number.
template <floating_storage T>
exact_counters specials_among(const packed<T>* x, std::int64_t count) {
  exact_counters marks;
  for (std::int64_t k = 0; k < count; ++k) {
    const multifold::detail::unpacked parts = multifold::detail::unpack(T{x[k].value});
    if (parts.finite()) continue;
    marks.nan |= parts.nan ? 1 : 0;
    marks.positive_infinity |= parts.infinite && !parts.negative ? 1 : 0;
    marks.negative_infinity |= parts.infinite && parts.negative ? 1 : 0;
  }
  return marks;
}

/// An element's bits as what its sum is made of. `field` is the exponent's.
template <floating_storage T>
struct element_bits {
  using layout = multifold::detail::float_layout<T>;
  using word = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  static constexpr int sign_shift = 8 * static_cast<int>(sizeof(T)) - 1;
  static constexpr unsigned fields = static_cast<unsigned>(layout::infinity >> layout::mantissa_bits) + 1;

  word significand;  // without a sign
  word sign;         // 0, or -1 below zero
  unsigned field;

  explicit element_bits(T x) {
    const auto bits = bit_copy<typename layout::bits_type>(x);
    field = static_cast<unsigned>(bits >> layout::mantissa_bits) & (fields - 1);
    const auto hidden = static_cast<word>(field != 0) << layout::mantissa_bits;
    significand = static_cast<word>(bits & ((std::uint64_t{1} << layout::mantissa_bits) - 1)) | hidden;
    sign = -static_cast<word>(bits >> sign_shift);
  }
  /// The exponent over that of the smallest subnormal.
  static unsigned position(unsigned f) { return f - (f != 0 ? 1 : 0); }
};

/// Digits of an exact sum that are filled faster than one by one.
template <floating_storage T>
struct element_digits {
  using format = exact_traits<T>;
  using element = element_bits<T>;
  // bf16 is summed in the digits of f32, which start further down.
  static constexpr unsigned lift = static_cast<unsigned>(element::layout::least_exponent - format::unit_exponent);

  digits<format::digit_count> d{};

  /// Adds value * 2^position of elements. A digit takes 2^10 values of 53 bits, or 2^8 of 55, before it must be
  /// carried.
  void add(std::int64_t value, unsigned position) {
    const unsigned at = (position + lift) >> 5, shift = (position + lift) & 31;
    d.digit[at] += static_cast<std::int64_t>((static_cast<std::uint64_t>(value) << shift) & 0xffffffffu);
    d.digit[at + 1] += (value >> 1) >> (31 - shift);
  }
};

// Fewer than this are added to the digits one by one.
inline constexpr std::int64_t few_elements = 200;

template <floating_storage T>
void add_few(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  element_digits<T> few;
  bool special = false;
  for (std::int64_t k = 0; k < count; ++k) {
    const element_bits<T> e(x[k].value);
    const bool finite = e.field != element_bits<T>::fields - 1;
    special |= !finite;
    const std::int64_t value = (std::int64_t{e.significand} ^ e.sign) - e.sign;
    few.add(finite ? value : 0, element_bits<T>::position(e.field));
  }
  few.d.normalise();
  sum.add_digits(few.d, 1);
  if (special) sum.add_counts(specials_among(x, count));
}

// A bin an exponent: significands of 24 bits at most, so 2^24 elements stay far inside. Neighbours in memory go to
// different copies, or equal exponents would wait for each other.
template <floating_storage T>
void add_many(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  using element = element_bits<T>;
  constexpr int copies = 4;
  std::int64_t bins[copies][element::fields] = {};
  unsigned largest_field = 0;
  const auto add = [&](int copy, T value) {
    const element e(value);
    largest_field = e.field > largest_field ? e.field : largest_field;
    bins[copy][e.field] += (e.significand ^ e.sign) - e.sign;
  };
  std::int64_t k = 0;
  for (; k + copies <= count; k += copies) {
    for (int copy = 0; copy < copies; ++copy) add(copy, x[k + copy].value);
  }
  for (; k < count; ++k) add(0, x[k].value);
  element_digits<T> all;
  for (unsigned field = 0; field + 1 < element::fields; ++field) {
    const std::int64_t value = bins[0][field] + bins[1][field] + bins[2][field] + bins[3][field];
    all.add(value, element::position(field));
  }
  all.d.normalise();
  sum.add_digits(all.d, 1);
  if (largest_field == element::fields - 1) sum.add_counts(specials_among(x, count));
}

// Straight to the digits: a bin of each of 2047 exponents would be full after 2^10 elements, and 2^13 bytes to empty.
// The part that goes to the upper digit is below 2^52, so a copy takes 2^10 elements, twice over.
inline constexpr std::int64_t f64_run = 4096;

inline void add_run(exact_sum<double>& sum, const packed<double>* x, std::int64_t count) {
  using element = element_bits<double>;
  constexpr int copies = 4;
  element_digits<double> parts[copies];
  unsigned largest_field = 0;
  const auto add = [&](int copy, double value) {
    const element e(value);
    largest_field = e.field > largest_field ? e.field : largest_field;
    // Specials add to digits at the top that exist: the sum is thrown away then.
    const unsigned position = element::position(e.field), at = position >> 5, shift = position & 31;
    const auto low = static_cast<std::int64_t>((static_cast<std::uint64_t>(e.significand) << shift) & 0xffffffffu);
    const std::int64_t high = (e.significand >> 1) >> (31 - shift);
    parts[copy].d.digit[at] += (low ^ e.sign) - e.sign;
    parts[copy].d.digit[at + 1] += (high ^ e.sign) - e.sign;
  };
  std::int64_t k = 0;
  for (; k + copies <= count; k += copies) {
    for (int copy = 0; copy < copies; ++copy) add(copy, x[k + copy].value);
  }
  for (; k < count; ++k) add(0, x[k].value);
  if (largest_field == element::fields - 1) {
    for (std::int64_t first = 0; first < count; first += few_elements) {
      add_few(sum, x + first, count - first < few_elements ? count - first : few_elements);
    }
    return;
  }
  for (int copy = 1; copy < copies; ++copy) {
    parts[copy].d.normalise();
    parts[0].d.merge(parts[copy].d);
  }
  parts[0].d.normalise();
  sum.add_digits(parts[0].d, 1);
}

template <>
inline void add_many(exact_sum<double>& sum, const packed<double>* x, std::int64_t count) {
  for (std::int64_t first = 0; first < count; first += f64_run) {
    add_run(sum, x + first, count - first < f64_run ? count - first : f64_run);
  }
}

}  // namespace detail

/// Adds `count` elements, at most 2^24; their number is not counted, their specials are.
/// Cost: below 1 ns an element where there are thousands.
template <floating_storage T>
[[gnu::noinline]] void add_elements(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  if (count < detail::few_elements) detail::add_few(sum, x, count);
  else detail::add_many(sum, x, count);
}

}  // namespace multifold::host
