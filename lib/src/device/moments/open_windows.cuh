// Windows that stay open for many steps of a warp, whose elements have to be within some binades of a magnitude that
// was chosen when they were opened: everything that threads read of ordinary data, at no cost but the sums'. See
// docs/exact-sums.md, 14.
#pragma once

#include "device/moments/gather.cuh"
#include "device/moments/step_range.cuh"

namespace multifold::cuda::moments {

template <int N>
__device__ bool all_products_are_zeros(const float (&a)[N], const float (&b)[N]) {
  bool all = true;
#pragma unroll
  for (int i = 0; i < N; ++i) all = all && (a[i] == 0 || b[i] == 0);
  return all;
}

/// `More` binades are those that elements of shorter significands than 24 bits may be farther apart. Elements are below
/// 2^(first+1), or those of the second array below 2^(second+1), and products below 2^(e+1), e = first + second + 1.
///
/// 128 steps of 16 products are 1024 a chain: S = 1.5 * 2^(e+13) stays in its binade, whose last place is 2^(e-39).
/// What it leaves is at most half of that, 1024 of them 2^(e-30): it goes to a second window, 1.5 * 2^(e-28), whose
/// last place is 2^(e-80), and what that leaves, 2^(e-70) in all, to a plain sum. Products of elements of exponents f
/// and g are multiples of 2^(f+g-46+2 More), so that
/// - S takes all of them from e - (f + g) <= 2 More - 7 on, which is true within More - 4 binades of 2^first;
/// - two windows do up to 34 + 2 More, which is true within 16 + More;
/// - and the plain sum is exact up to 77 + 2 More, which is true within 38 + More.
/// Elements have a window 1.5 * 2^(first+13), with last places of 2^(first-39): it takes those within 16 + More
/// binades, and a plain sum behind it any that are within 59 + More. Windows are flushed after so many steps in all
/// threads together, since a warp waits for each of its lanes.
template <moment_set Set, int More>
class open_windows {
  using at = moment_words<float, Set>;
  using sum_format = exact_traits<float>;
  using product_format = exact_product_traits<float>;
  static constexpr bool two = reads_two_arrays(Set), joint = Set == moment_set::joint, sums = sums_elements(Set);
  static constexpr int span_of_one = More - 4, span_of_two = 16 + More, span_of_three = 38 + More;

 public:
  static constexpr int most_steps = 128;

  __device__ open_windows() { clear(); }

  /// How many windows take the products of a thread's elements: up to three, or 0 where they cannot be added; one or
  /// two, if it is that, of all lanes of the warp. Windows are opened for the elements of all of them, if those are far
  /// from the ones of before, or above the windows: what is open is the same in all lanes, since each waits for the
  /// others' openings. All must call.
  template <int N>
  __device__ int open_for(gather<float, Set>& into, const magnitude_range& of_a, const magnitude_range& of_b,
                          const float (&x)[N], const float (&y)[N]) {
    if constexpr (span_of_one > 0) {
      if (__all_sync(kernels::whole_warp, fit<span_of_one>(of_a, of_b))) return 1;
    }
    if (__all_sync(kernels::whole_warp, fit<span_of_two>(of_a, of_b))) return 2;
    bool regular = is_regular(of_a);
    // Where all products are zeros, their signs may count.
    if constexpr (two) regular = regular && is_regular(of_b) && !all_products_are_zeros(x, y);
    open_anew(into, of_a, of_b, regular);
    return fit<span_of_three>(of_a, of_b) ? 3 : 0;
  }

