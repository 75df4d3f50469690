// The exact accumulator: an exact sum of numbers or of products of two of them, in any order. No rounding.
// Bounds: docs/exact-sums.md, 2.
#pragma once

#include <cstdint>

#include "multifold/exact/counters.hpp"
#include "multifold/exact/float_layout.hpp"
#include "multifold/exact/format.hpp"
#include "multifold/exact/limbs.hpp"
#include "multifold/exact/refuse.hpp"
#include "multifold/exact/rolled.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1 {

/// The sum of a multiset of inputs, exactly, with counts of its specials.
///
/// Normalised, it depends on nothing but the multiset: not on order, grouping or merges.
/// Memory:   limbs and counters inline, 80 bytes (f16) to 1120 bytes (products of f64); nothing is allocated.
/// Throws:   overflow_error, changing nothing, before more than 2^63 - 1 inputs are counted. Kernels trap.
/// Cost:     some 4 ns an input; engines gather in something faster and hand over quanta or limbs.
template <exact_format Format>
class exact_accumulator {
 public:
  using format = Format;
  using element = typename Format::element;
  using limbs_type = limbs<Format::limb_count>;

  exact_accumulator() = default;

  MULTIFOLD_HD void add(element x) requires(!Format::products) {
    const detail::unpacked parts = detail::unpack(x);
    count_one(parts, parts.zero());
    if (!parts.finite()) return;
    reserve(1);
    limbs_.add_shifted(parts.significand, element_position + parts.position, parts.negative);
  }

  /// Adds an integer, as a part of the sum of inputs that add_counts speaks of.
  MULTIFOLD_HD void add_significand(std::uint64_t x) requires(Format::unit_exponent == 0) {
    reserve(1);
    limbs_.add_shifted(x, 0, false);
  }

  /// The product is exact: it has no range of its own, and never overflows or underflows.
  MULTIFOLD_HD void add_product(element a, element b) requires(Format::products) {
    const detail::unpacked x = detail::unpack(a), y = detail::unpack(b);
    detail::unpacked product{};
    product.negative = x.negative != y.negative;
    product.nan = x.nan || y.nan || (x.infinite && y.zero()) || (y.infinite && x.zero());
    product.infinite = !product.nan && (x.infinite || y.infinite);
    count_one(product, floating_storage<element> && (x.zero() || y.zero()));  // integers have no -0
    if (!product.finite()) return;
    const int position = product_position + x.position + y.position;
    reserve(1);
    if constexpr (layout::mantissa_bits < 32) {
      limbs_.add_shifted(x.significand * y.significand, position, product.negative);
    } else {
      // Two parts that share no bit, so no limb grows by more than 2^32.
      const uint128_t exact = static_cast<uint128_t>(x.significand) * y.significand;
      limbs_.add_shifted(static_cast<std::uint64_t>(exact), position, product.negative);
      limbs_.add_shifted(static_cast<std::uint64_t>(exact >> 64), position + 64, product.negative);
    }
  }

  /// Adds value * 2^exponent, a part of the sum of inputs that add_counts speaks of.
  /// Throws: overflow_error unless that is a multiple of the unit, and within the range of the limbs.
  MULTIFOLD_HD void add_quanta(std::int64_t value, int exponent) {
    if (value == 0) return;
    const bool negative = value < 0;
    auto magnitude = static_cast<uint128_t>(detail::magnitude_of(value));
    std::int64_t position = std::int64_t{exponent} - Format::unit_exponent;
    if (position < 0) {
      const bool whole = position > -64 && ((magnitude >> -position) << -position) == magnitude;
      if (!whole) detail::refuse<overflow_error>("quanta below the unit of an exact sum cannot be added to it");
      magnitude >>= -position;
      position = 0;
    }
    constexpr std::int64_t last = Format::limb_count - 3;
    const int index = static_cast<int>((position >> 5) < last ? position >> 5 : last);
    const std::int64_t shift = position - std::int64_t{32} * index;
    if (shift > 95 || detail::bit_width(magnitude) + shift > 95) {
      detail::refuse<overflow_error>("quanta beyond the range of an exact sum cannot be added to it");
    }
    reserve(1);
    limbs_.add(magnitude << shift, index, negative);
  }

