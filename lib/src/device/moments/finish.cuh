// From the words of a batch to its result: carries, a numerator in integers, one division, one rounding. A warp works
// on words in shared memory, because whole sums of doubles would fill the stack of every thread of the device.
// See docs/exact-sums.md, 16.
#pragma once

#include "device/exact/words.cuh"
#include "device/output.cuh"
#include "multifold/exact/lane_limbs.hpp"
#include "multifold/exact/near/rough.hpp"
#include "multifold/ops/moments/finish_moments.hpp"
#include "multifold/ops/moments/moment_partial.hpp"
#include "multifold/ops/moments/moment_words.hpp"

namespace multifold::inline v0_1::cuda::moments {

using exact::add_word;

/// Whether 64 bits that carry elements of `type` are an integer with a sign.
__device__ inline bool has_sign(dtype type) { return !is_unsigned(type) && type != dtype::boolean; }

/// Such an integer as one with a sign and the same order key, and back.
__device__ inline std::int64_t turned(std::int64_t x, bool has_sign) { return has_sign ? x : x ^ INT64_MIN; }

/// Words of one batch, and room for what is computed of them.
template <storage_type T, moment_set Set>
struct scratch {
  using at = moment_words<T, Set>;
  std::int64_t words[at::count];
  std::int64_t numerator[at::numerator_limbs];
  description_marks<T> extremes;
};

/// Words as leading() and leading_quotient() take them.
using natural_view = multifold::detail::natural_of_limbs<1>;

/// The limbs of a number that may be other than zero: those from `first` on, below `end`.
struct limbs_in_use {
  std::int64_t* limb;
  int first = 0, end = 0;

  __device__ natural_view natural() const { return {limb, end, first}; }
};

/// Of `count` limbs, with one more for what is carried out of them. All lanes of the warp must call.
__device__ inline limbs_in_use find_limbs(std::int64_t* limb, int count) {
  int first = count, last = -1;
  for (int i = static_cast<int>(threadIdx.x) % 32; i < count; i += 32) {
    if (limb[i] == 0) continue;
    first = min(first, i);
    last = i;
  }
  first = __reduce_min_sync(kernels::whole_warp, first);
  last = __reduce_max_sync(kernels::whole_warp, last);
  if (last < 0) return {limb};
  return {limb, first, min(last + 2, count)};
}

/// The limbs of every sum of a set.
struct limbs_of_sums {
  limbs_in_use x, y, products;  // `y` is `x` where there is one array
};

/// Carries, but leaves the sign in the uppermost limb in use.
__device__ inline void carry_limbs(const limbs_in_use& number) {
  if (number.end == 0) return;
  std::int64_t carried = 0;
#pragma unroll 4
  for (int i = number.first; i + 1 < number.end; ++i) {
    const std::int64_t sum = number.limb[i] + carried;
    number.limb[i] = sum & 0xffffffff;
    carried = sum >> 32;
  }
  number.limb[number.end - 1] += carried;
}

/// n products - x y as limbs that are not carried, and the uppermost of which is zero unless there is no room for it:
/// the lanes of a warp take the limbs in turn. The limbs of `of` are carried, n < 2^63.
template <class Sum, class Product>
__device__ limbs_in_use subtract_products(std::int64_t* out, int limbs, const limbs_of_sums& of, std::int64_t n) {
  static_assert(2 * Sum::unit_exponent == Product::unit_exponent);
  const limbs_in_use &x = of.x, &y = of.y, &p = of.products;
  int begin = limbs, end = 0;  // of the limbs that terms are added to
  if (p.end > 0) begin = p.first, end = p.end + 1;
  if (x.end > 0 && y.end > 0) begin = min(begin, x.first + y.first), end = max(end, x.end + y.end - 1);
  if (end == 0) return {out};
  end = min(end + 2, limbs);  // the upper half of the last terms, and a carry
  const int first = begin + static_cast<int>(threadIdx.x) % 32;
  for (int k = first; k < end; k += 32) out[k] = 0;
  __syncwarp();
  for (int k = first; k < end; k += 32) {
    int128_t sum = 0;
    if (p.first <= k && k < p.end) sum += static_cast<int128_t>(p.limb[k]) * (n & 0xffffffff);
    if (p.first < k && k <= p.end) sum += static_cast<int128_t>(p.limb[k - 1]) * (n >> 32);
    const int last = min(k - y.first, x.end - 1);
    for (int i = max(x.first, k - y.end + 1); i <= last; ++i) {
      sum -= static_cast<int128_t>(x.limb[i]) * y.limb[k - i];
    }
    add_word(out + k, static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) & 0xffffffffu));
    if (k + 1 < end) add_word(out + k + 1, static_cast<std::int64_t>(sum >> 32));
  }
  __syncwarp();
  return {out, begin, end};
}

