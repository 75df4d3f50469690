// Moments as operations that tiles fold: what a thread gathers of elements, and what it hands on.
#pragma once

#include "device/moments/windows.cuh"
#include "multifold/cuda/kernels/tile_walks.cuh"
#include "multifold/ops/moment_partial.hpp"

namespace multifold::cuda::moments {

/// Partial moments alone: what passes behind the first one merge.
template <storage_type Carrier, moment_set Set>
struct partial_fold {
  using value_type = moment_partial<Carrier, Set>;
  using accumulator = moment_partial<Carrier, Set>;
  static constexpr moment_set set = Set;
  static constexpr int most_columns = 1;

  __device__ accumulator identity() const { return {}; }
  __device__ accumulator lift(value_type a, std::int64_t index) const {
    if constexpr (Set == moment_set::description) a.marks.move(index);
    return a;
  }
  __device__ accumulator combine(accumulator a, const accumulator& b) const {
    a.merge(b);
    return a;
  }
  __device__ const accumulator& lower(const accumulator& a, std::int64_t) const { return a; }
};

/// Sums of elements of T, or of pairs of them.
template <class T, moment_set Set>
struct moment_fold;

/// Floating point: a few elements together in windows, and their sums in expansions. Elements that are not there are
/// made of padding, which changes no sum, whatever the signs of its zeros.
template <floating_storage T, moment_set Set>
struct moment_fold<T, Set> : partial_fold<partial_carrier_of<T>, Set> {
  using element = T;
  using carrier = carrier_of<T>;
  using value_type = std::conditional_t<reads_two_arrays(Set), element_pair<T>, T>;
  using accumulator = moment_partial<carrier, Set>;
  // Extremes are kept beside the sums.
  static constexpr moment_set sums = Set == moment_set::description ? moment_set::spread : Set;
  struct lane {
    gather<carrier, sums> sum;
    multifold::detail::partial_marks marks;
  };
  static constexpr std::int64_t lane_capacity = INT64_MAX;
  nan_policy nan;

  __device__ explicit moment_fold(nan_policy nan) : nan(nan) {}

  __device__ lane lane_identity() const { return {gather<carrier, sums>(nullptr, nullptr, nan), {}}; }
  __device__ lane absorb(lane l, const value_type& v, std::int64_t index) const {
    l.sum.add(x_of(v), y_of(v), index);
    if constexpr (Set == moment_set::description) {
      l.marks.see(order_key(carried(v), 0), index);
      l.marks.zeros += carried(v) == 0;
    }
    return l;
  }
  template <int N, class Index>
  __device__ __forceinline__ void absorb_several(lane& l, const value_type (&v)[N], int present,
                                                 const Index& index) const {
    carrier a[N], b[N];
#pragma unroll
    for (int i = 0; i < N; ++i) a[i] = x_of(v[i]), b[i] = y_of(v[i]);
    constexpr kernels::no_indices no_index{};
    if constexpr (std::is_same_v<carrier, float>) {
      step_state<sums, closed_windows> state;
      add_step(l.sum, state, a, b, no_index);
    } else {
      l.sum.add_all(a, b, no_index);
    }
    if constexpr (Set == moment_set::description) {
      // A new extreme is looked for only where there is one.
      key_of<carrier> key[N], least = order_key(a[0], 0), greatest = least;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        key[i] = i < present ? order_key(a[i], 0) : key[0];
        least = min(least, key[i]);
        greatest = max(greatest, key[i]);
        l.marks.zeros += i < present && a[i] == 0;
      }
      if (least > l.marks.least && greatest < l.marks.greatest) return;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        if (i < present) l.marks.see(key[i], index(i));
      }
    }
  }
  __device__ static value_type padding() {
    const auto zero = [](bool negative) { return bit_copy<T>(sign_bits(negative)); };
    if constexpr (reads_two_arrays(Set)) return {zero(true), zero(false)};
    else return zero(true);
  }
  __device__ accumulator widen(const lane& l) const {
    accumulator a;
    if constexpr (sums_elements(Set)) a.x = l.sum.x;
    if constexpr (Set == moment_set::joint) a.y = l.sum.y;
    if constexpr (sums_products(Set)) a.products = l.sum.products;
    if constexpr (Set == moment_set::description) a.marks = l.marks;
    if (l.sum.gone) {
      if constexpr (sums_products(Set)) a.products.lose();
      else a.x.lose();
    }
    return a;
  }
  __device__ accumulator lift(const value_type& v, std::int64_t index) const {
    return widen(absorb(lane_identity(), v, index));
  }

 private:
  __device__ static auto sign_bits(bool negative) {
    using layout = multifold::detail::float_layout<T>;
    return negative ? layout::sign : typename layout::bits_type{0};
  }
  __device__ static carrier x_of(const value_type& v) {
    if constexpr (reads_two_arrays(Set)) return carried(v.x);
    else return carried(v);
  }
  __device__ static carrier y_of(const value_type& v) {
    if constexpr (reads_two_arrays(Set)) return carried(v.y);
    else return carried(v);
  }
};

template <floating_storage T, moment_set Set, class Element, int N, class Index>
__device__ __forceinline__ void absorb_several(const moment_fold<T, Set>& op,
                                               kernels::thread_value<moment_fold<T, Set>>& into, const Element (&v)[N],
                                               int present, const Index& index) {
  op.absorb_several(into.current, v, present, index);
}
template <floating_storage T, moment_set Set>
__device__ typename moment_fold<T, Set>::value_type padding_of(const moment_fold<T, Set>& op) {
  return op.padding();
}

static_assert(kernels::takes_several<moment_fold<float, moment_set::squares>>);

