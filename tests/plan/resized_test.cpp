// Plans for fewer elements: the same results as plans that were made for so few, from the same passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/plan.hpp"
#include "plan/oracle.hpp"
#include "plan/plan_rules.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using plan_tests::draw_elements;
using testing_views::draw;

struct result_of_run {
  std::string error;
  std::vector<std::byte> bytes;
  bool operator==(const result_of_run&) const = default;
};

result_of_run run(const plan& p, const operands& data) {
  result_of_run r;
  r.bytes.resize(static_cast<std::size_t>(result_bytes(p.what)));
  try {
    interpret(p, data, r.bytes.data());
  } catch (const error& e) {
    r = {e.what(), {}};
  }
  return r;
}

batches row(const std::vector<std::byte>& bytes, dtype type, std::int64_t length) {
  return normalise(make_view(bytes.data(), type, {length}), {0}, element_order::indexed);
}

TEST(resized, gives_what_a_plan_for_so_few_gives) {
  test::random_bits random(1);
  std::vector<op_kind> ops(std::begin(all_ops), std::end(all_ops));
  ops.insert(ops.end(), {op_kind::dot, op_kind::cov});
  for (int i = 0; i < 3000; ++i) {
    const op_kind op = ops[random() % ops.size()];
    const dtype types[] = {dtype::i8, dtype::u16, dtype::i64, dtype::f16, dtype::bf16, dtype::f32, dtype::f64};
    const reduction what = make_reduction(op, types[random() % std::size(types)]);
    const std::int64_t most = draw(random, 1, 3000), length = draw(random, 0, most);
    const auto x = draw_elements(random, what, most, i % 2 == 0), y = draw_elements(random, what, most, false);
    const operands data{x.bytes.data(), y.bytes.data()};
    plan_options forced;
    if (i % 3 == 0 && most > 16 && family_of(what) != op_family::moments)
      forced.passes = static_cast<int>(draw(random, 1, 3));
    const engine_traits engine = i % 4 == 0 ? h200_traits() : plan_tests::tiny_device();
    const plan whole = make_plan(what, row(x.bytes, what.input, most), forced, engine);
    SCOPED_TRACE(std::to_string(length) + " elements\n" + explain(whole));
    if (length == 0 && !has_identity(op)) {
      EXPECT_THROW(resized(whole, length), shape_error);
      continue;
    }
    const plan smaller = resized(whole, length);
    const plan expected = make_plan(what, row(x.bytes, what.input, length), {}, engine);
    ASSERT_EQ(run(smaller, data), run(expected, data));
    ASSERT_EQ(smaller.passes.size(), whole.passes.size());
    ASSERT_EQ(smaller.passes[0].blocks, whole.passes[0].blocks);
    if (smaller.passes[0].parts == 1) {
      ASSERT_EQ(smaller.passes[0].part_length, std::max<std::int64_t>(1, length));
    }
    ASSERT_EQ(run(resized(smaller, length), data), run(smaller, data));
  }
}

TEST(resized, asks_for_more_workspace_where_tiles_become_small) {
  plan_options forced;
  forced.threads = 32;
  const batches form = normalise(make_view(nullptr, dtype::f64, {1 << 19}), {0}, element_order::any);
  const plan whole = make_plan(make_reduction(op_kind::sum, dtype::f64), form, forced, h200_traits());
  ASSERT_EQ(whole.passes[0].kind, kernel::exact_rows);
  EXPECT_GT(resized(whole, (1 << 19) - 1).workspace_bytes(), whole.workspace_bytes());
}

TEST(resized, refuses_what_it_cannot_do) {
  const reduction what = make_reduction(op_kind::sum, dtype::f32);
  const auto plan_over = [&](std::vector<std::int64_t> extents, std::vector<std::int64_t> axes) {
    return make_plan(what, normalise(make_view(nullptr, dtype::f32, extents), axes, element_order::any), {},
                     h200_traits());
  };
  const plan whole = plan_over({100}, {0});
  EXPECT_THROW(resized(whole, 101), shape_error);
  EXPECT_THROW(resized(whole, -1), shape_error);
  EXPECT_THROW(resized(plan_over({100, 3}, {0}), 10), unsupported_error);
  EXPECT_THROW(resized(plan_over({3, 100}, {1}), 10), unsupported_error);
  // Which elements come first is the view's to say, and plans of sums read along memory.
  array_view reversed = make_view(nullptr, dtype::f32, {100});
  reversed.strides = {-1};
  const batches backwards = normalise(reversed, {0}, element_order::any);
  EXPECT_THROW(resized(make_plan(what, backwards, {}, h200_traits()), 10), unsupported_error);
}

}  // namespace
}  // namespace multifold
