// Minimum, maximum and their indices, all as a minimum of order keys: `flip` turns the order round.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "multifold/ops.hpp"
#include "multifold/ops/order_key.hpp"

namespace multifold::inline v0_1 {

/// Which end is wanted, and what NaN does. Keys pass through `^ flip`, so -1 makes the greatest the least, and the bit
/// of the sign makes unsigned numbers of those that a carrier takes for signed ones.
template <class Key>
struct key_policy {
  Key flip;
  Key nan_key;         // of the flipped order: the least key to propagate NaN, the greatest to omit it
  bool truth = false;  // of any_byte: what is not zero is 1

  MULTIFOLD_HD static constexpr key_policy make(bool greatest, nan_policy nan) {
    return {static_cast<Key>(greatest ? -1 : 0), nan == nan_policy::omit ? greatest_key<Key> : least_key<Key>};
  }
  /// Whether the elements of a carrier are unsigned.
  MULTIFOLD_HD constexpr bool turns_sign() const { return flip != 0 && flip != static_cast<Key>(-1); }
  MULTIFOLD_HD constexpr bool omits_nan() const { return nan_key == greatest_key<Key>; }
  template <storage_type T>
  MULTIFOLD_HD constexpr Key of(T x) const {
    if constexpr (std::is_same_v<T, any_byte>) return static_cast<Key>((truth ? x.bits != 0 : x.bits) ^ flip);
    else return static_cast<Key>(order_key(x, static_cast<Key>(nan_key ^ flip)) ^ flip);
  }
};

/// The order of elements of `input`, which are T or carried by it.
template <storage_type T>
MULTIFOLD_HD constexpr key_policy<key_of<T>> order_policy(bool greatest, nan_policy nan, dtype input) {
  using key = key_of<T>;
  auto policy = key_policy<key>::make(greatest, nan);
  if constexpr (!floating_storage<T> && std::is_same_v<T, order_carrier<T>>) {
    if (is_unsigned(input)) policy.flip = static_cast<key>(policy.flip ^ least_key<key>);
    policy.truth = input == dtype::boolean;
  }
  return policy;
}

template <class Key>
struct merged_extremum;

/// min or max. NaN propagates as the canonical quiet NaN; -0 is less than +0.
template <storage_type T>
struct extremum {
  using value_type = T;
  using key = key_of<T>;
  using accumulator = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;  // as wide as atomics are
  using lane = key;
  static constexpr std::int64_t lane_capacity = INT64_MAX;
  static constexpr bool order_free = true;
  key_policy<key> policy;

  MULTIFOLD_HD constexpr accumulator identity() const { return greatest_key<key>; }
  MULTIFOLD_HD constexpr accumulator lift(T x, std::int64_t) const { return policy.of(x); }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return b < a ? b : a; }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const {
    const key k = static_cast<key>(a);
    if (floating_storage<T> && (k == least_key<key> || k == greatest_key<key>)) {
      // The least key is a NaN that propagated; the greatest is the identity: nothing but omitted NaN was seen.
      return scalar::of_real(std::numeric_limits<double>::quiet_NaN(), k == least_key<key> ? count : 0);
    }
    const key element = static_cast<key>(k ^ policy.flip);
    if constexpr (floating_storage<T> || !std::is_same_v<T, order_carrier<T>>) return value_of_key<T>(element, count);
    else if (policy.turns_sign()) return scalar::of_integer(static_cast<std::make_unsigned_t<key>>(element), count);
    else return scalar::of_integer(element, count);
  }
  MULTIFOLD_HD constexpr auto merging() const requires std::is_same_v<T, order_carrier<T>> {
    return merged_extremum<accumulator>{dtype_of<T>, policy.flip, identity()};
  }

  MULTIFOLD_HD constexpr lane lane_identity() const { return greatest_key<key>; }
  MULTIFOLD_HD constexpr lane absorb(lane l, T x, std::int64_t) const {
    const key k = policy.of(x);
    return k < l ? k : l;
  }
  MULTIFOLD_HD constexpr accumulator widen(lane l) const { return l; }
};

/// The keys of elements of any carrier.
template <class Key>
struct merged_extremum {
  using accumulator = Key;
  dtype carrier;
  Key flip, greatest;

  MULTIFOLD_HD constexpr accumulator identity() const { return greatest; }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return b < a ? b : a; }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const {
    return as_carried([&](const auto& op) { return op.lower(a, count); });
  }
  /// f(op) with the fold of elements.
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) as_carried(const F& f) const {
    if constexpr (sizeof(Key) == 8) {
      return carrier == dtype::f64 ? f(of<double>()) : f(of<std::int64_t>());
    } else {
      if (carrier == dtype::f32) return f(of<float>());
      if (carrier == dtype::f16) return f(of<f16>());
      if (carrier == dtype::bf16) return f(of<bf16>());
      if (carrier == dtype::i32) return f(of<std::int32_t>());
      if (carrier == dtype::i16) return f(of<std::int16_t>());
      return f(of<any_byte>());
    }
  }

 private:
  template <class T>
  MULTIFOLD_HD constexpr extremum<T> of() const {
    return {{static_cast<key_of<T>>(flip), 0}};
  }
};

/// An order key and the index of its element. Without padding, since passes copy their partial results as bytes.
template <class Key>
struct indexed_key {
  Key key;
  std::int64_t index;
};
template <>
struct indexed_key<std::int32_t> {
  std::int32_t key;
  std::int32_t unused;
  std::int64_t index;

  indexed_key() = default;
  MULTIFOLD_HD constexpr indexed_key(std::int32_t k, std::int64_t at) : key(k), unused(0), index(at) {}
};

/// argmin or argmax: the first index of what min or max gives, to the sign of a zero: -0 is less than +0 here, too. Of
/// the first NaN if NaN propagates.
template <storage_type T>
struct arg_extremum {
  using value_type = T;
  using key = key_of<T>;
  using accumulator = indexed_key<std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>>;
  static constexpr std::int64_t no_index = INT64_MAX;
  key_policy<key> policy;

  MULTIFOLD_HD constexpr accumulator identity() const { return {greatest_key<key>, no_index}; }
  MULTIFOLD_HD constexpr accumulator lift(T x, std::int64_t index) const {
    const key k = policy.of(x);
    // An omitted NaN must lose even against the greatest integer there is, so it also gives up its index.
    const bool omitted = floating_storage<T> && k == greatest_key<key>;
    return {k, omitted ? no_index : index};
  }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const {
    const bool second = b.key < a.key || (b.key == a.key && b.index < a.index);
    return second ? b : a;
  }
  /// The same element, in a batch that began `by` elements earlier.
  MULTIFOLD_HD constexpr accumulator moved(accumulator a, std::int64_t by) const {
    return {a.key, a.index == no_index ? no_index : a.index + by};
  }
  /// Accumulators do not tell what their elements were, but for the width of a key.
  MULTIFOLD_HD constexpr auto merging() const {
    return arg_extremum<std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>>{};
  }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const {
    if (a.index == no_index) return scalar::failed(scalar::kind::empty, count);
    return scalar::of_integer(a.index, count);
  }
};

}  // namespace multifold::inline v0_1
