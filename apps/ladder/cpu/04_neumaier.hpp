// Rung 4: Neumaier's variant. What roundings cut off is added up beside the total, and comes in at the very end.
//
// Which of the two numbers loses bits is decided for each addition, so that 1, 1e100, 1, -1e100 make 2, where Kahan's
// sum makes 0 (A. Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, ZAMM 54, 1974).
// CPython's sum() of floats adds like this since 3.12. The chain from one total to the next is one addition again:
// the corrections are a chain of their own.
//
// The corrections are a plain sum themselves, so that the error has a part that grows with n^2 u^2: nothing for f64,
// but for f32 and a million elements of one sign hundreds of units in the last place, where Kahan's sum is off by one.
// Before the last rung is right always, the next two are fast.
#pragma once

#include <cmath>

#include "cpu/common.hpp"

namespace multifold::ladder::cpu {

template <class Op>
typename Op::acc neumaier(const elements<typename Op::value_type>& in) {
  using acc = typename Op::acc;
  acc total = 0, cut_off = 0;
  for (std::int64_t i = in.first; i < in.end; ++i) {
    const acc x = in.template lifted<Op>(i), t = total + x;
    const bool total_is_larger = std::fabs(total) >= std::fabs(x);
    cut_off += ((total_is_larger ? total : x) - t) + (total_is_larger ? x : total);
    total = t;
  }
  return total + cut_off;
}

}  // namespace multifold::ladder::cpu
