// What is computed, apart from over what: an operation with everything that decides its result.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/export.hpp"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1 {

struct reduction {
  op_kind op = op_kind::sum;
  dtype input = dtype::f32;
  dtype result = dtype::f32;
  nan_policy nan = nan_policy::propagate;
  accuracy numerics = accuracy::exact;  // where has_exact_form; integers and extrema are exact either way
  initial_value initial;
  std::int64_t correction = 0;  // of op_kind var, std, cov and describe: as in NumPy's var
  // Of gathers_exactly: the only result is not rounded, but the state of the sum (exact/blob.hpp).
  bool as_state = false;
  // Results are not finished, but records of accumulators, which a state is made of. The host engine alone makes them.
  bool as_records = false;

  bool operator==(const reduction&) const = default;
};

/// `op` over `input` with its default result dtype.
MULTIFOLD_EXPORT reduction make_reduction(op_kind op, dtype input, nan_policy nan = nan_policy::propagate,
                                          accuracy numerics = accuracy::exact);

/// Whether `op` over floating-point elements can be had as accuracy::exact and as accuracy::fast.
constexpr bool has_exact_form(op_kind op) noexcept { return op == op_kind::sum || op == op_kind::mean; }

/// Whether `op` over `input` rounds nothing but its result, whatever accuracy is asked for.
constexpr bool always_exact(op_kind op, dtype input) noexcept {
  return !is_floating(input) || (op != op_kind::sum && op != op_kind::prod && op != op_kind::mean);
}

/// The same of results in the dtype of `what`: products of integers that leave 128 bits are rounded on their way to a
/// real number.
constexpr bool always_exact(const reduction& what) noexcept {
  return always_exact(what.op, what.input) && !(what.op == op_kind::prod && is_floating(what.result));
}

/// Whether the sums of `what` are gathered exactly, in exact_sum.
constexpr bool gathers_exactly(const reduction& what) noexcept {
  return what.numerics == accuracy::exact && is_floating(what.input) && has_exact_form(what.op);
}

/// Bytes of one result: of an element of its dtype, of a summary, or of a record.
MULTIFOLD_EXPORT std::int64_t result_bytes(const reduction& what);

/// Bytes of one accumulator, which holds any partial result.
MULTIFOLD_EXPORT std::int64_t accumulator_bytes(const reduction& what);

/// Bytes of what partial results are gathered in: less than an accumulator for exact sums, which seldom need one.
MULTIFOLD_EXPORT std::int64_t gathered_bytes(const reduction& what);
/// The same where a pass of tiles leaves it.
MULTIFOLD_EXPORT std::int64_t tiled_bytes(const reduction& what);

/// Whether partial results merge to the same bits in any order: all integers, extrema and exact sums, but no rounded
/// sum.
MULTIFOLD_EXPORT bool merges_in_any_order(const reduction& what);

}  // namespace multifold::inline v0_1
