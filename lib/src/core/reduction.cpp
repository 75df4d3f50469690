// What a reduction's accumulators are like: size, and whether they merge in any order.
#include "multifold/reduction.hpp"

#include "multifold/ops/visit.hpp"

namespace multifold {

reduction make_reduction(op_kind op, dtype input, nan_policy nan, accuracy numerics) {
  reduction what;
  what.op = op;
  what.input = input;
  what.result = default_result_dtype(op, input);
  what.nan = nan;
  what.numerics = numerics;
  return what;
}

std::int64_t accumulator_bytes(const reduction& what) {
  return visit_fold(what,
                    [](auto op) { return static_cast<std::int64_t>(sizeof(typename decltype(op)::accumulator)); });
}

bool merges_in_any_order(const reduction& what) {
  return visit_fold(what, [](auto op) { return order_free<decltype(op)>; });
}

}  // namespace multifold
