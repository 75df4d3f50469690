// What a thread gathers of narrow columns that are neighbours, which it takes a word of 32 bits at a time: a load and
// an instruction serve two or four of them.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/order_words.cuh"
#include "multifold/cuda/kernels/runs/run_lanes.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// An operation on elements of 1 or 2 bytes that knows how. Specialised with `any` true:
///   see(op, words, number)    an element of each column, and its number in the run
///   of_column(op, j, index)   the accumulator of column j
template <class Op, int Width>
struct word_lanes {
  static constexpr bool any = false;
};

/// Whether the columns of a thread are neighbours, or else as far apart as threads share a row.
template <class Op, int Width>
inline constexpr bool takes_words = word_lanes<Op, Width>::any;

/// What is told before it sees more rows.
template <class Lanes>
concept fills_up = requires(Lanes lanes) {
  lanes.make_room(1);
};

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
  __device__ void see(const extremum<T>& op, const unsigned (&w)[words], int) {
#pragma unroll
    for (int i = 0; i < words; ++i) least[i] = order::lesser_pair(op.policy, least[i], order::turned(op.policy, w[i]));
  }
  __device__ auto of_column(const extremum<T>& op, int j, const run_indices&) const {
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
  __device__ void see(const extremum<any_byte>& op, const unsigned (&w)[words], int) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const unsigned turned = w[i] ^ turns(op);
      odd[i] = __vmins2(odd[i], turned);
      even[i] = __vmins2(even[i], turned << 8);
    }
  }
  /// Whether bytes are true is found out here: what is true of the least byte is the least truth.
  __device__ std::int8_t of_column(const extremum<any_byte>& op, int j, const run_indices&) const {
    const unsigned pair = j % 2 == 0 ? even[j / 4] : odd[j / 4];
    return op.policy.of(any_byte{static_cast<std::uint8_t>((pair ^ turns(op)) >> (j % 4 < 2 ? 8 : 24))});
  }

 private:
  // Bytes are compared with a sign; of truths in the order of unsigned ones.
  __device__ static unsigned turns(const extremum<any_byte>& op) {
    return static_cast<std::uint8_t>(op.policy.flip ^ (op.policy.truth ? INT8_MIN : 0)) * 0x01010101u;
  }
};

/// Indices of extrema: for each column a word, whose upper half has the key, or its upper byte, and the lower half the
/// number of the element. Of floating point the extreme of such words is the greatest where NaN propagates, which is
/// the greatest key then, and numbers are turned round for it; else the least.
template <class T, int Width>
requires(Width > 1 && sizeof(T) <= 2) struct word_lanes<arg_extremum<T>, Width> {
  static constexpr bool any = true;
  static constexpr int words = words_of_columns<T, Width>, in_word = 4 / static_cast<int>(sizeof(T));
  using order = order_words<T>;
  std::int32_t extreme[Width];

  __device__ explicit word_lanes(const arg_extremum<T>& op) {
    for (std::int32_t& each : extreme) each = takes_greatest(op) ? INT32_MIN : INT32_MAX;
  }
  __device__ void see(const arg_extremum<T>& op, const unsigned (&w)[words], int number) {
    const auto place = static_cast<unsigned>(number) ^ turned_numbers(op);
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const unsigned keys = keys_of(op, w[i]);
#pragma unroll
      for (int k = 0; k < in_word; ++k) {
        std::int32_t& mine = extreme[i * in_word + k];
        // Bytes of the element, above two of the number, and of bytes a zero between them.
        const unsigned pick = sizeof(T) == 1 ? 0x0654u + 0x1000u * static_cast<unsigned>(k)
                              : k == 0       ? 0x1054u
                                             : 0x3254u;
        const auto word = static_cast<std::int32_t>(__byte_perm(keys, place, pick));
        mine = takes_greatest(op) ? max(mine, word) : min(mine, word);
      }
    }
  }
  __device__ typename arg_extremum<T>::accumulator of_column(const arg_extremum<T>& op, int j,
                                                             const run_indices& index) const {
    const auto word = static_cast<unsigned>(extreme[j]);
    const auto number = static_cast<int>((word ^ turned_numbers(op)) & 0xffffu);
    if constexpr (floating_storage<T>) {
      const unsigned turned = ascending_pair(word >> 16) & 0xffffu;
      const auto key = op.policy.of(bit_copy<T>(static_cast<std::uint16_t>(turns(op) ^ turned)));
      if (key == greatest_key<decltype(key)>) return op.identity();  // nothing but NaN that is omitted
      return {key, index[number]};
    } else {
      return {static_cast<std::int32_t>(word) >> (32 - 8 * static_cast<int>(sizeof(T))), index[number]};
    }
  }

 private:
  __device__ static bool takes_greatest(const arg_extremum<T>& op) {
    return floating_storage<T> && !op.policy.omits_nan();
  }
  __device__ static unsigned turned_numbers(const arg_extremum<T>& op) { return takes_greatest(op) ? 0xffffu : 0; }
  // What the signs of floating point are turned by: the least is the greatest, or the other way round.
  __device__ static unsigned turns(const arg_extremum<T>& op) {
    return (op.policy.flip != 0) != takes_greatest(op) ? 0x80008000u : 0;
  }
  // Two numbers of floating point as numbers with a sign that ascend as they do, and back.
  __device__ static unsigned ascending_pair(unsigned pair) {
    unsigned signs;
    asm("prmt.b32 %0, %1, 0, 0xbb99;" : "=r"(signs) : "r"(pair));
    return pair ^ (signs & 0x7fff7fffu);
  }
  __device__ static unsigned keys_of(const arg_extremum<T>& op, unsigned pair) {
    if constexpr (floating_storage<T>) return ascending_pair(order::canonical_pair(pair ^ turns(op)));
    else return order::turned(op.policy, order::numbers_in(op.policy, pair));
  }
};

