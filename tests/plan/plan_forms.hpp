// Shapes that plans are made for, and sums over them that keep to the rules of plans.
#pragma once

#include <cstdint>
#include <vector>

#include "multifold/plan.hpp"
#include "plan/plan_rules.hpp"

namespace multifold::plan_tests {

using list = std::vector<std::int64_t>;

inline batches form_of(const list& extents, const list& axes, dtype type = dtype::f32) {
  return normalise(make_view(nullptr, type, extents), axes, element_order::any);
}

inline plan sum_plan(const batches& form, const plan_options& forced = {}, const engine_traits& engine = h200_traits(),
                     dtype type = dtype::f32, accuracy numerics = accuracy::fast) {
  const plan p = make_plan(make_reduction(op_kind::sum, type, nan_policy::propagate, numerics), form, forced, engine);
  expect_sound(p);
  expect_obeyed(p, forced);
  return p;
}

}  // namespace multifold::plan_tests
