// Elements of any magnitudes into an exact sum, at one speed whatever they are: double sums by exponent, which round
// nothing. An element costs a shift and an addition, with any vector instructions or none.
//
// After the large superaccumulator of R. M. Neal, "Fast exact summation using small and large superaccumulators"
// (2015), with 16 exponents to a bin, as M. A. Malcolm, "On accurate floating-point summation" (1971), had them: so few
// that even a column may have bins of its own. Bounds: docs/exact-sums.md, 12.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "host/elements/prefetch.hpp"
#include "host/elements/widened.hpp"
#include "multifold/exact/accumulator.hpp"

namespace multifold::inline v0_1::host {

/// A bin is what the sign and the exponent without its last four bits say. A double is added in two
/// halves, of 26 and 27 bits.
template <floating_storage T>
requires(!std::is_same_v<T, f16>) class exponent_bins {
  using format = exact_traits<T>;
  using layout = multifold::detail::float_layout<T>;
  using bits = typename layout::bits_type;
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr int exponents = wide ? 128 : 16;

 public:
  /// Elements that may be added, merges included. Of 53 bits, 16 exponents and a significand of 24 leave 14, and halves
  /// of a significand of 53 leave 11.
  static constexpr std::int64_t capacity = std::int64_t{1} << (wide ? 11 : 14);

  void clear() {
    std::memset(bins_, 0, sizeof bins_);
    bins_[0] = -bin{};  // until something is added that has no sign
  }

  /// Whether x has to go another way: not finite, or so great that a bin might overflow.
  MULTIFOLD_INLINE static bool unusual(T x) { return marked(x) < 0; }

  /// Whether one of N elements has to.
  template <int N>
  MULTIFOLD_INLINE static bool any_unusual(const packed<T>* x) {
    word all = 0;
    for (int j = 0; j < N; ++j) all |= marked(T{x[j].value});
    return all < 0;
  }

  /// Adds an element that is not unusual. It is read twice, for a register of either kind: moves between them are slow.
  MULTIFOLD_INLINE void add(const packed<T>* x) {
    const bits b = reinterpret_cast<const packed<bits>*>(x)->value;
    if constexpr (wide) {
      using word_pair [[gnu::vector_size(16)]] = bits;
      const pair both{x->value, x->value};
      const word_pair minuend{upper_half, ~bits{0}}, subtrahend{0, upper_half};
      bins_[b >> 56] += reinterpret_cast<pair>(reinterpret_cast<word_pair>(both) & minuend) -
                        reinterpret_cast<pair>(reinterpret_cast<word_pair>(both) & subtrahend);
    } else {
      bins_[b >> (8 * sizeof(T) - 5)] += static_cast<double>(widened_alone(x->value));
    }
  }

  void merge(const exponent_bins& other) {
    for (int i = 0; i < count; ++i) bins_[i] += other.bins_[i];
  }

  /// Whether nothing but zeros was added.
  bool only_zeros() const requires(!wide) {
    for (const bin& b : bins_) {
      if (b != 0) return false;
    }
    return true;
  }

  /// The sum of nothing but zeros: -0 if none of them was +0.
  double sum_of_zeros() const requires(!wide) { return bins_[0]; }

  /// Adds what the bins hold to `sum`.
  void add_to(exact_sum<T>& sum) const {
    // Bin `at` in places of 2^(16 at) units of which two are one of the sum: those of the least exponent of a bin that
    // has no subnormals. In two steps, for powers of two that large are out of range.
    constexpr int places = 1 - format::unit_exponent;
    bin first_step = bin{} + power_of_two(places / 2), second_step = bin{} + power_of_two(places - places / 2);
    if constexpr (wide) second_step[0] = power_of_two(places - places / 2 - lower_half_bits);
    int128_t quanta[exponents + 2] = {};
    for (int at = 0; at < exponents; ++at) {
      const bin total = (bins_[at] + bins_[exponents + at]) * first_step * second_step;
      first_step *= 0x1p-8;
      second_step *= 0x1p-8;
      if constexpr (wide) {
        quanta[at] = static_cast<int128_t>(static_cast<std::int64_t>(total[0])) * (int128_t{1} << lower_half_bits) +
                     static_cast<std::int64_t>(total[1]);
      } else {
        quanta[at] = static_cast<std::int64_t>(total);
      }
    }
    add_quanta(sum, quanta);
  }

  /// Adds multiples of 2^(16 at) halves of the sum's unit, of each bin and of one after the last.
  static void add_quanta(exact_sum<T>& sum, const int128_t (&quanta)[exponents + 2]) {
    // Of the 32 places of a limb, two bins begin at the 15th and at the last.
    limbs<format::limb_count> carried{};
    int128_t carry = quanta[0] >> 1;
    constexpr int limbs_of_bins = exponents / 2;
    for (int d = 0; d < limbs_of_bins; ++d) {
      carry += quanta[2 * d + 1] * (1 << 15) + quanta[2 * d + 2] * (int128_t{1} << 31);
      carried.limb[d] = static_cast<std::int64_t>(carry & 0xffffffff);
      carry >>= 32;
    }
    for (int d = limbs_of_bins; d + 1 < format::limb_count; ++d, carry >>= 32) {
      carried.limb[d] = static_cast<std::int64_t>(carry & 0xffffffff);
    }
    carried.limb[format::limb_count - 1] = static_cast<std::int64_t>(carry);
    sum.add_limbs(carried, 1);
  }

 private:
  using word = std::make_signed_t<bits>;
  using pair [[gnu::vector_size(16)]] = double;
  using bin = std::conditional_t<wide, pair, double>;
  static constexpr int lower_half_bits = 27;
  static constexpr int count = 2 * exponents;
  static constexpr bits top_exponents =
      wide ? static_cast<bits>(bits{0x7f} << (8 * sizeof(T) - 8)) : static_cast<bits>(layout::infinity);
  static constexpr bits least_of_top = static_cast<bits>(top_exponents & (~top_exponents + 1));
  static constexpr bits upper_half = wide ? static_cast<bits>(~bits{0x7ffffff}) : 0;

  // Negative if x is unusual: an addition, for vectors of 64 bits may have no comparison.
  MULTIFOLD_INLINE static word marked(T x) {
    return static_cast<word>(static_cast<bits>((bits_of_element(x) & top_exponents) + least_of_top));
  }

  // Left to themselves, compilers gather here, or convert into the register that holds the last sum, and wait for it.
  MULTIFOLD_INLINE static float widened_alone(T x) {
    auto element = static_cast<float>(to_double(x));
#if defined(__x86_64__)
    asm("" : "+x"(element));
#endif
    return element;
  }
  static constexpr double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }

