// Every dtype and every operation, for tests of all of them.
#pragma once

#include <iterator>
#include <vector>

#include "multifold/ops.hpp"

namespace test {

inline constexpr multifold::dtype all_dtypes[] = {
    multifold::dtype::boolean, multifold::dtype::i8,  multifold::dtype::i16,  multifold::dtype::i32,
    multifold::dtype::i64,     multifold::dtype::u8,  multifold::dtype::u16,  multifold::dtype::u32,
    multifold::dtype::u64,     multifold::dtype::f16, multifold::dtype::bf16, multifold::dtype::f32,
    multifold::dtype::f64};

/// Of one array: those with one value, and describe.
inline std::vector<multifold::op_kind> ops_of_one_array() {
  std::vector<multifold::op_kind> ops(std::begin(multifold::all_ops), std::end(multifold::all_ops));
  ops.push_back(multifold::op_kind::describe);
  return ops;
}

/// Of one array and of two.
inline std::vector<multifold::op_kind> every_op() {
  std::vector<multifold::op_kind> ops = ops_of_one_array();
  ops.insert(ops.end(), std::begin(multifold::two_array_ops), std::end(multifold::two_array_ops));
  return ops;
}

}  // namespace test
