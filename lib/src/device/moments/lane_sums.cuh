// Exact moments of floating point of any magnitude, as the lanes of a warp gather them: limbs of each lane's own in
// shared memory, so that nothing is ever lost, and no lane waits for another. See docs/exact-sums.md, 13.
#pragma once

#include "device/exact/lanes/lane_sum.cuh"
#include "device/moments/finish.cuh"
#include "device/moments/tiles/run_moments.cuh"

namespace multifold::inline v0_1::cuda::moments {

using exact::lane_sum;
using exact::sum_over_group;

/// The sums of a lane. Its limbs lie in `memory`, which all lanes of the warp share.
template <floating_storage T, moment_set Set>
struct lane_sums {
  using at = moment_words<T, Set>;
  static constexpr bool describes = Set == moment_set::description;

  lane_sum<exact_traits<T>> x, y;
  lane_sum<exact_product_traits<T>> products;
  std::int64_t omitted = 0, nans = 0, positive_infinities = 0, negative_infinities = 0, zeros = 0;
  int greatest_field = 0;  // of the exponents of elements that add() has seen
  description_marks<T>* extremes;

  __device__ lane_sums(std::int64_t* memory, description_marks<T>* extremes) : extremes(extremes) {
    std::int64_t* next = memory + threadIdx.x % 32;
    const auto take = [&](auto& sum) {
      sum.limbs.first = next;
      next += std::remove_cvref_t<decltype(sum)>::format::limb_count * 32;
    };
    for_each(take);
    if constexpr (describes) *extremes = {};
  }

  /// An element, or a pair of them, with indices that ascend. If one is `special`, sums mean nothing, and all of them
  /// have to be added again, by add_any.
  __device__ void add(T a, T b, std::int64_t index, nan_policy nan) {
    if constexpr (describes) see(a, index, nan);
    const fields u(a), v(b);
    greatest_field = max(greatest_field, reads_two_arrays(Set) ? max(u.field, v.field) : u.field);
    if constexpr (describes) zeros += u.significand == 0;
    constexpr int up = layout::least_exponent - exact_traits<T>::unit_exponent;
    constexpr int products_up = 2 * layout::least_exponent - exact_product_traits<T>::unit_exponent;
    if constexpr (sums_elements(Set)) {
      const bool negative = Set != moment_set::absolute && u.negative;
      x.limbs.add(u.significand, u.position + up, negative);
      x.marks |= u.significand == 0 && negative ? 0u : 8u;
    }
    if constexpr (Set == moment_set::joint) {
      y.limbs.add(v.significand, v.position + up, v.negative);
      y.marks |= v.significand == 0 && v.negative ? 0u : 8u;
    }
    if constexpr (sums_products(Set)) {
      using product_type = std::conditional_t<sizeof(T) == 8, uint128_t, std::uint64_t>;
      const auto product = static_cast<product_type>(u.significand) * v.significand;
      const bool negative = reads_two_arrays(Set) && u.negative != v.negative;
      products.limbs.add(product, products_up + u.position + v.position, negative);
      products.marks |= product == 0 && negative ? 0u : 8u;
    }
  }

  /// Whether add() has seen an element that is not finite.
  __device__ bool special() const {
    return greatest_field == static_cast<int>(layout::infinity >> layout::mantissa_bits);
  }

