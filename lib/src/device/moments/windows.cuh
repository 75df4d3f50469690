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

#include "device/moments/gather.cuh"
#include "device/moments/step_extremes.cuh"
#include "device/moments/wide_step.cuh"

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

/// Windows that stay open for many steps, whose elements have to be within 17 binades of a magnitude that was chosen
/// when they were opened: everything a thread reads of ordinary data, at no cost but the sums'.
///
/// `More` binades are those that elements of shorter significands than 24 bits may be farther apart.
///
/// 128 steps of 16 products are 1024 a chain, below 2^(e+1) each: S = 1.5 * 2^(e+13) stays in its binade, and the sums
/// of what it leaves stay below 2^(e-29), multiples of 2^(f+g-46) with e - (f + g) <= 35. Plain sums of 2^11 elements
/// have 24 + 17 + 11 bits. They are flushed after so many steps in all threads together, since a warp waits for each of
/// its lanes.
///
/// The last place of S is 2^(e-39). Products of `24 - More` bits are multiples of 2^(f+g-46+2 More), so that of
/// elements within More - 4 binades of the greatest that may be, S takes all, and leaves nothing.
enum class window_fit { none, in_two, in_one };
template <moment_set Set, int More>
struct open_windows {
  static constexpr int most_steps = 128;
  static constexpr bool two = reads_two_arrays(Set);
  static constexpr int span = 17 + More, span_of_one = More - 4;
  float top_a = 0, bottom_a = 0, top_b = 0, bottom_b = 0;
  double start = 0, high[2], low[2], a[2], b[2];

  __device__ open_windows() { clear(); }

  template <bool InOne, int N>
  __device__ void add(const float (&x)[N], const float (&y)[N]) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const double u = x[i], v = y[i];
      const double next = fma(u, v, high[i % 2]);
      if constexpr (!InOne) low[i % 2] += fma(u, v, high[i % 2] - next);
      high[i % 2] = next;
      if constexpr (sums_elements(Set)) a[i % 2] += u;
      if constexpr (Set == moment_set::joint) b[i % 2] += v;
    }
  }

  /// How elements like these are added; `in_one` is said to all of a warp's lanes. Opens for those of all of them, if
  /// they are far from those of before, or above the windows: what is open is the same in all lanes, since each waits
  /// for the others' openings. All must call.
  __device__ window_fit open_for(gather<float, Set>& into, const magnitude_range& of_a, const magnitude_range& of_b) {
    if constexpr (span_of_one > 0) {
      bool high = (of_a.greatest < top_a) & (of_a.least >= middle_a());
      if constexpr (two) high = high & (of_b.greatest < top_b) & (of_b.least >= middle_b());
      if (__all_sync(kernels::whole_warp, high)) return window_fit::in_one;
    }
    bool taken = takes(of_a, of_b);
    if (!__all_sync(kernels::whole_warp, taken) && open_anew(into, of_a, of_b)) taken = takes(of_a, of_b);
    return taken ? window_fit::in_two : window_fit::none;
  }

  /// Empties the windows. Nothing was ever added while they were not open, or all of it was zeros.
  __device__ void flush(gather<float, Set>& into) {
    using at = moment_words<float, Set>;
    if (top_a == 0) return;
    into.add_finite(into.products, at::products, (high[0] - start) + (high[1] - start), exact_product_traits<float>{});
    into.template add_finite<1>(into.products, at::products, low[0] + low[1], exact_product_traits<float>{});
    if constexpr (sums_elements(Set)) into.add_finite(into.x, at::x, a[0] + a[1], exact_traits<float>{});
    if constexpr (Set == moment_set::joint) into.add_finite(into.y, at::y, b[0] + b[1], exact_traits<float>{});
    clear();
  }

 private:
  static constexpr float to_middle = 1.0f / static_cast<float>(1 << (span_of_one > 0 ? span_of_one + 1 : 0));
  // The least that one window takes.
  __device__ float middle_a() const { return top_a * to_middle; }
  __device__ float middle_b() const { return top_b * to_middle; }
  __device__ bool takes(const magnitude_range& of_a, const magnitude_range& of_b) const {
    // Without branches.
    bool all = (of_a.greatest < top_a) & ((of_a.least >= bottom_a) | (!two & (of_a.greatest == 0)));
    if constexpr (two) all = all & (of_b.greatest < top_b) & (of_b.least >= bottom_b);
    return all;
  }
  __device__ bool open_anew(gather<float, Set>& into, const magnitude_range& of_a, const magnitude_range& of_b) {
    // Zeros and specials have no say.
    const auto counts = [](const magnitude_range& of) { return __float_as_uint(of.greatest) - 1 < 0x7f7fffffu; };
    const bool regular = counts(of_a) && (!two || counts(of_b));
    const auto greatest_of_warp = [&](const magnitude_range& of) {
      return __reduce_max_sync(kernels::whole_warp, regular ? __float_as_uint(of.greatest) : 0u);
    };
    const unsigned greatest_a = greatest_of_warp(of_a), greatest_b = two ? greatest_of_warp(of_b) : greatest_a;
    const auto is_near = [](unsigned bits, float top) {
      const float greatest = __uint_as_float(bits);
      return greatest < top && greatest >= top * 0x1p-8f;
    };
    if (is_near(greatest_a, top_a) && (!two || is_near(greatest_b, top_b))) return false;
    const auto exponent_of = [](unsigned bits) { return static_cast<int>(bits >> 23) - 127; };
    const auto power = [](int e) { return __uint_as_float(static_cast<unsigned>(e + 127) << 23); };
    const int first = exponent_of(greatest_a), second = exponent_of(greatest_b);
    const auto fits = [](int e) { return e < 127 && e - span >= -126; };
    if (!fits(first) || !fits(second)) return false;
    flush(into);
    top_a = power(first + 1);
    bottom_a = power(first - span);
    top_b = power(second + 1);
    bottom_b = power(second - span);
    start = __hiloint2double((first + second + 1 + 13 + 1023) << 20 | 0x80000, 0);
    clear();
    return true;
  }
  __device__ void clear() {
    high[0] = high[1] = start;
    low[0] = low[1] = 0;
    a[0] = a[1] = b[0] = b[1] = -0.0;
  }
};

