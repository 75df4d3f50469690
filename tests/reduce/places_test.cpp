// Memory that is not there is refused, and not read.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "multifold/multifold.hpp"

namespace multifold {
namespace {

const float one = 1;

TEST(places, without_an_address_are_refused_where_there_are_elements) {
  const float* const nowhere = nullptr;
  const array_view here = make_view(&one, {1}), none = make_view(nowhere, {1}), empty = make_view(nowhere, {0});
  for (const engine_choice engine : {engine_choice::automatic, engine_choice::host, engine_choice::device}) {
    reduce_options options;
    options.engine = engine;
    EXPECT_THROW(reduce(op_kind::sum, none, options), shape_error);
    EXPECT_THROW(reduce(op_kind::describe, none, options), shape_error);
    EXPECT_THROW(reduce(op_kind::dot, here, none, options), shape_error);
    EXPECT_THROW(reduce(op_kind::dot, none, here, options), shape_error);
  }
  EXPECT_THROW(reduce(op_kind::sum, make_view(nowhere, {1}, place::device)), shape_error);
  EXPECT_THROW(sum(std::span<const float>(nowhere, 3)), shape_error);
  EXPECT_EQ(reduce(op_kind::sum, empty).value<float>(), 0);
  EXPECT_EQ(reduce(op_kind::dot, empty, empty).value<float>(), 0);
  EXPECT_EQ(sum(std::span<const float>()), 0);
}

TEST(places, are_not_looked_at_by_plans) {
  EXPECT_EQ(plan_for(op_kind::sum, make_view(static_cast<const float*>(nullptr), {1000})).form.length, 1000);
}

TEST(places, of_results_without_an_address_are_refused) {
  reduce_options options;
  options.into = std::span<std::byte>(static_cast<std::byte*>(nullptr), sizeof one);
  EXPECT_THROW(reduce(op_kind::sum, make_view(&one, {1}), options), shape_error);
  options.into = {};
  EXPECT_EQ(reduce(op_kind::sum, make_view(&one, {1}), options).value<float>(), 1);
}

}  // namespace
}  // namespace multifold