  bin bins_[count];
};

/// Adds an element, whatever it is, to a sum that does not count its elements.
template <floating_storage T>
[[gnu::noinline]] void add_unusual(exact_sum<T>& sum, T x) {
  sum.add(x);
  sum.add_counts({-1, 0, 0, 0, 0});
}

/// Adds `count` elements, whatever they are, to a sum that does not count its elements.
template <floating_storage T>
MULTIFOLD_INLINE void add_in_bins(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  using bins = exponent_bins<T>;
  constexpr int block = 64, copies = 4;  // neighbours of equal exponents would wait for each other
  bins copy[copies];
  for (std::int64_t first = 0; first < count; first += bins::capacity) {
    for (bins& c : copy) c.clear();
    const auto add_one = [&](std::int64_t k) {
      if (bins::unusual(x[k].value)) add_unusual(sum, T{x[k].value});
      else copy[k % copies].add(x + k);
    };
    const std::int64_t end = count - first < bins::capacity ? count : first + bins::capacity;
    std::int64_t k = first;
    for (; k + block <= end; k += block) {
      prefetch_behind(x + k, block * sizeof(T));
      if (bins::template any_unusual<block>(x + k)) {
        for (int j = 0; j < block; ++j) add_one(k + j);
        continue;
      }
      for (int j = 0; j < block; j += copies) {
#pragma GCC unroll 4
        for (int c = 0; c < copies; ++c) copy[c].add(x + k + j + c);
      }
    }
    for (; k < end; ++k) add_one(k);
    for (int c = 1; c < copies; ++c) copy[0].merge(copy[c]);
    copy[0].add_to(sum);
  }
}

}  // namespace multifold::inline v0_1::host