  template <int Windows, int N>
  __device__ void add(const float (&x)[N], const float (&y)[N]) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const double u = x[i], v = y[i];
      const double next = fma(u, v, high[i % 2]);
      if constexpr (Windows > 1) {
        const double left = fma(u, v, high[i % 2] - next);
        if constexpr (Windows == 2) middle[i % 2] += left;
        else add_to(middle[i % 2], low, left);
      }
      high[i % 2] = next;
      if constexpr (sums) add_element<Windows>(a[i % 2], low_a, u);
      if constexpr (joint) add_element<Windows>(b[i % 2], low_b, v);
    }
  }

  /// Empties the windows. Nothing was ever added while they were not open.
  __device__ void flush(gather<float, Set>& into) {
    if (top_a == 0) return;
    into.add_finite(into.products, at::products, total_of(high, start), product_format{});
    into.template add_finite<1>(into.products, at::products, total_of(middle, second_start()), product_format{});
    if (low != 0) into.template add_finite<1>(into.products, at::products, low, product_format{});
    if constexpr (sums) flush_elements(into, into.x, at::x, a, start_of(top_a), low_a);
    if constexpr (joint) flush_elements(into, into.y, at::y, b, start_of(top_b), low_b);
    clear();
  }

 private:
  float top_a = 0, top_b = 0;  // above the elements of either array; 0 where nothing is open
  double start = 0;            // of the first window of products
  double high[2], middle[2], low, a[2], low_a, b[2], low_b;

  __device__ double second_start() const { return start * 0x1p-41; }
  __device__ static double start_of(float top) { return static_cast<double>(top) * 0x1.8p12; }
  __device__ static double total_of(const double (&window)[2], double start) {
    return (window[0] - start) + (window[1] - start);
  }
  __device__ static void add_to(double& window, double& below, double x) {
    const double next = window + x;
    below += x + (window - next);
    window = next;
  }
  template <int Windows>
  __device__ static void add_element(double& window, double& below, double x) {
    if constexpr (Windows == 3) add_to(window, below, x);
    else window += x;
  }
  __device__ static void flush_elements(gather<float, Set>& into, expansion<2>& sum, int place,
                                        const double (&window)[2], double start, double below) {
    into.add_finite(sum, place, total_of(window, start), sum_format{});
    if (below != 0) into.template add_finite<1>(sum, place, below, sum_format{});
  }

  // Without branches.
  template <int Span>
  __device__ bool fit(const magnitude_range& of_a, const magnitude_range& of_b) const {
    const auto is_within = [](const magnitude_range& of, float top) {
      constexpr float least = 0x1p-126f;  // no subnormal numbers
      const float bottom = scaled_down<Span + 1>(top);
      return (of.greatest < top) & ((of.least >= fmaxf(bottom, least)) | (!two & (of.greatest == 0)));
    };
    bool all = is_within(of_a, top_a);
    if constexpr (two) all = all & is_within(of_b, top_b);
    return all;
  }
  template <int Binades>
  __device__ static float scaled_down(float x) {
    return Binades > 40 ? x * (1.0f / static_cast<float>(1 << 20)) * (1.0f / static_cast<float>(1LL << (Binades - 20)))
                        : x * (1.0f / static_cast<float>(1LL << Binades));
  }
  __device__ static bool is_regular(const magnitude_range& of) {
    return __float_as_uint(of.greatest) - 1 < 0x7f7fffffu;  // not zero, and finite
  }
  // For the lanes whose elements are `regular`.
  __device__ void open_anew(gather<float, Set>& into, const magnitude_range& of_a, const magnitude_range& of_b,
                            bool regular) {
    const auto greatest_of_warp = [&](const magnitude_range& of) {
      return __reduce_max_sync(kernels::whole_warp, regular ? __float_as_uint(of.greatest) : 0u);
    };
    const unsigned greatest_a = greatest_of_warp(of_a), greatest_b = two ? greatest_of_warp(of_b) : greatest_a;
    const auto is_near = [](unsigned bits, float top) {
      const float greatest = __uint_as_float(bits);
      return greatest < top && greatest >= top * 0x1p-8f;
    };
    if (is_near(greatest_a, top_a) && (!two || is_near(greatest_b, top_b))) return;
    const auto exponent_of = [](unsigned bits) { return static_cast<int>(bits >> 23) - 127; };
    const int first = exponent_of(greatest_a), second = exponent_of(greatest_b);
    const auto fits = [](int e) { return e < 127 && e - span_of_two >= -126; };
    if (!fits(first) || !fits(second)) return;
    flush(into);
    const auto power = [](int e) { return __uint_as_float(static_cast<unsigned>(e + 127) << 23); };
    top_a = power(first + 1);
    top_b = power(second + 1);
    start = __hiloint2double((first + second + 1 + 13 + 1023) << 20 | 0x80000, 0);
    clear();
  }
  __device__ void clear() {
    high[0] = high[1] = start;
    middle[0] = middle[1] = second_start();
    a[0] = a[1] = start_of(top_a);
    b[0] = b[1] = start_of(top_b);
    low = low_a = low_b = 0;
  }
};

/// Where nothing stays open.
template <moment_set Set, int>
struct closed_windows {
  template <int, int N>
  __device__ void add(const float (&)[N], const float (&)[N]) {}
  template <int N>
  __device__ int open_for(gather<float, Set>&, const magnitude_range&, const magnitude_range&, const float (&)[N],
                          const float (&)[N]) {
    return 0;
  }
  __device__ void flush(gather<float, Set>&) {}
};

}  // namespace multifold::cuda::moments
