// Moments as operations that tiles fold: what a thread gathers of elements, and what it hands on.
#pragma once

#include "device/moments/pairs.cuh"
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

/// An integer of up to 32 bits as one of 32.
template <storage_type T>
__device__ int number_of(T x) requires(!floating_storage<T> && sizeof(T) <= 4) {
  if constexpr (std::is_same_v<T, bool8>) return static_cast<int>(kernels::is_set(x.bits));
  else return static_cast<int>(x);
}

/// Zeros and extremes of a run, whose elements have numbers. Of floating point they mean nothing where there is a NaN:
/// then a run is lost.
template <storage_type T>
struct run_marks {
  using key = key_of<T>;
  kernels::numbered_least<key> least, greatest;
  int zeros = 0;

  __device__ void see(T x, int number) {
    see_extremes(x, number);
    if constexpr (floating_storage<T> && sizeof(T) <= 4) {
      const auto magnitude = static_cast<std::uint32_t>(bit_copy<key>(x) & greatest_key<key>);
      zeros += static_cast<int>((magnitude - 1) >> 31);
    } else if constexpr (floating_storage<T>) {
      zeros += x == 0;
    } else if constexpr (sizeof(T) <= 4) {
      zeros += 1 - (std::is_same_v<T, bool8> ? number_of(x)
                                             : static_cast<int>(kernels::is_set(static_cast<unsigned>(number_of(x)))));
    } else {
      zeros += x == 0;
    }
  }
  template <int K>
  __device__ void see(const T (&x)[K], const int (&number)[K]) {
    constexpr bool pairs = floating_storage<T> && sizeof(T) == 2 && K > 1;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if constexpr (!pairs) {
        see(x[k], number[k]);
      } else {
        see_extremes(x[k], number[k]);
        if (k % 2 != 0) zeros += count_of_halves(zeros_of_pair(pair_of(x[k - 1], x[k])));
      }
    }
  }
  /// The least and the greatest alone.
  __device__ void see_extremes(T x, int number) {
    if constexpr (floating_storage<T> && sizeof(T) == 2) {
      // The key in the upper half of a word, which its number fills.
      constexpr std::int32_t sign = INT32_MIN, upper_half = -65536;
      const auto bits = static_cast<std::int32_t>(static_cast<std::uint32_t>(bit_copy<std::uint16_t>(x)) << 16);
      const std::int32_t k = bits ^ (bits >> 31 & upper_half & ~sign);
      least.see_upper(k, number);
      greatest.see_upper(k ^ upper_half, number);
    } else if constexpr (sizeof(T) <= 2) {
      // One multiplication and addition each: ~k, the key of the greatest, is -k - 1.
      constexpr unsigned unit = 1u << decltype(least)::half;
      constexpr unsigned bias = std::is_unsigned_v<T> ? unit << (8 * sizeof(T) - 1) : 0u;
      const auto value = static_cast<unsigned>(number_of(x)), at = static_cast<unsigned>(number);
      least.least = min(least.least, static_cast<std::int32_t>(value * unit + (at - bias)));
      greatest.least = min(greatest.least, static_cast<std::int32_t>(value * (0u - unit) + (at + (bias - unit))));
    } else {
      see_least(x, number);
      see_greatest(x, number);
    }
  }
  __device__ void see_least(T x, int number) { least.see(key_of_number(x), number); }
  __device__ void see_greatest(T x, int number) { greatest.see(static_cast<key>(~key_of_number(x)), number); }
  __device__ bool only_negative_zeros() const requires floating_storage<T> {
    return least.key() == key{-1} && greatest.key() == key{0};
  }
  /// The key of its carrier.
  __device__ static std::int64_t carrier_key_of(T x) { return carrier_key(key_of_number(x)); }
  /// In the batch. Keys are those of carriers.
  __device__ multifold::detail::partial_marks marks(const kernels::run_indices& index) const {
    multifold::detail::partial_marks all;
    all.zeros = zeros;
    if (least.number() == kernels::numbered_least<key>::none) return all;
    all.see(carrier_key(least.key()), index[least.number()]);
    const auto top = static_cast<key>(~greatest.key());
    all.greatest = carrier_key(top);
    all.greatest_at = index[greatest.number()];
    return all;
  }

 private:
  // order_key(), but for NaN.
  __device__ static key key_of_number(T x) {
    if constexpr (floating_storage<T>) return ordered_bits(bit_copy<key>(x));
    else return order_key(x, key{0});
  }
  __device__ static std::int64_t carrier_key(key k) {
    if constexpr (floating_storage<T>) return order_key(carried(element_of_key<T>(k)), key_of<carrier_of<T>>{0});
    else return k;
  }
};

/// With those of the lane whose number differs in the bits of `mask`. The whole warp must call.
template <storage_type T>
__device__ void merge_with(run_marks<T>& marks, int mask) {
  marks.least.merge(kernels::shuffle_xor(marks.least, mask));
  marks.greatest.merge(kernels::shuffle_xor(marks.greatest, mask));
  marks.zeros += __shfl_xor_sync(kernels::whole_warp, marks.zeros, mask);
}

/// The same of a lane that has been through several tiles.
struct marks_of_lane {
  multifold::detail::partial_marks all;
};
__device__ inline void merge_with(marks_of_lane& marks, int mask) {
  marks.all.merge(kernels::shuffle_xor(marks.all, mask));
}

/// Floating point: runs are taken in windows (run_moments.cuh), and their sums in expansions.
template <floating_storage T, moment_set Set>
struct moment_fold<T, Set> : partial_fold<partial_carrier_of<T>, Set> {
  using element = T;
  using value_type = std::conditional_t<reads_two_arrays(Set), element_pair<T>, T>;
  using accumulator = moment_partial<carrier_of<T>, Set>;

  /// Never called, since tiles take whole runs; the concept of a fold asks for it.
  __device__ accumulator lift(const value_type&, std::int64_t) const { return {}; }
};

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
  static constexpr bool keeps = Set == moment_set::description;

  struct lane {
    typename lanes::sum x{}, y{};
    typename lanes::products products{};
  };

  __device__ lane lane_identity() const { return {}; }
  __device__ lane absorb(lane l, const value_type& v, std::int64_t) const {
    if constexpr (reads_two_arrays(Set)) add(l, number(v.x), number(v.y));
    else add(l, number(v), number(v));
    return l;
  }
  __device__ accumulator widen(const lane& l) const {
    accumulator a;
    if constexpr (sums_elements(Set)) a.x = l.x;
    if constexpr (Set == moment_set::joint) a.y = l.y;
    if constexpr (sums_products(Set)) a.products = l.products;
    return a;
  }
  __device__ accumulator lift(const value_type& v, std::int64_t index) const {
    accumulator a = widen(absorb(lane_identity(), v, index));
    if constexpr (Set == moment_set::description) {
      run_marks<T> marks;
      marks.see(v, 0);
      a.marks = marks.marks({index, 0});
    }
    return a;
  }

 private:
  __device__ static number_type number(T x) {
    if constexpr (std::is_same_v<T, bool8>) return static_cast<number_type>(number_of(x));
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
    if constexpr (std::is_same_v<T, bool8>) {
      l.products += a & b;
    } else if constexpr (lanes::bytes == 1) {
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
