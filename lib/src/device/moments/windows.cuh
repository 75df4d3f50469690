// Steps of a few binary32 numbers in two windows of binary64: an exact sum of products in four operations a product.
//
// Adding a product p to S = 1.5 * 2^w rounds it to a multiple of S's last place; what that leaves, l = p - (S' - S), is
// exact, and goes to a sum of its own. For N <= 16 products below 2^(e+1) and w = e + 7, S stays in its binade: its
// last place is 2^(e-45), so |l| <= 2^(e-46) and sums of l stay below 2^(e-42). The product of two binary32 numbers of
// exponents f and g is a multiple of 2^(f+g-46), so that sum is exact if e - (f + g) <= 49 for all that are not zero:
// e is the sum of the greatest exponents and 1, so those of both factors may differ by 48 binades together, and here by
// 46. Elements of a step differ by 23 binades at most, and their plain sum has 24 + 23 + 4 bits: exact as well.
// The same, step by step: docs/exact-sums.md, 14.
// Sources: windows are those of Demmel and Nguyen (reproducible summation, 2013), and Zhu and Hayes (2010).
#pragma once

#include "device/moments/windows/open_windows.cuh"
#include "device/moments/windows/step_extremes.cuh"
#include "device/moments/windows/wide_step.cuh"

namespace multifold::cuda::moments {

struct window_sum {
  double high, low;
};

/// The exact sum of N products a b, the greatest of which is below 2^(exponent+1), as the sum of two numbers.
template <int N>
__device__ window_sum add_windows(const float (&a)[N], const float (&b)[N], int exponent) {
  static_assert(N <= 16);
  // Two chains of additions, because each waits for the one before.
  const double start = __hiloint2double((exponent + 1023 + 7) << 20 | 0x80000, 0);
  double high[2] = {start, start}, low[2] = {0, 0};
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const double x = a[i], y = b[i];
    const double next = fma(x, y, high[i % 2]);
    low[i % 2] += fma(x, y, high[i % 2] - next);
    high[i % 2] = next;
  }
  return {(high[0] - start) + (high[1] - start), low[0] + low[1]};
}

/// What a thread keeps beside its sums while it reads numbers of so many significant bits.
template <class T, moment_set Set, template <class, moment_set, int> class Windows, int Bits>
struct step_state {
  static constexpr int bits = Bits;
  using windows_type = Windows<T, Set, Bits>;
  static constexpr bool stays_open = std::is_same_v<windows_type, open_windows<T, Set, Bits>>;
  windows_type windows;
  std::conditional_t<Set == moment_set::description, step_extremes<T>, multifold::detail::nothing<0>> extremes;
};

/// What is known of a step's elements, of both arrays.
template <class T, moment_set Set>
struct step_ranges {
  step_range<T, Set> of_a, of_b;
};

