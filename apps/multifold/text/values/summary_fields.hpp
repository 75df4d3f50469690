// A summary as a list of named numbers, in the order in which they are printed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "multifold/reduce.hpp"
#include "multifold/summary.hpp"

namespace multifold::app {

struct summary_field {
  std::string_view key;    // in JSON
  std::string_view label;  // in tables
  dtype type;
  bool counted;            // a count or an index: always i64
  const std::byte* value;  // of `type`; null if no element takes part, and so there is none
};

/// The fields of batch `index` of a result of op_kind::describe, which they refer to.
std::vector<summary_field> fields_of(const reduce_result& result, std::int64_t index);

}  // namespace multifold::app
