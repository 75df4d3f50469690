// A row of neighbours by whole vectors of sixteen bytes, of which the first and the last one may hold what is not the
// row's: that is made neutral, and no element is taken alone.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb/packed.cuh"
#include "multifold/cuda/kernels/runs/run_lanes.cuh"
#include "multifold/ops/sum.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// A word of elements that change nothing, of operations on up to 4 bytes that have such an element.
template <class C>
requires(sizeof(C) <= 4) __device__ unsigned neutral_word(const carried_sum<C>&) { return 0; }
template <class C>
requires(sizeof(C) <= 4) __device__ unsigned neutral_word(const tally<C>&) { return 0; }
template <class T>
requires(sizeof(T) <= 4) __device__ unsigned neutral_word(const float_sum<T>&) {
  return sizeof(T) == 4 ? 0x80000000u : 0x80008000u;  // -0
}
template <class T>
requires(sizeof(T) <= 4) __device__ unsigned neutral_word(const extremum<T>& op) {
  using words = order_words<T>;
  // Of truths it is the least or the greatest, which no other byte is neutral beside.
  if constexpr (std::is_same_v<T, any_byte>) {
    if (op.policy.truth) return (op.policy.flip & 1) != 0 ? 0u : 0x01010101u;
  }
  return words::turned(op.policy, words::greatest_pair(op.policy));
}

/// An operation whose rows are taken so.
template <class Op>
concept masks_rows = requires(const Op& op) {
  { neutral_word(op) } -> std::same_as<unsigned>;
};

/// What stands in a vector behind its first bits, and before its last ones: the rest becomes neutral. Elements of more than
/// 4 bytes are neutral in two words, the lower of which is 0.
struct vector_ends {
  template <bool Wide>
  __device__ static vector_word behind(vector_word w, int bits, unsigned neutral) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      w.words[i] = chosen(ones_up(bits - 32 * i), w.words[i], Wide && i % 2 == 0 ? 0 : neutral);
    return w;
  }
  template <bool Wide>
  __device__ static vector_word before(vector_word w, int bits, unsigned neutral) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      w.words[i] = chosen(ones_down(bits - 32 * (3 - i)), w.words[i], Wide && i % 2 == 0 ? 0 : neutral);
    return w;
  }

 private:
  // All bits, shifted by as many as that, or nothing: shifts by 32 and more give 0, and by less than none are by none.
  __device__ static unsigned ones_up(int by) {
    unsigned r;
    asm("shl.b32 %0, -1, %1;" : "=r"(r) : "r"(max(by, 0)));
    return r;
  }
  __device__ static unsigned ones_down(int by) {
    unsigned r;
    asm("shr.u32 %0, -1, %1;" : "=r"(r) : "r"(max(by, 0)));
    return r;
  }
  __device__ static unsigned chosen(unsigned mask, unsigned a, unsigned b) { return (a & mask) | (b & ~mask); }
};

/// Where such a row lies in shared memory.
struct masked_row {
  const vector_word* first;
  int vectors;
  int lead, rest;  // bytes in front of it in the first vector, and behind it in the last one

  __device__ masked_row(const std::byte* at, int bytes) {
    lead = static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % 16);
    first = reinterpret_cast<const vector_word*>(at - lead);
    vectors = (lead + bytes + 15) / 16;
    rest = 16 * vectors - lead - bytes;
  }

  /// Calls f(vector) with those of lane `lane` of `lanes`.
  template <bool Wide = false, class F>
  __device__ __forceinline__ void each(unsigned neutral, int lane, int lanes, const F& f) const {
    int v = lane;
    if (v < vectors) {
      vector_word w = first[v];
      if (v == 0) w = vector_ends::behind<Wide>(w, 8 * lead, neutral);
      if (v + 1 == vectors) w = vector_ends::before<Wide>(w, 8 * rest, neutral);
      f(w);
      v += lanes;
    }
#pragma unroll 1
    for (; v + lanes + 1 < vectors; v += 2 * lanes) {
      const vector_word one = first[v], other = first[v + lanes];
      f(one);
      f(other);
    }
#pragma unroll 1
    for (; v < vectors; v += lanes) {
      vector_word w = first[v];
      if (v + 1 == vectors) w = vector_ends::before<Wide>(w, 8 * rest, neutral);
      f(w);
    }
  }
};

/// The vectors of a row that are this lane's.
template <masks_rows Op>
__device__ void absorb_masked(const Op& op, run_value<Op>& mine, const masked_row& row, int lane, int lanes,
                              const run_indices& index) {
  using T = typename Op::value_type;
  with_known_order(op, [&](const Op& known) {
    const unsigned neutral = neutral_word(known);
    if constexpr (requires { requires std::is_same_v<Op, extremum<T>> && order_words<T>::are_bits; }) {
      using gathers = run_lane<Op>;
      using words = order_words<T>;
      auto least = gathers::identity(known);
      row.each(neutral, lane, lanes, [&](const vector_word& v) {
        least = words::lesser(known.policy, least, words::least_of(known.policy, v));
      });
      mine.end(known, least, index);
    } else {
      thread_value<Op> into(known);
      row.each(neutral, lane, lanes, [&](const vector_word& v) {
        if constexpr (lane_of<Op>::capacity < most_run_share) into.make_room(known, vector_elements<T>);
        absorb_vector(known, into, v, 0);
      });
      mine.merge(known, into.value(known));
    }
  });
}

}  // namespace multifold::inline v0_1::cuda::kernels
