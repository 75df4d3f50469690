// The extreme of floating point by its bits, which two orders of integers sort: signed, in which numbers of 0 and more
// ascend and have NaN above them, and unsigned, in which numbers below 0 descend, above all others, and have NaN above
// them. Three comparisons take the place of a key of each element, which takes six instructions.
#pragma once

#include <cstring>
#include <type_traits>

#include "host/elements/prefetch.hpp"
#include "host/kernels/bank.hpp"
#include "multifold/ops/extremum.hpp"

namespace multifold::inline v0_1::host {

/// Of elements of T, in vectors side by side. Vectors are spelled out: compilers that make them of loops read each element
/// for every comparison.
template <class T>
class extreme_bits {
 public:
  using key = key_of<T>;
  using word = std::make_unsigned_t<key>;

  static constexpr int lanes = 32 / sizeof(T);
  static constexpr int vectors = 4;
  static constexpr int elements = vectors * lanes;

  MULTIFOLD_INLINE extreme_bits() {
    for (int i = 0; i < vectors; ++i) greatest_[i] = keys{} + least_key<key>;
    for (int i = 0; i < vectors; ++i) top_[i] = words{};
    for (int i = 0; i < vectors; ++i) bottom_[i] = ~words{};
  }

  /// As many as there are in all vectors.
  MULTIFOLD_INLINE void absorb(const packed<T>* x) {
    for (int i = 0; i < vectors; ++i) {
      keys bits;
      std::memcpy(&bits, x + i * lanes, sizeof bits);
      const auto same = reinterpret_cast<words>(bits);
      greatest_[i] = bits > greatest_[i] ? bits : greatest_[i];
      top_[i] = same > top_[i] ? same : top_[i];
      bottom_[i] = same < bottom_[i] ? same : bottom_[i];
    }
  }

  /// The least key of all elements, of which there is one at least, by a policy that propagates NaN.
  MULTIFOLD_INLINE key least(const key_policy<key>& policy) const {
    constexpr key infinity = multifold::detail::infinity_bits<T>;
    constexpr auto sign = static_cast<word>(least_key<key>);
    key greatest = least_key<key>;
    word top = 0, bottom = static_cast<word>(-1);
    for (int i = 0; i < vectors; ++i) {
      for (int j = 0; j < lanes; ++j) {
        greatest = greatest_[i][j] > greatest ? greatest_[i][j] : greatest;
        top = top_[i][j] > top ? top_[i][j] : top;
        bottom = bottom_[i][j] < bottom ? bottom_[i][j] : bottom;
      }
    }
    if (greatest > infinity || top > static_cast<word>(sign | static_cast<word>(infinity))) return policy.nan_key;
    const bool wants_greatest = policy.flip != 0;
    const bool by_bottom = wants_greatest ? greatest < 0 : top < sign;
    const word found = by_bottom ? bottom : wants_greatest ? static_cast<word>(greatest) : top;
    return static_cast<key>(ordered_bits(static_cast<key>(found)) ^ policy.flip);
  }

 private:
  using keys [[gnu::vector_size(32)]] = key;
  using words [[gnu::vector_size(32)]] = word;

  keys greatest_[vectors];
  words top_[vectors], bottom_[vectors];
};

/// The least key of `length` elements, which fill all vectors at least once, by a policy that propagates NaN. Some are
/// read twice, which changes nothing, so that others are where cache lines begin.
template <class T>
MULTIFOLD_INLINE key_of<T> extreme_of_bits(const packed<T>* x, std::int64_t length,
                                           const key_policy<key_of<T>>& policy) {
  constexpr int step = extreme_bits<T>::elements;
  extreme_bits<T> found;
  found.absorb(x);
  for (std::int64_t k = elements_before_line(x); k + step <= length; k += step) {
    prefetch_behind<ahead_of_reads>(x + k, step * sizeof(T));
    found.absorb(x + k);
  }
  found.absorb(x + length - step);
  return found.least(policy);
}

}  // namespace multifold::inline v0_1::host
