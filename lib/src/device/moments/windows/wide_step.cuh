// Steps of a few binary32 numbers that are too far apart for two windows: three for products, two for elements, opened
// for the step and closed behind it. Out of line, since ordinary data have no use for it.
//
// The products of N <= 16 pairs are below 2^(e+1), where e is the sum of the greatest exponents and 1, and multiples of
// 2^(f+g-46). Where the elements of each array are at most 47 binades apart, that is 2^(e-141) or more, and windows of
// 16 products take three up to e - 144. Elements below 2^(e+1) are multiples of 2^(e-70), and two take them up to
// e - 96. Shorter significands have as many bits less at the lower end as `More` binades add, of products twice.
#pragma once

#include "device/moments/gather.cuh"
#include "multifold/exact/windows.hpp"

namespace multifold::cuda::moments {

inline constexpr int wide_span = 47;

template <moment_set Set, int N>
struct step_elements {
  float a[N], b[reads_two_arrays(Set) ? N : 1];
  int exponent_a, exponent_b;  // of the greatest magnitudes; of no matter if all are zero
};

/// The sum of elements below 2^(exponent+1) to an expansion of `into`.
template <moment_set Set, int N>
__device__ void add_elements_widely(gather<float, Set>& into, expansion<2>& sum, int place, const float (&values)[N],
                                    int exponent) {
  constexpr window_layout zero{1, -70, 4};
  static_assert(N <= 16 && zero.two_are_enough(-70));
  double zeros = -0.0;
  bool any = false;
#pragma unroll 1
  for (int i = 0; i < N; ++i) {
    any = any || values[i] != 0;
    zeros += static_cast<double>(values[i]);
  }
  if (!any) return into.add_finite(sum, place, zeros, exact_traits<float>{});
  const window_layout layout{exponent + 1, exponent - 70, 4};
  window_sums<2> windows(layout);
#pragma unroll 1
  for (int i = 0; i < N; ++i) windows.add(static_cast<double>(values[i]));
  windows.close(layout);
  into.add_finite(sum, place, windows.sum[0], exact_traits<float>{});
  into.template add_finite<1>(sum, place, windows.sum[1], exact_traits<float>{});
}

/// The same of products of pairs below 2^(exponent+1).
template <moment_set Set, int N>
__device__ void add_products_widely(gather<float, Set>& into, const float (&a)[N], const float* b, int exponent) {
  using at = moment_words<float, Set>;
  constexpr window_layout zero{1, -141, 4};
  static_assert(N <= 16 && zero.reach(-141) <= zero.most_reach(3));
  double zeros = -0.0;
  bool any = false;
#pragma unroll 1
  for (int i = 0; i < N; ++i) {
    any = any || (a[i] != 0 && b[i] != 0);
    zeros += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  if (!any) return into.add_finite(into.products, at::products, zeros, exact_product_traits<float>{});
  const window_layout layout{exponent + 1, exponent - 141, 4};
  window_sums<3> windows(layout);
#pragma unroll 1
  for (int i = 0; i < N; ++i) windows.add_product(a[i], b[i]);
  windows.close(layout);
  into.add_finite(into.products, at::products, windows.sum[0], exact_product_traits<float>{});
  into.template add_finite<1>(into.products, at::products, windows.sum[1], exact_product_traits<float>{});
  into.template add_finite<1>(into.products, at::products, windows.sum[2], exact_product_traits<float>{});
}

/// Everything but the extremes, of elements within wide_span + More binades of their greatest one.
template <moment_set Set, int N>
__device__ __noinline__ void add_widely(gather<float, Set>& into, const step_elements<Set, N>& all) {
  using at = moment_words<float, Set>;
  if constexpr (sums_elements(Set)) add_elements_widely(into, into.x, at::x, all.a, all.exponent_a);
  if constexpr (Set == moment_set::joint) add_elements_widely(into, into.y, at::y, all.b, all.exponent_b);
  if constexpr (sums_products(Set)) {
    const float* const b = reads_two_arrays(Set) ? all.b : all.a;
    add_products_widely(into, all.a, b, all.exponent_a + (reads_two_arrays(Set) ? all.exponent_b : all.exponent_a) + 1);
  }
}

}  // namespace multifold::cuda::moments
