// What a state keeps of one result: its accumulator as bytes, the same for the same elements, whatever gathered them
// and in whatever order. No header, no checksum: those are reduce/states/contents.hpp's. The tables: docs/states.md.
#pragma once

#include <cstdint>
#include <string>

#include "core/record_fields.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::inline v0_1::detail {

/// Bytes of a record of `what`; 0 if there is none.
std::int64_t record_bytes(const reduction& what);

/// The record of an operation: `bytes`, `put`, and `get`, which trusts nothing.
template <class Op>
struct state_record;

template <class Op>
concept has_state_record = requires {
  state_record<Op>::bytes;
};

template <storage_type T>
struct state_record<integer_sum<T>> {
  static constexpr std::int64_t bytes = 16;
  static void put(const integer_sum<T>&, int128_t sum, std::int64_t, record_writer out) {
    out.put_wide(static_cast<uint128_t>(sum));
  }
  static int128_t get(const integer_sum<T>&, record_reader in, const record_context& all) {
    const auto sum = static_cast<int128_t>(in.get_wide());
    constexpr dtype input = dtype_of<T>;
    constexpr int bits = input == dtype::boolean ? 1 : 8 * static_cast<int>(sizeof(T));
    const bool has_sign = !is_unsigned(input) && input != dtype::boolean;
    const int128_t least = has_sign ? -(int128_t{1} << (bits - 1)) : 0;
    const int128_t greatest = (int128_t{1} << (has_sign ? bits - 1 : bits)) - 1;
    if (sum < least * all.count || sum > greatest * all.count) {
      in.reject(16, "a sum larger than " + std::to_string(all.count) + " elements allow", "a smaller one");
    }
    return sum;
  }
};

template <storage_type T>
struct state_record<exact_float_sum<T>> {
  using format = exact_traits<T>;
  static constexpr std::int64_t bytes = 8 + sum_bytes<format>;
  static void put(const exact_float_sum<T>&, const exact_sum<T>& sum, std::int64_t, record_writer out) {
    out.put(sum.counters().n);
    put_marks(out, sum.counters());
    put_limbs<format>(out, sum.normalised_limbs());
  }
  static exact_sum<T> get(const exact_float_sum<T>&, record_reader in, const record_context& all) {
    const std::int64_t n = in.get_count(all.count, "elements that take part");
    if (all.nan == nan_policy::propagate && n != all.count) {
      in.reject(8, std::to_string(n) + " elements", std::to_string(all.count));
    }
    return get_sum<format>(in, n);
  }
};

/// A magnitude, and 1 (negative) or 2 (its magnitude is 2^128 or more, and is not kept).
template <storage_type T>
struct state_record<integer_product<T>> {
  static constexpr std::int64_t bytes = 20;
  static void put(const integer_product<T>&, const wide_integer& a, std::int64_t, record_writer out) {
    uint128_t magnitude = static_cast<uint128_t>(a.high) << 64 | a.low;
    const bool beyond = magnitude != 0 && (a.inexact != 0 || bit_width(magnitude) + a.exponent > 128);
    magnitude = beyond ? 0 : magnitude << a.exponent % 128;
    out.put_wide(magnitude);
    out.put(beyond ? 2u : a.negative != 0 && magnitude != 0 ? 1u : 0u, 4);
  }
  static wide_integer get(const integer_product<T>&, record_reader in, const record_context& all) {
    const uint128_t magnitude = in.get_wide();
    const std::uint64_t mark = in.get(4);
    if (mark > 2) in.reject(4, std::to_string(mark), "0, 1 (negative) or 2 (beyond 128 bits)");
    if (mark == 1 && (is_unsigned(dtype_of<T>) || dtype_of<T> == dtype::boolean)) {
      in.reject(4, "a negative product", "one of numbers without a sign");
    }
    if (all.count == 0 && (magnitude != 1 || mark != 0)) in.reject(20, "a product of no elements", "1");
    if (mark == 2) return {0, std::uint64_t{1} << 63, beyond_formats + 1, false, true};
    return {static_cast<std::uint64_t>(magnitude), static_cast<std::uint64_t>(magnitude >> 64), 0, mark == 1, false};
  }
};

template <storage_type T>
struct state_record<extremum<T>> {
  using accumulator = typename extremum<T>::accumulator;
  static constexpr std::int64_t bytes = extreme_bytes;
  static void put(const extremum<T>& op, accumulator a, std::int64_t count, record_writer out) {
    const auto key = static_cast<key_of<T>>(a);
    put_extreme<T>(out, key, op.policy.flip, floating_storage<T> ? key != greatest_key<key_of<T>> : count > 0);
  }
  static accumulator get(const extremum<T>& op, record_reader in, const record_context& all) {
    return static_cast<accumulator>(get_extreme<T>(in, op.policy.flip, all.count, all).key);
  }
};

