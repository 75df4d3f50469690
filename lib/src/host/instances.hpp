// The folds by family; each function is a file of its own in this folder, so that they compile side by side.
#pragma once

#include "host/fold.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::host {

fold integer_sum_fold(const reduction& what);
fold integer_product_fold(const reduction& what);
fold integer_extremum(const reduction& what);
fold integer_arg_extremum(const reduction& what);
fold real_sum(const reduction& what);
fold real_exact_sum(const reduction& what);
fold f16_exact_sum(const reduction& what);
fold bf16_exact_sum(const reduction& what);
fold f32_exact_sum(const reduction& what);
fold f64_exact_sum(const reduction& what);
fold tallies(const reduction& what);
fold moments(const reduction& what);
fold integer_moments(const reduction& what);
fold f16_moments(const reduction& what);
fold bf16_moments(const reduction& what);
fold f32_moments(const reduction& what);
fold f64_moments(const reduction& what);
fold real_product(const reduction& what);
fold real_extremum(const reduction& what);
fold real_arg_extremum(const reduction& what);

}  // namespace multifold::host
