// Windows that stay open for many steps of a warp, whose elements have to be within some binades of a magnitude that
// was chosen when they were opened: everything that threads read of ordinary data, at no cost but the sums'. Their
// arithmetic: exact/open_windows.hpp.
#pragma once

#include "device/moments/gather.cuh"
#include "device/moments/windows/step_range.cuh"
#include "multifold/exact/open_windows.hpp"

namespace multifold::cuda::moments {

template <class T, int N>
__device__ bool all_products_are_zeros(const T (&a)[N], const T (&b)[N]) {
  bool all = true;
#pragma unroll
  for (int i = 0; i < N; ++i) all = all && (a[i] == 0 || b[i] == 0);
  return all;
}

/// Windows for elements of so many significant bits, flushed after so many steps in all threads together, since a warp
/// waits for each of its lanes. Once they are open, some product of the row is not zero: what they forget, the signs of
/// zeros, does not count any more.
template <class T, moment_set Set, int Bits>
class open_windows {
  using at = moment_words<T, Set>;
  using products_type = product_windows<T, Bits>;
  using elements_type = element_windows<products_type::chains>;
  static constexpr bool two = reads_two_arrays(Set), joint = Set == moment_set::joint, sums = sums_elements(Set);
  static constexpr int ways = products_type::ways, chains = products_type::chains;
  using range = magnitude_range<T>;
  using words = magnitude_words<T>;

 public:
  static constexpr int most_elements = products_type::most;  // from flush to flush

  __device__ open_windows() { clear(); }

  /// The way in which windows take the products of a thread's elements, or 0 where they cannot be added; the same in
  /// all lanes of the warp unless it is the last way or 0 of binary32. Windows are opened for the elements of all of
  /// them, if those are far from the ones of before, or above the windows: what is open is the same in all lanes, since
  /// each waits for the others' openings. All must call.
  template <int N>
  __device__ int open_for(gather<T, Set>& into, const range& of_a, const range& of_b, const T (&x)[N],
                          const T (&y)[N]) {
    const int way = way_of_warp(of_a, of_b);
    if (way != 0) return way;
    bool regular = words::is_regular(of_a.greatest_word());
    // Where all products are zeros, their signs may count.
    if constexpr (two) regular = regular && words::is_regular(of_b.greatest_word()) && !all_products_are_zeros(x, y);
    open_anew(into, of_a, of_b, regular);
    const bool fits = fit<ways>(of_a, of_b);
    // What binary64 numbers do not fit goes through takes as long for a lane as for all of them.
    if constexpr (sizeof(T) == 8) return __all_sync(kernels::whole_warp, fits) ? ways : 0;
    else return fits ? ways : 0;
  }

  /// False if they cannot be added.
  template <int Way = 1, int N>
  __device__ bool add(int way, const T (&x)[N], const T (&y)[N]) {
    if (way == Way) {
      add_in<Way>(x, y);
      return true;
    }
    if constexpr (Way < ways) return add<Way + 1>(way, x, y);
    else return false;
  }

  /// Empties the windows. Nothing was ever added while they were not open.
  __device__ void flush(gather<T, Set>& into) {
    if (top_a == 0) return;
    totals all;
    products.close(start_of_products(), all.products);
    if constexpr (sums) a.close(start_of_elements(top_a), all.x);
    if constexpr (joint) b.close(start_of_elements(top_b), all.y);
    if constexpr (sizeof(T) == 8) add_totals_out_of_line(into, all);
    else add_totals(into, all);
    clear();
  }

 private:
  struct totals {
    double products[products_type::parts], x[elements_type::parts], y[elements_type::parts];
  };
  int top_a = 0, top_b = 0;  // above the words of elements of either array; 0 where nothing is open
  products_type products;
  elements_type a, b;

  __device__ double start_of_products() const {
    return open_start(words::exponent_of(top_a) + words::exponent_of(two ? top_b : top_a) - 1);
  }
  __device__ static double start_of_elements(int top) { return open_start(words::exponent_of(top) - 1); }

  template <int Way, int N>
  __device__ void add_in(const T (&x)[N], const T (&y)[N]) {
    static_assert(N % chains == 0);
    constexpr bool one = products_type::one_takes(Way);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const double u = x[i], v = y[i];
      products.template add<Way>(i % chains, u, v);
      if constexpr (sums) a.template add<one>(i % chains, u);
      if constexpr (joint) b.template add<one>(i % chains, v);
    }
  }
  // Sums of binary64 lie in memory: registers do not hold them beside the windows.
  __device__ static __noinline__ void add_totals_out_of_line(gather<T, Set>& into, const totals& all) {
    add_totals(into, all);
  }
  __device__ static void add_totals(gather<T, Set>& into, const totals& all) {
    add_parts(into, into.products, at::products, all.products, exact_product_traits<T>{});
    if constexpr (sums) add_parts(into, into.x, at::x, all.x, exact_traits<T>{});
    if constexpr (joint) add_parts(into, into.y, at::y, all.y, exact_traits<T>{});
  }
  template <int Parts, int N, class Format>
  __device__ static void add_parts(gather<T, Set>& into, expansion<Parts>& sum, int place, const double (&part)[N],
                                   Format format) {
    into.add_finite(sum, place, part[0], format);
#pragma unroll
    for (int i = 1; i < N; ++i) {
      if (part[i] != 0) into.template add_finite<1>(sum, place, part[i], format);
    }
  }

  // Of those but the last one, which lanes take by themselves.
  template <int Way = 1>
  __device__ int way_of_warp(const range& of_a, const range& of_b) const {
    if constexpr (products_type::span(Way) > 0) {
      if (__all_sync(kernels::whole_warp, fit<Way>(of_a, of_b))) return Way;
    }
    if constexpr (Way + 1 < ways) return way_of_warp<Way + 1>(of_a, of_b);
    else return 0;
  }
  template <int Way>
  __device__ bool fit(const range& of_a, const range& of_b) const {
    const auto is_within = [](const range& of, int top) {
      return words::template fit<products_type::span(Way)>(of.greatest_word(), of.least_word(), top);
    };
    bool all = is_within(of_a, top_a);
    if constexpr (two) all = all & is_within(of_b, top_b);
    return all;
  }
  // For the lanes whose elements are `regular`.
  __device__ void open_anew(gather<T, Set>& into, const range& of_a, const range& of_b, bool regular) {
    const auto greatest_of_warp = [&](const range& of) {
      return __reduce_max_sync(kernels::whole_warp, regular ? of.greatest_word() : 0);
    };
    const int greatest_a = greatest_of_warp(of_a), greatest_b = two ? greatest_of_warp(of_b) : greatest_a;
    if (words::is_near(greatest_a, top_a) && (!two || words::is_near(greatest_b, top_b))) return;
    if (!products_type::opens(words::exponent_of(greatest_a), words::exponent_of(greatest_b))) return;
    flush(into);
    top_a = words::top_above(greatest_a);
    top_b = words::top_above(greatest_b);
    clear();
  }
  __device__ void clear() {
    products.open(start_of_products());
    a.open(start_of_elements(top_a));
    b.open(start_of_elements(top_b));
  }
};

/// Where nothing stays open.
template <class T, moment_set Set, int>
struct closed_windows {
  template <int N>
  __device__ bool add(int, const T (&)[N], const T (&)[N]) {
    return false;
  }
  template <int N>
  __device__ int open_for(gather<T, Set>&, const magnitude_range<T>&, const magnitude_range<T>&, const T (&)[N],
                          const T (&)[N]) {
    return 0;
  }
  __device__ void flush(gather<T, Set>&) {}
};

}  // namespace multifold::cuda::moments
