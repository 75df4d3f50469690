// What a lane gathers of a part of a long row in one look: sums whose errors are known, of any finite elements, and how
// great and how fine these are. See docs/exact-sums.md, 14.
#pragma once

#include <cstdint>

#include "device/moments/ascending_marks.cuh"
#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/ops/moments/moment_part.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// The greatest and the least magnitude of elements of T that are not 0, by words of them.
template <floating_storage T>
struct magnitudes_of {
  static constexpr bool halves = sizeof(T) == 2, wide = sizeof(T) == 8;
  using pattern = multifold::detail::magnitude_pattern<T>;
  std::uint32_t greatest = 0, least = ~0u;  // least: less one, so that zeros are none; of two elements a word, twice
  std::uint32_t lower = 0, tiny = 0;        // all bits of the lower words of doubles, and of those below 2^-1042

  __device__ __forceinline__ void see(const vector_word& v) {
#pragma unroll
    for (int i = wide ? 1 : 0; i < 4; i += wide ? 2 : 1) {
      const std::uint32_t magnitude = v.words[i] & (halves ? 0x7fff7fffu : 0x7fffffffu);
      greatest = halves ? __vmaxu2(greatest, magnitude) : max(greatest, magnitude);
      least = halves ? __viaddmin_u16x2(magnitude, ~0u, least) : __viaddmin_u32(magnitude, ~0u, least);
      if constexpr (wide) lower |= v.words[i - 1], tiny |= magnitude == 0 ? v.words[i - 1] : 0;
    }
  }
  __device__ void merge(const magnitudes_of& other) {
    greatest = halves ? __vmaxu2(greatest, other.greatest) : max(greatest, other.greatest);
    least = halves ? __vminu2(least, other.least) : min(least, other.least);
    lower |= other.lower;
    tiny |= other.tiny;
  }
  /// Those of doubles that have no bits in their upper word are greater than 0, too.
  __device__ std::uint32_t top() const {
    if (halves) return max(greatest >> 16, greatest & 0xffffu);
    return wide && tiny != 0 ? max(greatest, 1u) : greatest;
  }
  __device__ int unit() const {
    if (wide && tiny != 0) return multifold::detail::compensated_run::no_unit;
    if (greatest == 0) return multifold::detail::no_element_unit;
    return pattern::unit((halves ? min(least >> 16, least & 0xffffu) : least) + 1) - (lower != 0 ? 32 : 0);
  }
};

/// A sum that begins far above its terms: what comes next has room, or it begins anew.
struct part_started_sum : multifold::detail::started_sum {
  using terms_type = multifold::detail::started_terms;
  multifold::detail::compensated_sum all;

  __device__ bool fits(int top) const { return takes(top) && has_room(); }
  __device__ void make_room(int top) {
    if (!fits(top)) restart(all, top);
  }
  template <bool Wide>
  __device__ void add_factors(double u, double v) {
    if constexpr (Wide) add_wide_product(u, v);
    else add_product(u, v);
  }
  __device__ void close() {}
  __device__ void end_chunk() { flush(all); }
  __device__ double error(const terms_type& terms, double, int, int, bool& rough) const {
    rough = false;
    return terms.error_from(start_value());
  }
};

/// One of elements of 2 bytes, or of their squares: plain sums of a few, which are nearly always exact.
struct part_grouped_sum {
  using terms_type = multifold::detail::grouped_terms;
  double sum = 0.0;
  multifold::detail::compensated_sum all;

  __device__ static bool fits(int) { return true; }
  __device__ void make_room(int) {}
  __device__ void add(double x) { sum += x; }
  template <bool Wide>
  __device__ void add_factors(double u, double v) {
    sum = fma(u, v, sum);
  }
  __device__ void close() {
    all.add(sum);
    sum = 0.0;
  }
  __device__ void end_chunk() {}
  /// Of terms of one sign, `bulk` is their sum; else what there may be of terms below 2^top.
  __device__ double error(const terms_type& terms, double bulk, int top, int unit, bool& rough) const {
    if (bulk == 0) bulk = terms.terms * multifold::detail::power_of_two(top);
    rough = !terms_type::are_exact(top, unit);
    return terms.error(bulk) + (rough ? terms_type::rough_error(bulk) : 0.0);
  }
};

/// What there are of terms and of meetings of sums, and what these are off by.
struct part_terms {
  multifold::detail::started_terms started;
  multifold::detail::grouped_terms grouped;

  MULTIFOLD_HD explicit part_terms(std::int64_t all,
                                   std::int64_t meetings = multifold::detail::started_depth::usual_meetings)
      : started(all, meetings), grouped(all, meetings) {}
  __device__ const auto& of(const part_started_sum&) const { return started; }
  __device__ const auto& of(const part_grouped_sum&) const { return grouped; }
};