/// What open windows have no place for, of significands of so many bits: in windows of its own, two or three, or one by
/// one. Whether it went in together; from `here` on, elements are zeros that change no sum.
template <class State, int N, moment_set Set, class Index>
__device__ __forceinline__ bool add_apart(gather<float, Set>& into, const step_ranges<float, Set>& ranges,
                                          const float (&a)[N], const float (&b)[N], const Index& index, int here) {
  using at = moment_words<float, Set>;
  constexpr int more = 24 - State::bits;
  constexpr unsigned span = 23 + more, wide = wide_span + more;  // of a step, in binades
  const auto &of_a = ranges.of_a, &of_b = ranges.of_b;
  if (of_a.within(span) && (!reads_two_arrays(Set) || of_b.within(span))) {
    if constexpr (sums_products(Set)) {
      // Where all products are zeros, their signs may count.
      bool zeros = of_a.greatest == 0 || (reads_two_arrays(Set) && of_b.greatest == 0);
      window_sum sum{};
      if (!zeros) {
        const int exponent = of_a.exponent() + (reads_two_arrays(Set) ? of_b.exponent() : of_a.exponent()) + 1;
        sum = add_windows(a, b, exponent);
        if constexpr (reads_two_arrays(Set)) zeros = sum.high == 0 && sum.low == 0 && all_products_are_zeros(a, b);
      }
      if (!zeros) {
        into.add_finite(into.products, at::products, sum.high, exact_product_traits<float>{});
        into.template add_finite<1>(into.products, at::products, sum.low, exact_product_traits<float>{});
      } else {
#pragma unroll
        for (int i = 0; i < N; ++i) into.products.part[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      }
    }
    const auto plain_sum = [](const float(&v)[N]) {
      double sum[4] = {-0.0, -0.0, -0.0, -0.0};
#pragma unroll
      for (int i = 0; i < N; ++i) sum[i % 4] += static_cast<double>(Set == moment_set::absolute ? fabsf(v[i]) : v[i]);
      return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    };
    if constexpr (sums_elements(Set)) into.add_finite(into.x, at::x, plain_sum(a), exact_traits<float>{});
    if constexpr (Set == moment_set::joint) into.add_finite(into.y, at::y, plain_sum(b), exact_traits<float>{});
  } else if (of_a.within(wide) && (!reads_two_arrays(Set) || of_b.within(wide))) {
    into.go_slowly(N / 2);  // half as slow as one by one
    step_elements<Set, N> all;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      all.a[i] = Set == moment_set::absolute ? fabsf(a[i]) : a[i];
      if constexpr (reads_two_arrays(Set)) all.b[i] = b[i];
    }
    all.exponent_a = of_a.exponent();
    all.exponent_b = of_b.exponent();
    gather<float, Set> sums = into.copy();
    add_widely(sums, all);
    into.take(sums);
  } else {
    into.add_singly(a, b, index, here);
    return false;
  }
  return true;
}

template <int N, moment_set Set, class Index>
__device__ __noinline__ bool add_all_out_of_line(gather<double, Set>& into, const double (&a)[N], const double (&b)[N],
                                                 const Index& index, int here) {
  gather<double, Set> sums = into.copy();
  const bool together = sums.add_if_exact(a, b);
  if (together) into.take(sums);
  else into.add_singly(a, b, index, here);
  return together;
}

/// The same of binary64, into expansions, which lie in memory if windows take the registers.
template <class State, int N, moment_set Set, class Index>
__device__ __forceinline__ bool add_apart(gather<double, Set>& into, const step_ranges<double, Set>&,
                                          const double (&a)[N], const double (&b)[N], const Index& index, int here) {
  if constexpr (!State::stays_open) {
    return into.add_all(a, b, index, here);
  } else {
    // Copies, so that what the loops around work with needs no address.
    double x[N], y[N];
#pragma unroll
    for (int i = 0; i < N; ++i) {
      x[i] = a[i];
      if constexpr (reads_two_arrays(Set)) y[i] = b[i];
    }
    const Index of_elements = index;
    return add_all_out_of_line(into, x, reads_two_arrays(Set) ? y : x, of_elements, here);
  }
}

/// N elements of one array, or pairs of two, into a thread's sums: into open windows, or apart. `index(i)` is that of
/// the i-th; from `here` on they are zeros that change no sum, -0 where there is one array. All lanes of the warp must
/// call.
template <int N, class T, moment_set Set, class State, class Index>
__device__ __forceinline__ void add_step(gather<T, Set>& into, State& state, const step_ranges<T, Set>& ranges,
                                         const T (&a)[N], const T (&b)[N], const Index& index, int here) {
  const int way = state.windows.open_for(into, ranges.of_a, ranges.of_b, a, b);
  bool together = true;
  if (!state.windows.add(way, a, b)) together = add_apart<State>(into, ranges, a, b, index, here);
  if constexpr (Set == moment_set::description) {
    state.extremes.see(into, a, ranges.of_a, index, together ? max(here, 0) : -1);
  }
}

}  // namespace multifold::cuda::moments
