// Which part of the CPU engine reduces by an operation. Private to ranges.hpp.
#pragma once

#include <type_traits>

#include "multifold/dtype.hpp"
#include "multifold/engine_parts.hpp"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1 {
namespace detail {

template <storage_type T>
constexpr host::engine_part* part_by_dtype(host::engine_part* integer, host::engine_part* f16_part,
                                           host::engine_part* bf16_part, host::engine_part* f32_part,
                                           host::engine_part* f64_part) {
  if constexpr (!floating_storage<T>) return integer;
  else if constexpr (std::is_same_v<T, f16>) return f16_part;
  else if constexpr (std::is_same_v<T, bf16>) return bf16_part;
  else if constexpr (std::is_same_v<T, float>) return f32_part;
  else return f64_part;
}

/// The part that reduces elements T by `op`, as exactly as can be had.
template <storage_type T>
constexpr host::engine_part* part_of(op_kind op) {
  using namespace host;
  constexpr bool real = floating_storage<T>;
  switch (op) {
    case op_kind::sum:
    case op_kind::mean:
      return part_by_dtype<T>(integer_sum_fold, f16_exact_sum, bf16_exact_sum, f32_exact_sum, f64_exact_sum);
    case op_kind::prod: return real ? real_product : integer_product_fold;
    case op_kind::min:
    case op_kind::max: return real ? real_extremum : integer_extremum;
    case op_kind::argmin:
    case op_kind::argmax: return real ? real_arg_extremum : integer_arg_extremum;
    case op_kind::any:
    case op_kind::all:
    case op_kind::count_nonzero: return tallies;
    case op_kind::norm1:
    case op_kind::sumsq:
    case op_kind::norm2:
    case op_kind::var:
    case op_kind::std:
    case op_kind::dot:
    case op_kind::cov:
    case op_kind::describe: break;
  }
  return part_by_dtype<T>(integer_moments, f16_moments, bf16_moments, f32_moments, f64_moments);
}

/// An operation, and what of the CPU engine has to be linked for it.
struct linked_op {
  op_kind kind;
  host::engine_part* part;
};
template <op_kind op, storage_type T>
inline constexpr linked_op op_over{op, part_of<T>(op)};

}  // namespace detail
}  // namespace multifold::inline v0_1
