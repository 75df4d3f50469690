// The parts of the CPU engine: each holds some operations over some dtypes. Private to ranges.hpp.
//
// Of an archive, a program takes what it names. Functions of one operation name its part (linked_op.hpp); those that
// are told an operation when they run name all of them.
#pragma once

#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

struct reduction;

namespace host {

struct fold;
using engine_part = fold(const reduction&);

MULTIFOLD_EXPORT engine_part integer_sum_fold, real_sum, f16_exact_sum, bf16_exact_sum, f32_exact_sum, f64_exact_sum;
MULTIFOLD_EXPORT engine_part integer_product_fold, real_product, integer_extremum, real_extremum;
MULTIFOLD_EXPORT engine_part integer_arg_extremum, real_arg_extremum, tallies;
MULTIFOLD_EXPORT engine_part integer_moments, f16_moments, bf16_moments, f32_moments, f64_moments;

}  // namespace host

}  // namespace multifold::inline v0_1
