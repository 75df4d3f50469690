// What a reduction's accumulators are like: size, and whether they merge in any order.
#include "multifold/reduction.hpp"

#include "core/state_record.hpp"
#include "multifold/ops/gathered_sum.hpp"
#include "multifold/ops/moments/moment_partial.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::inline v0_1 {
namespace {

struct bytes_of_partial {
  template <class Op>
  std::int64_t operator()(const Op&) const {
    return sizeof(typename Op::accumulator);
  }
};

}  // namespace

reduction make_reduction(op_kind op, dtype input, nan_policy nan, accuracy numerics) {
  reduction what;
  what.op = op;
  what.input = input;
  what.result = default_result_dtype(op, input);
  what.nan = nan;
  what.numerics = numerics;
  return what;
}

std::int64_t result_bytes(const reduction& what) {
  if (what.as_records) return detail::record_bytes(what);
  return what.op == op_kind::describe ? static_cast<std::int64_t>(sizeof(summary)) : item_bytes(what.result);
}

std::int64_t accumulator_bytes(const reduction& what) {
  return visit_fold(what,
                    [](auto op) { return static_cast<std::int64_t>(sizeof(typename decltype(op)::accumulator)); });
}

std::int64_t gathered_bytes(const reduction& what) {
  if (!gathers_exactly(what)) return accumulator_bytes(what);
  return visit_family(what, [&]<op_family, class T>() -> std::int64_t {
    if constexpr (floating_storage<T>) return visit_gathered<T>(what.nan, bytes_of_partial{});
    return 0;
  });
}

std::int64_t tiled_bytes(const reduction& what) {
  const bool of_moments = family_of(what) == op_family::moments;
  if (!of_moments && !gathers_exactly(what)) return accumulator_bytes(what);
  return visit_dtype(what.input, [&]<class T>() -> std::int64_t {
    if (of_moments) {
      return visit_set(
          what.op, []<moment_set Set>() -> std::int64_t { return sizeof(moment_partial<partial_carrier_of<T>, Set>); });
    }
    if constexpr (floating_storage<T>) {
      return visit_gathered<T>(what.nan, [](auto op) {
        if constexpr (has_tiled_form<decltype(op)>) return bytes_of_partial{}(typename decltype(op)::tiled_form{});
        else return bytes_of_partial{}(op);
      });
    }
    return 0;
  });
}

bool merges_in_any_order(const reduction& what) {
  return visit_fold(what, [](auto op) { return order_free<decltype(op)>; });
}

}  // namespace multifold::inline v0_1
