// The operations that the tool has commands for, which are all of the library's, and what they take.
#pragma once

#include <vector>

#include "multifold/ops.hpp"

namespace multifold::app {

/// Operations over one array, then those over two, then describe.
inline std::vector<op_kind> offered_ops() {
  std::vector<op_kind> ops;
  for (const op_kind op : all_ops) ops.push_back(op);
  for (const op_kind op : two_array_ops) ops.push_back(op);
  ops.push_back(op_kind::describe);
  return ops;
}

}  // namespace multifold::app