/// Sums of integers: the dot product with a one in the place of the column.
template <class C, int Width>
requires(Width > 1 && sizeof(C) <= 2) struct word_lanes<carried_sum<C>, Width> {
  static constexpr bool any = true;
  static constexpr int words = words_of_columns<C, Width>;
  using lane = typename carried_sum<C>::lane;
  static_assert(sizeof(lane) == 4 && carried_sum<C>::lane_capacity >= most_run_share);
  lane sums[Width];

  __device__ explicit word_lanes(const carried_sum<C>&) {
    for (lane& each : sums) each = 0;
  }
  __device__ void see(const carried_sum<C>& op, const unsigned (&w)[words], int) {
    constexpr int in_word = 4 / static_cast<int>(sizeof(C));
    op.with_element([&]<class T>(T) {
      using word_type = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        constexpr auto dot = [](word_type word, word_type one, word_type sum) {
          if constexpr (sizeof(T) == 1) return __dp4a(word, one, sum);
          else return __dp2a_lo(word, one, sum);
        };
        unsigned word = w[j / in_word];
        if constexpr (std::is_same_v<T, bool8>) word = __vsetne4(word, 0u);
        sums[j] = static_cast<lane>(dot(static_cast<word_type>(word), static_cast<word_type>(1u << (8 * (j % in_word))),
                                        static_cast<word_type>(sums[j])));
      }
    });
  }
  __device__ auto of_column(const carried_sum<C>& op, int j, const run_indices&) const { return op.widen(sums[j]); }
};

/// Counts: of bytes in bytes of a word, which are taken out before they are full; of two bytes in halves of one.
template <class C, int Width>
requires(Width > 1 && sizeof(C) <= 2) struct word_lanes<tally<C>, Width> {
  static constexpr bool any = true;
  static constexpr bool bytes = sizeof(C) == 1;
  static constexpr int words = words_of_columns<C, Width>;
  static_assert(most_run_share < 1 << 15);
  unsigned counts[words];
  unsigned sums[bytes ? Width : 1];
  int room = 255;

  __device__ explicit word_lanes(const tally<C>&) {
    for (unsigned& each : counts) each = 0;
    for (unsigned& each : sums) each = 0;
  }
  /// Before so many rows more are seen.
  __device__ void make_room(int rows) requires bytes {
    room -= rows;
    if (room >= 0) return;
#pragma unroll
    for (int j = 0; j < Width; ++j) sums[j] += count_of(j);
#pragma unroll
    for (unsigned& each : counts) each = 0;
    room = 255 - rows;
  }
  __device__ void see(const tally<C>& op, const unsigned (&w)[words], int) {
#pragma unroll
    for (int i = 0; i < words; ++i) counts[i] += marked(op, w[i]) >> (bytes ? 7 : 15);
  }
  __device__ std::int64_t of_column(const tally<C>&, int j, const run_indices&) const {
    if constexpr (bytes) return sums[j] + count_of(j);
    else return count_of(j);
  }

 private:
  __device__ unsigned count_of(int j) const {
    if constexpr (bytes) return counts[j / 4] >> (8 * (j % 4)) & 0xffu;
    else return counts[j / 2] >> (16 * (j % 2)) & 0xffffu;
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
