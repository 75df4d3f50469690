// Moments as operations that tiles fold: what a thread gathers of elements, and what it hands on.
#pragma once

#include "device/moments/pairs.cuh"
#include "multifold/cuda/kernels/tiles/walks.cuh"
#include "multifold/ops/carried.hpp"
#include "multifold/ops/moments/moment_partial.hpp"

namespace multifold::inline v0_1::cuda::moments {

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

/// Zeros and extremes of a run, whose elements have numbers: of floating point, or of integers of any kind. Of
/// floating point they mean nothing where there is a NaN: then a run is lost.
template <storage_type Carrier>
struct run_marks {
  using key = key_of<Carrier>;
  kernels::numbered_least<key> least, greatest;
  int zeros = 0;

  template <storage_type T>
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
  template <storage_type T, int K, class Numbers>
  __device__ void see(const T (&x)[K], const Numbers& number) {
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
  template <storage_type T>
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
  template <storage_type T>
  __device__ void see_least(T x, int number) {
    least.see(key_of_number(x), number);
  }
  template <storage_type T>
  __device__ void see_greatest(T x, int number) {
    greatest.see(static_cast<key>(~key_of_number(x)), number);
  }
  __device__ Carrier least_element() const requires floating_storage<Carrier> {
    return element_of_key<Carrier>(least.key());
  }
  __device__ Carrier greatest_element() const requires floating_storage<Carrier> {
    return element_of_key<Carrier>(static_cast<key>(~greatest.key()));
  }
  __device__ bool only_negative_zeros() const requires floating_storage<Carrier> {
    return least.key() == key{-1} && greatest.key() == key{0};
  }
  /// The key of its carrier.
  __device__ static std::int64_t carrier_key_of(Carrier x) { return carrier_key(key_of_number(x)); }
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
  template <storage_type T>
  __device__ static key key_of_number(T x) {
    if constexpr (floating_storage<T>) return ordered_bits(bit_copy<key>(x));
    else return order_key(x, key{0});
  }
  __device__ static std::int64_t carrier_key(key k) {
    if constexpr (floating_storage<Carrier>)
      return order_key(carried(element_of_key<Carrier>(k)), key_of<carrier_of<Carrier>>{0});
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
  bool exact = false;  // sums that are not rounded, but merged

  /// Never called, since tiles take whole runs; the concept of a fold asks for it.
  __device__ accumulator lift(const value_type&, std::int64_t) const { return {}; }
};

/// What a thread gathers integers in, with or without a sign: the narrowest words that hold a few thousand of them.
template <int Bytes>
struct integer_lanes {
  using sum = std::conditional_t<Bytes <= 2, std::int32_t, std::conditional_t<Bytes == 4, std::int64_t, int128_t>>;
  using products = std::conditional_t<
      Bytes == 1, std::int32_t,
      std::conditional_t<Bytes == 2, std::int64_t, std::conditional_t<Bytes == 4, int128_t, product_total>>>;
  static constexpr std::int64_t capacity = Bytes <= 2 ? 1 << 15 : Bytes == 4 ? 1 << 30 : INT64_MAX;
  // The greatest magnitudes are those without a sign. 2^30 products of 4 bytes stay below 2^94.
  static constexpr int128_t most = (int128_t{1} << 8 * Bytes) - 1;
  static_assert(Bytes > 4 || most * capacity < int128_t{1} << (8 * sizeof(sum) - 1));
  static_assert(Bytes > 2 || most * most * capacity < int128_t{1} << (8 * sizeof(products) - 1));
};

/// Integers of the size of C, their carrier.
template <class C, moment_set Set>
requires(!floating_storage<C>) struct moment_fold<C, Set>
    : partial_fold<partial_carrier_of<C>, Set>, carried_integers<C> {
  using element = C;
  using value_type = std::conditional_t<reads_two_arrays(Set), element_pair<C>, C>;
  using accumulator = moment_partial<partial_carrier_of<C>, Set>;
  using lanes = integer_lanes<sizeof(C)>;
  static constexpr std::int64_t lane_capacity = lanes::capacity;
  static constexpr int most_columns = reads_two_arrays(Set) ? 1 : sizeof(accumulator) > 16 ? 2 : 4;
  static constexpr bool keeps = Set == moment_set::description;

  struct lane {
    typename lanes::sum x{}, y{};
    typename lanes::products products{};
  };

  __device__ lane lane_identity() const { return {}; }
  __device__ lane absorb(lane l, const value_type& v, std::int64_t) const {
    this->with_element([&]<class T>(T) {
      if constexpr (reads_two_arrays(Set)) add(l, bit_copy<T>(v.x), bit_copy<T>(v.y));
      else add(l, bit_copy<T>(v), bit_copy<T>(v));
    });
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
      run_marks<C> marks;
      this->with_element([&]<class T>(T) { marks.see(bit_copy<T>(v), 0); });
      a.marks = marks.marks({index, 0});
    }
    return a;
  }
  /// Adds an element, or one of each array.
  template <class T>
  __device__ static void add(lane& l, T x, T y) {
    const auto a = number(x), b = number(y);
    using number_type = std::remove_const_t<decltype(a)>;
    constexpr bool has_sign = std::is_signed_v<number_type>;
    if constexpr (Set == moment_set::absolute) l.x += magnitude(a);
    else if constexpr (sums_elements(Set)) l.x += a;
    if constexpr (Set == moment_set::joint) l.y += b;
    if constexpr (!sums_products(Set)) return;
    if constexpr (std::is_same_v<T, bool8>) {
      l.products += a & b;
    } else if constexpr (sizeof(T) == 1) {
      l.products += a * b;
    } else if constexpr (sizeof(T) <= 4) {
      using long_word = std::conditional_t<has_sign, std::int64_t, std::uint64_t>;
      l.products += static_cast<long_word>(a) * b;
    } else {
      const auto p = static_cast<std::conditional_t<has_sign, int128_t, uint128_t>>(a) * b;
      l.products.add(static_cast<std::uint64_t>(p), static_cast<int128_t>(p >> 64));
    }
  }

 private:
  // In 32 bits, or 64.
  template <class T>
  __device__ static auto number(T x) {
    if constexpr (std::is_same_v<T, bool8>) return static_cast<std::uint32_t>(number_of(x));
    else if constexpr (sizeof(T) == 8) return x;
    else return static_cast<std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>(x);
  }
  template <class Number>
  __device__ static auto magnitude(Number x) {
    using unsigned_type = std::make_unsigned_t<Number>;
    const auto bits = static_cast<unsigned_type>(x);
    if constexpr (std::is_unsigned_v<Number>) return bits;
    else return x < 0 ? unsigned_type{0} - bits : bits;
  }
};

/// See masked_rows.cuh: zeros change no sum, and elements are not counted one by one.
template <class C, moment_set Set>
requires(!floating_storage<C> && sizeof(C) <= 2 && !reads_two_arrays(Set) && Set != moment_set::description) __device__
    unsigned neutral_word(const moment_fold<C, Set>&) {
  return 0;
}

/// Four bytes at a time, by dot products with ones and with themselves.
template <class T, bool Magnitudes, class Lane>
__device__ void add_bytes(Lane& l, unsigned word) {
  constexpr unsigned ones = 0x01010101u;
  const auto sum = static_cast<unsigned>(l.x), products = static_cast<unsigned>(l.products);
  if constexpr (std::is_signed_v<T>) {
    const auto bytes = static_cast<int>(word);
    if constexpr (Magnitudes) l.x = static_cast<int>(__dp4a(__vabs4(word), ones, sum));
    else l.x = __dp4a(bytes, static_cast<int>(ones), l.x);
    l.products = __dp4a(bytes, bytes, l.products);
  } else {
    l.x = static_cast<int>(__dp4a(word, ones, sum));
    l.products = static_cast<int>(__dp4a(word, word, products));
  }
}

template <moment_set Set>
requires(!reads_two_arrays(Set) && Set != moment_set::description) __device__
    void absorb_vector(const moment_fold<any_byte, Set>& op, kernels::thread_value<moment_fold<any_byte, Set>>& into,
                       const kernels::vector_word& v, std::int64_t) {
  op.with_element([&]<class T>(T) {
#pragma unroll
    for (const unsigned word : v.words) {
      add_bytes<T, Set == moment_set::absolute>(into.current, std::is_same_v<T, bool8> ? __vsetne4(word, 0u) : word);
    }
  });
}

}  // namespace multifold::inline v0_1::cuda::moments
