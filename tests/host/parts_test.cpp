#include "host/parts.hpp"

#include <gtest/gtest.h>

#include <set>

#include "host/every_part.hpp"
#include "multifold/linked_op.hpp"

using namespace multifold;

TEST(parts, functions_of_one_operation_name_the_part_that_reduces_by_it) {
  std::set<host::engine_part*> named;
  const auto check = [&](op_kind op) {
    for (int i = 0; i <= static_cast<int>(dtype::f64); ++i) {
      const auto type = static_cast<dtype>(i);
      visit_dtype(type, [&]<class T>() {
        EXPECT_EQ(host::part_of(make_reduction(op, type)), detail::part_of<T>(op)) << name(op) << " of " << name(type);
        named.insert(detail::part_of<T>(op));
      });
    }
  };
  for (const op_kind op : all_ops) check(op);
  for (const op_kind op : two_array_ops) check(op);
  named.insert(host::part_of(make_reduction(op_kind::mean, dtype::bf16, nan_policy::propagate, accuracy::fast)));
  EXPECT_EQ(named, std::set(host::every_part.begin(), host::every_part.end()));
}
