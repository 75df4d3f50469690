// What one thread gathers of a set of moments: expansions in registers, for numbers of a carrier type. What they cannot
// hold goes to words in shared memory, and if that is much, the whole batch is lost. See docs/exact-sums.md, 13.
#pragma once

#include "device/moments/words.cuh"

namespace multifold::cuda::moments {

__device__ inline std::uint32_t sum_of_lanes(std::uint32_t value, int width) {
  for (int mask = width / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(kernels::whole_warp, value, mask);
  return value;
}

/// The sum over the `width` lanes that share the upper bits of their numbers. All lanes of the warp must call.
template <int Parts>
__device__ void merge_lanes_of(expansion<Parts>& sum, int width) {
  for (int mask = width / 2; mask > 0; mask /= 2) sum.add(kernels::shuffle_xor(sum, mask));
}

/// The extremes over `width` neighbouring lanes. All lanes of the warp must call.
template <storage_type T>
__device__ void merge_extremes(description_marks<T>& marks, int width) {
  for (int mask = width / 2; mask > 0; mask /= 2) marks.merge_extremes(kernels::shuffle_xor(marks, mask));
}

/// The sums of a thread; its extremes, which seldom change, lie in memory. `floating_storage` and integers differ; both
/// have
///   add(x, y, index)    one element, or one of each array; y is x where there is one array
///   merge_lanes(width)  over neighbouring lanes; of floating point, lost() says whether that was possible
///   add_sums_to(words)  everything but the extremes, to words of the batch
template <class T, moment_set Set>
struct gather;

template <floating_storage T, moment_set Set>
struct gather<T, Set> {
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr int spill_cost = 8;  // in elements
  using at = moment_words<T, Set>;

  expansion<wide ? 3 : 2> x, y;
  expansion<wide ? 4 : 3> products;
  std::uint32_t zeros = 0;
  description_marks<T>* extremes;
  std::int64_t* words;
  nan_policy nan;
  int patience;

  gather() = default;
  /// `extremes` is null where there are none. The batch is lost when patience is at an end: it is counted in elements
  /// that go one by one.
  __device__ gather(std::int64_t* words, description_marks<T>* extremes, nan_policy nan, int patience)
      : extremes(extremes), words(words), nan(nan), patience(patience) {
    if constexpr (Set == moment_set::description) *extremes = {};
  }

  /// So many elements go one by one. To read products again is cheaper, sums alone are not worth it.
  __device__ void go_slowly(int elements) {
    if constexpr (sums_products(Set)) patience -= elements;
  }
  /// The rest does not count any more.
  __device__ bool gave_up() const { return patience < 0; }
  __device__ bool lost() const {
    return (sums_elements(Set) && x.lost()) || (Set == moment_set::joint && y.lost()) ||
           (sums_products(Set) && products.lost());
  }

  __device__ void add(T a, T b, std::int64_t index) {
    if constexpr (Set == moment_set::description) extremes->see(a, index, nan);
    if constexpr (Set == moment_set::absolute) a = b = fabs_of(a);
    const bool finite = a - a == 0 && b - b == 0;
    if (!finite || !products_are_exact(a, b)) return aside(a, b);
    if constexpr (Set == moment_set::description) zeros += a == 0;
    if constexpr (sums_elements(Set)) add_finite(x, at::x, to_double(a), exact_traits<T>{});
    if constexpr (Set == moment_set::joint) add_finite(y, at::y, to_double(b), exact_traits<T>{});
    if constexpr (sums_products(Set)) {
      const double u = to_double(a), v = to_double(b), p = u * v;
      add_finite(products, at::products, p, exact_product_traits<T>{});
      if constexpr (wide) add_finite<1>(products, at::products, fma(u, v, -p), exact_product_traits<T>{});
    }
  }

  /// Several elements but for their extremes and zeros. False if anything was lost: what is here is of no use then.
  template <int N>
  __device__ bool add_if_exact(const T (&a)[N], const T (&b)[N]) requires wide {
    bool exact = true;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const double u = Set == moment_set::absolute ? fabs(a[i]) : a[i];
      if constexpr (sums_elements(Set)) x.add(u);
      if constexpr (Set == moment_set::joint) y.add(b[i]);
      if constexpr (sums_products(Set)) {
        exact = exact && products_are_exact(a[i], b[i]);
        const double p = a[i] * b[i];
        products.add(p);
        products.template add<1>(fma(a[i], b[i], -p));
      }
    }
    return exact && !lost();
  }

  /// The same; if anything was lost, all goes one by one up to `here`, extremes and zeros, too, and it is false.
  template <int N, class Index>
  __device__ bool add_all(const T (&a)[N], const T (&b)[N], const Index& index, int here) requires wide {
    const gather before = copy();
    if (add_if_exact(a, b)) return true;
    take(before);
    add_singly(a, b, index, here);
    return false;
  }

  /// The same, one by one.
  template <int N, class Index>
  __device__ void add_singly(const T (&a)[N], const T (&b)[N], const Index& index, int here) {
    if (gave_up()) return;
    go_slowly(N);
    // Copies, so that what the loops around work with needs no address.
    elements<N> all;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      all.a[i] = a[i];
      if constexpr (reads_two_arrays(Set)) all.b[i] = b[i];
    }
    gather sums = copy();
    const Index of_elements = index;
    add_elements(sums, all, of_elements, min(here, N));
    take(sums);
  }

