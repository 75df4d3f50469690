// Plans over thousands of random views, operations, machines and forced options give what plain loops give, or say no.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/random_view.hpp"
#include "multifold/error.hpp"
#include "multifold/plan.hpp"
#include "plan/oracle.hpp"
#include "plan/plan_rules.hpp"
#include "random_bits.hpp"

namespace multifold::plan_tests {
namespace {

using testing_views::draw;
using testing_views::random_view;

struct random_case {
  reduction what;
  random_view made;
  std::vector<std::int64_t> axes;
  plan_options forced;
  engine_traits engine;
};

reduction random_reduction(test::random_bits& random) {
  const auto op = static_cast<op_kind>(draw(random, 0, 6));
  const auto input = static_cast<dtype>(draw(random, 0, 12));
  reduction what = make_reduction(op, input, draw(random, 0, 1) == 0 ? nan_policy::omit : nan_policy::propagate,
                                  draw(random, 0, 1) == 0 ? accuracy::exact : accuracy::fast);
  const auto other = static_cast<dtype>(draw(random, 0, 12));
  if (draw(random, 0, 3) == 0 && result_dtype_allowed(op, input, other)) what.result = other;
  if (draw(random, 0, 3) == 0 && op != op_kind::mean && order_of(op) == element_order::any) {
    const std::int64_t value = draw(random, 1, 3);
    what.initial = {true, !is_floating(input), value, static_cast<double>(value)};
  }
  return what;
}

plan_options random_options(test::random_bits& random, std::int64_t length) {
  const auto now_and_then = [&] { return draw(random, 0, 2) == 0; };
  plan_options forced;
  if (now_and_then()) forced.passes = static_cast<int>(draw(random, 1, 5));
  if (now_and_then()) forced.how = static_cast<finish>(draw(random, 0, 2));
  if (now_and_then()) forced.parts = draw(random, 1, draw(random, 0, 1) == 0 ? 12 : length + 1);
  if (now_and_then()) forced.form = static_cast<block_form>(draw(random, 0, 1));
  constexpr int threads[] = {32, 64, 96, 256, 512, 48, 1024};
  if (now_and_then()) forced.threads = threads[draw(random, 0, 6)];
  return forced;
}

engine_traits random_engine(test::random_bits& random) {
  const std::int64_t pick = draw(random, 0, 3);
  if (pick == 0) return h200_traits();
  if (pick == 1) return tiny_device();
  engine_traits host = host_of(static_cast<int>(draw(random, 1, 64)));
  if (pick == 2) host.part_bytes = 64;  // so that small arrays have many parts
  return host;
}

random_case make_case(test::random_bits& random, bool with_options) {
  random_case c;
  c.what = random_reduction(random);
  c.made = testing_views::make_random_view(random, c.what.input);
  c.axes = testing_views::random_axes(random, c.made.view.rank());
  c.engine = random_engine(random);
  const std::int64_t length = normalise(c.made.view, c.axes, order_of(c.what.op)).length;
  if (with_options) c.forced = random_options(random, length);
  return c;
}

// The expected bytes, or the status of the first result that has none.
status plain_results(const random_case& c, const std::vector<double>& values, std::vector<std::byte>& out) {
  const auto offsets = testing_views::offsets_by_result(c.made.view, c.axes);
  out.assign(offsets.size() * static_cast<std::size_t>(item_bytes(c.what.result)), std::byte{0});
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    std::vector<double> elements;
    for (const std::int64_t offset : offsets[i]) {
      elements.push_back(values[static_cast<std::size_t>(c.made.first + offset)]);
    }
    std::byte* const at = out.data() + i * static_cast<std::size_t>(item_bytes(c.what.result));
    const status s = put_plain(plain_reduction(std::move(elements), c.what), c.what.result, at);
    if (s != status::ok) return s;
  }
  return status::ok;
}

void expect_right(test::random_bits& random, const random_case& c, const plan& p) {
  const drawn_elements drawn = draw_elements(random, c.what, c.made.buffer_elements, draw(random, 0, 1) == 0);
  std::vector<std::byte> expected;
  const status s = plain_results(c, drawn.values, expected);
  std::vector<std::byte> found(expected.size(), std::byte{0});
  const std::byte* const data = drawn.bytes.data() + c.made.first * item_bytes(c.what.input);
  if (s == status::overflow) {
    EXPECT_THROW(interpret(p, data, found.data()), overflow_error);
  } else if (s == status::empty) {
    EXPECT_THROW(interpret(p, data, found.data()), shape_error);
  } else {
    interpret(p, data, found.data());
    EXPECT_TRUE(found == expected);
  }
}

// Whether a refusal names one of the things that were forced.
bool names_what_was_forced(const std::string& said, const plan_options& forced) {
  const auto says = [&](const std::string& part) { return said.find(part) != std::string::npos; };
  return (forced.passes && says(std::to_string(*forced.passes) + " pass")) ||
         (forced.parts && says(std::to_string(*forced.parts) + " parts")) ||
         (forced.how && says("finish " + std::string(name(*forced.how)))) ||
         (forced.threads && says(std::to_string(*forced.threads))) || (forced.form && says("shared-memory tree"));
}

// The plan, checked; empty if it was refused for a good reason.
std::optional<plan> checked_plan(const random_case& c) {
  const batches form = normalise(c.made.view, c.axes, order_of(c.what.op));
  const bool has_value = form.length > 0 || form.results() == 0 || has_identity(c.what.op) || c.what.initial.given;
  try {
    const plan p = make_plan(c.what, form, c.forced, c.engine);
    EXPECT_TRUE(has_value);
    EXPECT_TRUE(same_passes(p, make_plan(c.what, form, c.forced, c.engine)));
    expect_sound(p);
    expect_obeyed(p, c.forced);
    EXPECT_FALSE(explain(p).empty());
    return p;
  } catch (const unsupported_error& e) {
    EXPECT_TRUE(names_what_was_forced(e.what(), c.forced)) << e.what();
  } catch (const shape_error& e) {
    EXPECT_FALSE(has_value) << e.what();
  }
  return std::nullopt;
}

// Returns the number of plans that were not refused.
int run_cases(int cases, bool with_options, std::uint64_t seed) {
  test::random_bits random(seed);
  int planned = 0;
  for (int i = 0; i < cases && !::testing::Test::HasFailure(); ++i) {
    const random_case c = make_case(random, with_options);
    SCOPED_TRACE("case " + std::to_string(i) + ": " + std::string(name(c.what.op)) + " of " +
                 std::string(name(c.what.input)) + " to " + std::string(name(c.what.result)) + ", extents " +
                 to_string(c.made.view.extents) + " strides " + to_string(c.made.view.strides) + " axes " +
                 to_string(c.axes) + " on " + c.engine.name);
    const std::optional<plan> p = checked_plan(c);
    if (!p) continue;
    SCOPED_TRACE(explain(*p));
    expect_right(random, c, *p);
    ++planned;
  }
  return planned;
}

TEST(interpret, chosen_plans_give_what_plain_loops_give) { EXPECT_GT(run_cases(5000, false, 1), 4800); }

TEST(interpret, forced_plans_give_the_same_or_a_clear_refusal) {
  const int planned = run_cases(12000, true, 2);
  EXPECT_GT(planned, 3000);
  EXPECT_LT(planned, 9000);
}

TEST(interpret, floating_sums_of_minus_zero_stay_minus_zero_through_every_pass) {
  const std::vector<float> zeros(100, -0.0f);
  const batches form = normalise(make_view(zeros.data(), {100}), {0}, element_order::any);
  plan_options forced;
  forced.passes = 4;
  float result = 1;
  interpret(make_plan(make_reduction(op_kind::sum, dtype::f32), form, forced, h200_traits()), zeros.data(), &result);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(result), 0x80000000u);
}

}  // namespace
}  // namespace multifold::plan_tests