/// The counters of a sum behind its limbs.
__device__ inline exact_counters counters_of(const std::int64_t* marks, std::int64_t n) {
  return {n, marks[0], marks[1], marks[2], marks[3]};
}

/// The total of a sum whose limbs are spent by it.
template <class Format>
__device__ exact_value total_of(const limbs_in_use& sum, std::int64_t n) {
  const exact_counters counters = counters_of(sum.limb + Format::limb_count, n);
  if (!counters.all_finite()) return multifold::detail::special_total(counters);
  return multifold::detail::with_sign_of_zero(multifold::detail::leading(sum.natural(), Format::unit_exponent),
                                              counters);
}

/// total_of was called before.
template <class Format>
__device__ exact_value mean_of(const limbs_in_use& sum, std::int64_t n, const exact_value& total) {
  if (n == 0) return exact_value::of_nan();
  if (total.what != exact_value::kind::finite || total.zero()) return total;
  natural_view view = sum.natural();  // carries what is carried: the magnitude
  view.negative = total.negative;
  return multifold::detail::leading_quotient(view, static_cast<uint128_t>(n), Format::unit_exponent);
}

/// The (co)variance, of sums whose limbs are carried. All lanes of the warp must call; valid in lane 0.
template <storage_type T, moment_set Set>
__device__ exact_value covariance_of(scratch<T, Set>& s, const limbs_of_sums& of, std::int64_t n,
                                     std::int64_t correction) {
  using at = moment_words<T, Set>;
  using sum = exact_traits<T>;
  using product = exact_product_traits<T>;
  const bool finite = counters_of(of.x.limb + sum::limb_count, n).all_finite() &&
                      counters_of(of.y.limb + sum::limb_count, n).all_finite() &&
                      counters_of(of.products.limb + product::limb_count, n).all_finite();
  if (n == 0 || !finite) return exact_value::of_nan();
  const limbs_in_use difference = subtract_products<sum, product>(s.numerator, at::numerator_limbs, of, n);
  if (threadIdx.x % 32 != 0) return {};
  const natural_view numerator = difference.natural();
  const std::uint64_t freedom = correction < n ? static_cast<std::uint64_t>(n - correction) : 0;
  if (freedom == 0) {
    return numerator.bits() == 0 ? exact_value::of_nan() : exact_value::of_infinity(numerator.negative);
  }
  const uint128_t divisor = static_cast<uint128_t>(static_cast<std::uint64_t>(n)) * freedom;
  return multifold::detail::leading_quotient(numerator, divisor, product::unit_exponent);
}

/// Where results go, and how.
struct output {
  void* data;  // results, or carried_sums if `merge`
  bool merge;
  bool only;  // there is a single result, whose status is written
  op_kind op;
  dtype element, result;
  std::int64_t correction;
  nan_policy nan;
  cuda::detail::result_layout layout;
  std::uint32_t* status_word;
  double reciprocal = 0;  // of count (count - correction), where the count is known

  __device__ std::int64_t result_size() const {
    return op == op_kind::describe ? static_cast<std::int64_t>(sizeof(summary)) : item_bytes(result);
  }
};

/// For the next batch, where they are segments, each of a length of its own.
__device__ inline void set_length(output& to, std::int64_t length) {
  to.reciprocal = multifold::detail::rough_reciprocal(length, to.correction);
}

__device__ __noinline__ inline status store_value(const exact_value& value, dtype type, void* out) {
  return store(value, type, out);
}

// A carrier as an element of `type`, of whose carrier it is.
template <storage_type T>
__device__ void put_element(T x, dtype type, std::byte* out) {
  if constexpr (floating_storage<T>) {
    if (type == dtype::f16) *reinterpret_cast<f16*>(out) = to_f16(x);
    else if (type == dtype::bf16) *reinterpret_cast<bf16*>(out) = to_bf16(x);
    else *reinterpret_cast<T*>(out) = x;
  } else {
    for (std::int64_t i = 0; i < item_bytes(type); ++i) out[i] = static_cast<std::byte>(x >> (8 * i));
  }
}

