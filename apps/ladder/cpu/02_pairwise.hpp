// Rung 2: pairwise. The halves are added for themselves, and so are theirs, down to blocks that rung 1 adds.
//
// An element takes part in as many additions as the tree is high, log2(n / 1024) and the 128 of its chain, in place of
// n / 8: the error hardly grows any more (N. J. Higham, The accuracy of floating point summation, SIAM J. Sci. Comput.
// 14, 1993). The recursion costs nothing that can be measured, because it ends at blocks of 1024 elements. This is what
// NumPy does, and, with many threads in place of a recursion, what every reduction on a GPU does.
//
// The error is small, but it is there, and it depends on the order. The next two rungs keep what roundings cut off.
#pragma once

#include "cpu/01_several_accumulators.hpp"

namespace multifold::ladder::cpu {

template <class Op>
typename Op::acc pairwise(const elements<typename Op::value_type>& in) {
  constexpr std::int64_t block = 1024;
  const std::int64_t count = in.end - in.first;
  if (count <= block) return several_accumulators<Op>(in);
  const std::int64_t middle = in.first + count / 2 / block * block + (count / 2 < block ? block : 0);
  return Op::combine(pairwise<Op>(in.part(in.first, middle)), pairwise<Op>(in.part(middle, in.end)));
}

}  // namespace multifold::ladder::cpu