  /// Adds limbs that were gathered elsewhere, in the same unit; `weight` as in limbs.hpp, 1 to weight_limit.
  MULTIFOLD_HD void add_limbs(const limbs_type& other, std::int64_t weight) {
    if (weight < limbs_type::weight_limit) {
      reserve(weight);
      limbs_.merge(other);
    } else {
      limbs_type normalised = other;
      normalised.normalise();
      reserve(1);
      limbs_.merge(normalised);
    }
  }

  /// Counts inputs whose sum comes by add_quanta or add_limbs.
  MULTIFOLD_HD void add_counts(const exact_counters& other) {
    require_room(other.n);
    counters_.merge(other);
  }

  MULTIFOLD_HD void merge(const exact_accumulator& other) {
    add_counts(other.counters_);
    add_limbs(other.limbs_, other.weight_);
  }

  /// Adds a sum of a narrower kind.
  template <exact_fits_in<Format> Other>
  requires(!(Other::kind == Format::kind)) MULTIFOLD_HD void merge(const exact_accumulator<Other>& other) {
    add_counts(other.counters());
    const auto narrow = other.normalised_limbs();
    MULTIFOLD_ROLLED
    for (int i = 0; i < Other::limb_count; ++i) add_quanta(narrow.limb[i], Other::unit_exponent + 32 * i);
  }

  /// Carries, so that equal sums have equal limbs. Happens by itself whenever the headroom is used up.
  MULTIFOLD_HD void normalise() {
    limbs_.normalise();
    weight_ = 1;
    if (!limbs_.in_range()) detail::refuse<overflow_error>("limbs and counts of an exact sum do not fit together");
  }

  MULTIFOLD_HD limbs_type normalised_limbs() const {
    exact_accumulator copy = *this;
    copy.normalise();
    return copy.limbs_;
  }

  MULTIFOLD_HD const limbs_type& lazy_limbs() const { return limbs_; }
  MULTIFOLD_HD std::int64_t weight() const { return weight_; }
  MULTIFOLD_HD const exact_counters& counters() const { return counters_; }

  /// Whether both sum the same: the same exact value, the same counts.
  MULTIFOLD_HD friend bool operator==(const exact_accumulator& a, const exact_accumulator& b) {
    return a.counters_ == b.counters_ && a.normalised_limbs() == b.normalised_limbs();
  }

 private:
  using layout = detail::number_layout<element>;
  static constexpr int element_position = layout::least_exponent - Format::unit_exponent;
  static constexpr int product_position = 2 * layout::least_exponent - Format::unit_exponent;

  MULTIFOLD_HD void require_room(std::int64_t more) const {
    if (more > INT64_MAX - counters_.n) {
      detail::refuse<overflow_error>("an exact sum counts at most 2^63 - 1 inputs; keep more in several sums");
    }
  }

  MULTIFOLD_HD void count_one(const detail::unpacked& x, bool zero) {
    require_room(1);
    counters_.n += 1;
    counters_.not_negative_zero += !(x.finite() && zero && x.negative);
    if (x.finite()) return;
    counters_.nan += x.nan;
    counters_.positive_infinity += x.infinite && !x.negative;
    counters_.negative_infinity += x.infinite && x.negative;
  }

  // Makes room for `weight` more, which is below the limit.
  MULTIFOLD_HD void reserve(std::int64_t weight) {
    if (weight_ + weight > limbs_type::weight_limit) normalise();
    weight_ += weight;
  }

  limbs_type limbs_{};
  exact_counters counters_;
  std::int64_t weight_ = 1;
};

/// An exact sum of T, and an exact dot product or sum of squares of T, which may be integers, too.
template <storage_type T>
using exact_sum = exact_accumulator<exact_traits<T>>;
template <storage_type T>
using exact_dot = exact_accumulator<exact_product_traits<T>>;

}  // namespace multifold::inline v0_1
