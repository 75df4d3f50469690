// Rung 0: one accumulator. The loop that everybody writes first.
//
// Each addition needs the result of the one before, and takes about four cycles, so that four bytes come in every four
// cycles, whatever the memory could do. The compiler may not change that: (a + b) + c and a + (b + c) round
// differently, and the order that was written is the order that is kept. The error grows with the length: every
// addition rounds, and late elements meet a sum that is large beside them.
//
// The next rung starts several chains of additions at once.
#pragma once

#include "cpu/common.hpp"

namespace multifold::ladder::cpu {

template <class Op>
typename Op::acc one_accumulator(const elements<typename Op::value_type>& in) {
  typename Op::acc total = Op::identity();
  for (std::int64_t i = in.first; i < in.end; ++i) total = Op::combine(total, in.template lifted<Op>(i));
  return total;
}

}  // namespace multifold::ladder::cpu
