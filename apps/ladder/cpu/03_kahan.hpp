// Rung 3: Kahan's compensated sum. A second number remembers what the last rounding cut off, and the next element makes
// good for it.
//
// With t = total + y, the parentheses (t - total) - y are exactly what was added too much, if total was the larger of
// the two. The error no longer grows with the length, until n reaches 1 / u, which is 2^24 for f32 (W. Kahan, Further
// remarks on reducing truncation errors, Communications of the ACM 8, 1965). It costs three more additions, all in one
// chain: as slow as rung 0, four times over. A compiler that is told to reassociate (-ffast-math) removes all of it.
//
// If an element is larger than the total, its correction is lost. The next rung asks which is larger.
#pragma once

#include "cpu/common.hpp"

namespace multifold::ladder::cpu {

template <class Op>
typename Op::acc kahan(const elements<typename Op::value_type>& in) {
  typename Op::acc total = 0, too_much = 0;
  for (std::int64_t i = in.first; i < in.end; ++i) {
    const typename Op::acc y = in.template lifted<Op>(i) - too_much;
    const typename Op::acc t = total + y;
    too_much = (t - total) - y;
    total = t;
  }
  return total;
}

}  // namespace multifold::ladder::cpu