template <storage_type T>
struct state_record<arg_extremum<T>> {
  using accumulator = typename arg_extremum<T>::accumulator;
  static constexpr std::int64_t bytes = indexed_bytes;
  static void put(const arg_extremum<T>& op, const accumulator& a, std::int64_t, record_writer out) {
    put_indexed<T>(out, a, op.policy.flip);
  }
  static accumulator get(const arg_extremum<T>& op, record_reader in, const record_context& all) {
    return get_indexed<T>(in, op.policy.flip, all.count, all);
  }
};

template <storage_type C>
struct state_record<tally<C>> {
  static constexpr std::int64_t bytes = 8;
  static void put(const tally<C>&, std::int64_t a, std::int64_t, record_writer out) { out.put(a); }
  static std::int64_t get(const tally<C>&, record_reader in, const record_context& all) {
    return in.get_count(all.count, "elements that are not zero");
  }
};

/// n, the sums of the set, and of a description the counts of specials and zeros and both extremes.
template <storage_type T, moment_set Set>
struct state_record<exact_moments<T, Set>> {
  using op_type = exact_moments<T, Set>;
  using sums = moment_sums<T, Set>;
  using carrier = carrier_of<T>;
  using element_format = exact_traits<carrier>;
  using product_format = exact_product_traits<carrier>;
  static constexpr bool describes = Set == moment_set::description;
  // Of what is not finite a spread is NaN, whatever the sums are, and the sign of a zero sum is nothing to it.
  static constexpr bool is_spread = Set == moment_set::spread || Set == moment_set::joint;
  static constexpr std::int64_t bytes = 8 + (sums_elements(Set) ? sum_bytes<element_format> : 0) +
                                        (Set == moment_set::joint ? sum_bytes<element_format> : 0) +
                                        (sums_products(Set) ? sum_bytes<product_format> : 0) +
                                        (describes ? 4 * 8 + 2 * indexed_bytes : 0);

  static void put(const op_type&, const sums& a, std::int64_t, record_writer out) {
    bool finite = true;
    if constexpr (is_spread) finite = a.x.counters().all_finite() && a.products.counters().all_finite();
    if constexpr (Set == moment_set::joint) finite = finite && a.y.counters().all_finite();
    if constexpr (sums_products(Set)) out.put(a.products.counters().n);
    else out.put(a.x.counters().n);
    if constexpr (sums_elements(Set)) put_value(out, a.x, !finite, describes && floating_storage<T>);
    if constexpr (Set == moment_set::joint) put_value(out, a.y, !finite, false);
    if constexpr (sums_products(Set)) {
      put_value(out, a.products, !finite, Set == moment_set::products && floating_storage<T>);
    }
    if constexpr (describes) {
      const auto& m = a.marks;
      for (const std::int64_t n : {m.nan, m.positive_infinity, m.negative_infinity, m.zero}) out.put(n);
      put_indexed<carrier>(out, m.argmin, 0);
      put_indexed<carrier>(out, m.argmax, -1);
    }
  }

  static sums get(const op_type&, record_reader in, const record_context& all) {
    sums a;
    const std::int64_t n = in.get_count(all.count, "elements that take part");
    const bool omits = floating_storage<T> && all.nan == nan_policy::omit;
    if (!omits && n != all.count) in.reject(8, std::to_string(n) + " elements", std::to_string(all.count));
    if constexpr (sums_elements(Set)) a.x = get_sum<element_format>(in, n);
    if constexpr (Set == moment_set::joint) a.y = get_sum<element_format>(in, n);
    if constexpr (sums_products(Set)) a.products = get_sum<product_format>(in, n);
    if constexpr (describes) get_description(a.marks, n, in, all);
    return a;
  }

 private:
  static void get_description(description_marks<carrier>& m, std::int64_t n, record_reader& in,
                              const record_context& all) {
    const bool omits = floating_storage<T> && all.nan == nan_policy::omit;
    m.nan = in.get_count(omits ? all.count - n : n, "NaN");
    if (omits && m.nan != all.count - n) in.reject(8, std::to_string(m.nan) + " NaN", std::to_string(all.count - n));
    std::int64_t rest = omits ? n : n - m.nan;
    for (auto* const count : {&m.positive_infinity, &m.negative_infinity, &m.zero}) {
      *count = in.get_count(rest, "elements of a kind");
      rest -= *count;
    }
    m.argmin = get_indexed<carrier>(in, 0, n, all);
    m.argmax = get_indexed<carrier>(in, -1, n, all);
    const bool nan = !omits && m.nan > 0;
    for (const auto& extreme : {m.argmin, m.argmax}) {
      if ((extreme.index == arg_extremum<carrier>::no_index) != (n == 0) ||
          (floating_storage<T> && n > 0 && nan != (extreme.key == least_key<key_of<carrier>>))) {
        in.reject(2 * indexed_bytes, "extremes", "those of " + std::to_string(n) + " elements");
      }
    }
    m.min = m.argmin.key;
    m.max = m.argmax.key;
  }
};

}  // namespace multifold::inline v0_1::detail
