// Rung 1: several accumulators. Element i goes to accumulator i modulo 8, and the eight are added at the end.
//
// The eight chains do not wait for each other, so that the adder, which begins one or two additions every cycle, is
// always at work: eight is latency (four cycles) times throughput (two a cycle). We changed the order of the additions,
// which the compiler was not allowed to: the result has other bits than that of rung 0. The bound on its error is an
// eighth of what it was, because the chains are; of one array the error may well be larger, by chance.
//
// The bound still grows with the length. The next rung makes it grow with the logarithm.
#pragma once

#include "cpu/common.hpp"

namespace multifold::ladder::cpu {

template <class Op>
typename Op::acc several_accumulators(const elements<typename Op::value_type>& in) {
  constexpr int chains = 8;
  typename Op::acc chain[chains];
  for (auto& each : chain) each = Op::identity();
  std::int64_t i = in.first;
  for (; i + chains <= in.end; i += chains) {
    for (int k = 0; k < chains; ++k) chain[k] = Op::combine(chain[k], in.template lifted<Op>(i + k));
  }
  for (; i < in.end; ++i) chain[0] = Op::combine(chain[0], in.template lifted<Op>(i));
  for (int width = chains / 2; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) chain[k] = Op::combine(chain[k], chain[k + width]);
  }
  return chain[0];
}

}  // namespace multifold::ladder::cpu