  /// Elements of any kind, slowly. Out of line: its caller has a copy of the sums for it, which lies in memory.
  __device__ __noinline__ void add_any(T a, T b, nan_policy nan) {
    const multifold::detail::unpacked u = multifold::detail::unpack(a), v = multifold::detail::unpack(b);
    if constexpr (describes) {
      nans += u.nan;
      positive_infinities += u.infinite && !u.negative;
      negative_infinities += u.infinite && u.negative;
      zeros += u.finite() && u.zero();
    }
    if (nan == nan_policy::omit && (u.nan || v.nan)) {
      ++omitted;
      return;
    }
    constexpr int up = layout::least_exponent - exact_traits<T>::unit_exponent;
    constexpr int products_up = 2 * layout::least_exponent - exact_product_traits<T>::unit_exponent;
    const auto add_number = [](auto& sum, multifold::detail::unpacked number) {
      if (Set == moment_set::absolute) number.negative = false;
      if (number.finite()) sum.limbs.add(number.significand, number.position + up, number.negative);
      sum.mark(number, number.zero());
    };
    if constexpr (sums_elements(Set)) add_number(x, u);
    if constexpr (Set == moment_set::joint) add_number(y, v);
    if constexpr (sums_products(Set)) {
      multifold::detail::unpacked p{};
      p.negative = u.negative != v.negative;
      p.nan = u.nan || v.nan || (u.infinite && v.zero()) || (v.infinite && u.zero());
      p.infinite = !p.nan && (u.infinite || v.infinite);
      if (p.finite()) {
        products.limbs.add(static_cast<uint128_t>(u.significand) * v.significand, products_up + u.position + v.position,
                           p.negative);
      }
      products.mark(p, u.zero() || v.zero());
    }
  }
  /// Back to nothing, but for extremes, which stay what they are when elements are seen again.
  __device__ void restart() {
    for_each([](auto& sum) {
      sum.clear();
      sum.marks = 0;
    });
    zeros = 0;
    greatest_field = 0;
  }

  /// Over `group` neighbouring lanes. The whole warp calls.
  __device__ void merge(int group) {
    for_each([&](auto& sum) { sum.merge(group); });
    omitted = sum_over_group(omitted, group);
    if constexpr (describes) {
      nans = sum_over_group(nans, group);
      positive_infinities = sum_over_group(positive_infinities, group);
      negative_infinities = sum_over_group(negative_infinities, group);
      zeros = sum_over_group(zeros, group);
      description_marks<T> all = *extremes;
      merge_extremes(all, group);
      *extremes = all;
    }
  }

  /// Everything that lane `leader` has, as words, which are zero. The whole warp calls.
  __device__ void copy(int leader, scratch<T, Set>& s) const {
    if constexpr (sums_elements(Set)) x.copy(leader, s.words + at::x);
    if constexpr (Set == moment_set::joint) y.copy(leader, s.words + at::y);
    if constexpr (sums_products(Set)) products.copy(leader, s.words + at::products);
    if (static_cast<int>(threadIdx.x) % 32 != leader) return;
    s.words[at::omitted] = omitted;
    if constexpr (describes) {
      s.words[at::nans] = nans;
      s.words[at::positive_infinities] = positive_infinities;
      s.words[at::negative_infinities] = negative_infinities;
      s.words[at::zeros] = zeros;
      s.extremes = *extremes;
    }
  }

  __device__ void clear() {
    for_each([](auto& sum) { sum.clear(); });
  }

  /// The leading bits of all sums, if all elements are finite. `last_total` is that of the last one.
  __device__ bool to_totals(near_totals& of, exact_value& last_total) {
    exact_value total[3];
    bool finite = omitted == 0;
    int next = 0;
    for_each([&](auto& sum) {
      finite = finite && sum.finite();
      total[next++] = sum.value();
    });
    if (!finite) return false;
    last_total = total[next - 1];
    exact_value& of_x = total[0];
    exact_value& of_y = total[1];
    exact_value& of_products = total[next - 1];
    if constexpr (sizeof(T) == 8) of.up = bring_near(of_x, of_y, of_products);
    if constexpr (sums_elements(Set)) of.x = multifold::detail::near_of(of_x), of.minus_x = x.minus_zero();
    if constexpr (Set == moment_set::joint) of.y = multifold::detail::near_of(of_y);
    if constexpr (sums_products(Set)) {
      of.products = Set == moment_set::joint ? near_or_small(of_products) : multifold::detail::near_of(of_products);
      of.minus_products = products.minus_zero();
    }
    if constexpr (describes) {
      of.marks.zeros = zeros;
      of.marks.least = extremes->min;
      of.marks.least_at = extremes->argmin.index;
      of.marks.greatest = ~static_cast<std::int64_t>(extremes->max);
      of.marks.greatest_at = extremes->argmax.index;
    }
    return true;
  }

