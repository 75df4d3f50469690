// Plans that are forced act, or are refused; and what a result says of its plan is what ran.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "multifold/multifold.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

std::vector<plan_options> every_option() {
  std::vector<plan_options> all(5);
  all[0].passes = 2;
  all[1].how = finish::next_pass;
  all[2].parts = 977;
  all[3].threads = 64;
  all[4].form = block_form::shuffle;
  return all;
}

std::vector<double> tenths(std::int64_t count) {
  std::vector<double> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1 * static_cast<double>(i % 1013);
  return x;
}

TEST(forced_plans, act_on_arrays_in_memory) {
  const std::vector<double> x = tenths(1'000'003);
  const array_view view = make_view(x.data(), {1'000'003});
  reduce_options options;
  options.engine = engine_choice::host;
  options.wanted = accuracy::fast;
  const reduce_result chosen = reduce(op_kind::sum, view, options);
  options.forced.parts = 977;
  const reduce_result forced = reduce(op_kind::sum, view, options);
  EXPECT_EQ(forced.used.passes.front().parts, 977);
  EXPECT_NE(forced.data, chosen.data);
}

TEST(forced_plans, of_sources_are_refused) {
  const std::vector<double> x = tenths(1000);
  for (const plan_options& forced : every_option()) {
    for (const std::int64_t extent : {std::int64_t{1000}, std::int64_t{-1}}) {
      reduce_options options;
      options.engine = engine_choice::host;
      options.forced = forced;
      vector_source<double> input(x, {extent});
      try {
        reduce(op_kind::sum, input, options);
        ADD_FAILURE() << "a forced plan was ignored";
      } catch (const unsupported_error& refusal) {
        EXPECT_NE(std::string(refusal.what()).find("read in chunks"), std::string::npos) << refusal.what();
      }
    }
  }
}

TEST(forced_plans, are_not_told_of_what_comes_in_chunks) {
  const std::vector<double> x = tenths(1000);
  reduce_options options;
  options.engine = engine_choice::host;
  vector_source<double> input(x, {1000});
  const reduce_result got = reduce(op_kind::sum, input, options);
  EXPECT_TRUE(got.used.passes.empty());
  EXPECT_NE(explain(got.used).find("in chunks"), std::string::npos);
  EXPECT_EQ(got.data, reduce(op_kind::sum, make_view(x.data(), {1000}), options).data);
}

}  // namespace
}  // namespace multifold
