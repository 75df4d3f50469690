// Exact sums of floating-point numbers: accumulators that never round, and the one rounding at the end.
//
//   multifold::exact_sum<float> sum;                       // exact_dot<float> for products
//   for (float x : values) sum.add(x);                     // any order, any split into accumulators that merge
//   float total = multifold::round_to<float>(sum);         // correctly rounded, and so is every other result:
//   float mean = multifold::round_to<float>(exact_mean(sum));
#pragma once

#include "multifold/exact/accumulator.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/exact/moments.hpp"
#include "multifold/exact/round.hpp"
#include "multifold/exact/value.hpp"
