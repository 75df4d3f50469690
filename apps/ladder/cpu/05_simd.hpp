// Rung 5: SIMD. Vector registers: one instruction adds 4, 8 or 16 numbers.
//
// It is rung 1 with wider accumulators: four vectors of 64 bytes, 64 chains of f32. GCC and Clang write vectors like
// numbers (their vector extensions); how many instructions one takes depends on what the file is compiled for, and it
// is compiled twice, for every x86-64 processor and for those with AVX2, of which the program asks the processor that
// it runs on. An array in the cache is reduced many times as fast as by rung 0; a large one as fast as one core can
// read the memory, which is not nearly what the memory can do.
//
// The next rung lets all cores read.
#pragma once

#include <cstring>

#include "cpu/common.hpp"

namespace multifold::ladder::cpu {

/// `Processor` keeps what is compiled for one apart from the other.
template <class Op, class Processor>
typename Op::acc simd(const elements<typename Op::value_type>& in) {
  using T = typename Op::value_type;
  using acc = typename Op::acc;
  constexpr int lanes = 64 / sizeof(acc), vectors = 4;
  typedef T narrow __attribute__((vector_size(lanes * sizeof(T))));
  typedef acc wide __attribute__((vector_size(64)));
  wide chain[vectors];
  for (wide& each : chain) each = wide{} + Op::identity();
  std::int64_t i = in.first;
  for (; i + vectors * lanes <= in.end; i += vectors * lanes) {
    for (int k = 0; k < vectors; ++k) {
      narrow x, y;
      std::memcpy(&x, in.x + i + k * lanes, sizeof x);
      std::memcpy(&y, in.y + i + k * lanes, sizeof y);
      chain[k] = Op::combine(chain[k], Op::lift(__builtin_convertvector(x, wide), __builtin_convertvector(y, wide)));
    }
  }
  const wide all = Op::combine(Op::combine(chain[0], chain[1]), Op::combine(chain[2], chain[3]));
  acc total = Op::identity();
  for (int k = 0; k < lanes; ++k) total = Op::combine(total, static_cast<acc>(all[k]));
  for (; i < in.end; ++i) total = Op::combine(total, in.template lifted<Op>(i));
  return total;
}

}  // namespace multifold::ladder::cpu