  /// A copy for what is out of line, and what it has become. Without what the set has no use for, which the compiler
  /// would keep.
  __device__ gather copy() const {
    gather to;
    to.take(*this);
    to.extremes = extremes;
    to.words = words;
    to.nan = nan;
    return to;
  }
  __device__ void take(const gather& from) {
    if constexpr (sums_elements(Set)) x = from.x;
    if constexpr (Set == moment_set::joint) y = from.y;
    if constexpr (sums_products(Set)) products = from.products;
    if constexpr (Set == moment_set::description) zeros = from.zeros;
    patience = from.patience;
  }

  /// Adds a sum of finite elements or products, which is finite, from part `First` of the expansion on: what is small
  /// beside its first part, and no zero whose sign counts, has no business there.
  template <int First = 0, int Parts, class Format>
  __device__ void add_finite(expansion<Parts>& sum, int place, double value, Format) {
    const expansion<Parts> before = sum;
    sum.template add<First>(value);
    if (!sum.lost()) return;
    if ((patience -= spill_cost) < 0) {
      sum = before;
      return;
    }
    sum = spill<Format>(words + place, before, value);
  }

  /// An element for the words.
  __device__ void aside(T a, T b) {
    if ((patience -= spill_cost) >= 0) add_slowly<T, Set>(words, a, b, nan);
  }

  __device__ void merge_lanes(int width) {
    if constexpr (sums_elements(Set)) merge_lanes_of(x, width);
    if constexpr (Set == moment_set::joint) merge_lanes_of(y, width);
    if constexpr (sums_products(Set)) merge_lanes_of(products, width);
    if constexpr (Set == moment_set::description) zeros = sum_of_lanes(zeros, width);
  }

  /// Adds everything but the extremes; nothing is lost.
  __device__ void add_sums_to(std::int64_t* to) const {
    if constexpr (sums_elements(Set)) add_expansion<exact_traits<T>>(to + at::x, x);
    if constexpr (Set == moment_set::joint) add_expansion<exact_traits<T>>(to + at::y, y);
    if constexpr (sums_products(Set)) add_expansion<exact_product_traits<T>>(to + at::products, products);
    if constexpr (Set == moment_set::description) add_word(to + at::zeros, zeros);
  }

 private:
  template <int N>
  struct elements {
    T a[N], b[reads_two_arrays(Set) ? N : 1];
  };
  // What seldom happens is out of line: inlined, it takes registers from the loops around.
  template <int N, class Index>
  __device__ static __noinline__ void add_elements(gather& into, const elements<N>& all, const Index& index,
                                                   int count) {
#pragma unroll 1
    for (int i = 0; i < count; ++i) into.add(all.a[i], reads_two_arrays(Set) ? all.b[i] : all.a[i], index(i));
  }
  // What is small beside the sum so far goes to the words by itself, else the sum so far does. Returns what stays.
  template <class Format, int Parts>
  __device__ static __noinline__ expansion<Parts> spill(std::int64_t* digit, expansion<Parts> sum, double value) {
    if (fabs(value) < fabs(sum.part[0])) {
      add_double<Format>(digit, value);
      return sum;
    }
    add_expansion<Format>(digit, sum);
    sum = {};
    sum.add(value);
    return sum;
  }
  __device__ static T fabs_of(T a) {
    if constexpr (wide) return fabs(a);
    else return fabsf(a);
  }
  // Products of binary64 in two parts: nothing may overflow, and no part of the smaller one may be lost.
  __device__ static bool products_are_exact(T a, T b) {
    if constexpr (!wide || !sums_products(Set)) return true;
    const double p = fabs(a * b);
    return (p > 0x1p-960 && p < 0x1p1000) || a == 0 || b == 0;
  }
};

