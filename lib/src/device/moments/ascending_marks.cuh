// Zeros and extremes of a lane's elements whose numbers ascend, of floating point up to 4 bytes: a few elements are
// compared with each other, and then with all before. Where an extreme stands among those few is looked up in the end.
#pragma once

#include <climits>

#include "device/exact/run_sums.cuh"
#include "device/moments/tiles/fold.cuh"

namespace multifold::inline v0_1::cuda::moments {

/// The few elements that have an extreme of 4 bytes.
template <floating_storage T>
struct marked_words {
  static constexpr unsigned infinity = 0x7f800000u;
  float least = bit_copy<float>(infinity), greatest = -least;
  unsigned magnitude = ~0u;  // the least one, less one; zeros have none

  /// Whether the extremes are others now.
  template <int K>
  __device__ void see(const T (&x)[K], bool& less, bool& more, int& zeros) {
    float low = x[0], high = x[0];
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (k > 0) low = less_or_nan(low, x[k]), high = greater_or_nan(high, x[k]);
      const unsigned below = (__float_as_uint(x[k]) & ~(1u << 31)) - 1;
      magnitude = min(magnitude, below);
      zeros += static_cast<int>(below >> 31);
    }
    low = less_or_nan(least, low);
    high = greater_or_nan(greatest, high);
    less = __float_as_uint(low) != __float_as_uint(least);
    more = __float_as_uint(high) != __float_as_uint(greatest);
    least = low;
    greatest = high;
  }
  __device__ T least_element() const { return least; }
  __device__ T greatest_element() const { return greatest; }
  __device__ unsigned least_exponent() const { return (magnitude + 1) >> 23; }
};

/// The same of 2 bytes, two at a time.
template <floating_storage T>
requires(sizeof(T) == 2) struct marked_words<T> {
  static constexpr unsigned infinity = is_bf16<T> ? 0x7f80u : 0x7c00u, signs = 0x80008000u;
  unsigned least = infinity * 0x10001u, greatest = least | signs;  // in both halves
  unsigned magnitude = ~0u;                                        // the least ones of either half but zeros, of bf16

  template <int K>
  __device__ void see(const T (&x)[K], bool& less, bool& more, int& zeros) {
    constexpr int pairs = K > 1 ? K / 2 : 1;
    unsigned pair[pairs];
#pragma unroll
    for (int i = 0; i < pairs; ++i) {
      pair[i] = pair_of(x[K > 1 ? 2 * i : 0], x[K > 1 ? 2 * i + 1 : 0]);
      const unsigned zero = zeros_of_pair(pair[i]);
      if constexpr (K > 1) zeros += count_of_halves(zero);
      else zeros += static_cast<int>(zero & 1u);
      if constexpr (is_bf16<T>) magnitude = __vminu2(magnitude, (pair[i] & ~signs) | zero);
    }
    const auto halves = [](unsigned p) { return __byte_perm(p, 0, 0x1032); };
    unsigned low = over_all(pair, less_or_nan_of_pairs<T>), high = over_all(pair, greater_or_nan_of_pairs<T>);
    if constexpr (K > 1)
      low = less_or_nan_of_pairs<T>(low, halves(low)), high = greater_or_nan_of_pairs<T>(high, halves(high));
    low = less_or_nan_of_pairs<T>(least, low);
    high = greater_or_nan_of_pairs<T>(greatest, high);
    less = low != least;
    more = high != greatest;
    least = low;
    greatest = high;
  }
  __device__ T least_element() const { return element_of(least); }
  __device__ T greatest_element() const { return element_of(greatest); }
  __device__ unsigned least_exponent() const { return min(magnitude & 0xffffu, magnitude >> 16) >> 7; }

 private:
  __device__ static T element_of(unsigned pair) { return bit_copy<T>(static_cast<std::uint16_t>(pair)); }
};

template <floating_storage T>
struct ascending_marks {
  static constexpr int none = INT_MAX;
  marked_words<T> words;
  int least_at = none, greatest_at = none;  // the first number of the few elements that have it
  int zeros = 0;