 private:
  using layout = multifold::detail::float_layout<T>;
  using key = typename description_marks<T>::key;

  // Extremes are in memory; keys that all lie between two that were seen change none of them. NaN, whose bits lie
  // outside of those of all numbers, always goes there.
  key least_seen = greatest_key<key>, greatest_seen = least_key<key>;
  __device__ void see(T a, std::int64_t index, nan_policy nan) {
    const key k = ordered_bits(bit_copy<key>(a));
    if (least_seen <= k && k <= greatest_seen) return;
    extremes->see(a, index, nan);
    if (a != a) return;
    least_seen = min(least_seen, k);
    greatest_seen = max(greatest_seen, k);
  }

  // A number as +-significand * 2^(least exponent + position), in 32 bits where that is enough.
  struct fields {
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> significand;
    int field, position;
    bool negative;

    __device__ explicit fields(T number) {
      using bits_type = typename layout::bits_type;
      const auto bits = bit_copy<bits_type>(number);
      field = static_cast<int>(bits >> layout::mantissa_bits & (layout::infinity >> layout::mantissa_bits));
      position = field;
      significand = bits & ((bits_type{1} << layout::mantissa_bits) - 1);
      if (field != 0) {
        significand |= bits_type{1} << layout::mantissa_bits;
        --position;
      }
      negative = (bits & layout::sign) != 0;
    }
  };

  template <class F>
  __device__ void for_each(const F& f) {
    if constexpr (sums_elements(Set)) f(x);
    if constexpr (Set == moment_set::joint) f(y);
    if constexpr (sums_products(Set)) f(products);
  }

  // Products below 2^-400 are within an error of a number that is no smaller: beside x y, that tells enough of them.
  __device__ static near_value near_or_small(const exact_value& v) {
    if (v.zero() || v.exponent + 127 >= -400) return multifold::detail::near_of(v);
    return {0x1p-399, 0.0, 0x1p-398};
  }

  // Takes numbers near 1 that are too far from it for products of them: products come to 2^-up of what they are, and x
  // y with them. Returns `up`, which is even where there is one array.
  __device__ static int bring_near(exact_value& of_x, exact_value& of_y, exact_value& of_products) {
    constexpr int far = 380, middle = 127;
    const auto is_far = [](const exact_value& v) { return !v.zero() && abs(v.exponent + middle) > far; };
    if constexpr (Set == moment_set::absolute) {
      const int up = is_far(of_x) ? of_x.exponent + middle : 0;
      of_x.exponent -= up;
      return up;
    } else if constexpr (Set == moment_set::joint) {
      if (!is_far(of_x) && !is_far(of_y) && !is_far(of_products)) return 0;
      int x_up = of_x.zero() ? 0 : of_x.exponent + middle, y_up = of_y.zero() ? 0 : of_y.exponent + middle;
      const int more = of_products.zero() ? 0 : of_products.exponent + middle - (x_up + y_up);
      if (more > 0 || of_x.zero() || of_y.zero()) x_up += more / 2, y_up += more - more / 2;
      of_x.exponent -= x_up;
      of_y.exponent -= y_up;
      of_products.exponent -= x_up + y_up;
      return x_up + y_up;
    } else {
      if (!is_far(of_products) && !(sums_elements(Set) && is_far(of_x))) return 0;
      const int half = of_products.zero() ? 0 : (of_products.exponent + middle) >> 1;
      if constexpr (sums_elements(Set)) of_x.exponent -= half;
      of_products.exponent -= 2 * half;
      return 2 * half;
    }
  }
};

/// What a warp needs in shared memory.
template <floating_storage T, moment_set Set>
struct lane_memory {
  std::int64_t limbs[32 * moment_words<T, Set>::lane_limbs];
  scratch<T, Set> words;
  description_marks<T> extremes[Set == moment_set::description ? 32 : 1];
};

}  // namespace multifold::inline v0_1::cuda::moments
