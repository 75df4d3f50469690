// Elements of every dtype that are zero or not, and what any, all and count_nonzero of them are, by plain loops.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/random_view.hpp"
#include "multifold/reduction.hpp"
#include "multifold/types/float16.hpp"
#include "random_bits.hpp"

namespace multifold::testing_tallies {

inline constexpr op_kind ops[] = {op_kind::any, op_kind::all, op_kind::count_nonzero};

template <floating_storage T>
T real(double x) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(x);
  else return static_cast<T>(x);
}

/// Not zero, but like zero in all bits but one, now and then.
template <storage_type T>
T any_but_zero(test::random_bits& random) {
  using bits = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  constexpr int width = 8 * static_cast<int>(sizeof(T));
  if constexpr (floating_storage<T>) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double values[] = {1, -2, infinity, -infinity, 0.125};
    if (random() % 4 == 0) return real<T>(values[random() % 5]);
    // A single bit of a magnitude: subnormal numbers, powers of two; or a NaN of either sign.
    const bits sign = static_cast<bits>(random() % 2 << (width - 1));
    if (random() % 4 == 0)
      return bit_copy<T>(static_cast<bits>(sign | (bit_copy<bits>(real<T>(infinity)) + (random() % 2 == 0 ? 1 : 3))));
    return bit_copy<T>(static_cast<bits>(sign | bits{1} << random() % (width - 1)));
  } else {
    const bits drawn = static_cast<bits>(random());
    if (random() % 2 == 0 || drawn == 0) return bit_copy<T>(static_cast<bits>(bits{1} << random() % width));
    return bit_copy<T>(drawn);
  }
}

/// Elements of which one in `rate` is not zero, or, where `rate` is negative, one in -rate is zero.
inline std::vector<std::byte> elements(dtype type, std::int64_t count, int rate, test::random_bits& random) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * item_bytes(type)));
  visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      const bool rare = random() % static_cast<unsigned>(rate < 0 ? -rate : rate) == 0;
      T x{};
      if constexpr (floating_storage<T>) x = real<T>(random() % 2 == 0 ? 0.0 : -0.0);
      if (rare == (rate > 0)) x = any_but_zero<T>(random);
      std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
    }
  });
  return bytes;
}

struct tally_of_elements {
  std::int64_t zeros = 0, others = 0;  // that take part
};

template <storage_type T>
void count(tally_of_elements& of, T x, nan_policy nan) {
  if constexpr (floating_storage<T>) {
    const double value = to_double(x);
    if (nan == nan_policy::omit && std::isnan(value)) return;
    ++(value == 0 ? of.zeros : of.others);
  } else if constexpr (std::is_same_v<T, bool8>) {
    ++(x.bits == 0 ? of.zeros : of.others);
  } else {
    ++(x == 0 ? of.zeros : of.others);
  }
}

inline std::int64_t value_of(op_kind op, const tally_of_elements& of) {
  if (op == op_kind::any) return of.others > 0 ? 1 : 0;
  if (op == op_kind::all) return of.zeros == 0 ? 1 : 0;
  return of.others;
}

/// What each batch has, in C order. `data` is the first element of the view.
inline std::vector<tally_of_elements> tallies_of(nan_policy nan, const array_view& view, const void* data,
                                                 const std::vector<std::int64_t>& axes) {
  std::vector<tally_of_elements> all;
  visit_dtype(view.type, [&]<class T>() {
    for (const std::vector<std::int64_t>& batch : testing_views::offsets_by_result(view, axes)) {
      tally_of_elements of;
      for (const std::int64_t offset : batch) {
        T x;
        std::memcpy(&x, static_cast<const std::byte*>(data) + offset * static_cast<std::int64_t>(sizeof(T)), sizeof x);
        count(of, x, nan);
      }
      all.push_back(of);
    }
  });
  return all;
}

/// The results of `op`.
inline std::vector<std::int64_t> values_of(op_kind op, const std::vector<tally_of_elements>& all) {
  std::vector<std::int64_t> values;
  for (const tally_of_elements& each : all) values.push_back(value_of(op, each));
  return values;
}

/// Results in the default dtype as numbers.
inline std::vector<std::int64_t> numbers(op_kind op, const std::vector<std::byte>& results) {
  std::vector<std::int64_t> all;
  if (op == op_kind::count_nonzero) {
    all.resize(results.size() / sizeof(std::int64_t));
    if (!all.empty()) std::memcpy(all.data(), results.data(), results.size());
  } else {
    for (const std::byte each : results) all.push_back(std::to_integer<std::int64_t>(each));
  }
  return all;
}

}  // namespace multifold::testing_tallies