/// Where nothing stays open.
template <moment_set Set, int>
struct closed_windows {
  template <bool, int N>
  __device__ void add(const float (&)[N], const float (&)[N]) {}
  __device__ window_fit open_for(gather<float, Set>&, const magnitude_range&, const magnitude_range&) {
    return window_fit::none;
  }
  __device__ void flush(gather<float, Set>&) {}
};

/// What a thread keeps beside its sums while it reads numbers of so many significant bits.
template <moment_set Set, template <moment_set, int> class Windows, int Bits>
struct step_state {
  static constexpr int more = 24 - Bits;
  static constexpr unsigned span = 23 + more, wide = wide_span + more;  // of a step, in binades
  Windows<Set, more> windows;
  using extremes_type = std::conditional_t<(Bits > 24), wide_step_extremes, step_extremes>;
  std::conditional_t<Set == moment_set::description, extremes_type, multifold::detail::nothing<0>> extremes;
};

/// What is known of a step's elements, of both arrays.
template <moment_set Set>
struct step_ranges {
  step_range<Set> of_a, of_b;
};

template <int N>
__device__ bool all_products_are_zeros(const float (&a)[N], const float (&b)[N]) {
  bool all = true;
#pragma unroll
  for (int i = 0; i < N; ++i) all = all && (a[i] == 0 || b[i] == 0);
  return all;
}

/// N elements of one array, or pairs of two, into a thread's sums: into open windows, into windows of their own, two
/// or three, or one by one. `index(i)` is that of the i-th; from `here` on they are zeros that change no sum, -0 where
/// there is one array. All lanes of the warp must call.
template <int N, moment_set Set, class State, class Index>
__device__ __forceinline__ void add_step(gather<float, Set>& into, State& state, const step_ranges<Set>& ranges,
                                         const float (&a)[N], const float (&b)[N], const Index& index, int here) {
  using at = moment_words<float, Set>;
  const auto &of_a = ranges.of_a, &of_b = ranges.of_b;
  [[maybe_unused]] bool singly = false;
  const window_fit fit = state.windows.open_for(into, of_a, of_b);
  if (fit == window_fit::in_one) {
    state.windows.template add<true>(a, b);
  } else if (fit == window_fit::in_two) {
    state.windows.template add<false>(a, b);
  } else if (of_a.within(State::span) && (!reads_two_arrays(Set) || of_b.within(State::span))) {
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
  } else if (of_a.within(State::wide) && (!reads_two_arrays(Set) || of_b.within(State::wide))) {
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
    singly = true;
  }
  if constexpr (Set == moment_set::description) state.extremes.see(into, a, of_a, index, singly ? -1 : max(here, 0));
}

/// The same of binary64, into expansions.
template <int N, moment_set Set, class State, class Index>
__device__ __forceinline__ void add_step(gather<double, Set>& into, State& state, const double (&a)[N],
                                         const double (&b)[N], const Index& index, int here) {
  const bool together = into.add_all(a, b, index, here);
  if constexpr (Set == moment_set::description) state.extremes.see(into, a, index, together ? max(here, 0) : -1);
}

}  // namespace multifold::cuda::moments
