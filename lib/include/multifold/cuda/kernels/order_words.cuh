// Elements as words whose order single instructions know: the least of a vector, and the place where it stands.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/exact/float_layout.hpp"
#include "multifold/ops/carried.hpp"
#include "multifold/ops/extremum.hpp"
#include "multifold/ops/tally.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Words that ascend as keys do. Of floating point up to 4 bytes they are its bits, with the sign turned round for
/// maxima, and its instructions compare them, to which -0 is less than +0, too; of all others they are the keys.
template <class T>
struct order_words {
  using key = key_of<T>;
  using policy = key_policy<key>;
  static constexpr bool are_bits = floating_storage<T> && sizeof(T) <= 4;
  static_assert(std::is_same_v<T, order_carrier<T>>);
  using word = std::conditional_t<are_bits, unsigned, std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>>;

  /// No element is greater, but for NaN that is omitted: that is the same.
  __device__ static word greatest(const policy& p) {
    if constexpr (are_bits) return p.omits_nan() ? layout<T>::quiet_nan : layout<T>::infinity;
    else return greatest_key<key>;
  }
  __device__ static word of(const policy& p, T x) {
    if constexpr (are_bits) {
      return bit_copy<bits>(x) ^ (turns(p) & low);
    } else if constexpr (floating_storage<T>) {  // the key in fewer instructions
      const key turned = bit_copy<key>(x) ^ (p.flip & least_key<key>);
      return x != x ? p.nan_key : turned ^ (turned >> 63 & greatest_key<key>);
    } else {
      return p.of(x);
    }
  }
  __device__ static key key_at(const policy& p, word w) {
    if constexpr (are_bits) return p.of(bit_copy<T>(static_cast<bits>(w ^ turns(p))));
    else return static_cast<key>(w);
  }
  /// The lesser of two words. All NaN that propagate become one.
  __device__ static word lesser(const policy& p, word a, word b) {
    if constexpr (!are_bits) return min(a, b);
    else return lesser_bits(p, a, b);
  }
  /// Makes `least` the lesser one; whether it was another.
  __device__ static bool lower(const policy& p, word& least, word w) {
    if constexpr (are_bits) {
      const word before = least;
      least = lesser_bits(p, before, w);
      return least != before;
    } else {
      const bool less = w < least;
      least = less ? w : least;
      return less;
    }
  }
  /// Whether `w` is as good as `least`, which is the lesser one of it and others.
  __device__ static bool is_least(const policy& p, word w, word least) {
    if constexpr (are_bits) w = lesser_bits(p, w, greatest(p));
    return w == least;
  }

  /// Of elements of 1 or 2 bytes, several in a word of 32 bits.
  __device__ static unsigned turned(const policy& p, unsigned elements) { return elements ^ turns(p); }
  __device__ static unsigned numbers_in(const policy& p, unsigned elements) {
    return std::is_same_v<T, any_byte> && p.truth ? __vsetne4(elements, 0u) : elements;
  }
  /// Two elements of floating point, where every NaN is 0x7fff, a number with a sign above all others.
  __device__ static unsigned canonical_pair(unsigned pair) requires(are_bits && sizeof(T) == 2) {
    unsigned r;
    if constexpr (std::is_same_v<T, f16>) asm("min.NaN.f16x2 %0, %1, %1;" : "=r"(r) : "r"(pair));
    else asm("min.NaN.bf16x2 %0, %1, %1;" : "=r"(r) : "r"(pair));
    return r;
  }
  __device__ static unsigned greatest_pair(const policy& p) {
    return (static_cast<unsigned>(greatest(p)) & low) * ones;
  }
  __device__ static unsigned lesser_pair(const policy& p, unsigned a, unsigned b) requires(sizeof(T) == 2) {
    if constexpr (are_bits) return lesser_bits(p, a, b);
    else return __vmins2(a, b);
  }

  __device__ static word least_of(const policy& p, const vector_word& v) {
    if constexpr (sizeof(T) == 8) {
      const auto x = bit_copy<elements_of<T>>(v);
      return min(of(p, x.values[0]), of(p, x.values[1]));
    } else {
      const vector_word elements = numbers_of(p, v);
      unsigned w[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) w[i] = elements.words[i] ^ turns(p);
      if constexpr (sizeof(T) == 4) {
        return lesser(p, lesser(p, w[0], w[1]), lesser(p, w[2], w[3]));
      } else if constexpr (are_bits) {
        const unsigned pair = lesser(p, lesser(p, w[0], w[1]), lesser(p, w[2], w[3]));
        return lesser(p, pair, pair >> 16) & low;
      } else {
        const auto pair_of = [](unsigned word) {
          if constexpr (sizeof(T) == 1) return __vmins2(even_bytes(word), odd_bytes(word));
          else return word;
        };
        const unsigned pair = __vmins2(__vmins2(pair_of(w[0]), pair_of(w[1])), __vmins2(pair_of(w[2]), pair_of(w[3])));
        return min(static_cast<int>(static_cast<std::int16_t>(pair)), static_cast<int>(pair) >> 16);
      }
    }
  }
  /// Where the first one stands in a vector whose least word is `least`.
  __device__ static int place_of(const policy& p, const vector_word& v, word least) {
    if constexpr (sizeof(T) == 8) {
      return of(p, bit_copy<elements_of<T>>(v).values[0]) == least ? 0 : 1;
    } else {
      constexpr unsigned signs = ones << (8 * sizeof(T) - 1);
      const unsigned sought = (static_cast<unsigned>(least) & low) * ones;
      const vector_word elements = numbers_of(p, v);
      unsigned found = 0;
      int at = 0;
#pragma unroll
      for (int i = 3; i >= 0; --i) {
        unsigned w = elements.words[i] ^ turns(p);
        if constexpr (are_bits) w = lesser_bits(p, w, greatest(p) * ones);
        w ^= sought;
        // Of the elements of w that are zero, the lowest one is certain.
        const unsigned zeros = sizeof(T) == 4 ? w == 0 : (w - ones) & ~w & signs;
        found = zeros != 0 ? zeros : found;
        at = zeros != 0 ? i : at;
      }
      if constexpr (sizeof(T) == 4) return at;
      else return at * static_cast<int>(4 / sizeof(T)) + (__ffs(static_cast<int>(found)) - 1) / (8 * sizeof(T));
    }
  }

