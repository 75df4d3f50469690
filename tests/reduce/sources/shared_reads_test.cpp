// What one read has of several operations: the bits that each has by itself, here of the host engine.
#include "reduce/several/shared_reads.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/every.hpp"
#include "host/random_array.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"

namespace multifold {
namespace {

using detail::read_from;

struct shared_run {
  std::vector<reduce_result> results;
  std::vector<op_kind> read;
};

shared_run run(const std::vector<op_kind>& ops, const array_view& view, read_from where,
               const reduce_options& options = {}) {
  shared_run got;
  got.results = detail::reduce_by_shared_reads(ops, view, where, options, [&](op_kind op, reduce_options own) {
    got.read.push_back(op);
    own.engine = engine_choice::host;
    return reduce(op, view, own);
  });
  return got;
}

TEST(shared_reads, have_the_bits_that_each_has_by_itself) {
  const std::vector<op_kind> of_one = test::ops_of_one_array();
  test::random_bits rng(11);
  for (int round = 0; round < 400; ++round) {
    const dtype type = static_cast<dtype>(rng() % 13);
    const test::array array = test::random_array(type, test::random_extents(rng, 3000), rng);
    const array_view& view = array.view;
    reduce_options options;
    if (rng() % 2 == 0) options.axes = test::random_axes(view.rank(), rng);
    if (rng() % 3 == 0) options.nan = nan_policy::omit;
    if (rng() % 4 == 0) options.wanted = accuracy::fast;
    if (rng() % 4 == 0) options.result = rng() % 2 == 0 ? dtype::f64 : dtype::f32;
    std::vector<op_kind> ops(1 + rng() % 6);
    for (op_kind& each : ops) each = of_one[rng() % of_one.size()];
    const auto some = [&](bool (*takes)(op_kind)) { return std::any_of(ops.begin(), ops.end(), takes); };
    if (rng() % 4 == 0 && some(takes_initial)) options.initial = {true, true, 3, 3};
    if (rng() % 4 == 0 && some(takes_correction)) options.correction = 1;
    std::vector<reduce_result> alone;
    const std::string wrong = test::message_of([&] {
      reduce_options own = options;
      own.engine = engine_choice::host;
      for (const op_kind op : ops) alone.push_back(reduce(op, view, detail::options_for(op, own)));
    });
    shared_run got;
    const read_from where = rng() % 2 == 0 ? read_from::wire : read_from::device_memory;
    const std::string wrong_together = test::message_of([&] { got = run(ops, view, where, options); });
    ASSERT_EQ(wrong, wrong_together);
    for (std::size_t i = 0; i < got.results.size(); ++i) {
      SCOPED_TRACE(std::string(name(ops[i])) + " of " + std::string(name(type)) + " " + to_string(view.extents));
      EXPECT_EQ(got.results[i].type, alone[i].type);
      EXPECT_EQ(got.results[i].extents, alone[i].extents);
      EXPECT_EQ(got.results[i].data, alone[i].data);
      EXPECT_EQ(got.results[i].count, alone[i].count);
      EXPECT_EQ(got.results[i].achieved, alone[i].achieved);
      EXPECT_EQ(got.results[i].used.what, alone[i].used.what);
    }
    if (HasFailure()) return;
  }
}

TEST(shared_reads, are_as_few_as_there_can_be) {
  const std::vector<float> x(40'000, 1.5F);
  const array_view row = make_view(x.data(), {40'000});
  using all = std::vector<op_kind>;
  const all three{op_kind::sum, op_kind::max, op_kind::norm2};
  EXPECT_EQ(run(three, row, read_from::device_memory).read, all{op_kind::describe});
  EXPECT_EQ(run(three, row, read_from::once).read, all{op_kind::describe});
  EXPECT_EQ(run({op_kind::any, op_kind::all}, row, read_from::device_memory).read, all{op_kind::count_nonzero});
  EXPECT_EQ(run({op_kind::any, op_kind::all, op_kind::mean, op_kind::argmax}, row, read_from::wire).read,
            all{op_kind::describe});
  EXPECT_EQ(run({op_kind::sum, op_kind::var, op_kind::min}, row, read_from::wire).read,
            (all{op_kind::describe, op_kind::var}));
}

TEST(shared_reads, of_short_rows_are_for_many_operations_alone) {
  const std::vector<float> x(40'000, 1.5F);
  const array_view rows = make_view(x.data(), {400, 100});
  reduce_options options;
  options.axes = {1};
  const std::vector<op_kind> three{op_kind::sum, op_kind::max, op_kind::norm2};
  EXPECT_EQ(run(three, rows, read_from::device_memory, options).read, three);
  EXPECT_EQ(run(three, rows, read_from::wire, options).read, std::vector<op_kind>{op_kind::describe});
}

TEST(shared_reads, of_what_is_read_once_are_one) {
  const std::vector<float> x(100, 1.5F);
  const array_view row = make_view(x.data(), {100});
  test::expect_refusal<unsupported_error>("several reads", [&] {
    static_cast<void>(run({op_kind::sum, op_kind::var}, row, read_from::once));
  });
  EXPECT_EQ(run({op_kind::var}, row, read_from::once).results[0].value<float>(), 0.0F);
}

TEST(shared_reads, that_fail_leave_each_operation_to_itself) {
  const std::vector<std::int64_t> x{INT64_MAX, 1};
  const array_view row = make_view(x.data(), {2});
  const auto got = run({op_kind::max, op_kind::min}, row, read_from::wire);
  EXPECT_EQ(got.results[0].value<std::int64_t>(), INT64_MAX);
  EXPECT_EQ(got.results[1].value<std::int64_t>(), 1);
  EXPECT_EQ(got.read, (std::vector<op_kind>{op_kind::describe, op_kind::max, op_kind::min}));
}

}  // namespace
}  // namespace multifold