/// What a thread gathers integers in: the narrowest words that hold a few thousand of them.
template <storage_type T>
struct integer_lanes {
  static constexpr bool no_sign = std::is_unsigned_v<T> || std::is_same_v<T, bool8>;
  static constexpr int bytes = sizeof(T);
  using word = std::conditional_t<no_sign, std::uint32_t, std::int32_t>;
  using long_word = std::conditional_t<no_sign, std::uint64_t, std::int64_t>;
  using longest_word = std::conditional_t<no_sign, uint128_t, int128_t>;
  using number = std::conditional_t<bytes <= 4, word, long_word>;
  using sum = std::conditional_t<bytes <= 2, word, std::conditional_t<bytes == 4, long_word, int128_t>>;
  using products = std::conditional_t<
      bytes == 1, word,
      std::conditional_t<bytes == 2, long_word, std::conditional_t<bytes == 4, int128_t, product_total>>>;
  // 2^15 sums of magnitudes up to 2^16, and products up to 2^16 or 2^32, stay inside of their words; 2^30 of 2^32.
  static constexpr std::int64_t capacity = bytes <= 2 ? 1 << 15 : bytes == 4 ? 1 << 30 : INT64_MAX;
};

/// Integers.
template <class T, moment_set Set>
requires(!floating_storage<T>) struct moment_fold<T, Set> : partial_fold<partial_carrier_of<T>, Set> {
  using element = T;
  using value_type = std::conditional_t<reads_two_arrays(Set), element_pair<T>, T>;
  using accumulator = moment_partial<partial_carrier_of<T>, Set>;
  using lanes = integer_lanes<T>;
  using number_type = typename lanes::number;
  static constexpr std::int64_t lane_capacity = lanes::capacity;
  static constexpr int most_columns = reads_two_arrays(Set) ? 1 : sizeof(accumulator) > 16 ? 2 : 4;

  struct lane {
    typename lanes::sum x{}, y{};
    typename lanes::products products{};
    multifold::detail::partial_marks marks;
  };

  __device__ lane lane_identity() const { return {}; }
  __device__ lane absorb(lane l, const value_type& v, std::int64_t index) const {
    if constexpr (reads_two_arrays(Set)) add(l, number(v.x), number(v.y));
    else add(l, number(v), number(v));
    if constexpr (Set == moment_set::description) {
      const std::int64_t key = order_key(v, 0);
      if (key < l.marks.least || key > l.marks.greatest || index < l.marks.least_at || index < l.marks.greatest_at) {
        l.marks.see(key, index);
      }
      l.marks.zeros += number(v) == 0;
    }
    return l;
  }
  __device__ accumulator widen(const lane& l) const {
    accumulator a;
    if constexpr (sums_elements(Set)) a.x = l.x;
    if constexpr (Set == moment_set::joint) a.y = l.y;
    if constexpr (sums_products(Set)) a.products = l.products;
    if constexpr (Set == moment_set::description) a.marks = l.marks;
    return a;
  }
  __device__ accumulator lift(const value_type& v, std::int64_t index) const {
    return widen(absorb(lane_identity(), v, index));
  }

 private:
  __device__ static number_type number(T x) {
    if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1 : 0;
    else return static_cast<number_type>(x);
  }
  __device__ static auto magnitude(number_type x) {
    using unsigned_type = std::make_unsigned_t<number_type>;
    const auto bits = static_cast<unsigned_type>(x);
    if constexpr (lanes::no_sign) return bits;
    else return x < 0 ? unsigned_type{0} - bits : bits;
  }
  __device__ static void add(lane& l, number_type a, number_type b) {
    if constexpr (Set == moment_set::absolute) l.x += magnitude(a);
    else if constexpr (sums_elements(Set)) l.x += a;
    if constexpr (Set == moment_set::joint) l.y += b;
    if constexpr (!sums_products(Set)) return;
    if constexpr (lanes::bytes == 1) {
      l.products += a * b;
    } else if constexpr (lanes::bytes <= 4) {
      l.products += static_cast<typename lanes::long_word>(a) * b;
    } else {
      const auto p = static_cast<typename lanes::longest_word>(a) * b;
      l.products.add(static_cast<std::uint64_t>(p), static_cast<int128_t>(p >> 64));
    }
  }
};

/// Four bytes at a time, by dot products with ones and with themselves.
template <class T, moment_set Set>
requires(sizeof(T) == 1 && !reads_two_arrays(Set) && Set != moment_set::description) __device__
    void absorb_vector(const moment_fold<T, Set>&, kernels::thread_value<moment_fold<T, Set>>& into,
                       const kernels::vector_word& v, std::int64_t) {
  auto& l = into.current;
  constexpr unsigned ones = 0x01010101u;
#pragma unroll
  for (unsigned word : v.words) {
    if constexpr (integer_lanes<T>::no_sign) {
      if constexpr (std::is_same_v<T, bool8>) word = __vsetne4(word, 0u);
      if constexpr (sums_elements(Set)) l.x = __dp4a(word, ones, l.x);
      if constexpr (sums_products(Set)) l.products = __dp4a(word, word, l.products);
    } else {
      const auto bytes = static_cast<int>(word);
      if constexpr (Set == moment_set::absolute) l.x += static_cast<int>(__dp4a(__vabs4(word), ones, 0u));
      else if constexpr (sums_elements(Set)) l.x = __dp4a(bytes, static_cast<int>(ones), l.x);
      if constexpr (sums_products(Set)) l.products = __dp4a(bytes, bytes, l.products);
    }
  }
}

}  // namespace multifold::cuda::moments