  template <int K, class Numbers>
  __device__ void see(const T (&x)[K], const Numbers& number) {
    bool less, more;
    words.see(x, less, more, zeros);
    least_at = less ? number[0] : least_at;
    greatest_at = more ? number[0] : greatest_at;
  }

  /// Of the elements' magnitudes, as a first look at them has it.
  __device__ exponent_range<T> range() const requires(!std::is_same_v<T, f16>) {
    using range_type = exponent_range<T>;
    range_type of;
    if (least_at == none && greatest_at == none) return of;
    const float top = greater_or_nan(fabsf(kernels::looked_at(words.least_element())),
                                     fabsf(kernels::looked_at(words.greatest_element())));
    if (top == 0) return of;
    of.fields = __float_as_uint(top) >> 23 << 16 | (range_type::limit - max(words.least_exponent(), 1u));
    return of;
  }

  /// Everything, of a run whose elements these were. It means nothing if one of them was not finite.
  template <class Run>
  __device__ run_marks<T> marks(const Run& run) const {
    run_marks<T> all;
    all.zeros = zeros;
    if (least_at != none) all.see_least(words.least_element(), number_of(run, least_at, words.least_element()));
    if (greatest_at != none)
      all.see_greatest(words.greatest_element(), number_of(run, greatest_at, words.greatest_element()));
    return all;
  }
  /// The same, to those of other tiles: most runs have no new extreme.
  template <class Run>
  __device__ void merge_into(multifold::detail::partial_marks& into, const Run& run) const {
    multifold::detail::partial_marks found;
    found.zeros = zeros;
    const T low = words.least_element(), high = words.greatest_element();
    const std::int64_t least = run_marks<T>::carrier_key_of(low), greatest = run_marks<T>::carrier_key_of(high);
    if (least_at != none && least <= into.least) {
      found.least = least;
      found.least_at = run.place.index[number_of(run, least_at, low)];
    }
    if (greatest_at != none && greatest >= into.greatest) {
      found.greatest = greatest;
      found.greatest_at = run.place.index[number_of(run, greatest_at, high)];
    }
    into.merge(found);
  }

 private:
  // The number of the first element like `x` from number `at` on, among those that were seen together.
  template <class Run>
  __device__ static int number_of(const Run& run, int at, T x) {
    constexpr int most_together = 8;
    using bits = key_of<T>;
    const int step = run.rows() >= run.vector_rows ? 1 : run.group;
#pragma unroll 1
    for (int k = 0, number = at; k < most_together && number < run.rows(); ++k, number += step) {
      const T each = *reinterpret_cast<const T*>(run.place.first[0] + number * run.stride);
      if (bit_copy<bits>(each) == bit_copy<bits>(x)) return number;
    }
    return at;
  }
};

/// Calls f(marks) with what takes the marks of the elements that tile_run::each says: where a lane has about so many or
/// more, that may be what is dearer for a run than run_marks are, and cheaper for an element.
template <floating_storage T, class Run, class F>
__device__ __forceinline__ void with_marks(const Run& run, int least_of_lane, const F& f) {
  if constexpr (sizeof(T) <= 4) {
    if (!run.turned && run.place.most_rows >= least_of_lane * run.group) {
      ascending_marks<T> marks;
      return f(marks);
    }
  }
  run_marks<T> marks;
  f(marks);
}
template <floating_storage T, class Run>
__device__ const run_marks<T>& marks_of(const run_marks<T>& marks, const Run&) {
  return marks;
}
template <floating_storage T, class Run>
__device__ run_marks<T> marks_of(const ascending_marks<T>& marks, const Run& run) {
  return marks.marks(run);
}
template <floating_storage T, class Run>
__device__ void merge_marks(multifold::detail::partial_marks& into, const run_marks<T>& marks, const Run& run) {
  into.merge(marks.marks(run.place.index));
}
template <floating_storage T, class Run>
__device__ void merge_marks(multifold::detail::partial_marks& into, const ascending_marks<T>& marks, const Run& run) {
  marks.merge_into(into, run);
}

}  // namespace multifold::inline v0_1::cuda::moments