/// Integers as 64 bits, with or without a sign.
template <moment_set Set>
struct gather<std::int64_t, Set> {
  using T = std::int64_t;
  using at = moment_words<T, Set>;

  int128_t x = 0, y = 0;
  product_total products;
  std::uint32_t zeros = 0;
  description_marks<T>* extremes;
  bool has_sign;

  __device__ gather(description_marks<T>* extremes, bool has_sign) : extremes(extremes), has_sign(has_sign) {
    if constexpr (Set == moment_set::description) *extremes = {};
  }

  __device__ void add(T a, T b, std::int64_t index) {
    if constexpr (Set == moment_set::description) {
      extremes->see(turned(a, has_sign), index, nan_policy::propagate);
      zeros += a == 0;
    }
    if (has_sign) add_sums(a, b);
    else add_sums(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
  }

  __device__ void merge_lanes(int width) {
    for (int mask = width / 2; mask > 0; mask /= 2) {
      if constexpr (sums_elements(Set)) x += kernels::shuffle_xor(x, mask);
      if constexpr (Set == moment_set::joint) y += kernels::shuffle_xor(y, mask);
      if constexpr (sums_products(Set)) {
        const product_total other = kernels::shuffle_xor(products, mask);
        products.add(other.low, other.high);
      }
    }
    if constexpr (Set == moment_set::description) zeros = sum_of_lanes(zeros, width);
  }

  __device__ void add_sums_to(std::int64_t* to) const {
    if constexpr (sums_elements(Set)) put(to + at::x, x);
    if constexpr (Set == moment_set::joint) put(to + at::y, y);
    if constexpr (sums_products(Set)) {
      add_word(to + at::products, static_cast<std::int64_t>(products.low & 0xffffffffu));
      add_word(to + at::products + 1, static_cast<std::int64_t>(products.low >> 32));
      put(to + at::products + 2, products.high);
    }
    if constexpr (Set == moment_set::description) add_word(to + at::zeros, zeros);
    // No integer is -0.
    if constexpr (sums_elements(Set)) add_word(to + at::x + at::sum_digits + at::not_negative_zero, 1);
    if constexpr (Set == moment_set::joint) add_word(to + at::y + at::sum_digits + at::not_negative_zero, 1);
    if constexpr (sums_products(Set)) add_word(to + at::products + at::product_digits + at::not_negative_zero, 1);
  }

 private:
  template <class Integer>
  __device__ void add_sums(Integer a, Integer b) {
    if constexpr (Set == moment_set::absolute) x += multifold::detail::magnitude_of(a);
    else if constexpr (sums_elements(Set)) x += a;
    if constexpr (Set == moment_set::joint) y += b;
    if constexpr (sums_products(Set)) {
      using exact = std::conditional_t<std::is_signed_v<Integer>, int128_t, uint128_t>;
      const exact p = static_cast<exact>(a) * static_cast<exact>(b);
      products.add(static_cast<std::uint64_t>(p), static_cast<int128_t>(p >> 64));
    }
  }
  __device__ static void put(std::int64_t* digit, int128_t value) {
    for (int i = 0; i < 3; ++i) {
      add_word(digit + i, static_cast<std::int64_t>(static_cast<std::uint64_t>(value) & 0xffffffffu));
      value >>= 32;
    }
    add_word(digit + 3, static_cast<std::int64_t>(value));
  }
};

/// What the lanes of a warp have gathered, added to words. All lanes must call; a __syncwarp() has to follow.
template <storage_type T, moment_set Set>
__device__ void settle(const gather<T, Set>& mine, std::int64_t* words) {
  gather<T, Set> merged = mine;
  merged.merge_lanes(32);
  const bool lost = __any_sync(kernels::whole_warp, merged.lost());
  if (lost) mine.add_sums_to(words);
  else if (threadIdx.x % 32 == 0) merged.add_sums_to(words);
}

}  // namespace multifold::cuda::moments