/// The rest of a summary, in lane 0.
template <storage_type T>
__device__ status store_summary(const scratch<T, moment_set::description>& s, const limbs_of_sums& of, const output& to,
                                std::int64_t n, const exact_value& variance, void* out) {
  using at = moment_words<T, moment_set::description>;
  summary d{};
  d.count = n;
  d.nan = s.words[at::nans];
  d.positive_infinity = s.words[at::positive_infinities];
  d.negative_infinity = s.words[at::negative_infinities];
  d.zero = s.words[at::zeros];
  d.argmin = n > 0 ? s.extremes.argmin.index : -1;
  d.argmax = n > 0 ? s.extremes.argmax.index : -1;
  if (n > 0) {
    const auto put_extreme = [&](auto key, bool greatest, std::byte* bytes) {
      T x = multifold::detail::extreme_of<T>(key, greatest);
      if constexpr (!floating_storage<T>) x = turned(x, has_sign(to.element));
      put_element(x, to.element, bytes);
    };
    put_extreme(s.extremes.min, false, d.min);
    put_extreme(s.extremes.max, true, d.max);
  }
  const exact_value total = total_of<exact_traits<T>>(of.x, n);
  const status fits = store_value(total, summary_sum_dtype(to.element, to.result), d.sum);
  store_value(mean_of<exact_traits<T>>(of.x, n, total), to.result, d.mean);
  store_value(exact_root(variance), to.result, d.std);
  store_value(exact_root(total_of<exact_product_traits<T>>(of.products, n)), to.result, d.norm2);
  *static_cast<summary*>(out) = d;
  return fits;
}

/// Merges words, whose limbs are carried, into sums in memory. One thread.
template <storage_type T, moment_set Set>
__device__ void merge_words(const scratch<T, Set>& s, std::int64_t n, carried_sums<T, Set>& into) {
  using at = moment_words<T, Set>;
  const auto add = [&](auto& sum, const std::int64_t* limb) {
    using limbs_type = typename std::remove_cvref_t<decltype(sum)>::limbs_type;
    sum.add_counts(counters_of(limb + limbs_type::count, n));
    sum.add_limbs(*reinterpret_cast<const limbs_type*>(limb), 1);
  };
  if constexpr (sums_elements(Set)) add(into.x, s.words + at::x);
  if constexpr (Set == moment_set::joint) add(into.y, s.words + at::y);
  if constexpr (sums_products(Set)) add(into.products, s.words + at::products);
  if constexpr (Set == moment_set::description) {
    description_marks<T> marks = s.extremes;
    marks.nan = s.words[at::nans];
    marks.positive_infinity = s.words[at::positive_infinities];
    marks.negative_infinity = s.words[at::negative_infinities];
    marks.zero = s.words[at::zeros];
    into.marks.merge(marks);
  }
}

/// Ends the work on a batch of `length` elements whose words are in `s`. All lanes of the warp must call, and no one
/// else touches `s`; a __syncwarp() stands at both ends. Some microseconds.
template <storage_type T, moment_set Set>
__device__ __noinline__ void deliver(scratch<T, Set>& s, const output& to, std::int64_t batch,
                                     const kernels::device_length& length) {
  using at = moment_words<T, Set>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  __syncwarp();
  const std::int64_t n = length - s.words[at::omitted];
  limbs_of_sums of{};
  if constexpr (sums_elements(Set)) of.x = find_limbs(s.words + at::x, at::sum_limbs);
  if constexpr (Set == moment_set::joint) of.y = find_limbs(s.words + at::y, at::sum_limbs);
  if constexpr (sums_products(Set)) of.products = find_limbs(s.words + at::products, at::product_limbs);
  __syncwarp();
  if (lane < 3) carry_limbs(lane == 0 ? of.x : lane == 1 ? of.y : of.products);  // side by side
  if constexpr (Set != moment_set::joint) of.y = of.x;
  __syncwarp();
  const std::int64_t place = to.layout.at(batch);
  if (to.merge) {
    if (lane == 0) merge_words(s, n, static_cast<carried_sums<T, Set>*>(to.data)[place]);
    __syncwarp();
    return;
  }
  exact_value value;
  if constexpr (at::deviates) value = covariance_of(s, of, n, to.correction);
  if (lane == 0) {
    void* const out = static_cast<char*>(to.data) + place * to.result_size();
    status fits;
    if (!length.in_range()) {
      fits = status::bad_count;
    } else if constexpr (Set == moment_set::description) {
      fits = store_summary(s, of, to, n, value, out);
    } else {
      if constexpr (Set == moment_set::absolute) value = total_of<exact_traits<T>>(of.x, n);
      else if constexpr (!at::deviates) {
        value = total_of<exact_product_traits<T>>(of.products, n);
      }
      if (to.op == op_kind::norm2 || to.op == op_kind::std) value = exact_root(value);
      fits = store_value(value, to.result, out);
    }
    if (to.only) *to.status_word = static_cast<std::uint32_t>(fits);
    else if (fits != status::ok) atomicMax(to.status_word, static_cast<std::uint32_t>(fits));
  }
  __syncwarp();
}

}  // namespace multifold::inline v0_1::cuda::moments