 private:
  template <class U>
  using layout = multifold::detail::float_layout<U>;
  using bits = std::make_unsigned_t<key>;
  static constexpr unsigned low = static_cast<unsigned>(static_cast<bits>(-1));
  static constexpr unsigned ones = sizeof(T) == 1 ? 0x01010101u : sizeof(T) == 2 ? 0x00010001u : 1u;

  // What elements of a word are turned by, to be compared as numbers with a sign.
  __device__ static unsigned turns(const policy& p) {
    constexpr unsigned sign = 1u << (8 * sizeof(T) - 1);
    if constexpr (floating_storage<T>) return p.flip != 0 ? sign * ones : 0;
    else return static_cast<bits>(p.flip) * ones;
  }
  __device__ static vector_word numbers_of(const policy& p, vector_word v) {
#pragma unroll
    for (unsigned& word : v.words) word = numbers_in(p, word);
    return v;
  }
  __device__ static unsigned lesser_bits(const policy& p, unsigned a, unsigned b) {
    unsigned r;
    if constexpr (std::is_same_v<T, f16>) {
      if (p.omits_nan()) asm("min.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
      else asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    } else if constexpr (std::is_same_v<T, bf16>) {
      if (p.omits_nan()) asm("min.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
      else asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    } else {
      if (p.omits_nan()) asm("min.f32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
      else asm("min.NaN.f32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    }
    return r;
  }
  // Bytes 0 and 2, or 1 and 3, of a word as two numbers of 16 bits.
  __device__ static unsigned even_bytes(unsigned word) {
    unsigned r;
    asm("prmt.b32 %0, %1, 0, 0xa280;" : "=r"(r) : "r"(word));
    return r;
  }
  __device__ static unsigned odd_bytes(unsigned word) {
    unsigned r;
    asm("prmt.b32 %0, %1, 0, 0xb391;" : "=r"(r) : "r"(word));
    return r;
  }
};

/// An operation that compares floating point of up to 4 bytes, by the instructions for it.
template <class Op>
concept compares_bits = floating_storage<typename Op::value_type> && sizeof(typename Op::value_type) <= 4 &&
                        std::is_same_v<decltype(Op::policy), key_policy<key_of<typename Op::value_type>>>;

/// An operation that compares bytes, which may be true or not.
template <class Op>
concept compares_bytes = std::is_same_v<decltype(Op::policy), key_policy<std::int8_t>>;

/// An operation that counts elements which may be NaN.
template <class Op>
concept counts_wide_elements = std::is_same_v<Op, tally<typename Op::value_type>> &&
    (sizeof(typename Op::value_type) > 1);

/// Calls f(op), which knows at compile time what its elements stand for.
template <class Op, class F>
__device__ __forceinline__ void with_known_kind(const Op& op, const F& f) {
  Op known = op;
  if (Op::may_be_truth && op.kind == integer_kind::truth) {
    known.kind = integer_kind::truth;
    f(known);
  } else if (op.kind == integer_kind::without_sign) {
    known.kind = integer_kind::without_sign;
    f(known);
  } else {
    known.kind = integer_kind::with_sign;
    f(known);
  }
}

/// Calls f(op), which knows at compile time what integers stand for, what NaN does, and whether bytes are true or not:
/// minima are more instructions where it may be either.
template <class Op, class F>
__device__ __forceinline__ void with_known_order(const Op& op, const F& f) {
  if constexpr (carries_integers<Op>) {
    with_known_kind(op, f);
  } else if constexpr (compares_bits<Op>) {
    using key = typename Op::key;
    Op known = op;
    if (op.policy.omits_nan()) {
      known.policy.nan_key = greatest_key<key>;
      f(known);
    } else {
      known.policy.nan_key = least_key<key>;
      f(known);
    }
  } else if constexpr (compares_bytes<Op>) {
    Op known = op;
    if (op.policy.truth) {
      known.policy.truth = true;
      f(known);
    } else {
      known.policy.truth = false;
      f(known);
    }
  } else if constexpr (counts_wide_elements<Op>) {
    Op known = op;
    if (op.most == greatest_key<typename Op::key>) {
      known.most = greatest_key<typename Op::key>;
      f(known);
    } else {
      f(known);
    }
  } else {
    f(op);
  }
}

}  // namespace multifold::inline v0_1::cuda::kernels
