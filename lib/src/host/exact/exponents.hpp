// Many doubles of any magnitudes into an exact sum: significands are added up by exponent, and meet at the end.
//
// Nothing is shifted, and an element is one addition: a half of what limbs take, but putting the bins together takes
// microseconds. This is the large superaccumulator of R. M. Neal, "Fast exact summation using small and large
// superaccumulators" (2015), with a watch over all bins in place of a count for each. Bounds: docs/exact-sums.md, 12.
#pragma once

#include <cstdint>
#include <limits>

#include "host/elements/prefetch.hpp"
#include "host/elements/widened.hpp"
#include "multifold/exact/accumulator.hpp"

namespace multifold::inline v0_1::host::detail {

class exponent_run {
 public:
  /// Adds `count` elements, below 2^31. Of those that are not finite nothing is added.
  MULTIFOLD_INLINE void add(const packed<double>* x, std::int64_t count) {
    for (std::int64_t first = 0; first < count; first += between_looks) {
      const std::int64_t end = first + between_looks < count ? first + between_looks : count;
      std::int64_t k = first;
      for (; k + block <= end; k += block) add_block(x + k);
      if (k < end) {
        packed<double> rest[block] = {};
        for (std::int64_t j = 0; k + j < end; ++j) rest[j] = x[k + j];
        add_block(rest);
      }
      if (watch_ < 0) settle();
    }
  }

  /// Whether all elements were finite.
  MULTIFOLD_INLINE bool finite() const {
    std::int64_t largest = 0;
    for (int j = 0; j < block; ++j) largest = largest < largest_[j] ? largest_[j] : largest;
    return largest < top_field;
  }

  MULTIFOLD_INLINE void add_to(exact_sum<double>& total) {
    settle();
    total.add_limbs(sum_, settled_);
  }

 private:
  using layout = multifold::detail::float_layout<double>;
  using format = exact_traits<double>;
  static constexpr auto top_field = static_cast<std::int64_t>(layout::infinity >> layout::mantissa_bits);
  static constexpr int fields = static_cast<int>(top_field) + 1;
  // Neighbours of equal exponents would wait for each other.
  static constexpr int copies = 2;
  static constexpr int block = 64;
  // A bin below 2^62 has room for 2^9 significands of 53 bits.
  static constexpr std::int64_t between_looks = std::int64_t{1} << 9;
  static constexpr std::int64_t mantissa_mask = (std::int64_t{1} << layout::mantissa_bits) - 1;
  static constexpr std::int64_t careful = std::int64_t{1} << 62;

  MULTIFOLD_INLINE void add_block(const packed<double>* x) {
    prefetch_behind(x, block * sizeof(double));
    std::int64_t significand[block], at[block];
    for (int j = 0; j < block; ++j) {
      const auto bits = std::bit_cast<std::int64_t>(double{x[j].value});  // no reference to an unaligned member
      const std::int64_t field = (bits >> layout::mantissa_bits) & top_field;
      const std::int64_t normal = field != 0 ? 1 : 0;
      const std::int64_t magnitude = (bits & mantissa_mask) | (normal << layout::mantissa_bits);
      const std::int64_t sign = bits >> 63;
      at[j] = field;
      largest_[j] = largest_[j] < field ? field : largest_[j];
      significand[j] = (magnitude ^ sign) - sign;
    }
#pragma GCC unroll 4
    for (int first = 0; first < block; first += copies) {
      for (int copy = 0; copy < copies; ++copy) {
        std::int64_t& bin = bins_[copy][at[first + copy]];
        bin += significand[first + copy];
        watch_ |= static_cast<std::int64_t>(static_cast<std::uint64_t>(bin) + careful);
      }
    }
  }

  // Bins to limbs, and empty. The last bin holds nothing that counts.
  void settle() {
    constexpr int last = (top_field - 2) / 32;
    limbs<format::limb_count> sum{};
    int128_t carried = 0;
    int field = 0;
    for (int d = 0; d < format::limb_count; ++d) {
      for (; d <= last && field < top_field; ++field) {
        const int position = field - (field > 0 ? 1 : 0);
        if (position >= 32 * (d + 1)) break;
        int128_t bin = 0;
        for (int copy = 0; copy < copies; ++copy) bin += bins_[copy][field];
        carried += static_cast<int128_t>(static_cast<uint128_t>(bin) << (position - 32 * d));
      }
      const bool top = d + 1 == format::limb_count;
      sum.limb[d] = top ? static_cast<std::int64_t>(carried) : static_cast<std::int64_t>(carried & 0xffffffff);
      carried >>= 32;
    }
    sum_.merge(sum);
    ++settled_;
    watch_ = 0;
    for (int copy = 0; copy < copies; ++copy) {
      for (int i = 0; i < fields; ++i) bins_[copy][i] = 0;
    }
  }

  std::int64_t bins_[copies][fields] = {};
  std::int64_t watch_ = 0;  // negative once some bin has left [-2^62, 2^62)
  std::int64_t largest_[block] = {};
  limbs<format::limb_count> sum_{};
  std::int64_t settled_ = 0;
};

}  // namespace multifold::inline v0_1::host::detail