/// Zeros and extremes of finite elements, and in which vectors these stand: -0 is less than +0.
template <floating_storage T>
struct part_marks {
  moments::marked_words<T> words;
  int zeros = 0, least_at = -1, greatest_at = -1;

  __device__ __forceinline__ void see(const vector_word& v, int number) {
    bool less, more;
    words.see(bit_copy<elements_of<T>>(v).values, less, more, zeros);
    least_at = less ? number : least_at;
    greatest_at = more ? number : greatest_at;
  }
  __device__ std::int64_t least_key() const { return moments::run_marks<T>::carrier_key_of(words.least_element()); }
  __device__ std::int64_t greatest_key() const {
    return moments::run_marks<T>::carrier_key_of(words.greatest_element());
  }
};
template <>
struct part_marks<double> {
  std::int64_t low = INT64_MAX, high = INT64_MIN;  // as ordered bits
  int zeros = 0, least_at = -1, greatest_at = -1;

  __device__ __forceinline__ void see(const vector_word& v, int number) {
    const auto all = bit_copy<elements_of<double>>(v);
#pragma unroll
    for (const double x : all.values) {
      const std::int64_t key = ordered_bits(__double_as_longlong(x));
      if (key < low) low = key, least_at = number;
      if (key > high) high = key, greatest_at = number;
      zeros += x == 0;
    }
  }
  __device__ std::int64_t least_key() const { return key_at(low); }
  __device__ std::int64_t greatest_key() const { return key_at(high); }

 private:
  __device__ static std::int64_t key_at(std::int64_t ordered) {
    return moments::run_marks<double>::carrier_key_of(__longlong_as_double(ordered_bits(ordered)));
  }
};
struct no_part_marks {};

/// `Signed`: the sum of elements, in place of that of their magnitudes.
template <floating_storage T, moment_set Set, bool Signed = false>
struct part_lane {
  static_assert(!Signed || Set == moment_set::absolute);
  static constexpr bool magnitudes = Set == moment_set::absolute && !Signed;
  static constexpr bool wide = sizeof(T) == 8, halves = sizeof(T) == 2;
  static constexpr bool two = reads_two_arrays(Set), joint = Set == moment_set::joint;
  static constexpr bool sums = sums_elements(Set), multiplies = sums_products(Set);
  static constexpr bool describes = Set == moment_set::description;
  using pattern = multifold::detail::magnitude_pattern<T>;
  using part_type = moment_part<Set>;
  // Of the products of two arrays plain sums would have to be rounded, and nothing is known of what they come to.
  using element_sum = std::conditional_t<halves, part_grouped_sum, part_started_sum>;
  using product_sum = std::conditional_t<halves && !two, part_grouped_sum, part_started_sum>;
  static constexpr bool looks_ahead = !halves || two;
  /// Vectors of each array that are looked at before any is added.
  static constexpr int width = vector_elements<T>, vectors = two || halves ? 2 : 4;
  static_assert(vectors * width <= multifold::detail::started_sum::most_terms);
  static_assert(vectors * width <= multifold::detail::grouped_terms::most_terms);
  static constexpr int log_of_looked_at = multifold::detail::grouped_terms::log_of_most;

  element_sum x, y;
  product_sum products;
  std::conditional_t<describes, part_marks<T>, no_part_marks> marks;
  magnitudes_of<T> of_x, of_y;
  // Of sums that are grouped: what terms come to together at most, looked at by looked at.
  double bulk = 0.0;
  std::uint32_t signs = ~0u;  // of products, or of elements: -0 alone leaves the sign of all
  // Doubles are taken times 2^-down, lest products leave their exponents: up to an element of 2^-420, of 2^480, or any.
  int down = wide ? part_type::least_down : 0;
  double by = multifold::detail::power_of_two(-down);

  __device__ __forceinline__ void see_top(int top) {
    if (top <= (down < 0 ? -420 : down == 0 ? 480 : INT_MAX)) return;
    const int to = top <= 480 ? 0 : 600, more = to - down;
    if constexpr (sums) x.lower(x.all, more);
    if constexpr (joint) y.lower(y.all, more);
    if constexpr (multiplies) products.lower(products.all, 2 * more);
    down = to;
    by = multifold::detail::power_of_two(-down);
  }

  /// What marks are ordered by, and whether they count an element as a zero.
  __device__ static std::int64_t mark_key(T x) { return moments::run_marks<T>::carrier_key_of(x); }
  __device__ static bool is_zero(T x) { return to_double(x) == 0; }

