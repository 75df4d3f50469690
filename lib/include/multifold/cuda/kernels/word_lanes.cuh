// What a thread gathers of narrow columns that are neighbours, which it takes a word of 32 bits at a time: a load and
// an instruction serve two or four of them.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/order_words.cuh"
#include "multifold/cuda/kernels/run_lanes.cuh"

namespace multifold::cuda::kernels {

/// An operation on elements of 1 or 2 bytes that knows how. Specialised with `any` true:
///   see(op, words)     an element of each column
///   of_column(op, j)   the accumulator of column j
template <class Op, int Width>
struct word_lanes {
  static constexpr bool any = false;
};

/// Whether the columns of a thread are neighbours, or else as far apart as threads share a row.
template <class Op, int Width>
inline constexpr bool takes_words = word_lanes<Op, Width>::any;

/// Words that the columns of a thread take.
template <class T, int Width>
inline constexpr int words_of_columns = Width* static_cast<int>(sizeof(T)) / 4;

/// Extrema of 2 bytes: pairs are compared.
template <class T, int Width>
requires(Width > 1 && sizeof(T) == 2) struct word_lanes<extremum<T>, Width> {
  static constexpr bool any = true;
  static constexpr int words = words_of_columns<T, Width>;
  using order = order_words<T>;
  unsigned least[words];

  __device__ explicit word_lanes(const extremum<T>& op) {
    for (unsigned& each : least) each = order::greatest_pair(op.policy);
  }
  __device__ void see(const extremum<T>& op, const unsigned (&w)[words]) {
#pragma unroll
    for (int i = 0; i < words; ++i) least[i] = order::lesser_pair(op.policy, least[i], order::turned(op.policy, w[i]));
  }
  __device__ auto of_column(const extremum<T>& op, int j) const {
    return order::key_at(op.policy, least[j / 2] >> (16 * (j % 2)) & 0xffffu);
  }
};

/// Extrema of 1 byte: pairs are compared, of which the upper bytes decide.
template <int Width>
requires(Width > 1) struct word_lanes<extremum<any_byte>, Width> {
  static constexpr bool any = true;
  static constexpr int words = words_of_columns<any_byte, Width>;
  unsigned odd[words], even[words];

  __device__ explicit word_lanes(const extremum<any_byte>&) {
#pragma unroll
    for (int i = 0; i < words; ++i) odd[i] = even[i] = 0x7fff7fffu;
  }
  __device__ void see(const extremum<any_byte>& op, const unsigned (&w)[words]) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const unsigned turned = w[i] ^ turns(op);
      odd[i] = __vmins2(odd[i], turned);
      even[i] = __vmins2(even[i], turned << 8);
    }
  }
  /// Whether bytes are true is found out here: what is true of the least byte is the least truth.
  __device__ std::int8_t of_column(const extremum<any_byte>& op, int j) const {
    const unsigned pair = j % 2 == 0 ? even[j / 4] : odd[j / 4];
    return op.policy.of(any_byte{static_cast<std::uint8_t>((pair ^ turns(op)) >> (j % 4 < 2 ? 8 : 24))});
  }

 private:
  // Bytes are compared with a sign; of truths in the order of unsigned ones.
  __device__ static unsigned turns(const extremum<any_byte>& op) {
    return static_cast<std::uint8_t>(op.policy.flip ^ (op.policy.truth ? INT8_MIN : 0)) * 0x01010101u;
  }
};

/// Sums of integers: the dot product with a one in the place of the column.
template <class T, int Width>
requires(Width > 1 && sizeof(T) <= 2) struct word_lanes<integer_sum<T>, Width> {
  static constexpr bool any = true;
  static constexpr int words = words_of_columns<T, Width>;
  using lane = typename integer_sum<T>::lane;
  static_assert(sizeof(lane) == 4 && integer_sum<T>::lane_capacity >= most_run_share);
  lane sums[Width];

  __device__ explicit word_lanes(const integer_sum<T>&) {
    for (lane& each : sums) each = 0;
  }
  __device__ void see(const integer_sum<T>&, const unsigned (&w)[words]) {
    constexpr int in_word = 4 / static_cast<int>(sizeof(T));
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const unsigned one = 1u << (8 * (j % in_word));
      unsigned word = w[j / in_word];
      if constexpr (std::is_same_v<T, bool8>) word = __vsetne4(word, 0u);
      if constexpr (sizeof(T) == 1) sums[j] = __dp4a(static_cast<lane>(word), static_cast<lane>(one), sums[j]);
      else sums[j] = __dp2a_lo(static_cast<lane>(word), static_cast<lane>(one), sums[j]);
    }
  }
  __device__ auto of_column(const integer_sum<T>& op, int j) const { return op.widen(sums[j]); }
};

}  // namespace multifold::cuda::kernels