  __device__ __forceinline__ void look(const vector_word* x_vectors, const vector_word* y_vectors) {
    magnitudes_of<T> x_now, y_now;
    std::uint32_t products_now = 0;  // the greatest sum of two magnitudes: factors that meet
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      x_now.see(x_vectors[k]);
      if constexpr (two) y_now.see(y_vectors[k]);
      if constexpr (two) {
#pragma unroll
        for (int i = wide ? 1 : 0; i < 4; i += wide ? 2 : 1) {
          constexpr std::uint32_t magnitude = halves ? 0x7fff7fffu : 0x7fffffffu;
          const std::uint32_t u = x_vectors[k].words[i] & magnitude, v = y_vectors[k].words[i] & magnitude;
          products_now = halves ? __viaddmax_u16x2(u, v, products_now) : __viaddmax_u32(u, v, products_now);
        }
      }
      if constexpr (Set == moment_set::products) {
#pragma unroll
        for (int i = wide ? 1 : 0; i < 4; i += wide ? 2 : 1) signs &= x_vectors[k].words[i] ^ y_vectors[k].words[i];
      }
      if constexpr (Signed) {
#pragma unroll
        for (int i = wide ? 1 : 0; i < 4; i += wide ? 2 : 1) signs &= x_vectors[k].words[i];
      }
    }
    of_x.merge(x_now);
    if constexpr (two) of_y.merge(y_now);
    if constexpr (Signed && halves)
      bulk += multifold::detail::power_of_two(pattern::top(x_now.top()) + log_of_looked_at);
    if constexpr (!looks_ahead) return;
    const std::uint32_t x_most = x_now.top(), y_most = two ? y_now.top() : x_most;
    if constexpr (wide) see_top(pattern::top(max(x_most, y_most)));
    const int x_top = pattern::top(x_most) - down, y_top = pattern::top(y_most) - down;
    if constexpr (halves) products_now = max(products_now >> 16, products_now & 0xffffu);
    const int product_top = (two ? pattern::top(products_now, 0) : pattern::top(x_most, x_most)) - 2 * down;
    bool fits = true;
    if constexpr (sums) fits = x.fits(x_top);
    if constexpr (joint) fits = fits && y.fits(y_top);
    if constexpr (multiplies) fits = fits && products.fits(product_top);
    if (fits) return;
    if constexpr (sums) x.make_room(x_top);
    if constexpr (joint) y.make_room(y_top);
    if constexpr (multiplies) products.make_room(product_top);
  }
  __device__ __forceinline__ void add(const vector_word& of_x, const vector_word& of_y) {
    const auto a = bit_copy<elements_of<T>>(of_x), b = bit_copy<elements_of<T>>(of_y);
#pragma unroll
    for (int k = 0; k < width; ++k) {
      double u = to_double(a.values[k]), v = two ? to_double(b.values[k]) : u;
      if constexpr (wide) u *= by, v = two ? v * by : u;
      if constexpr (sums) x.add(magnitudes ? fabs(u) : u);
      if constexpr (joint) y.add(v);
      if constexpr (multiplies) products.template add_factors<wide>(u, v);
    }
  }
  /// Behind the elements that were looked at together.
  __device__ __forceinline__ void close() {
    if constexpr (sums) x.close();
    if constexpr (joint) y.close();
    if constexpr (multiplies) products.close();
  }
  /// Behind a chunk of started sums.
  __device__ __forceinline__ void end_chunk() {
    if constexpr (sums) x.end_chunk();
    if constexpr (joint) y.end_chunk();
    if constexpr (multiplies) products.end_chunk();
  }

  __device__ part_type part(const part_terms& terms) const {
    part_type of;
    of.unit[0] = of_x.unit(), of.greatest[0] = of_x.top();
    if constexpr (two) of.unit[1] = of_y.unit(), of.greatest[1] = of_y.top();
    constexpr int last = part_type::arrays - 1;
    const std::uint32_t x_top = of.greatest[0], y_top = of.greatest[last];
    of.down = down;
    const auto put = [&](int k, const auto& sum, bool one_sign, int top, int of_units, bool any) {
      of.sum[k] = sum.all;
      if (!any) return;
      bool rough;
      of.error[k] = sum.error(terms.of(sum), one_sign ? sum.all.high * (1 + 0x1p-20) : bulk * (1 + 0x1p-20), top,
                              of_units, rough);
      of.rough |= (rough ? 1u : 0u) << k;
      // What underflows: elements, and products whose other factor is below 2^424.
      if (wide && down > 0)
        of.error[k] += terms.grouped.terms * (multiplies && k == part_type::sums - 1 ? 0x1p-640 : 0x1p-1070);
    };
    if constexpr (sums) put(0, x, magnitudes, pattern::top(x_top), of.unit[0], x_top != 0);
    if constexpr (joint) put(1, y, false, pattern::top(y_top), of.unit[last], y_top != 0);
    if constexpr (multiplies) {
      put(part_type::sums - 1, products, !two, pattern::top(x_top, y_top), of.unit[0] + of.unit[last],
          x_top != 0 && y_top != 0);
    }
    constexpr std::uint32_t all_signs = halves ? 0x80008000u : 0x80000000u;
    of.negative_zeros = (signs & all_signs) == all_signs ? 1 : 0;
    return of;
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
